"""resolve: facts in, proposals out, each keyed by its entity. What is resolved is stored before it is sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from processors.identity import type_of
from processors.ports import Embedder
from processors.registry import Registry
from processors.resolving import resolve, sentence
from processors.vectors import encode
from schemas.errors import PoisonError
from schemas.facts import Fact, FactsExtracted
from schemas.inbox import Proposal, Versions
from sinks.ports import Ledger, Resolution, Transaction
from streams.controls import Controls
from streams.stage import InRecord
from streams.stages.outgoing import inbox_record
from streams.stages.similarity import LabelSimilarity
from streams.transactional import Applied, DeadLetter


@dataclass(frozen=True, slots=True)
class Resolved:
    """The proposals of one facts record, and the facts that can never be resolved (the unit of a dead letter)."""

    event: FactsExtracted
    proposals: tuple[Proposal, ...]
    dead: tuple[tuple[Fact, PoisonError], ...]


class Resolve:
    """The handler of the stage. One embedding call per batch: that is where its time goes."""

    def __init__(self, embedder: Embedder, ledger: Ledger, controls: Controls, prefix: str) -> None:
        self._embedder = embedder
        self._similarity = LabelSimilarity(embedder)
        self._ledger = ledger
        self._controls = controls
        self._prefix = prefix

    async def prepare(self, records: Sequence[InRecord]) -> list[Resolved | DeadLetter]:
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
            else self._resolve(event, versions[event.tenant], vectors, similar[event.tenant])
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

    def _resolve(
        self,
        event: FactsExtracted,
        versions: Versions,
        vectors: Mapping[str, str],
        similar: Mapping[str, Mapping[str, float]],
    ) -> Resolved:
        registry = self._controls.registry(event.tenant, versions.registry)
        proposals, dead = [], []
        for fact in event.content.facts:
            try:
                proposals.append(
                    resolve(
                        event,
                        fact,
                        registry=registry,
                        versions=versions,
                        similar=similar.get(fact.predicate, {}),
                        bands=self._embedder.profile,
                        vector=vectors[sentence(fact)],
                    )
                )
            except PoisonError as error:
                dead.append((fact, error))
        return Resolved(event, tuple(proposals), tuple(dead))

    async def apply(self, tx: Transaction, items: Sequence[tuple[InRecord, Resolved]]) -> Applied:
        known = set(await tx.resolutions([row.id for _, item in items for row in item.proposals]))
        applied, rows = Applied(), []
        for record, item in items:
            for number, (fact, error) in enumerate(item.dead):
                letter = DeadLetter(
                    error, item=number, tenant=item.event.tenant, event=item.event.id_of(fact)
                )
                applied.dead.append((record, letter))
            for proposal in item.proposals:
                if proposal.id in known:
                    # Sent in the transaction that stored it; the same facts record came twice.
                    tx.count("discarded", "duplicate_fact")
                    continue
                known.add(proposal.id)
                out = inbox_record(proposal, self._prefix)
                rows.append(Resolution(proposal.id, proposal.tenant, proposal.entity, out.value))
                applied.outgoing.append(out)
        await tx.add_resolutions(rows)
        return applied


def _read(record: InRecord) -> FactsExtracted | DeadLetter:
    try:
        return FactsExtracted.from_json(record.value)
    except PoisonError as error:
        return DeadLetter(error)


def _certain(registry: Registry, fact: Fact) -> bool:
    kind = type_of(fact.subject.entity or fact.subject.type)
    label, _ = registry.affirmed(fact.predicate, fact.polarity, kind)
    return registry.lookup(label, kind) is not None
