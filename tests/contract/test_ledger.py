"""What every ledger must do. One suite for all of them: equal digests are what replay and the audit rest on."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import timedelta
from uuid import UUID, uuid5

import pytest

from processors.deciding.fold import fold
from processors.deciding.working_set import plan
from processors.digest import ledger_digest
from schemas.errors import IntegrityError
from schemas.ids import NAMESPACE
from sinks.ports import DeadLetterRow, Extraction, Ledger, LogKey, Progress, Resolution
from streams.stage import OutRecord
from tests.contract.ledger_world import LOG, START, digest, ledger, opened, rows, run, stream, world
from tests.unit.deciding.world import World

__all__ = ["ledger"]


def key(n: int) -> UUID:
    return uuid5(NAMESPACE, str(n))


@pytest.mark.postgres
@pytest.mark.parametrize("seed", [7, 8])
async def test_the_same_records_give_the_same_digest_in_every_store_and_batch(
    request: pytest.FixtureRequest, seed: int
) -> None:
    made = world()
    proposals = stream(made, 300, seed)
    found: dict[tuple[str, int], str] = {}
    for kind, batch in (("memory", 1), ("memory", 7), ("postgres", 1), ("postgres", 7), ("postgres", 1000)):
        async with opened(kind, request, f"s{batch}") as store:
            await run(store, made, proposals, batch)
            found[kind, batch] = await digest(store)
    assert len(set(found.values())) == 1, found


async def test_a_stream_reaches_every_table(ledger: Ledger) -> None:
    """The digests above would agree on empty tables too."""
    made = world()
    await run(ledger, made, stream(made, 300), 50)
    found = await rows(ledger)
    kinds = ("slots", "claims", "supports", "endings", "disputes", "evidence", "decisions")
    counts = {kind: sum(len(getattr(row, kind)) for row in found) for kind in kinds}
    assert all(counts.values()), counts
    statuses = Counter(claim.status for row in found for claim in row.claims)
    assert {"active", "superseded", "ended", "disputed", "candidate"} <= set(statuses), statuses


async def test_the_digest_depends_on_rows_and_not_on_the_order_of_entities(ledger: Ledger) -> None:
    made = world()
    await run(ledger, made, stream(made, 60), 20)
    found = await rows(ledger)
    assert ledger_digest(found) == ledger_digest(reversed(found)) == await digest(ledger)
    before = ledger_digest(found)
    found[0].claims[0].confidence += 0.001
    assert ledger_digest(found) != before


async def test_a_tenant_sees_its_own_entities(ledger: Ledger) -> None:
    made = world()
    mine, other = made.proposal("a", "Berlin"), made.proposal("a", "Munich", tenant="other")
    await run(ledger, made, [mine, other], 2)
    assert [row.entity.key.tenant async for row in ledger.entities("other")] == ["other"]
    assert len(await rows(ledger)) == 2


async def test_an_error_after_the_flush_leaves_nothing(ledger: Ledger) -> None:
    made = world()
    proposals = stream(made, 40)
    with pytest.raises(RuntimeError):
        async with ledger.transaction(LOG) as tx:
            ws = await tx.load(plan(proposals))
            fold(ws, proposals, made.view)
            await tx.flush(ws)
            await tx.enqueue(LOG, 39, [OutRecord("t", b"k", b"v")])
            await tx.advance(LOG, Progress(40, 39, b"h"))
            tx.count("received", n=40)
            raise RuntimeError("killed")
    assert await rows(ledger) == []
    assert (await ledger.progress(LOG) or Progress()).next_offset == 0
    assert await ledger.unpublished(LOG, 10) == []


async def test_a_record_is_never_decided_twice(ledger: Ledger) -> None:
    made = world()
    proposals = stream(made, 20)
    await run(ledger, made, proposals, 20)
    before = await digest(ledger)
    with pytest.raises(IntegrityError, match="decisions"):
        async with ledger.transaction(LOG) as tx:
            ws = await tx.load(plan(proposals[:1]))
            ws.decided.clear()
            fold(ws, proposals[:1], made.view)
            await tx.flush(ws)
    assert await digest(ledger) == before


async def test_a_decided_record_is_known_when_it_comes_again(ledger: Ledger) -> None:
    made = world()
    proposals = stream(made, 20)
    await run(ledger, made, proposals, 20)
    before = await digest(ledger)
    await run(ledger, made, proposals, 6)
    assert await digest(ledger) == before


async def test_a_vector_outlives_the_updates_of_its_claim_and_is_not_loaded(ledger: Ledger) -> None:
    made = world()
    said = [made.proposal("a", "Berlin", 1), made.proposal("d", "Berlin", 2)]
    said = [
        row.model_copy(update={"content": row.content.model_copy(update={"vector": "AQID"})}) for row in said
    ]
    await run(ledger, made, said, 1)
    async with ledger.transaction(LOG) as tx:
        ws = await tx.load(plan(said))
    assert [claim.vector for claim in ws.claims.values()] == [""]
    assert [claim.vector for row in await rows(ledger) for claim in row.claims] == ["AQID"]


async def test_closed_claims_are_loaded_for_late_facts_only(ledger: Ledger) -> None:
    made = world()
    await run(ledger, made, [made.proposal("a", f"v{n}", n) for n in range(30)], 10)
    async with ledger.transaction(LOG) as tx:
        now = await tx.load(plan([made.proposal("a", "v31", 40)]))
        late = await tx.load(plan([made.proposal("a", "v31", 27.5)]))
    assert sorted(claim.value.text for claim in now.claims.values()) == ["v29"]
    # v27 was closed at 28, which is after 27.5.
    assert sorted(claim.value.text for claim in late.claims.values()) == ["v27", "v28", "v29"]


async def test_claims_that_a_dispute_names_are_loaded_whatever_they_are(ledger: Ledger) -> None:
    made = world()
    await run(ledger, made, [made.proposal("a", "Berlin", 1), made.proposal("b", "Munich", 2)], 1)
    async with ledger.transaction(LOG) as tx:
        ws = await tx.load(plan([made.proposal("d", "Madrid", 9)]))
        (disputes,) = ws.disputes.values()
        (dispute,) = disputes.values()
        for claim in ws.claims.values():
            if claim.id in dispute.incumbents:
                claim.status, claim.valid_to = "superseded", START + timedelta(hours=3)
                ws.put_claim(claim)
        await tx.flush(ws)
    async with ledger.transaction(LOG) as tx:
        ws = await tx.load(plan([made.proposal("d", "Madrid", 9)]))
    assert {dispute.challenger, *dispute.incumbents} == set(ws.claims)


async def test_a_second_owner_waits_and_sees_what_the_first_committed(ledger: Ledger) -> None:
    async with ledger.transaction(LOG) as tx:  # the row is there: it is the lock that makes the second wait
        await tx.advance(LOG, Progress(1, 0, b"h"))
    seen: list[int] = []
    holding, released = asyncio.Event(), asyncio.Event()

    async def first() -> None:
        async with ledger.transaction(LOG) as tx:
            await tx.advance(LOG, Progress(10, 9, b"h"))
            holding.set()
            await released.wait()
            seen.append(-1)

    async def second() -> None:
        await holding.wait()
        waiting = asyncio.create_task(follow())
        await asyncio.sleep(0.1)
        assert not seen, "the row was not locked"
        released.set()
        await waiting

    async def follow() -> None:
        async with ledger.transaction(LOG) as tx:
            seen.append(tx.progress[LOG].next_offset)

    await asyncio.gather(first(), second())
    assert seen == [-1, 10]


async def test_partitions_do_not_wait_for_each_other(ledger: Ledger) -> None:
    async with (
        asyncio.timeout(5),
        ledger.transaction(LOG),
        ledger.transaction(LOG._replace(partition=1)) as other,
    ):
        await other.advance(LOG._replace(partition=1), Progress(1, 0, b"h"))


async def test_the_outbox_gives_whole_batches_from_the_cursor_on(ledger: Ledger) -> None:
    headers = (("ce_id", b"1"), ("bin", bytes(range(256))))
    for batch in range(3):
        async with ledger.transaction(LOG) as tx:
            out = [OutRecord("t", b"k", b"%d.%d" % (batch, n), headers) for n in range(4)]
            await tx.enqueue(LOG, batch * 10 + 9, out[:2])
            await tx.enqueue(LOG, batch * 10 + 9, out[2:])
            await tx.advance(LOG, Progress(batch * 10 + 10, batch * 10 + 9, b"h"))
    got = await ledger.unpublished(LOG, 5)
    assert [row.value for row in got] == [b"%d.%d" % (b, n) for b in range(2) for n in range(4)]
    assert got[0].headers == headers
    await ledger.mark_published({LOG: 10})
    await ledger.mark_published({LOG: 5})
    assert [row.value[:1] for row in await ledger.unpublished(LOG, 100)] == [b"1"] * 4 + [b"2"] * 4
    await ledger.mark_published({LOG: 30})
    assert await ledger.unpublished(LOG, 5) == []
    assert await ledger.progress(LOG) == Progress(30, 29, b"h", 30)


async def test_the_cursor_survives_the_next_batch(ledger: Ledger) -> None:
    for end in (10, 20):
        async with ledger.transaction(LOG) as tx:
            await tx.advance(LOG, Progress(end, end - 1, b"h"))
        await ledger.mark_published({LOG: 10})
    assert (await ledger.progress(LOG) or Progress()).published_offset == 10


async def test_the_first_extraction_and_resolution_stay(ledger: Ledger) -> None:
    extraction = Extraction(key(1), "t", "s", "e1", b"hash", "facts", 2, b'{"a":1}')
    resolution = Resolution(key(2), "t", "user:u1", b"{}")
    async with ledger.transaction(LOG) as tx:
        await tx.add_extractions([extraction])
        await tx.add_resolutions([resolution])
    async with ledger.snapshot() as reads:
        assert await reads.extractions([key(1), key(9)]) == {key(1): extraction}
        assert await reads.resolutions([key(2), key(9)]) == {key(2): resolution}
        assert await reads.extractions([]) == {}
    for again in ("extractions", "resolutions"):
        with pytest.raises(IntegrityError, match=again):
            async with ledger.transaction(LOG) as tx:
                await (
                    tx.add_extractions([extraction])
                    if again == "extractions"
                    else tx.add_resolutions([resolution])
                )


async def test_control_events_become_versions_once(ledger: Ledger) -> None:
    async with ledger.transaction(LOG) as tx:
        given = [await tx.add_control("t", "policy", key(n), b"%d" % n) for n in (1, 2, 1)]
        other = await tx.add_control("t", "authority", key(3), b"3")
    async with ledger.transaction(LOG) as tx:
        again = await tx.add_control("t", "policy", key(2), b"2")
        third = await tx.add_control("t", "policy", key(4), b"4")
    assert (given, other, again, third) == ([1, 2, None], 1, None, 3)
    async with ledger.snapshot() as reads:
        assert await reads.control_heads(["t", "u"]) == {("t", "policy"): 3, ("t", "authority"): 1}
        assert [(row.version, row.body) for row in await reads.control_log("t", "policy", 1)] == [
            (2, b"2"),
            (3, b"4"),
        ]
        assert await reads.control_log("u", "policy") == []


async def test_limits_hold_the_same_statements_in_whatever_batches_they_come(ledger: Ledger) -> None:
    outcomes = []
    for batch in (1, 3, 50):
        made = World()
        made.policy("recency", limits={"statements_per_hour": 5})
        entity = f"user:batch{batch}"
        said = [made.proposal("ab"[n % 2], f"v{n % 7}", n / 50, entity=entity) for n in range(40)]
        said = [row.model_copy(update={"id": uuid5(NAMESPACE, f"{batch}/{n}")}) for n, row in enumerate(said)]
        rules = []
        for start in range(0, len(said), batch):
            async with ledger.transaction(LOG) as tx:
                ws = await tx.load(plan(said[start : start + batch]))
                fold(ws, said[start : start + batch], made.view)
                await tx.flush(ws)
                rules += [row.rule for row in ws.decisions]
        outcomes.append(rules)
    assert outcomes[0] == outcomes[1] == outcomes[2]
    # What is over the limit and says what is believed anyway is no candidate.
    held = [rule for rule in outcomes[0] if rule in ("rate_limit", "same_unsure")]
    assert len(held) == 40 - 2 * 5


async def test_slots_are_found_by_predicate_or_the_beginning_of_one(ledger: Ledger) -> None:
    made = World()
    said = [
        made.proposal("a", "red", 1, predicate="favorite_color"),
        made.proposal("a", "tea", 2, predicate="likes", cardinality_hint="many"),
        made.proposal("a", "tram", 3, predicate="commutes_by", entity="user:u2"),
        made.proposal("a", "tram", 4, predicate="commutes_by", tenant="other"),
    ]
    async with ledger.transaction(LOG) as tx:
        for record in said:
            ws = await tx.load(plan([record]))
            fold(ws, [record], made.view)
            await tx.flush(ws)
        found = await tx.slots_held("t", ["favorite_*", "commutes_by", "unknown"])
        assert [(*key[1:], held) for key, held in found] == [
            ("user:u1", "favorite_color", "", "one"),
            ("user:u2", "commutes_by", "", "one"),
        ]
        assert await tx.slots_held("t", []) == []


async def test_dead_letters_and_counts_are_part_of_the_transaction(ledger: Ledger) -> None:
    async with ledger.transaction(LOG) as tx:
        await tx.dead_letters(
            LOG, [DeadLetterRow(3, "UnreadableRecord"), DeadLetterRow(4, "KeyMismatch", event=key(1))]
        )
        tx.count("received", n=2)
        tx.count("received", n=3)
        tx.count("discarded", "nothing", 0)


@pytest.mark.parametrize(("cluster", "partitions", "word"), [("c2", 4, "cluster"), ("c1", 8, "partitions")])
async def test_another_log_is_refused(ledger: Ledger, cluster: str, partitions: int, word: str) -> None:
    await ledger.register_log("s", "t", "c1", 4)
    await ledger.register_log("s", "t", "c1", 4)
    await ledger.register_log("other", "t", cluster, partitions)
    with pytest.raises(IntegrityError, match=word):
        await ledger.register_log("s", "t", cluster, partitions)


async def test_long_names_and_values_fit(ledger: Ledger) -> None:
    """Longer than what a btree entry takes, in characters of four bytes that do not compress."""
    wide = "".join(chr(0x10000 + (n * 7919) % 60000) for n in range(256))
    made = world()
    said = made.proposal(
        "a", wide * 14, 1, entity=wide, predicate=wide, scope=wide, source=wide, event_id=wide
    )
    await run(ledger, made, [said], 1)
    await run(ledger, made, [made.proposal(wide, wide * 14, 2, entity=wide, predicate=wide, scope=wide)], 1)
    (row,) = await rows(ledger)
    assert len(row.claims) == 1 and len(row.supports) == 2


async def test_a_log_key_is_of_one_stage(ledger: Ledger) -> None:
    async with ledger.transaction(LOG) as tx:
        await tx.advance(LOG, Progress(1, 0, b"h"))
    assert await ledger.progress(LogKey("other", LOG.topic, LOG.partition)) is None
