"""Nothing lost, nothing double, as sums: what went into each stage equals what came of it (DESIGN: "Never lose").

The left sides come from the broker, the right sides from the ledger and the index, so that a stage cannot agree
with itself. They hold when nothing is under way (`streams.settled`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from schemas.errors import PoisonError
from schemas.facts import FactsExtracted
from sinks.ledger_reads import LedgerReads
from sinks.ledger_views import LedgerCounts
from sinks.vector_rows import VectorStore
from streams.ends import EndOffsets, Ends, total
from streams.stage import InRecord
from topics.declaration import TOPICS, topic_name

#: Topics whose records all come out of the outbox; people's commands come into the inbox from outside.
FROM_OUTBOX: Final = ("facts", "inbox", "claims", "disputes", "reviews", "judge", "deadletters")


@dataclass(frozen=True, slots=True)
class Term:
    """One side or one summand: what is counted, and how many."""

    label: str
    n: int

    def __str__(self) -> str:
        return f"{self.n:,} {self.label}"


@dataclass(frozen=True, slots=True)
class Equation:
    """`left` must be the sum of `right`."""

    left: Term
    right: tuple[Term, ...]

    @property
    def ok(self) -> bool:
        """Does it hold?"""
        return self.left.n == sum(term.n for term in self.right)

    def __str__(self) -> str:
        return f"{self.left} = {' + '.join(map(str, self.right))}"

    def as_json(self) -> dict[str, Any]:
        """For a program."""
        return {
            "left": {self.left.label: self.left.n},
            "right": {t.label: t.n for t in self.right},
            "ok": self.ok,
        }


@dataclass(frozen=True, slots=True)
class Numbers:
    """What the equations are made of. `prefix` is that of the topics.

    `records`: topic (short name) to the records ever written to it. `repeated`: how many of them are second copies,
    which a worker that took over published again and readers drop. `facts`: the facts on the facts topic, repeated
    ones too, an unreadable record counting as one. `vectors`, `active_vectors`: rows of the index.
    """

    prefix: str
    records: Mapping[str, int]
    facts: int
    ledger: LedgerCounts
    repeated: Mapping[str, int] = field(default_factory=dict)
    vectors: int | None = None
    active_vectors: int | None = None


def equations(numbers: Numbers) -> list[Equation]:
    """All of them, in the order of the stages; those about the index only when it was looked at."""
    ledger, rows = numbers.ledger, numbers.ledger.tables
    found = [
        Equation(
            Term("turns", numbers.records["turns"]),
            (Term("extractions", rows["extractions"]), *_left_out(ledger, "extract")),
        ),
        Equation(
            _facts(numbers),
            (Term("resolutions", rows["resolutions"]), *_left_out(ledger, "resolve")),
        ),
        Equation(
            Term("inbox records", numbers.records["inbox"]),
            (Term("decisions", rows["decisions"]), *_left_out(ledger, "adjudicate")),
        ),
    ]
    found += [_published(numbers, short) for short in FROM_OUTBOX]
    sent = sum(_sent(ledger, short, numbers.prefix) for short in FROM_OUTBOX)
    found.append(Equation(Term("outbox rows", rows["outbox"]), (Term("counted as sent", sent),)))
    if numbers.vectors is not None:
        # A claim whose embedding is of another model is not indexed (`no_vector_of_this_model`): then this says so.
        found.append(Equation(Term("vectors", numbers.vectors), (Term("claims", rows["claims"]),)))
    if numbers.active_vectors is not None:
        active = Term("active claims", rows["active_claims"])
        found.append(Equation(Term("active vectors", numbers.active_vectors), (active,)))
    return found


def _facts(numbers: Numbers) -> Term:
    """A retraction goes to every entity that it may be about: one resolution each."""
    more = numbers.ledger.counter("resolve", "sent_on")
    return (
        Term("facts, retractions once an entity", numbers.facts + more)
        if more
        else Term("facts", numbers.facts)
    )


def _left_out(ledger: LedgerCounts, stage: str) -> tuple[Term, Term]:
    duplicates = sum(
        row.n
        for row in ledger.counters
        if row.stage == stage and row.name == "discarded" and row.detail.startswith("duplicate_")
    )
    return Term("dead letters", ledger.counter(stage, "dead_lettered")), Term("duplicates", duplicates)


def _published(numbers: Numbers, short: str) -> Equation:
    right = [Term("outbox rows", _sent(numbers.ledger, short, numbers.prefix))]
    if short == "inbox":
        right.append(Term("commands", _commands(numbers.ledger)))
    if numbers.repeated.get(short):
        right.append(Term("published again", numbers.repeated[short]))
    return Equation(Term(f"on {short}", numbers.records[short]), tuple(right))


def _commands(ledger: LedgerCounts) -> int:
    """Commands that came from outside: what an entity sends on, and what the registry asks for, is in the outbox."""
    received = ledger.counter("adjudicate", "commands", "received")
    return received - sum(ledger.counter(stage, "commands", "sent_on") for stage in ("adjudicate", "control"))


def _sent(ledger: LedgerCounts, short: str, prefix: str) -> int:
    """Rows of the outbox for a topic, as counted in the transactions that wrote them."""
    if short == "deadletters":
        return sum(row.n for row in ledger.counters if row.name == "dead_lettered")
    target = topic_name(short, prefix)
    return sum(row.n for row in ledger.counters if row.name == "emitted" and row.detail == target)


async def measure(ends: Ends, reads: LedgerReads, prefix: str, vectors: VectorStore | None = None) -> Numbers:
    """The numbers as they are now. A topic that holds more than the outbox is read for second copies.

    Raises TransientError when the broker, Postgres or the index is away.
    """
    at = await ends.now()
    ledger = await reads.counts()
    records = {short: total(at, row.full_name(prefix)) for short, row in TOPICS.items()}
    facts, repeated = ledger.tables["facts"], {}
    for short in FROM_OUTBOX:
        outside = _commands(ledger) if short == "inbox" else 0
        if records[short] > _sent(ledger, short, prefix) + outside:
            repeated[short], n_facts = await _repeated(ends, short, at)
            facts = n_facts if short == "facts" else facts
    if vectors is None:
        return Numbers(prefix, records, facts, ledger, repeated)
    return Numbers(
        prefix, records, facts, ledger, repeated, await vectors.count(), await vectors.count(status="active")
    )


async def _repeated(ends: Ends, short: str, at: EndOffsets) -> tuple[int, int]:
    """(second copies, facts where it is the facts topic)."""
    seen: set[tuple[bytes | None, ...]] = set()
    n = facts = 0
    async for record in ends.read(short, at):
        n += 1
        seen.add(_identity(record))
        facts += _facts_in(record) if short == "facts" else 0
    return n - len(seen), facts


def _identity(record: InRecord) -> tuple[bytes | None, ...]:
    headers = dict(record.headers)
    dead = tuple(
        headers.get(f"claimstream_{name}")
        for name in ("origin_topic", "origin_partition", "origin_offset", "item")
    )
    if dead[0] is not None:
        return dead
    if "ce_id" not in headers:
        return (b"%d" % record.partition, b"%d" % record.offset)
    return (record.key, headers.get("ce_type"), headers.get("ce_source"), headers["ce_id"])


def _facts_in(record: InRecord) -> int:
    try:
        return len(FactsExtracted.from_json(record.value).content.facts)
    except PoisonError:
        return 1
