"""The equations hold for numbers that add up, and each of them notices what it is for."""

from dataclasses import replace

import pytest

from sinks.ledger_views import LedgerCounts, ProgressRow, StoredCounter
from streams.equations import Numbers, equations
from streams.settled import lagging

TABLES = {
    "extractions": 7,
    "facts": 9,
    "resolutions": 8,
    "decisions": 8,
    "claims": 6,
    "active_claims": 5,
    "outbox": 26,
}
COUNTERS = (
    StoredCounter("extract", "p.turns.v1", "dead_lettered", "UnreadableRecord", 1),
    StoredCounter("extract", "p.turns.v1", "discarded", "duplicate_event", 2),
    StoredCounter("extract", "p.turns.v1", "emitted", "p.facts.v1", 7),
    StoredCounter("resolve", "p.facts.v1", "dead_lettered", "UnreadableRecord", 1),
    StoredCounter("resolve", "p.facts.v1", "emitted", "p.inbox.v1", 8),
    StoredCounter("adjudicate", "p.inbox.v1", "emitted", "p.claims.v1", 8),
    StoredCounter("adjudicate", "p.inbox.v1", "emitted", "p.disputes.v1", 1),
    StoredCounter("project", "p.claims.v1", "discarded", "not_newer", 3),
)
RECORDS = {
    "turns": 10,
    "facts": 7,
    "inbox": 8,
    "claims": 8,
    "disputes": 1,
    "reviews": 0,
    "judge": 0,
    "deadletters": 2,
}
GOOD = Numbers("p", RECORDS, 9, LedgerCounts(TABLES, COUNTERS), {}, vectors=6, active_vectors=5)


def broken(numbers: Numbers) -> list[str]:
    return [str(equation) for equation in equations(numbers) if not equation.ok]


def test_numbers_that_add_up() -> None:
    assert broken(GOOD) == []


@pytest.mark.parametrize(
    ("table", "noticed_by"),
    [
        ("extractions", "turns"),
        ("resolutions", "facts"),
        ("decisions", "inbox records"),
        ("claims", "vectors"),
        ("active_claims", "active vectors"),
        ("outbox", "outbox rows"),
    ],
)
def test_a_row_too_few_in_the_ledger(table: str, noticed_by: str) -> None:
    ledger = LedgerCounts({**TABLES, table: TABLES[table] - 1}, COUNTERS)
    (line,) = broken(replace(GOOD, ledger=ledger))
    assert line.split(" = ")[0].endswith(noticed_by)


@pytest.mark.parametrize("topic", ["turns", "facts", "inbox", "claims", "disputes", "reviews", "deadletters"])
def test_a_record_that_nothing_came_of(topic: str) -> None:
    assert len(broken(replace(GOOD, records={**RECORDS, topic: RECORDS[topic] + 1}))) == (
        2 if topic == "inbox" else 1
    )


@pytest.mark.parametrize("n", range(len(COUNTERS) - 1))
def test_a_counter_that_is_one_short(n: int) -> None:
    counters = list(COUNTERS)
    counters[n] = counters[n]._replace(n=counters[n].n - 1)
    assert broken(replace(GOOD, ledger=LedgerCounts(TABLES, tuple(counters))))


def test_second_copies_are_a_summand_of_their_own() -> None:
    records = {**RECORDS, "claims": 10}
    assert broken(replace(GOOD, records=records))
    assert broken(replace(GOOD, records=records, repeated={"claims": 2})) == []


def test_a_stage_lags_until_it_has_read_and_published_all() -> None:
    at = {("p.turns.v1", 0): 3, ("p.turns.v1", 1): 2}
    rows = [ProgressRow("extract", "p.turns.v1", 0, 3, 3), ProgressRow("extract", "p.turns.v1", 1, 2, 2)]
    assert lagging(at, rows, "p", ["extract"]) == []
    assert lagging(at, rows[:1], "p", ["extract"])
    assert lagging(at, [rows[0], rows[1]._replace(published_offset=1)], "p", ["extract"])
    assert lagging(at, [rows[0], rows[1]._replace(next_offset=1, published_offset=1)], "p", ["extract"])


def test_commands_come_into_the_inbox_from_outside() -> None:
    told = replace(GOOD, records={**RECORDS, "inbox": 9})
    assert broken(told)
    counters = (
        *COUNTERS,
        StoredCounter("adjudicate", "p.inbox.v1", "commands", "received", 2),
        StoredCounter("adjudicate", "p.inbox.v1", "commands", "sent_on", 1),
    )
    ledger = LedgerCounts({**TABLES, "decisions": 9}, counters)
    assert broken(replace(told, ledger=ledger)) == []
    # What the registry asked for is in the outbox of control.
    asked = StoredCounter("control", "p.control.v1", "commands", "sent_on", 1)
    assert broken(replace(told, ledger=replace(ledger, counters=(*counters, asked))))


def test_a_retraction_is_resolved_once_for_each_entity() -> None:
    """Two of the resolutions and inbox records come of facts that were sent to a second entity."""
    tables = {**TABLES, "resolutions": 10, "decisions": 10, "outbox": 28}
    emitted = next(row for row in COUNTERS if row.detail == "p.inbox.v1")
    counters = (
        *(row._replace(n=10) if row == emitted else row for row in COUNTERS),
        StoredCounter("resolve", "p.facts.v1", "sent_on", "", 2),
    )
    told = replace(GOOD, records={**RECORDS, "inbox": 10}, ledger=LedgerCounts(tables, counters))
    assert broken(told) == []
    assert broken(replace(told, ledger=LedgerCounts(tables, counters[:-1])))
