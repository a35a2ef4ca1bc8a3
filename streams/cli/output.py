"""What commands print: results on stdout, everything else on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import orjson
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

#: Results, for a person.
out: Final = Console(highlight=False)
#: Progress, hints and errors.
err: Final = Console(stderr=True, highlight=False)


def print_json(value: Any) -> None:
    """One line of JSON on stdout, flushed: a program may be reading along."""
    sys.stdout.buffer.write(orjson.dumps(value, default=str, option=orjson.OPT_SORT_KEYS) + b"\n")
    sys.stdout.buffer.flush()


def say(line: str) -> None:
    """A line for a person, on stdout. No markup: it may hold what somebody said."""
    out.print(Text(line), soft_wrap=True)


def note(line: str) -> None:
    """A line for a person, on stderr."""
    err.print(Text(line), soft_wrap=True)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], empty: str) -> None:
    """A table on stdout; the sentence `empty` when there are no rows."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        # The first column is what one copies: never cut or broken.
        table.add_column(column, overflow="fold", no_wrap=column == columns[0])
    for row in rows:
        # Text and not str: square brackets in a value are no markup.
        table.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
    if table.row_count:
        out.print(table)
    else:
        note(empty)


@contextmanager
def progress_bar(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar on stderr when that is a terminal, else nothing; call what it gives with how many more are done."""
    if not err.is_terminal:
        yield lambda _: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda count: progress.advance(task, count)
