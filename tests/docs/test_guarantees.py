"""docs/guarantees.md names mechanisms and tests that are there."""

from __future__ import annotations

import re

from tests.docs.pages import ROOT, page

ROWS = [
    line.split(" | ")
    for line in page("guarantees.md").read_text("utf-8").splitlines()
    if line.startswith("| ") and "---" not in line
][1:]


def test_each_promise_has_a_mechanism_a_place_and_a_test() -> None:
    assert len(ROWS) >= 20
    for row in ROWS:
        assert len(row) == 4, row
        assert re.search(r"\]\(\.\./[\w/.]+\)", row[2]), row
        assert re.search(r"`test_\w+`", row[3]), row


def test_the_named_tests_are_there() -> None:
    defined = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^(?:async )?def (test_\w+)", path.read_text("utf-8"), re.MULTILINE)
    }
    named = {name for row in ROWS for name in re.findall(r"`(test_\w+)`", row[3])}
    assert named <= defined, named - defined
