"""Predicates that are in use and that no registry knows become entries of it, where the setting says so.

An entry fixes how many values the predicate holds for all entities of the tenant, by what most of them hold; without
one each entity goes by the form of the first statement. Each predicate is published once: the event's id is its name.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter, defaultdict
from typing import Final

from processors.registry import label_of
from schemas.control import PredicateSpec, RegistrySet
from schemas.errors import TransientError
from schemas.facts import Cardinality
from sinks.ports import Ledger
from streams.controls import Controls
from streams.stage import OutRecord
from streams.transactional import RecordPublisher
from topics.declaration import topic_name
from topics.headers import cloud_headers
from topics.partitioner import encode_key

log = logging.getLogger(__name__)

POLL_S: Final = 30.0
SOURCE: Final = "auto-registration"
#: Entries published at a time: a flood of labels must not flood the control log.
_AT_MOST: Final = 100


class Registrar:
    """Looks at the ledger's slots; `tick` publishes what is missing. ``prefix`` is the topic prefix."""

    def __init__(self, ledger: Ledger, publisher: RecordPublisher, prefix: str) -> None:
        self._ledger = ledger
        self._publisher = publisher
        self._prefix = prefix
        self._controls = Controls()
        #: What was published and may not be a version yet.
        self._asked: set[tuple[str, str]] = set()

    async def tick(self) -> int:
        """Returns how many predicates were published. Raises TransientError."""
        async with self._ledger.snapshot() as reads:
            held: dict[tuple[str, str], Counter[Cardinality]] = defaultdict(Counter)
            for tenant, predicate, cardinality, n in await reads.predicates_held():
                held[tenant, predicate][cardinality] += n
            versions = await self._controls.current(reads, {tenant for tenant, _ in held})
        events = []
        for (tenant, predicate), numbers in sorted(held.items()):
            registry = self._controls.registry(tenant, versions[tenant].registry)
            if registry.get(predicate) is not None or (tenant, predicate) in self._asked:
                continue
            if label_of(predicate) != predicate:
                continue  # no label leads there: an entry would change nothing
            self._asked.add((tenant, predicate))
            events.append(_entry(tenant, predicate, numbers))
            if len(events) == _AT_MOST:
                break
        if events:
            await self._publisher.publish([self._record(event) for event in events])
            log.info("registered by itself: %s", ", ".join(event.predicates[0].name for event in events))
        return len(events)

    def _record(self, event: RegistrySet) -> OutRecord:
        headers = cloud_headers(event.TYPE, event.MAJOR, event.tenant, event.source, event.event_id)
        key = encode_key(event.tenant)
        return OutRecord(topic_name("control", self._prefix), key, event.to_json(), headers)


async def run(
    ledger: Ledger, publisher: RecordPublisher, stop: asyncio.Event, *, prefix: str, poll_s: float = POLL_S
) -> None:
    """Looks every ``poll_s`` seconds until ``stop``. A store or broker that is away is waited for."""
    registrar = Registrar(ledger, publisher, prefix)
    while not stop.is_set():
        try:
            await registrar.tick()
        except TransientError as error:
            log.warning("auto-registration: %s; tried again in %s s", error, poll_s)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), poll_s)


def _entry(tenant: str, predicate: str, numbers: Counter[Cardinality]) -> RegistrySet:
    # Of as many of each: nothing is lost where many values may stand side by side.
    number: Cardinality = "one" if numbers["one"] > numbers["many"] else "many"
    return RegistrySet(
        tenant=tenant,
        source=SOURCE,
        event_id=predicate,
        actor=SOURCE,
        reason=f"in use in {sum(numbers.values()):,} slots",
        predicates=(PredicateSpec(name=predicate, cardinality=number),),
    )
