"""From a mention to an entity: id, speaker, identifiers, stated alias, name; similarity only suggests.

The order is that of DESIGN §5. A name decides alone where it is whole ("Ana Ruiz"); a part of one ("Ana", "A. Ruiz",
"Ana Maria Ruiz" for "Ana Ruiz") only within the conversation that named its one bearer. See docs/identity.md.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from processors.identity.compare import Relation, relation, strangers
from processors.identity.forwards import follow
from processors.identity.identifiers import clash, entity_by, identifier_of, is_shared, scheme_of
from processors.identity.model import (
    MAX_ROWS,
    Context,
    How,
    IdentityView,
    Known,
    Lookup,
    Name,
    Resolution,
    Suggestion,
)
from processors.identity.names import Parsed, address_of, is_bare, keys_of, parse
from processors.identity.naming import (
    canonical_type,
    family_of,
    is_first_person,
    is_unresolved,
    type_of,
    unresolved_of,
)
from processors.identity.suggest import MAX_SUGGESTIONS, suggestions
from processors.values.named import entity_key
from processors.values.text import digest
from schemas.facts import Mention


@dataclass(slots=True)
class _Bearers:
    """The entities that the names under a mention's keys belong to, by how the names stand to the mention."""

    stated: set[str] = field(default_factory=set)
    same: set[str] = field(default_factory=set)
    shorter: set[str] = field(default_factory=set)
    longer: set[str] = field(default_factory=set)
    conflict: set[str] = field(default_factory=set)
    exact: set[str] = field(default_factory=set)
    rows: list[Known] = field(default_factory=list)
    #: So many share a word of the name that they were not all read.
    crowded: bool = False


def lookup_of(mention: Mention, context: Context) -> Lookup:
    """What a store must load before `resolve_mention`; and the names, identifiers and forwards of what it finds."""
    parsed = parse(_name(mention))
    stated = _stated(mention, context)
    entities = [mention.entity, context.speaker, *sorted(context.nearby)]
    return Lookup(
        family=parsed.family,
        keys=keys_of(parsed),
        identifiers=tuple(sorted(stated)),
        entities=tuple(dict.fromkeys(entity for entity in entities if entity)),
    )


def resolve_mention(mention: Mention, context: Context, view: IdentityView) -> Resolution:
    """Which entity `mention` names, given what is known. Never raises on any text.

    The caller keeps what comes out before it resolves the next mention of the tenant: ``learn``, ``identifiers`` and
    ``suggestions``.
    """
    if mention.entity is not None:
        return Resolution(follow(view, mention.entity), "id", 1.0, identifiers=context.identifiers)
    if context.speaker is not None and is_first_person(mention):
        return Resolution(follow(view, context.speaker), "speaker", 1.0, identifiers=context.identifiers)
    own = identifier_of(mention.text)
    stated = _stated(mention, context)
    by_identifier = _by_identifier(mention, stated, own is not None, view)
    if by_identifier is not None:
        return by_identifier
    if own is not None:
        return Resolution(
            entity_by(canonical_type(mention.type), own), "new", 1.0, identifiers=tuple(sorted(stated))
        )
    return _by_name(mention, context, stated, view)


def _by_identifier(
    mention: Mention, stated: frozenset[str], alone: bool, view: IdentityView
) -> Resolution | None:
    """The one entity that the identifiers belong to; None when none is known."""
    family, said = family_of(mention.type), parse(_name(mention))
    owners: dict[str, bool] = {}
    for key in sorted(stated):
        entity = view.identifier(key)
        if entity is None:
            continue
        entity = follow(view, entity)
        names = [parse(row.name) for row in view.names_of(entity)]
        if family not in ("thing", family_of(type_of(entity))):
            continue
        if not alone and is_shared(key) and names and all(strangers(said, name) for name in names):
            continue
        owners[entity] = owners.get(entity, False) or not is_shared(key)
    # An id that a system gave outweighs a mailbox.
    best = [entity for entity, given in owners.items() if given] or list(owners)
    if not best:
        return None
    if len(best) > 1:
        found = tuple(Suggestion(entity, "identifier", 1.0) for entity in sorted(best))
        return Resolution(unresolved_of(mention), "conflict", 0.0, suggestions=found)
    known = frozenset(view.identifiers_of(best[0]))
    learn = None if alone or is_bare(said) else _unknown(best[0], mention, view)
    others = tuple(Suggestion(entity, "identifier", 1.0) for entity in sorted(owners) if entity != best[0])
    free = (key for key in sorted(stated - known) if view.identifier(key) is None)
    return Resolution(best[0], "identifier", 1.0, learn, tuple(free), others)


def _by_name(mention: Mention, context: Context, stated: frozenset[str], view: IdentityView) -> Resolution:
    said = parse(_name(mention))
    found = _bearers(said, stated, view)
    nearby = {follow(view, entity) for entity in context.nearby}
    parts = found.shorter | found.longer
    if len(found.stated) == 1:
        return _is(found.stated, "alias", mention, stated, view)
    if len(found.stated) > 1 or len(found.same) > 1:
        return _ambiguous(mention, found.stated or found.same)
    if is_bare(said) and (len(found.shorter) > 1 or found.crowded):
        return _ambiguous(mention, found.shorter | found.same)
    if found.same and not (stated and is_bare(said)):
        how: How = "name" if found.same <= found.exact else "spelling"
        return _is(found.same, how, mention, stated, view, found)
    if len(found.shorter) > 1:
        return _ambiguous(mention, found.shorter)
    fits = bool(found.shorter) or _extends(said, found)
    if fits and not found.same and not found.crowded and len(parts) == 1 and parts <= nearby:
        return Resolution(parts.pop(), "context", 0.9, identifiers=tuple(sorted(stated)))
    return _new(mention, said, found, stated, view)


