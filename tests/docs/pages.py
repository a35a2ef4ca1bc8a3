"""The pages of the documentation as their code blocks."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_FENCE = re.compile(r"^```(?P<language>[\w-]*) *(?P<about>.*)\n(?P<body>(?:.*\n)*?)```$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """One code block; `about` is what follows the language on its first line."""

    page: Path
    line: int
    language: str
    about: str
    body: str

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"


def blocks(*languages: str, pages: list[Path] | None = None) -> list[Block]:
    """The code blocks in these languages."""
    return [block for page in pages or PAGES for block in _blocks(page) if block.language in languages]


def page(name: str) -> Path:
    return ROOT / "docs" / name


def script(page_name: str, file: str) -> str:
    """The Python program on a page whose first line names `file`."""
    found = [b.body for b in blocks("python", pages=[page(page_name)]) if b.body.startswith(f"# {file}")]
    assert len(found) == 1, f"{file}: {len(found)} programs of this name in {page_name}"
    return found[0]


def commands(block: Block) -> Iterator[list[str]]:
    """The calls of claimstream in a shell block, as arguments."""
    for line in block.body.replace("\\\n", " ").splitlines():
        for part in re.split(r"[|;&]+", line.split(" #")[0]):
            words = shlex.split(re.sub(r"[<>]\s*\S+\s*$", "", part.removeprefix("$ ")).strip())
            if words[:1] == ["claimstream"]:
                yield words[1:]


def _blocks(page: Path) -> Iterator[Block]:
    text = page.read_text("utf-8")
    for match in _FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield Block(page, line, match["language"], match["about"], match["body"])
