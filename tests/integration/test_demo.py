"""The demo as a newcomer runs it, and that it notices what is not as it must be."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

import streams.demo as demo
from streams.demo.conversation import BadConversation, load
from streams.embedded.stack import Stack
from streams.settings import Settings

pytestmark = [pytest.mark.broker, pytest.mark.postgres, pytest.mark.slow]

PROGRAM = [sys.executable, "-m", "streams.cli"]
MARK = "CLAIMSTREAM_TEST_MARK"


def environment(mark: str) -> dict[str, str]:
    """No settings but ours; the mark is inherited by every process of the demo."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CLAIMSTREAM_")}
    return {**kept, MARK: mark, "PYTHONPATH": os.getcwd()}


def alive(mark: str) -> list[str]:
    """Processes that carry the mark."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == mark and process.status() != psutil.STATUS_ZOMBIE:
                found.append(" ".join(process.cmdline())[:100])
        except psutil.Error:
            continue
    return found


@pytest.mark.smoke
def test_the_demo_shows_what_it_says_and_leaves_nothing_behind(tmp_path: Path) -> None:
    done = subprocess.run(
        [*PROGRAM, "demo", "--json"],
        cwd=tmp_path,
        env=environment(str(tmp_path)),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["ok"] and result["wrong"] == []
    zone, label, taste = result["scenes"]
    for scene in (zone, label):
        assert [(c["key"], c["status"], c["supporters"]) for c in scene["claims"]] == [
            ("timezone:America/Los_Angeles", "active", ["agent-a"]),
            ("timezone:America/New_York", "disputed", ["agent-b"]),
        ]
        assert scene["dispute"]["change"] == "opened"
    assert zone["search"]["text"] == "The user's timezone is PST"
    assert [(c["value"], c["status"]) for c in taste["claims"]] == [
        ("Italian food", "superseded"),
        ("not Italian food", "active"),
        ("Japanese", "active"),
    ]
    assert "dispute" not in taste
    assert result["conversation"]["turns"] == len(load(None).turns)
    assert all(row["ok"] for row in result["equations"])
    assert {"turns", "facts", "inbox records", "vectors"} <= {
        next(iter(row["left"])) for row in result["equations"]
    }
    assert alive(str(tmp_path)) == []
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["demo.log"]


def test_ctrl_c_in_the_middle_ends_everything(tmp_path: Path) -> None:
    running = subprocess.Popen(
        [*PROGRAM, "demo"],
        cwd=tmp_path,
        env=environment(str(tmp_path)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert running.stdout is not None
    for line in running.stdout:
        if line.startswith("database:"):
            break
    os.kill(running.pid, signal.SIGINT)
    rest = running.stdout.read()
    assert running.wait(60) == 128 + signal.SIGINT, rest
    assert "Traceback" not in rest
    assert alive(str(tmp_path)) == []


def test_a_crashed_worker_ends_the_demo_and_shows_why(tmp_path: Path) -> None:
    running = subprocess.Popen(
        [*PROGRAM, "demo"],
        cwd=tmp_path,
        # Only the crash can end it before the test's own time limit.
        env={**environment(str(tmp_path)), "CLAIMSTREAM_WAIT_TIMEOUT_S": "3600"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert running.stdout is not None
    for line in running.stdout:
        if line.startswith("stages:"):
            break
    workers = [
        child
        for child in psutil.Process(running.pid).children(recursive=True)
        if child.cmdline()[-2:] == ["worker", "--all"]
    ]
    assert len(workers) == 1
    workers[0].kill()
    rest = running.stdout.read()
    assert running.wait(120) == 1, rest
    assert "the worker ended with exit code -9" in rest
    assert "demo.log" in rest
    assert alive(str(tmp_path)) == []


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    with Stack(tmp_path_factory.mktemp("demo") / "worker.log") as stack:
        yield stack.settings


def test_without_the_policy_the_demo_says_what_is_wrong(
    pipeline: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "_policy", lambda _settings: [])
    said: list[str] = []
    result = asyncio.run(demo.play(pipeline, said.append))
    assert not result["ok"]
    # Nobody has a weight, so the newer statement wins and no dispute is opened.
    assert "agent-b's EST is not disputed" in " ".join(result["wrong"])
    assert any("NOT as it must be" in line for line in said)
    assert result["scenes"][2]["ok"], "recency needs no policy"
    assert all(row["ok"] for row in result["equations"])
    # The ledger has now heard it all.
    with pytest.raises(demo.NotAsExpected, match="take a fresh one"):
        demo.run_demo(pipeline)


def test_a_wrong_result_is_an_error_of_the_command(
    pipeline: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play(*_: object) -> dict[str, object]:
        return {"wrong": ["two and two is five"]}

    monkeypatch.setattr(demo, "play", play)
    with pytest.raises(demo.NotAsExpected, match="two and two is five"):
        demo.run_demo(pipeline)


@pytest.mark.parametrize("content", ["", "[]", '{"conversation": {}}', '{"sample_id": "x"}'])
def test_a_file_that_is_no_conversation_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "c.json"
    path.write_text(content)
    with pytest.raises(BadConversation, match="LoCoMo's format"):
        load(path)


def test_the_conversation_that_ships_is_in_order() -> None:
    talk = load(None)
    assert 50 <= len(talk.turns) <= 80
    assert len({turn.event_id for turn in talk.turns}) == len(talk.turns)
    times = [turn.at for turn in talk.turns]
    assert times == sorted(times, key=lambda at: (at is None, at))
    assert {turn.user for turn in talk.turns} == {"ilse", "tomas"}
