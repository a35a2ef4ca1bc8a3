"""The program's manners: exit codes, one line for an error, no traceback unasked, help for every command."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest

from schemas.errors import ConfigurationError, TransientError
from streams.cli import main, running, settings_command

COMMANDS = [
    ("dev",),
    ("demo",),
    ("say",),
    ("publish",),
    ("claims",),
    ("explain",),
    ("counts",),
    ("search",),
    ("disputes", "list"),
    ("disputes", "tail"),
    ("policy", "apply"),
    ("topics", "create"),
    ("topics", "describe"),
    ("topics", "offsets"),
    ("worker",),
    ("health",),
    ("settings",),
]
#: Commands whose output a program would read.
WITH_JSON = [command for command in COMMANDS if command != ("worker",)]


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith("CLAIMSTREAM_"):
            monkeypatch.delenv(name)
    # --debug sets it for child processes; taken back after the test.
    monkeypatch.setenv("CLAIMSTREAM_DEBUG", "")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")


def run(*arguments: str) -> int:
    return main(arguments)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help(command: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*command, "--help") == 0
    shown = capsys.readouterr().out
    assert f"Usage: claimstream {' '.join(command)}" in shown
    assert ("--json" in shown) == (command in WITH_JSON)


def test_settings_for_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("settings", "--json") == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["CLAIMSTREAM_PARTITIONS"] == "8"
    assert captured.err == ""


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigurationError("set X"), 2),
        (TransientError("the broker at h:1 is away"), 1),
        (RuntimeError("oh"), 1),
    ],
)
def test_an_error_is_told_without_a_traceback(
    error: Exception, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(**_: object) -> None:
        raise error

    monkeypatch.setattr(running, "settings", fail)
    assert run("settings") == code
    shown = capsys.readouterr().err
    assert str(error) in shown
    assert "Traceback" not in shown
    assert run("--debug", "settings") == code
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("frob",), "No such command 'frob'"),
        (("publish",), "Missing argument"),
        (("worker",), "say --all"),
        (("worker", "extract", "--all"), "say --all"),
        (("worker", "extrac"), "did you mean extract?"),
        (("health", "nobody"), "is no stage"),
        (("topics", "offsets", "--at", "noon"), "is no time"),
        (("topics", "offsets", "--at", "2026-01-31T12:00:00"), "has no time zone"),
        (("disputes", "tail", "--offset", "1", "--from-beginning"), "exclude each other"),
    ],
)
def test_wrong_usage_is_2(
    arguments: tuple[str, ...], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments) == 2
    assert reason in capsys.readouterr().err


def test_a_wrong_setting_is_2_and_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CLAIMSTREAM_PARTITIONS", "many")
    for command in (("settings",), ("claims", "user:u1"), ("topics", "create"), ("worker", "--all")):
        assert run(*command) == 2
        assert "CLAIMSTREAM_PARTITIONS='many'" in capsys.readouterr().err


def test_a_misspelt_setting_is_pointed_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CLAIMSTREAM_PARTITION", "3")
    assert run("settings", "--json") == 0
    captured = capsys.readouterr()
    assert "did you mean CLAIMSTREAM_PARTITIONS?" in captured.err
    assert json.loads(captured.out)["CLAIMSTREAM_PARTITIONS"] == "8"


def test_health_without_a_worker_is_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("health", "extract") == 1
    assert "claimstream worker extract" in capsys.readouterr().err
    assert run("health", "extract", "--json") == 1
    assert json.loads(capsys.readouterr().out)["extract"]["ready"] is False


def test_a_reader_that_left_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(_: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(settings_command, "print_json", gone)
    monkeypatch.setattr("sys.stdout", io.StringIO())  # main gives it up
    assert run("settings", "--json") == 0