def _bearers(said: Parsed, stated: frozenset[str], view: IdentityView) -> _Bearers:
    found = _Bearers()
    by_key = {key: view.named(said.family, key) for key in keys_of(said)}
    found.crowded = any(len(rows) >= MAX_ROWS for key, rows in by_key.items() if key.startswith("w"))
    rows = {(row.entity, row.name): row for several in by_key.values() for row in several}
    found.rows = [rows[key] for key in sorted(rows, key=lambda key: (key[0], key[1].text, key[1].type))]
    for entity in sorted({follow(view, row.entity) for row in found.rows}):
        if is_unresolved(entity):
            continue
        names = [(row, parse(row.name)) for row in view.names_of(entity)]
        stands = [(row, relation(said, name)) for row, name in names]
        how: set[Relation] = {stand for _, stand in stands}
        if any(row.origin == "stated" and stand == "same" for row, stand in stands):
            found.stated.add(entity)
        if "conflict" in how or clash(stated, frozenset(view.identifiers_of(entity))):
            found.conflict.add(entity)
            found.stated.discard(entity)
        elif "same" in how:
            found.same.add(entity)
            if any(name.exact == said.exact for _, name in names):
                found.exact.add(entity)
        elif "shorter" in how:
            found.shorter.add(entity)
        elif "longer" in how:
            found.longer.add(entity)
    return found


def _is(
    one: set[str],
    how: How,
    mention: Mention,
    stated: frozenset[str],
    view: IdentityView,
    found: _Bearers | None = None,
) -> Resolution:
    entity = next(iter(one))
    close = () if found is None else _parts(found, entity)
    free = tuple(key for key in sorted(stated) if view.identifier(key) is None)
    score = 0.97 if how == "spelling" else 0.99
    return Resolution(entity, how, score, _unknown(entity, mention, view), free, close)


def _new(
    mention: Mention, said: Parsed, found: _Bearers, stated: frozenset[str], view: IdentityView
) -> Resolution:
    kind = canonical_type(mention.type)
    taken = found.conflict | found.same | found.shorter | found.longer
    ids = [entity_key(kind, said.display), entity_key(kind, mention.text)]
    ids += [
        entity_by(kind, key) for key in sorted(stated, key=lambda key: (is_shared(key), scheme_of(key), key))
    ]
    ids.append(f"{entity_key(kind, said.display)[:200]}~{digest(mention.text + ''.join(sorted(stated)))}")
    free = [entity for entity in ids if entity not in taken and view.forward(entity) is None]
    near = suggestions(said, found.rows, view)
    clashing = tuple(Suggestion(entity, "same_name", 0.5) for entity in sorted(found.conflict))
    parts = _parts(found, "")
    known = {one.entity for one in (*parts, *clashing)}
    return Resolution(
        entity=free[0] if free else ids[-1],
        how="new",
        score=1.0,
        learn=Known(free[0] if free else ids[-1], _name(mention), "claimed"),
        identifiers=tuple(key for key in sorted(stated) if view.identifier(key) is None),
        suggestions=(*parts, *(one for one in near if one.entity not in known), *clashing),
        distinct=bool(found.conflict),
    )


def _ambiguous(mention: Mention, bearers: Iterable[str]) -> Resolution:
    found = tuple(Suggestion(entity, "part_of_name", 0.5) for entity in sorted(bearers)[:MAX_SUGGESTIONS])
    return Resolution(unresolved_of(mention), "ambiguous", 0.0, suggestions=found)


def _parts(found: _Bearers, but: str) -> tuple[Suggestion, ...]:
    return tuple(
        Suggestion(entity, "part_of_name", 0.6)
        for entity in sorted(found.shorter | found.longer)
        if entity != but
    )


def _extends(said: Parsed, found: _Bearers) -> bool:
    """A longer form of a name that was whole already: not "Robin Stone" for somebody known as "Robin"."""
    return not is_bare(said) and all(
        not is_bare(name)
        for row in found.rows
        if row.entity in found.longer and relation(said, name := parse(row.name)) == "longer"
    )


def _stated(mention: Mention, context: Context) -> frozenset[str]:
    """The identifiers of the mention: those given with it, and what its text is or has in it ("Ana <a@b.example>")."""
    own = identifier_of(address_of(mention.text)[1] or mention.text)
    return frozenset(context.identifiers) | (frozenset({own}) if own else frozenset())


def _unknown(entity: str, mention: Mention, view: IdentityView) -> Known | None:
    """The name as a new spelling of the entity, unless it has it."""
    name = _name(mention)
    exact = parse(name).exact
    if any(parse(row.name).exact == exact and row.name.text == name.text for row in view.names_of(entity)):
        return None
    return Known(entity, name, "seen")


def _name(mention: Mention) -> Name:
    return Name(mention.text, mention.type)
