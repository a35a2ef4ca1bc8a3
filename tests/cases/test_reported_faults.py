"""Faults that users of other memory systems reported: each case through the real stages, on both ledgers."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from schemas.judge import Judgement, JudgeRequest
from streams.stage import OutRecord
from tests.cases.expectation import differences
from tests.cases.scene import Believed, Scene
from tests.cases.table import CASES, ELSEWHERE, Case

PATH = Path(__file__).parents[2].parent / "shared" / "cases" / "reported-faults.jsonl"


def cases() -> list[dict[str, Any]]:
    if not PATH.is_file():
        return []
    return [json.loads(row) for row in PATH.read_text(encoding="utf-8").splitlines() if row.strip()]


ALL = {case["id"]: case for case in cases()}
absent = pytest.mark.skipif(
    not ALL, reason=f"the cases are not here: no {PATH.name} in ../shared/cases beside the clone"
)


class Prevails:
    """A judge that lets the later statement prevail: what is said about the floor is not what the test is about."""

    id = "test/1"

    async def judge(self, request: JudgeRequest) -> Judgement:
        return Judgement(relation="contradicts", prevails=True, reason="the later one")


@absent
def test_at_least_half_is_read_from_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(ALL) == set(CASES) | set(ELSEWHERE)
    text = sorted(name for name, ours in CASES.items() if not ours.records)
    records = sorted(name for name, ours in CASES.items() if ours.records)
    with capsys.disabled():
        print(f"\n{len(text)} of {len(ALL)} cases are read from their text: {', '.join(text)}")
        print(f"{len(records)} enter as records where the text is not read: {', '.join(records)}")
        for name, ours in CASES.items():
            if ours.why:
                print(f"  {name}: {ours.why}")
        for name, why in ELSEWHERE.items():
            print(f"  not here: {name}: {why}")
    assert len(text) >= 25


@absent
@pytest.mark.parametrize("name", sorted(CASES))
async def test_comes_out_as_expected(name: str, scene: Scene) -> None:
    case, ours = ALL[name], CASES[name]
    await play(case, ours, scene)
    found = [
        await scene.believed(tenant) for tenant in sorted({turn.get("tenant", "t") for turn in case["turns"]})
    ]
    assert not scene.dead()
    for believed in found:
        assert not list(differences(case, ours, believed)), "\n".join(sorted(believed.lines()))
    if name in MORE:
        MORE[name](found[0])


async def play(case: dict[str, Any], ours: Case, scene: Scene) -> None:
    """The setup, the turns in the order of the fault, the fault."""
    fault = case.get("fault", {})
    _setup(case.get("setup", {}), scene)
    slow = "blocks" in str(fault.get("llm_judge"))
    if slow:
        scene.policy("llm-judge", pattern="user.desk_floor")
        scene.judge = Prevails()
    await scene.run()
    turns = list(enumerate(case["turns"]))
    delivered = str(fault.get("kafka", ""))
    if delivered.startswith("deliver "):
        order = [name.strip() for name in delivered.removeprefix("deliver ").split(",")]
        turns.sort(key=lambda row: order.index(row[1]["event_id"]))
    for number, turn in turns:
        _enter(number, turn, ours, scene)
        await scene.run(waiting=("judge",) if slow else ())
    await scene.run()
    if delivered.startswith("re-deliver"):
        for row in [*scene.log.records("turns"), *scene.log.records("inbox")]:
            scene.log.append(OutRecord(row.topic, row.key or b"", row.value or b"", row.headers))
        await scene.run()


def _setup(setup: dict[str, Any], scene: Scene) -> None:
    policy = setup.get("policy", "")
    if policy.startswith("consensus"):
        scene.policy("consensus", quorum=2)
    elif policy.startswith("authority"):
        scene.policy("authority")
    if "authority" in setup:
        scene.authority(setup["authority"])


def _enter(number: int, turn: dict[str, Any], ours: Case, scene: Scene) -> None:
    at = datetime.fromisoformat(turn["at"]) if turn.get("at") else None
    at = at.astimezone(UTC) if at else None
    event, tenant = turn.get("event_id", f"e{number + 1}"), turn.get("tenant", "t")
    if number in ours.records:
        facts = [
            {**fact, "value": turn["text"] if fact["value"] == "$text" else fact["value"]}
            for fact in ours.records[number]
        ]
        scene.state(*facts, at=at, agent=turn["agent"], tenant=tenant, event_id=event)
        return
    scene.say(
        turn["text"],
        at,
        agent=turn["agent"],
        user=turn["user"],
        tenant=tenant,
        event_id=event,
        role=turn.get("role", "user"),
        speaker=turn.get("speaker"),
        derived_from=turn.get("derived_from", ()),
        contains_recall=turn.get("contains_recall", ()),
    )


# -- what some cases say besides ------------------------------------------------------------------------------------
def _hall_in_january(believed: Believed) -> None:
    moment = datetime(2026, 1, 20, tzinfo=UTC)
    held = [
        claim.value.text
        for claim in believed.claims
        if claim.valid_from <= moment and (claim.valid_to is None or moment < claim.valid_to)
    ]
    assert held == ["A"]


def _untouched_by_the_echo(believed: Believed) -> None:
    (claim,) = believed.claims
    assert claim.last_confirmed == datetime(2026, 3, 1, 9, tzinfo=UTC)


def _one_origin(believed: Believed) -> None:
    assert len(believed.origins(believed.claims[0])) == 1


def _no_way_back(believed: Believed) -> None:
    assert believed.decisions[-1].outcome == "SUPPRESSED"


def _other_keys(believed: Believed) -> None:
    keys = [claim.value.key for claim in believed.claims]
    assert len(set(keys)) == len(keys) and all(keys)


def _both_are_known(believed: Believed) -> None:
    assert {row.order.event_id for row in believed.evidence} == {"e1", "e2"}
    assert [claim.status for claim in believed.claims].count("active") == 1


MORE = {
    "as-of-hides-future": _hall_in_january,
    "recall-fed-back": _untouched_by_the_echo,
    "echo-is-not-second-source": _one_origin,
    "non-resurrection-all-paths": _no_way_back,
    "non-latin-hash-collision": _other_keys,
    "benign-version-conflict": _both_are_known,
}
