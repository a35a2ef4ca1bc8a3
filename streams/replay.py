"""The ledger made again from what was recorded: control log and inboxes, decided in their order into a fresh schema.

No model is asked and nothing is published: verdicts, due moments, moves and forwards lie in the inboxes as records. The
stages are those of the live pipeline, so progress is kept in the target, and a replay that was broken off goes on.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from processors.digest import LedgerDigest, entity_digest
from schemas.errors import ConfigurationError
from sinks.ledger_reads import LedgerReads
from sinks.postgres import PostgresLedger
from streams.ends import Ends, total
from streams.envelope import Control
from streams.replay_lanes import Work, decide_again, decide_in_lanes, lanes_of
from streams.settings import Settings
from topics.declaration import topic_name

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


async def replay(
    settings: Settings,
    schema: str,
    ends: Ends,
    *,
    until: datetime | None = None,
    rules: Sequence[Control] = (),
    processes: int = 1,
    advance: Callable[[int], None] = lambda _: None,
) -> Replayed:
    """Decide everything that is recorded again into `schema`.

    Args:
        ends: of the topics; what comes later is left out.
        until: only records that the broker took before it.
        rules: policy and authority (streams.policy_file) in place of those of the control log, for their tenant.
        processes: that decide, each with partitions of its own; 0: one per core, where the records are worth it.
        advance: is called with how many more records are done.

    Raises NotFresh, TransientError, IntegrityError.
    """
    if schema == settings.db_schema:
        raise NotFresh(f"{schema} is the live ledger: name a schema of its own for the replay")
    dsn = settings.dsn.get_secret_value()
    ledger = PostgresLedger(dsn, schema=schema, timeout_s=settings.database_timeout_s)
    await ledger.open()
    try:
        async with LedgerReads(dsn, schema=schema, timeout_s=settings.database_timeout_s) as reads:
            if (await reads.counts()).tables["extractions"]:
                raise NotFresh(
                    f"the schema {schema} holds a ledger of a pipeline: name one that is not there yet"
                )
            at, n = await ends.now(), 0
            for stage, short in _STAGES:
                work = Work(settings, schema, stage, short, at, until, tuple(rules))
                records = total(at, topic_name(short, settings.topic_prefix))
                lanes = lanes_of(ends.partitions(short), records, processes)
                if len(lanes) == 1:
                    n += await decide_again(work, ends, ledger, None, advance)
                else:
                    n += await decide_in_lanes(work, lanes, advance)
            return await digest_of(reads, n)
    finally:
        await ledger.close()


async def digest_of(reads: LedgerReads, records: int = 0) -> Replayed:
    """The digest of a ledger as it is."""
    digest = LedgerDigest()
    async for rows in reads.entity_rows():
        digest.add(rows)
    return Replayed(records, digest.n, digest.hexdigest())


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
