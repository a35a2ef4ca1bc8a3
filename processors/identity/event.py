"""The names in all facts of one event: each mention resolved, each relation in its direction, in order."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from processors.identity.commands import check_alias
from processors.identity.compare import relation
from processors.identity.introduced import introductions, is_seat
from processors.identity.memory import MemoryIdentity
from processors.identity.model import Context, Known, Lookup, Name, Resolution
from processors.identity.names import parse
from processors.identity.naming import is_first_person
from processors.identity.relations import turned, with_named_value
from processors.identity.resolve import lookup_of, resolve_mention
from processors.identity.stated import alias_names, identifiers_of_subject, stated_alias
from processors.receiving import RECORD_EXTRACTOR
from processors.registry import Registry
from schemas.facts import Fact, FactsExtracted, Mention
from schemas.identity import AliasSet


@dataclass(frozen=True, slots=True)
class NamedFact:
    """A fact whose mentions have their entities; `resolved_as` is the subject before merges were followed.

    `suggested`: whom an unresolved subject may mean.
    """

    fact: Fact
    resolved_as: str | None = None
    suggested: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NameReview:
    """Something about names for a person to look at; `ordinal` is the fact's that raised it."""

    ordinal: int
    entity: str
    reason: str
    text: str


@dataclass(slots=True)
class EventNames:
    """What reading the names of an event gave. `named`: entities that the conversation has named by now."""

    facts: list[NamedFact] = field(default_factory=list)
    learned: list[Known] = field(default_factory=list)
    identifiers: list[tuple[str, str]] = field(default_factory=list)
    suspects: list[tuple[str, str]] = field(default_factory=list)
    named: list[str] = field(default_factory=list)
    reviews: list[NameReview] = field(default_factory=list)


def lookups_of(event: FactsExtracted, registry: Registry) -> list[Lookup]:
    """What a store must load before `read_names`.

    Not what the conversation named: of that only matters what the keys of a mention find as well.
    """
    facts = [with_named_value(fact, registry) for fact in event.content.facts]
    found = []
    for fact in facts:
        context = Context(identifiers=_identifiers(event, facts, fact.subject))
        mentions = [fact.subject, *([fact.value_entity] if fact.value_entity else [])]
        names = alias_names(fact)
        if names is not None:
            mentions += [Mention(text=names[0], type=kind) for kind in {names[1].type, "person"}]
        found += [lookup_of(mention, context) for mention in mentions]
    for seat, name in introductions(facts).items():
        found.append(lookup_of(name, Context(identifiers=(seat,))))
    seats = tuple(
        fact.subject.entity for fact in facts if fact.subject.entity and is_seat(fact.subject.entity)
    )
    if seats:
        found.append(Lookup("person", (), seats, ()))
    return found


def read_names(
    event: FactsExtracted, registry: Registry, view: MemoryIdentity, nearby: frozenset[str]
) -> EventNames:
    """Resolves the mentions of all facts in order. `view` learns what is found out on the way.

    Args:
        nearby: what the conversation has named before this event.
    """
    return _Reader(event, registry, view, nearby).read()


class _Reader:
    def __init__(
        self, event: FactsExtracted, registry: Registry, view: MemoryIdentity, nearby: frozenset[str]
    ) -> None:
        self._event = event
        self._registry = registry
        self._view = view
        self._nearby = set(nearby)
        self._names = EventNames()
        self._facts = [with_named_value(fact, registry) for fact in event.content.facts]

    def read(self) -> EventNames:
        for seat, name in introductions(self._facts).items():
            self._introduce(seat, name)
        for fact in self._facts:
            self._alias(fact)
            self._names.facts.append(self._fact(fact))
        return self._names

    def _fact(self, fact: Fact) -> NamedFact:
        stated = _identifiers(self._event, self._facts, fact.subject)
        subject = self._resolve(fact.ordinal, fact.subject, stated)
        value = None
        if fact.value_entity is not None:
            other = self._resolve(fact.ordinal, fact.value_entity)
            value = other.entity if other.resolved else None
        before = _before(fact.subject, subject, self._view)
        made = turned(fact, self._registry, subject.entity, value)
        if value is not None and made.subject.entity == value != subject.entity:
            before = None
        suggested = () if subject.resolved else tuple(one.entity for one in subject.suggestions[:8])
        return NamedFact(made, before, suggested)

    def _resolve(self, ordinal: int, mention: Mention, stated: tuple[str, ...] = ()) -> Resolution:
        person = self._view.identifier(mention.entity) if mention.entity and is_seat(mention.entity) else None
        asked = mention if person is None else mention.model_copy(update={"entity": person})
        context = Context(nearby=frozenset(self._nearby), identifiers=stated)
        found = resolve_mention(asked, context, self._view)
        self._keep(ordinal, mention, found)
        return found

    def _keep(self, ordinal: int, mention: Mention, found: Resolution) -> None:
        names = self._names
        if found.learn is not None:
            names.learned.append(found.learn)
        names.identifiers += [(key, found.entity) for key in found.identifiers]
        for pair in self._view.keep(found):
            names.suspects.append(pair)
            why = self._view.suspects[pair]
            text = f"{pair[0]} and {pair[1]} may be one ({why.why}, {why.score:.2f}); merge them if they are"
            names.reviews.append(NameReview(ordinal, found.entity, "suspected_duplicate", text))
        if found.resolved and found.how not in ("id", "speaker") and found.entity not in self._nearby:
            self._nearby.add(found.entity)
            names.named.append(found.entity)

    def _alias(self, fact: Fact) -> None:
        context = Context(nearby=frozenset(self._nearby))
        stated = stated_alias(self._event, fact, context, self._view)
        if stated is None:
            return
        if isinstance(stated.command, AliasSet) and not stated.refused:
            row = check_alias(stated.command, self._view)
            self._view.add_name(row)
            self._names.learned.append(row)
            return
        entity = stated.command.entity
        self._names.reviews.append(NameReview(fact.ordinal, entity, "alias_not_taken", stated.refused))

    def _introduce(self, seat: str, name: Mention) -> None:
        if self._view.identifier(seat) is not None or self._view.forward(seat) is not None:
            return
        found = resolve_mention(name, Context(nearby=frozenset(self._nearby)), self._view)
        if found.resolved:
            self._keep(0, name, found)
            self._view.add_identifiers(found.entity, [seat])
            self._names.identifiers.append((seat, found.entity))


def _identifiers(event: FactsExtracted, facts: Sequence[Fact], subject: Mention) -> tuple[str, ...]:
    """What a system of record (it sends versions) states of its subject, or a speaker of himself."""
    if event.extractor == RECORD_EXTRACTOR:
        trusted = bool(event.source_version)
    else:
        trusted = subject.entity is not None or is_first_person(subject)
    return identifiers_of_subject(facts, subject, trusted=trusted)


def _before(mention: Mention, found: Resolution, view: MemoryIdentity) -> str | None:
    """The entity that the mention named before merges were followed; None when it is the same."""
    if mention.entity is not None:
        return mention.entity if mention.entity != found.entity else None
    if not found.resolved or not view.merged_into(found.entity):
        return None
    said = parse(Name(mention.text, mention.type))
    same = {row.entity for row in view.names_of(found.entity) if relation(said, parse(row.name)) == "same"}
    return next(iter(same)) if len(same) == 1 and found.entity not in same else None
