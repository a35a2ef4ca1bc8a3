"""What a person decides on a running pipeline: disputes, claims taken back and given back, reconsidering."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.integration.test_cli_dev import RULES, Dev

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def dev() -> Iterator[Dev]:
    with tempfile.TemporaryDirectory(prefix="claimstream-test-") as folder:
        running = Dev(Path(folder))
        try:
            (running.folder / "rules.yaml").write_text(RULES)
            assert running.run("policy", "apply", "rules.yaml").returncode == 0
            yield running
        finally:
            running.end(signal.SIGTERM)


def disputed(dev: Dev, user: str) -> Any:
    """An open dispute about the user's time zone: PST held, EST challenging."""
    dev.say("agent-a", "I'm in PST", "--user", user)
    dev.say("agent-b", "I'm in EST", "--user", user)
    (found,) = [row for row in dev.json("disputes", "list") if row["entity"] == f"user:{user}"]
    return found


def zones(dev: Dev, user: str) -> dict[tuple[str, str], str]:
    """(value, scope) to status."""
    rows = dev.json("claims", f"user:{user}", "--all")
    return {(row["value"], row["scope"]): row["status"] for row in rows if row["predicate"] == "timezone"}


def test_accept_and_uphold_end_a_dispute_and_stand(dev: Dev) -> None:
    accepted = disputed(dev, "u1")
    shown = dev.run("disputes", "show", accepted["dispute_id"][:8])
    assert "'EST'" in shown.stdout and "'PST'" in shown.stdout and "disputes resolve" in shown.stdout
    assert accepted["dispute_id"][:8] in dev.run("disputes", "list").stdout
    (done,) = dev.json("disputes", "resolve", accepted["dispute_id"][:8], "--accept", "--reason", "she moved")
    assert (done["outcome"], done["action"]) == ("APPLIED", "accept_challenger")
    assert zones(dev, "u1") == {("PST", ""): "rejected", ("EST", ""): "active"}
    # The ruling stands against the same evidence told again.
    dev.say("agent-a", "I'm in PST", "--user", "u1")
    assert zones(dev, "u1")["EST", ""] == "active"
    told = dev.run("explain", "user:u1", "timezone").stdout
    assert "APPLIED" in told and "she moved" in told

    upheld = disputed(dev, "u2")
    dev.json("disputes", "resolve", upheld["dispute_id"], "--uphold")
    assert zones(dev, "u2") == {("PST", ""): "active", ("EST", ""): "rejected"}
    again = dev.run("disputes", "resolve", upheld["dispute_id"], "--accept")
    assert again.returncode == 1
    assert "no open dispute" in again.stderr


def test_both_hold_and_dismiss_give_each_its_place(dev: Dev) -> None:
    both = disputed(dev, "u3")
    dev.json("disputes", "resolve", both["dispute_id"], "--both", "work,home")
    assert zones(dev, "u3")["EST", "work"] == "active"
    assert zones(dev, "u3")["PST", "home"] == "active"
    dismissed = disputed(dev, "u4")
    dev.json("disputes", "resolve", dismissed["dispute_id"], "--dismiss")
    assert zones(dev, "u4")["PST", ""] == "active"
    assert [status for (value, scope), status in zones(dev, "u4").items() if scope.startswith("apart")] == [
        "active"
    ]


def test_a_command_that_saw_other_parties_is_refused(dev: Dev) -> None:
    old = dev.json("disputes", "show", disputed(dev, "u5")["dispute_id"])
    dev.say("agent-a", "I'm in CET", "--user", "u5")  # the incumbent changes
    stale = dev.run(
        "disputes", "resolve", old["dispute_id"], "--uphold", "--expect", str(old["slot_version"])
    )
    assert stale.returncode == 1
    assert "look again" in stale.stderr
    assert zones(dev, "u5")["EST", ""] == "disputed"
    dev.json("disputes", "resolve", old["dispute_id"], "--uphold")
    assert zones(dev, "u5")["EST", ""] == "rejected"


def test_a_claim_is_taken_back_and_given_back(dev: Dev) -> None:
    said = dev.say("agent-a", "I live in Lisbon", "--user", "u6")
    claim = said["facts"][0]["claim"]["claim_id"]
    (done,) = dev.json("retract", claim, "--reason", "it was a joke")
    assert done["retracted"] == [claim]
    assert dev.json("claims", "user:u6") == []
    (chain,) = dev.json("explain", "user:u6", "lives_in")
    dev.json("restore", chain["steps"][-1]["id"], "--entity", "user:u6")
    assert [row["value"] for row in dev.json("claims", "user:u6")] == ["Lisbon"]
    # By event, and by predicate.
    dev.json("retract", "--event", f"say/{said['event_id']}")
    assert dev.json("claims", "user:u6") == []
    dev.say("agent-a", "I live in Porto", "--user", "u6")
    dev.json("retract", "--entity", "user:u6", "--predicate", "lives_in")
    assert dev.json("claims", "user:u6") == []


def test_a_command_that_reaches_several_slots_is_told_in_each(dev: Dev) -> None:
    said = dev.say("agent-a", "My name is Ada and I work at Nokia", "--user", "u8")
    dev.json("retract", "--event", f"say/{said['event_id']}", "--reason", "another Ada")
    for predicate, value in (("name", "Ada"), ("employer", "Nokia")):
        told = dev.run("explain", "user:u8", predicate).stdout
        assert "another Ada" in told, told
        assert f"'{value}' became retracted" in told, told
        (chain,) = dev.json("explain", "user:u8", predicate)
        assert [step["number"] for step in chain["steps"]] == sorted(
            step["number"] for step in chain["steps"]
        )
        assert len(chain["steps"]) == 2


def test_an_entity_is_decided_again_under_the_rules_of_now(dev: Dev) -> None:
    dev.say("agent-b", "I live in Ghent", "--user", "u7")
    (done,) = dev.json("reconsider", "user:u7")
    assert done["outcome"] == "APPLIED"
    assert [row["value"] for row in dev.json("claims", "user:u7")] == ["Ghent"]


def test_refusals_say_what_to_do(dev: Dev) -> None:
    nothing = str(uuid4())
    for arguments, code, says in (
        (("disputes", "resolve", "ffffffff", "--accept"), 1, "disputes list"),
        (("disputes", "resolve", "", "--accept"), 1, "begin with"),
        (("disputes", "resolve", "ab"), 2, "--accept, --uphold"),
        (("disputes", "resolve", "ab", "--both", "one"), 1, "no dispute"),
        (("disputes", "resolve", "ab", "--both", "same,same"), 2, "two different scopes"),
        (("retract",), 2, "name one"),
        (("retract", nothing), 1, f"no claim {nothing}"),
        (("retract", "--event", "say"), 2, "SOURCE/EVENT_ID"),
        (("retract", "--event", "say/never"), 1, "stated nothing"),
        (("retract", "--predicate", "likes"), 2, "go together"),
        (("confirm", nothing), 1, f"no claim {nothing}"),
        (("reconsider", "user:nobody"), 1, "nothing is known of user:nobody"),
        (("restore", nothing, "--entity", "user:u6"), 1, "changed nothing"),
        (("say", "--agent", "", "hello"), 2, "agent: String should have at least 1 character"),
        (("search", " "), 2, "say what to look for"),
    ):
        done = dev.run(*arguments)
        assert done.returncode == code, (arguments, done.stderr)
        assert says in done.stderr, (arguments, done.stderr)


def test_the_numbers_add_up_after_commands(dev: Dev) -> None:
    done = dev.run("counts")
    assert done.returncode == 0, done.stderr
