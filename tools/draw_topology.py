"""Writes the stages of streams/topology.py, as a picture and a table, between two marker lines of README.md.

``python -m tools.draw_topology`` (``make topology``) writes; with ``--check`` it says whether README.md is stale and
ends with 1.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from schemas.errors import ConfigurationError
from streams.topology import picture, table

README: Final = Path(__file__).parents[1] / "README.md"
START: Final = "<!-- topology:start -->"
END: Final = "<!-- topology:end -->"


def drawn(text: str) -> str:
    """`text` with what stands between its markers replaced by the stages of now. Raises ConfigurationError."""
    if text.count(START) != 1 or text.count(END) != 1 or text.index(START) > text.index(END):
        raise ConfigurationError(f"README.md needs one line {START} and after it one line {END}")
    before, rest = text.split(START)
    after = rest.split(END)[1]
    return f"{before}{START}\n{picture()}\n{table()}{END}{after}"


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print("usage: python -m tools.draw_topology [--check]")
        return 2
    text = README.read_text("utf-8")
    try:
        wanted = drawn(text)
    except ConfigurationError as error:
        print(error)
        return 1
    if arguments:
        if wanted != text:
            print("README.md: the stages differ from streams/topology.py; run `make topology`")
        return int(wanted != text)
    README.write_text(wanted, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
