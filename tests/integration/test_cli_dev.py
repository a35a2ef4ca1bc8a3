"""`claimstream dev` and the commands around it, in one folder and without a setting, as a newcomer uses them."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import psutil
import pytest

from streams.cli import main
from streams.embedded.process import free_port

# Not `smoke`: `dev` brings its own broker, whatever the suite runs on.
pytestmark = pytest.mark.slow

PROGRAM = [sys.executable, "-m", "streams.cli"]
TIMEOUT_S = 90

RULES = """
reason: agent-a reads the calendar
policy: {rules: [{pattern: user.timezone, strategy: authority}]}
authority:
  weights:
    - {agent: agent-a, pattern: user.timezone, weight: 0.9}
    - {agent: agent-b, pattern: user.timezone, weight: 0.2}
"""

Run = Callable[..., subprocess.CompletedProcess[str]]


def environment(**settings: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("CLAIMSTREAM_")}
    return inherited | {f"CLAIMSTREAM_{name.upper()}": value for name, value in settings.items()}


class Dev:
    """A running `claimstream dev` in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        # The Postgres of a root user runs as another one, who must be able to enter.
        for each in (folder, self.temporary):
            each.chmod(0o755)
        self.process = subprocess.Popen(
            [*PROGRAM, "dev", "--json"],
            cwd=folder,
            env=environment() | {"TMPDIR": str(self.temporary)},
            stdout=subprocess.PIPE,
            stderr=(folder / "stderr").open("w"),
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, (folder / "stderr").read_text()
        self.addresses: dict[str, str] = json.loads(line)
        self.family = psutil.Process(self.process.pid).children(recursive=True)

    def run(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        """A command in this folder, within this process: one of its own takes two seconds to import everything."""
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        client = logging.getLogger("aiokafka")
        level = client.level
        with (
            mock.patch.dict(os.environ, environment(**settings), clear=True),
            contextlib.chdir(self.folder),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            code = main(arguments)
        client.setLevel(level)
        said = [stream.buffer.getvalue().decode() for stream in (out, err)]
        return subprocess.CompletedProcess(arguments, code, *said)

    def json(self, *arguments: str) -> Any:
        done = self.run(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def say(self, agent: str, text: str, *more: str) -> Any:
        return self.json("say", "--agent", agent, text, *more)

    def end(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        return self.process.wait(TIMEOUT_S)

    def left(self) -> list[psutil.Process]:
        _, alive = psutil.wait_procs(self.family, timeout=20)
        return alive


@pytest.fixture(scope="module")
def dev() -> Iterator[Dev]:
    with tempfile.TemporaryDirectory(prefix="claimstream-test-") as folder:
        running = Dev(Path(folder))
        try:
            yield running
        finally:
            running.end(signal.SIGTERM)


def test_two_agents_disagree_and_memory_keeps_both(dev: Dev) -> None:
    (dev.folder / "rules.yaml").write_text(RULES)
    assert dev.json("policy", "apply", "rules.yaml")["versions"] == {"policy": 1, "authority": 1}

    first = dev.say("agent-a", "I'm in PST")
    (fact,) = first["facts"]
    assert (fact["entity"], fact["predicate"], fact["decision"]["outcome"]) == ("user:u1", "timezone", "ADD")
    assert (fact["claim"]["status"], fact["claim"]["supporters"]) == ("active", ["agent-a"])

    second = dev.say("agent-b", "I'm in EST")
    (fact,) = second["facts"]
    assert fact["decision"]["outcome"] == "DISPUTED"
    assert fact["claim"]["status"] == "disputed"

    claims = {claim["value"]: claim["status"] for claim in dev.json("claims", "user:u1")}
    assert claims == {"PST": "active", "EST": "disputed"}

    (dispute,) = dev.json("disputes", "list")
    assert (dispute["entity"], dispute["predicate"], dispute["challenger"]["value"]) == (
        "user:u1",
        "timezone",
        "EST",
    )
    tailed = json.loads(dev.run("disputes", "tail", "--from-beginning", "--limit", "1", "--json").stdout)
    assert (tailed["change"], tailed["dispute_id"]) == ("opened", dispute["dispute_id"])
    assert tailed["content"]["challenger"]["supporters"] == ["agent-b"]

    (chain,) = dev.json("explain", "user:u1", "user.timezone")
    assert [(step["agent"], step["outcome"]) for step in chain["steps"]] == [
        ("agent-a", "ADD"),
        ("agent-b", "DISPUTED"),
    ]

    found = wait_for(lambda: dev.json("search", "what timezone is the user in?", "--limit", "1"))
    assert (found[0]["value"], found[0]["verified_against_ledger"]) == ("PST", True)


def test_a_persons_words_are_shown_as_they_are(dev: Dev) -> None:
    shown = dev.run("say", "--agent", "agent-a", "--user", "u2", "I love Italian food")
    assert shown.returncode == 0
    assert "user:u2 likes = 'Italian food': ADD" in shown.stdout
    listed = dev.run("claims", "user:u2")
    assert "Italian food" in listed.stdout
    assert "active" in listed.stdout
    explained = dev.run("explain", "user:u2", "likes")
    assert "agent-a said" in explained.stdout
    assert "nothing known about user:nobody" in dev.run("claims", "user:nobody").stderr
    missing = dev.run("explain", "user:u2", "shoe_size")
    assert missing.returncode == 1
    assert "nothing was ever said about shoe_size of user:u2" in missing.stderr


def test_what_asserts_nothing_is_said_so(dev: Dev) -> None:
    shown = dev.run("say", "--agent", "agent-a", "What time is it?")
    assert shown.returncode == 0
    assert shown.stdout.startswith("no facts")


def test_the_numbers_add_up(dev: Dev) -> None:
    def counted() -> Any:
        done = dev.run("counts", "--index", "--json")
        return json.loads(done.stdout) if done.returncode == 0 else None

    counts = wait_for(counted)
    assert counts["tables"]["extractions"] == counts["topics"]["turns"] > 0
    assert all(row["ok"] for row in counts["equations"])


def test_all_stages_are_well(dev: Dev) -> None:
    assert dev.run("health", "--all").returncode == 0
    assert dev.run("topics", "describe").returncode == 0


def test_a_second_dev_in_this_folder_is_refused(dev: Dev) -> None:
    done = dev.run("dev")
    assert done.returncode == 2
    assert "already runs in this folder" in done.stderr


def test_a_crashed_worker_is_started_again(dev: Dev) -> None:
    children = psutil.Process(dev.process.pid).children()
    (worker,) = (child for child in children if "worker" in child.cmdline())
    worker.kill()
    said = dev.say("agent-a", "I work at Harbor Labs", "--user", "u3")
    assert [fact["entity"] for fact in said["facts"]] == ["user:u3"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_no_process_and_no_file_is_left(number: signal.Signals) -> None:
    with tempfile.TemporaryDirectory(prefix="claimstream-test-") as folder:
        dev = Dev(Path(folder))
        assert len(dev.family) >= 3
        assert dev.end(number) == (-number if number == signal.SIGKILL else 128 + number)
        assert dev.left() == []
        if number != signal.SIGKILL:
            assert list(dev.temporary.iterdir()) == []
            assert [path.name for path in (dev.folder / ".claimstream").iterdir()] == ["dev.log"]


@pytest.mark.parametrize(
    "arguments",
    [("claims", "user:u1"), ("explain", "user:u1", "likes"), ("search", "x"), ("disputes", "list")],
)
def test_a_database_that_is_down_is_one_line(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    port = free_port()
    dsn = f"postgresql://someone:hunter2@127.0.0.1:{port}/memory"
    done = subprocess.run(
        [*PROGRAM, *arguments],
        cwd=tmp_path,
        env=environment(dsn=dsn, database_timeout_s="2"),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 1
    assert f"127.0.0.1:{port}" in done.stderr
    assert "hunter2" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def wait_for(ask: Callable[[], Any]) -> Any:
    """The first answer that is not empty."""
    deadline = time.monotonic() + TIMEOUT_S
    while not (answer := ask()):
        assert time.monotonic() < deadline, "no answer came"
        time.sleep(0.2)
    return answer
