"""Writes the table of shapes into docs/extraction.md; a test fails when it is stale."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from processors.extraction.table import markdown

PAGE: Final = Path(__file__).parent.parent / "docs" / "extraction.md"
BEGIN: Final = "<!-- shapes: written by python -m tools.shape_table -->"
END: Final = "<!-- end of shapes -->"


def page_with_table(page: str) -> str:
    """The page with the table between its two marks made new. Raises ValueError when a mark is missing."""
    before, found, rest = page.partition(BEGIN)
    _, closed, after = rest.partition(END)
    if not found or not closed:
        raise ValueError(f"docs/extraction.md must hold the lines {BEGIN!r} and {END!r}")
    return f"{before}{BEGIN}\n\n{markdown()}\n{END}{after}"


def main() -> None:
    """Rewrites the page in place."""
    PAGE.write_text(page_with_table(PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
