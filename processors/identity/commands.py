"""Checking merge, split, alias and assign before they take effect. A refusal says what to do instead."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from processors.identity.forwards import MAX_HOPS, follow
from processors.identity.model import IdentityView, Known, Name
from processors.identity.names import keys_of, parse
from processors.identity.naming import family_of, is_unresolved, type_of
from processors.values.text import form
from schemas.errors import PoisonError
from schemas.identity import AliasSet, AssignUnresolved, MergeEntities, Moved, SplitEntity


class InvalidCommand(PoisonError):
    """The identity command cannot be carried out; nothing was changed."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A live piece of evidence of an entity: how it was mentioned, and the entity that this was resolved as."""

    mention: str
    resolved_as: str


@dataclass(frozen=True, slots=True)
class Move:
    """What a command does to the id map and asks of one inbox.

    Attributes:
        entity: whose evidence moves.
        to: where to; the end of the forwards.
        evidence: which, by ids; `mention`: by how it names the entity; `resolved_as`: by what it was first resolved as.
            With none of the three it is all.
        forward: `entity` becomes a forward to `to`.
        unforward: `to` was merged into `entity` and stands for itself again.
    """

    entity: str
    to: str
    evidence: tuple[UUID, ...] = ()
    mention: str = ""
    resolved_as: tuple[str, ...] = ()
    forward: bool = False
    unforward: bool = False


def check_merge(command: MergeEntities, view: IdentityView) -> Move:
    """Raises InvalidCommand: already merged, into itself, incompatible types, unresolved, a chain too long."""
    entity, into = command.entity, follow(view, command.into)
    at = follow(view, entity)
    if at == into:
        if entity == at and command.into == entity:
            raise InvalidCommand(f"{entity} cannot be merged into itself; name another entity in 'into'")
        if entity == at:
            raise InvalidCommand(
                f"{command.into} is merged into {entity} already, so this would close a circle; to make {command.into} "
                f"the one that stays, first split it off {entity}, then merge again"
            )
        raise InvalidCommand(f"{entity} is merged into {into} already; nothing to do")
    if at != entity:
        raise InvalidCommand(
            f"{entity} is merged into {at}; merge {at} into {into}, or split {entity} off first"
        )
    if is_unresolved(entity) or is_unresolved(into):
        raise InvalidCommand(
            "an unresolved mention is assigned, not merged; use 'assign' with the entity that is meant"
        )
    _compatible(entity, into)
    hops = 1 + _depth(view, entity)
    if hops > MAX_HOPS:
        raise InvalidCommand(
            f"what was merged into {entity} would be forwarded {hops} times, at most {MAX_HOPS} are followed; merge "
            f"{into} into {entity} instead"
        )
    return Move(entity, into, forward=True)


def check_split(command: SplitEntity, view: IdentityView) -> Move:
    """The move of a part of an entity's evidence; what is there to be moved is for `choose`. Raises InvalidCommand."""
    entity, new = command.entity, command.new_entity
    if (at := follow(view, entity)) != entity:
        raise InvalidCommand(f"{entity} is merged into {at} and holds nothing itself; split {at}")
    if entity == new:
        raise InvalidCommand(f"{entity} cannot be split from itself; give new_entity an id of its own")
    if is_unresolved(entity) or is_unresolved(new):
        raise InvalidCommand("an unresolved mention is assigned, not split; use 'assign'")
    _compatible(entity, new)
    undo = follow(view, new) == entity
    if not undo and (elsewhere := follow(view, new)) != new:
        raise InvalidCommand(
            f"{new} is merged into {elsewhere}; split {entity} to {elsewhere} or to a new id"
        )
    if undo and view.forward(new) != entity:
        raise InvalidCommand(
            f"{new} came to {entity} by way of {view.forward(new)}; split {view.forward(new)} off first, then {new}"
        )
    if not (undo or command.evidence or command.mention):
        raise InvalidCommand("the split names nothing to move; give evidence ids (see explain), or a mention")
    everything = undo and not (command.evidence or command.mention)
    return Move(
        entity,
        new,
        tuple(dict.fromkeys(command.evidence)),
        command.mention,
        (new, *sorted(_sources(view, new))) if everything else (),
        unforward=undo,
    )


