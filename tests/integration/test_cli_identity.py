"""`claimstream identity` on a running pipeline: who is who, put right by hand."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.test_cli_dev import Dev, wait_for

pytestmark = pytest.mark.slow

STONE, MARSH, LIND = "person:robin-stone", "person:robin-marsh", "person:kat-lind"


@pytest.fixture(scope="module")
def dev() -> Iterator[Dev]:
    with tempfile.TemporaryDirectory(prefix="claimstream-test-") as folder:
        running = Dev(Path(folder))
        try:
            yield running
        finally:
            running.end(signal.SIGTERM)


def values(dev: Dev, entity: str) -> set[str]:
    return {claim["value"] for claim in dev.json("claims", entity) if claim["status"] == "active"}


def test_assign_merge_alias_and_split(dev: Dev) -> None:
    for text in ("Robin Stone leads research.", "Robin Marsh plays the harp.", "Robin likes olives."):
        dev.say("chat", text)
    assert [claim["status"] for claim in dev.json("claims", "unresolved:robin")] == ["candidate"]
    done = dev.json("identity", "assign", "unresolved:robin", MARSH)
    assert (done["outcome"], done["moved"], done["to"]) == ("APPLIED", 1, MARSH)
    wait_for(lambda: "olives" in values(dev, MARSH))

    dev.say("chat", "Kat Lind likes rain.")
    assert dev.run("identity", "alias", "Robin M", LIND).returncode == 0
    shown = dev.json("identity", "show", LIND)
    assert {row["name"]: row["origin"] for row in shown["names"]} == {
        "Kat Lind": "claimed",
        "Robin M": "stated",
    }

    merged = dev.run("identity", "merge", MARSH, LIND, "--reason", "she married")
    assert "statements moved to person:kat-lind" in merged.stdout
    wait_for(lambda: {"olives", "rain"} <= values(dev, LIND))
    assert values(dev, MARSH) == set()
    assert dev.json("identity", "show", MARSH)["merged_into"] == LIND

    assert dev.run("identity", "split", LIND, MARSH).returncode == 0
    wait_for(lambda: "olives" in values(dev, MARSH))
    assert values(dev, LIND) == {"rain"}


def test_refusals_say_what_to_do(dev: Dev) -> None:
    for text in ("Ana Ruiz likes tea.", "Bo Lind likes rye."):
        dev.say("chat", text)
    for arguments, says in (
        (("merge", "person:ana-ruiz", "person:ana-ruiz"), "into itself"),
        (("merge", "person:ana-ruis", "person:ana-ruiz"), "nothing is known of person:ana-ruis"),
        (("assign", "person:ana-ruiz", "person:bo-lind"), "takes a key like unresolved:robin"),
        (("alias", "Bo Lind", "person:ana-ruiz"), "merge person:bo-lind into person:ana-ruiz"),
        (("split", "person:ana-ruiz", "person:new", "--mention", "Zed"), "it is named: Ana Ruiz"),
        (("show", "person:nobody"), "nothing is known of person:nobody"),
    ):
        done = dev.run("identity", *arguments)
        assert done.returncode == 1, arguments
        assert says in done.stderr, done.stderr
    assert values(dev, "person:ana-ruiz") == {"tea"}


def test_the_numbers_add_up_after_moves(dev: Dev) -> None:
    counts = wait_for(lambda: dev.run("counts").returncode == 0)
    assert counts
