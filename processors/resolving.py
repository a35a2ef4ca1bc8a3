"""From a fact to a proposal: the entity it is about, the predicates its label may mean, the typed value."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from processors.embedding import EmbedderProfile
from processors.forgetting import EVERY, topic_candidate
from processors.guard import instruction_in
from processors.identity import entity_of, is_unresolved, type_of
from processors.identity.naming import canonical_type
from processors.ports import ConflictRule
from processors.predicates import rank
from processors.registry import Registry
from schemas.facts import Fact, FactsExtracted
from schemas.inbox import Proposal, ProposalContent, Versions


def sentence(fact: Fact) -> str:
    """The plain sentence that is embedded and shown: the fact's own, else subject, label and value in words."""
    if fact.text:
        return fact.text
    label = fact.predicate.rsplit(".", 1)[-1].replace("_", " ").strip()
    verb = "no longer " if fact.ended else ("not " if fact.polarity == "-" else "")
    scope = f" ({fact.scope})" if fact.scope else ""
    return f"{fact.subject.text} {verb}{label} {fact.value}{scope}".strip()[:4096]


def resolve(
    event: FactsExtracted,
    fact: Fact,
    *,
    registry: Registry,
    versions: Versions,
    similar: Mapping[str, float],
    bands: EmbedderProfile,
    vector: str,
    resolved_as: str | None = None,
    suggested: tuple[str, ...] = (),
    rules: Sequence[ConflictRule] = (),
) -> Proposal:
    """The proposal of one fact. Where its mentions have entities, those are what it is about.

    ``similar`` maps predicate names to the cosine of the label (empty when the registry knows the label); ``bands``
    is the profile of the embedder that these and ``vector`` come from; ``rules`` are those of the domain.
    """
    subject = entity_of(fact.subject)
    # Of an unresolved mention the type is known all the same: the predicate must fit whomever it is assigned to.
    kind = canonical_type(fact.subject.type) if is_unresolved(subject) else type_of(subject)
    label, polarity = registry.affirmed(fact.predicate, fact.polarity, kind)
    everything = fact.act == "retract" and fact.predicate == EVERY
    candidates = (
        (topic_candidate(fact.value),)
        if everything
        else rank(
            label,
            kind,
            fact.value,
            registry=registry,
            at=event.event_time,
            bands=bands,
            similar=similar,
            mention=fact.value_entity,
            rules=rules,
        )
    )
    starts, ends = period(fact)
    return Proposal(
        tenant=event.tenant,
        entity=subject,
        id=event.id_of(fact),
        source=event.source,
        event_id=event.event_id,
        ordinal=fact.ordinal,
        agent=event.agent,
        resolved_as=resolved_as,
        suggested=suggested,
        origins=origins(event),
        recalled=event.contains_recall,
        held="instruction" if fact.act != "retract" and _speaks_to_its_reader(fact) else "",
        act="retract" if fact.act == "retract" else "assert",
        event_time=event.event_time,
        received_at=event.received_at,
        versions=versions,
        scope=fact.scope,
        polarity=polarity,
        kind=fact.kind,
        basis=fact.basis,
        ended=fact.ended,
        cardinality_hint=fact.cardinality_hint,
        confidence=fact.confidence,
        valid_from=starts,
        valid_to=ends,
        embedding_model=bands.model_id if vector else "",
        extractor=event.extractor,
        content=ProposalContent(
            mention=fact.subject,
            label=fact.predicate,
            candidates=candidates,
            text=sentence(fact),
            quote=fact.quote,
            vector=vector,
        ),
    )


def _speaks_to_its_reader(fact: Fact) -> bool:
    return bool(
        instruction_in(fact.value, fact.text, fact.subject.text, fact.quote.text if fact.quote else "")
    )


def origins(event: FactsExtracted) -> tuple[str, ...]:
    """Where the statement comes from: what it was derived from, else its own event.

    A name in ``derived_from`` that is a UUID is a claim of the memory, any other an event of the same source.
    """
    own = f"{event.source}:{event.event_id}"
    derived = (f"claim:{name}" if _is_uuid(name) else f"{event.source}:{name}" for name in event.derived_from)
    return tuple(dict.fromkeys(derived)) or (own,)


def _is_uuid(name: str) -> bool:
    try:
        return str(UUID(name)) == name.lower()
    except ValueError:
        return False


def period(fact: Fact) -> tuple[datetime | None, datetime | None]:
    """Stated validity as moments: a coarse start is its first moment, a coarse end its last."""
    starts = _first(fact.valid_from) if fact.valid_from else None
    ends = _last(fact.valid_to) if fact.valid_to else None
    return starts, ends


def _first(stated: str) -> datetime:
    if "T" in stated:
        moment = datetime.fromisoformat(stated)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    year, month, day = (*map(int, stated.split("-")), 1, 1)[:3]
    return datetime(year, month, day, tzinfo=UTC)


def _last(stated: str) -> datetime:
    first = _first(stated)
    parts = stated.count("-") if "T" not in stated else 3
    if parts == 3:
        return first
    if parts == 2:
        after = first + timedelta(days=1)
    elif parts == 1:
        after = first.replace(year=first.year + first.month // 12, month=first.month % 12 + 1)
    else:
        after = first.replace(year=first.year + 1)
    return after - timedelta(microseconds=1)
