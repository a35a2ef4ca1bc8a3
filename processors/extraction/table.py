"""The table of shapes as a document: every way of saying something that the extractor knows, with an example."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from processors.extraction import animate, events, shapes_mine
from processors.extraction.acts import ACTS
from processors.extraction.languages import FOREIGN
from processors.extraction.shapes import SHAPES
from processors.extraction.shapes_habit import BARE, CAN, GENERIC


class Row(NamedTuple):
    """One rule: its name (as in a fact's ``rule``), one or more examples parted by ``; ``, and what it states."""

    group: str
    name: str
    example: str
    states: str


def rows() -> Iterator[Row]:
    """All rules, in the order of the document."""
    for shape in (*SHAPES, CAN, BARE, GENERIC):
        label = (
            shape.predicate.replace("{verb}", "<verb>")
            .replace("_{p}", "[_<preposition>]")
            .replace("{p}", "<word>")
        )
        states = (
            f"`{label}`" + (", negative" if shape.negative else "") + (", one value" if shape.one else "")
        )
        yield Row("Somebody: I, we, my relative or pet, a name", shape.name, shape.example, states)
    for name, example, states in (*animate.ROWS, *events.ROWS):
        yield Row("Tenses, events and things", name, example, states)
    for name, example, states in shapes_mine.ROWS:
        yield Row("I have X, my X, the X", name, example, states)
    for act in ACTS:
        yield Row("Whole sentences", act.name, act.example, act.states)
    for foreign in FOREIGN:
        label = foreign.predicate.replace("{k}", "<noun>")
        states = (
            f"`{label}`" + (", negative" if foreign.negative else "") + (", one value" if foreign.one else "")
        )
        yield Row("Spanish, German, Japanese", foreign.name, foreign.example, states)


def markdown() -> str:
    """The table, one section a group."""
    lines: list[str] = []
    group = ""
    for row in rows():
        if row.group != group:
            group = row.group
            lines += ["", f"### {group}", "", "| rule | for example | states |", "|---|---|---|"]
        lines.append(f"| {row.name} | {row.example} | {row.states} |")
    return "\n".join(lines).strip() + "\n"
