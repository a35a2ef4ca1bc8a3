"""The documented table of shapes: current, and true of the extractor."""

from __future__ import annotations

import pytest

from processors.extraction.table import Row, rows
from tests.unit.test_extraction import read
from tools.shape_table import PAGE, page_with_table


def test_the_page_holds_the_table_of_today() -> None:
    page = PAGE.read_text("utf-8")
    assert page == page_with_table(page), "docs/extraction.md is stale: run python -m tools.shape_table"


def test_a_page_without_the_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="must hold the lines"):
        page_with_table("# no marks")


@pytest.mark.parametrize("row", list(rows()), ids=lambda row: row.name)
def test_each_example_is_read_by_its_own_shape(row: Row) -> None:
    for example in row.example.split("; "):
        assert row.name in {fact.rule for fact in read(example)}, example


def test_rule_names_are_unique() -> None:
    names = [row.name for row in rows()]
    assert sorted(names) == sorted(set(names))
