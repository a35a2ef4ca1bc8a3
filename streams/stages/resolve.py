"""resolve: facts in, proposals out, each keyed by its entity. What is resolved is stored before it is sent.

Models are asked before the transaction; whom a mention means is asked inside it, under the lock of the tenant's id map,
so that two batches never make two entities of one name.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from processors.forgetting import EVERY, sent_on
from processors.identity import type_of
from processors.identity.event import EventNames, NameReview, lookups_of, read_names
from processors.identity.memory import MemoryIdentity
from processors.ports import ConflictRule, Embedder
from processors.receiving import NOBODY_SPEAKS
from processors.registry import Registry
from processors.resolving import resolve, sentence
from processors.vectors import encode
from schemas.errors import PoisonError
from schemas.facts import Fact, FactsExtracted
from schemas.ids import derived_id
from schemas.inbox import Proposal, Versions
from schemas.reviews import ReviewContent, ReviewRaised
from sinks.identity_ports import Conversation, IdentityChanges
from sinks.ports import Ledger, Resolution, Transaction
from streams.controls import Controls
from streams.stage import InRecord
from streams.stages.last_said import LastSaid
from streams.stages.outgoing import inbox_record, ledger_record
from streams.stages.similarity import LabelSimilarity
from streams.transactional import Applied, DeadLetter


@dataclass(frozen=True, slots=True)
class Readied:
    """A facts record with what models said of it: sentence to vector, label to cosines."""

    event: FactsExtracted
    versions: Versions
    vectors: Mapping[str, str]
    similar: Mapping[str, Mapping[str, float]]
    #: The ids of the facts, in order.
    ids: tuple[UUID, ...]

    def has_news(self, known: Container[UUID]) -> bool:
        return any(key not in known for key in self.ids)


class Resolve:
    """The handler of the stage. One embedding call per batch: that is where its time goes."""

    def __init__(
        self,
        embedder: Embedder,
        ledger: Ledger,
        controls: Controls,
        prefix: str,
        rules: Sequence[ConflictRule] = (),
    ) -> None:
        self._embedder = embedder
        self._rules = rules
        self._similarity = LabelSimilarity(embedder)
        self._ledger = ledger
        self._controls = controls
        self._prefix = prefix

    async def prepare(self, records: Sequence[InRecord]) -> list[Readied | DeadLetter]:
        read = [_read(record) for record in records]
        events = [event for event in read if isinstance(event, FactsExtracted)]
        if not events:
            return [event for event in read if isinstance(event, DeadLetter)]
        async with self._ledger.snapshot() as reads:
            versions = await self._controls.current(reads, {event.tenant for event in events})
        vectors = await self._vectors(events)
        similar = {tenant: await self._similar(events, tenant, versions[tenant]) for tenant in versions}
        return [
            event
            if isinstance(event, DeadLetter)
            else Readied(
                event,
                versions[event.tenant],
                vectors,
                similar[event.tenant],
                tuple(map(event.id_of, event.content.facts)),
            )
            for event in read
        ]

    async def _vectors(self, events: Sequence[FactsExtracted]) -> dict[str, str]:
        """Sentence to int8 vector, for the facts of a batch."""
        texts = list(dict.fromkeys(sentence(fact) for event in events for fact in event.content.facts))
        if not texts:
            return {}
        rows: NDArray[np.float32] = await self._embedder.embed(texts)
        return {text: encode(row) for text, row in zip(texts, rows, strict=True)}

    async def _similar(
        self, events: Sequence[FactsExtracted], tenant: str, versions: Versions
    ) -> dict[str, Mapping[str, float]]:
        registry = self._controls.registry(tenant, versions.registry)
        facts = (fact for event in events if event.tenant == tenant for fact in event.content.facts)
        labels = [fact.predicate for fact in facts if not _certain(registry, fact)]
        return await self._similarity.of(labels, registry)

    async def apply(self, tx: Transaction, items: Sequence[tuple[InRecord, Readied]]) -> Applied:
        known = set(await tx.resolutions([key for _, item in items for key in item.ids]))
        views = await self._views(tx, [item for _, item in items if item.has_news(known)])
        last = LastSaid(tx)
        applied = Applied()
        rows: list[Resolution] = []
        for record, item in items:
            place = _conversation(item.event)
            if item.event.outcome == "no_facts" and item.event.reason != NOBODY_SPEAKS:
                last.unread(place, item.event)
            if not item.has_news(known):
                # Sent in the transaction that stored them; the same facts record came twice.
                tx.count("discarded", "duplicate_fact", len(item.event.content.facts))
                continue
            near = views[item.event.tenant].near(place)
            names = views[item.event.tenant].read(item, self._registry(item))
            said: list[Proposal] = []
            facts = zip(item.ids, item.event.content.facts, names.facts, strict=True)
            for number, (key, original, named) in enumerate(facts):
                if key in known:
                    tx.count("discarded", "duplicate_fact")
                    continue
                try:
                    text = sentence(original)
                    fact = named.fact.model_copy(update={"text": text})
                    proposal = self._proposal(item, fact, text, named.resolved_as, named.suggested)
                    told = await last.before(place, fact)
                    proposals = sent_on(proposal, fact, near.union(p.entity for p in said), said, told)
                except PoisonError as error:
                    applied.dead.append(
                        (record, DeadLetter(error, item=number, tenant=item.event.tenant, event=key))
                    )
                    continue
                known.add(key)
                said += [proposal] if proposal.act == "assert" else []
                tx.count("sent_on", n=len(proposals) - 1)
                for one in proposals:
                    out = inbox_record(one, self._prefix)
                    rows.append(Resolution(one.id, one.tenant, one.entity, out.value))
                    applied.send(record, out)
            last.said(place, item.event, said)
            raised = enumerate(names.reviews)
            for number, review in raised:
                applied.send(record, ledger_record(_review(item.event, number, review), self._prefix))
        for tenant in sorted(views):
            await tx.identity.write(tenant, views[tenant].changes)
        await last.write()
        await tx.add_resolutions(rows)
        return applied

    def _registry(self, item: Readied) -> Registry:
        return self._controls.registry(item.event.tenant, item.versions.registry)

    async def _views(self, tx: Transaction, items: Sequence[Readied]) -> dict[str, "_Tenant"]:
        """The id map of each tenant, as far as the batch touches it. Locked in order of name: no deadlock."""
        views: dict[str, _Tenant] = {}
        for tenant in sorted({item.event.tenant for item in items}):
            mine = [item for item in items if item.event.tenant == tenant]
            await tx.identity.lock(tenant)
            near = await tx.identity.nearby({_conversation(item.event) for item in mine})
            lookups = [lookup for item in mine for lookup in lookups_of(item.event, self._registry(item))]
            views[tenant] = _Tenant(await tx.identity.view(tenant, lookups), dict(near))
        return views

    def _proposal(
        self, item: Readied, fact: Fact, text: str, resolved_as: str | None, suggested: tuple[str, ...]
    ) -> Proposal:
        return resolve(
            item.event,
            fact,
            registry=self._registry(item),
            versions=item.versions,
            similar=item.similar.get(fact.predicate, {}),
            bands=self._embedder.profile,
            vector=item.vectors[text],
            resolved_as=resolved_as,
            suggested=suggested,
            rules=self._rules,
        )


class _Tenant:
    """One tenant's id map during a batch, and what the batch adds to it."""

    def __init__(self, view: MemoryIdentity, near: dict[Conversation, frozenset[str]]) -> None:
        self._view = view
        self._near = near
        self.changes = IdentityChanges()

    def near(self, place: Conversation) -> frozenset[str]:
        return self._near.get(place, frozenset())

    def read(self, item: Readied, registry: Registry) -> EventNames:
        place = _conversation(item.event)
        near = self._near.get(place, frozenset())
        names = read_names(item.event, registry, self._view, near)
        self._near[place] = near | frozenset(names.named)
        self.changes.names += names.learned
        self.changes.identifiers += names.identifiers
        self.changes.suspects.update({pair: self._view.suspects[pair] for pair in names.suspects})
        if names.named:
            self.changes.named.setdefault(place, []).extend(names.named)
        return names


def _conversation(event: FactsExtracted) -> Conversation:
    return Conversation(event.tenant, event.source, event.stream_id)


def _review(event: FactsExtracted, number: int, review: NameReview) -> ReviewRaised:
    fact = event.id_of(event.content.facts[review.ordinal])
    return ReviewRaised(
        tenant=event.tenant,
        entity=review.entity,
        review_id=derived_id(fact, f"names{number}"),
        predicate="*",
        reason=review.reason,
        at=event.event_time,
        decided_by=fact,
        content=ReviewContent(text=review.text[:4096]),
    )


def _read(record: InRecord) -> FactsExtracted | DeadLetter:
    try:
        return FactsExtracted.from_json(record.value)
    except PoisonError as error:
        return DeadLetter(error)


def _certain(registry: Registry, fact: Fact) -> bool:
    if fact.predicate == EVERY:
        return True
    kind = type_of(fact.subject.entity or fact.subject.type)
    label, _ = registry.affirmed(fact.predicate, fact.polarity, kind)
    return registry.lookup(label, kind) is not None