def check_alias(command: AliasSet, view: IdentityView) -> Known:
    """The row for the id map, with the entity at the end of the forwards. Raises InvalidCommand."""
    entity = follow(view, command.entity)
    if is_unresolved(entity):
        raise InvalidCommand(
            f"{entity} is no entity yet; first 'assign' it, then set the alias of what is meant"
        )
    if not form(command.alias):
        raise InvalidCommand("the alias has no letter or digit; give a name that can be recognised")
    if family_of(command.alias_type) != family_of(type_of(entity)):
        raise InvalidCommand(
            f"{entity} is of type {type_of(entity)}, the alias of type {command.alias_type}; set alias_type to "
            f"{type_of(entity)}, or name another entity"
        )
    name = Name(command.alias, command.alias_type)
    parsed = parse(name)
    for key in keys_of(parsed):
        for row in view.named(parsed.family, key):
            other = follow(view, row.entity)
            if other == entity or parse(row.name).exact != parsed.exact:
                continue
            if row.origin == "stated":
                raise InvalidCommand(
                    f"the alias is set for {other} already; merge {other} and {entity} if they are one, or use a "
                    "longer name that tells them apart"
                )
            if row.origin == "claimed":
                raise InvalidCommand(
                    f"the alias is the name of {other}; if they are one, merge {other} into {entity} instead"
                )
    return Known(entity, name, "stated")


def check_assign(command: AssignUnresolved, view: IdentityView) -> Move:
    """The move out of the waiting place; what waits there is for `choose`. Raises InvalidCommand."""
    entity = follow(view, command.entity)
    if not is_unresolved(command.unresolved):
        raise InvalidCommand(
            f"{command.unresolved} is an entity; 'assign' takes a key like unresolved:robin (see the review), 'merge' "
            "and 'split' are for entities"
        )
    if is_unresolved(entity):
        raise InvalidCommand(
            f"{entity} is unresolved itself; name the entity that is meant, for example person:robin-reed"
        )
    if ":" not in entity.strip(":"):
        raise InvalidCommand(f"{entity!r} is no entity id; ids are written type:name")
    return Move(command.unresolved, entity, tuple(dict.fromkeys(command.evidence)))


def choose(record: Moved, evidence: Mapping[UUID, Evidence]) -> frozenset[UUID]:
    """Which of the entity's live `evidence` the record moves. Raises InvalidCommand when it names what is not there.

    Asked when the record is decided and not before: the evidence is that of the inbox, so that the same record gives
    the same move in every replay.
    """
    _exists(record.evidence, evidence, record.entity)
    chosen = frozenset(
        key for key, row in evidence.items() if selects(record, key, row.mention, row.resolved_as)
    )
    if record.mention and not chosen:
        said = ", ".join(sorted({row.mention for row in evidence.values()})[:5]) or "nothing"
        raise InvalidCommand(f"no live evidence of {record.entity} names it so; it is named: {said}")
    if record.command == "assign" and not chosen:
        raise InvalidCommand(f"nothing waits under {record.entity}; the reviews say what does")
    if record.command == "split" and not record.restores and len(chosen) == len(evidence):
        raise InvalidCommand(
            f"that is all that {record.entity} holds; merge {record.entity} into {record.to} instead"
        )
    return chosen


def selects(record: Moved, key: UUID, mention: str, resolved_as: str) -> bool:
    """Whether a piece of evidence is of those that the record names."""
    if record.evidence:
        return key in record.evidence
    if record.mention:
        return form(mention) == form(record.mention)
    return not record.resolved_as or resolved_as in record.resolved_as


def _sources(view: IdentityView, entity: str) -> set[str]:
    """Everything that was merged into the entity, however often."""
    found, level = set[str](), [entity]
    while level := [one for at in level for one in view.merged_into(at) if one not in found]:
        found.update(level)
    return found


def _exists(wanted: Collection[UUID], there: Collection[UUID], entity: str) -> None:
    missing = [str(key) for key in wanted if key not in there]
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise InvalidCommand(
            f"no live evidence of {entity}: {', '.join(missing[:3])}{more}; explain {entity} lists what there is"
        )


def _compatible(entity: str, other: str) -> None:
    first, second = type_of(entity), type_of(other)
    if ":" not in other or ":" not in entity:
        raise InvalidCommand(
            f"{other if ':' in entity else entity} is no entity id; ids are written type:name"
        )
    if "thing" not in (first, second) and family_of(first) != family_of(second):
        raise InvalidCommand(
            f"{entity} and {other} are of types that cannot be one ({first}, {second}); check the ids"
        )


def _depth(view: IdentityView, entity: str) -> int:
    """The longest chain of forwards that ends at `entity`; 0 when nothing was merged into it."""
    level, depth = [entity], 0
    while level := [source for one in level for source in view.merged_into(one)]:
        depth += 1
        if depth > MAX_HOPS:
            break
    return depth
