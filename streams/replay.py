"""The ledger made again from what was recorded: control log and inboxes, decided in their order into a fresh schema.

No model is asked and nothing is published: verdicts, due moments, moves and forwards lie in the inboxes as records. The
stages are those of the live pipeline, so progress is kept in the target, and a replay that was broken off goes on.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from processors.deciding.control import ControlView
from processors.digest import LedgerDigest, entity_digest
from schemas.control import AuthoritySet, PolicySet
from schemas.errors import ConfigurationError
from sinks.ledger_reads import LedgerReads
from sinks.postgres import PostgresLedger
from streams.assembly import Parts, build_stages
from streams.controls import Controls
from streams.ends import Ends
from streams.envelope import Control
from streams.runner import Runner
from streams.settings import Settings
from streams.stage import InRecord, OutRecord

_BATCH: Final = 1000
#: What is decided again, in this order: a version must be there before a record that is stamped with it.
_STAGES: Final = (("control", "control"), ("adjudicate", "inbox"))


class NotFresh(ConfigurationError):
    """The target schema holds a ledger that is no replay."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """`records` were read; `digest` is that of the target's entities (processors.digest)."""

    records: int
    entities: int
    digest: str


class Nowhere:
    """A publisher that publishes nothing: all of it is on the topics already."""

    async def publish(self, records: Sequence[OutRecord]) -> None:
        """Takes them."""


class OtherRules(Controls):
    """The versions of the control log, with one policy and one authority in place of all of them."""

    def __init__(self, events: Sequence[Control]) -> None:
        super().__init__()
        self._policy = next((event for event in events if isinstance(event, PolicySet)), None)
        self._authority = next((event for event in events if isinstance(event, AuthoritySet)), None)

    def policy(self, tenant: str, version: int) -> PolicySet:
        return self._policy if self._rules(self._policy, tenant) else super().policy(tenant, version)  # type: ignore[return-value]

    def authority(self, tenant: str, version: int) -> AuthoritySet | None:
        return self._authority if self._rules(self._authority, tenant) else super().authority(tenant, version)

    def _rules(self, event: PolicySet | AuthoritySet | None, tenant: str) -> bool:
        return event is not None and event.tenant == tenant


async def replay(
    settings: Settings,
    schema: str,
    ends: Ends,
    *,
    until: datetime | None = None,
    rules: Sequence[Control] = (),
    advance: Callable[[int], None] = lambda _: None,
) -> Replayed:
    """Decide everything that is recorded again into `schema`.

    Args:
        ends: of the topics; what comes later is left out.
        until: only records that the broker took before it.
        rules: policy and authority (streams.policy_file) in place of those of the control log, for their tenant.
        advance: is called with how many more records are done.

    Raises NotFresh, TransientError, IntegrityError.
    """
    if schema == settings.db_schema:
        raise NotFresh(f"{schema} is the live ledger: name a schema of its own for the replay")
    view: ControlView = OtherRules(rules) if rules else Controls()
    dsn = settings.dsn.get_secret_value()
    ledger = PostgresLedger(dsn, schema=schema, timeout_s=settings.database_timeout_s)
    await ledger.open()
    try:
        async with LedgerReads(dsn, schema=schema, timeout_s=settings.database_timeout_s) as reads:
            if (await reads.counts()).tables["extractions"]:
                raise NotFresh(
                    f"the schema {schema} holds a ledger of a pipeline: name one that is not there yet"
                )
            parts = Parts(ledger, Nowhere(), settings.topic_prefix, controls=view)  # type: ignore[arg-type]
            at, n = await ends.now(), 0
            for name, short in _STAGES:
                (stage,) = build_stages([name], parts)
                runner = Runner(stage)
                async for batch in _batches(ends.read(short, at), until):
                    await runner.run(batch)
                    n += len(batch)
                    advance(len(batch))
            return await digest_of(reads, n)
    finally:
        await ledger.close()


async def digest_of(reads: LedgerReads, records: int = 0) -> Replayed:
    """The digest of a ledger as it is."""
    digest = LedgerDigest()
    async for rows in reads.entity_rows():
        digest.add(rows)
    return Replayed(records, digest.n, digest.hexdigest())


async def _batches(records: AsyncIterator[InRecord], until: datetime | None) -> AsyncIterator[list[InRecord]]:
    limit = None if until is None else until.timestamp() * 1000
    batch: list[InRecord] = []
    async for record in records:
        if limit is not None and record.timestamp_ms >= limit:
            continue
        batch.append(record)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


@dataclass(frozen=True, slots=True)
class Difference:
    """An entity that two ledgers hold differently, and what each believes that the other does not; both are empty where
    only the way there differs (decisions, evidence, versions)."""

    tenant: str
    entity: str
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]


async def differences(first: LedgerReads, second: LedgerReads) -> AsyncIterator[Difference]:
    """Entity by entity, in order, without holding either ledger in memory."""
    one, two = first.entity_rows(), second.entity_rows()
    left, right = await anext(one, None), await anext(two, None)
    while left is not None or right is not None:
        keys = [rows.entity.key for rows in (left, right) if rows is not None]
        key = min(keys)
        mine = left if left is not None and left.entity.key == key else None
        theirs = right if right is not None and right.entity.key == key else None
        if mine is None or theirs is None or entity_digest(mine) != entity_digest(theirs):
            sides = [
                {
                    f"{claim.cell.slot.predicate}"
                    + (f" [{claim.cell.slot.scope}]" if claim.cell.slot.scope else "")
                    + f" = {'' if claim.polarity == '+' else 'not '}{claim.value.text} ({claim.status})"
                    for claim in (rows.claims if rows is not None else ())
                    if claim.status in ("active", "disputed")
                }
                for rows in (mine, theirs)
            ]
            yield Difference(*key, tuple(sorted(sides[0] - sides[1])), tuple(sorted(sides[1] - sides[0])))
        left = await anext(one, None) if mine is not None else left
        right = await anext(two, None) if theirs is not None else right
