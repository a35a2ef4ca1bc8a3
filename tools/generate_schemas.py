"""Writes the published contracts: schemas/json/*.json, docs/asyncapi.yaml and the examples in docs/consuming.md.

``python -m tools.generate_schemas`` (``make schemas``) writes them; with ``--check`` it names those that are stale and
ends with 1.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any, Final

import yaml

from tools import dead_letter_schema
from tools.asyncapi import document
from tools.event_examples import examples
from tools.event_schemas import EVENTS, event_schema, file_name

ROOT: Final = Path(__file__).parents[1]
SCHEMAS: Final = Path("schemas/json")
ASYNCAPI: Final = Path("docs/asyncapi.yaml")
CONSUMING: Final = Path("docs/consuming.md")
#: The marked code blocks of a page.
_EXAMPLE: Final = re.compile(
    r"(?P<mark><!-- example: (?P<kind>\w+), [^\n]*-->\n)```json\n(?P<body>.*?)\n```\n", re.DOTALL
)
_NOTE: Final = "# Made by `make schemas` from the models, topics/declaration.py and streams/topology.py.\n"


def contents() -> dict[Path, str]:
    """Path within the repository to what belongs there."""
    found = {
        SCHEMAS / file_name(kind, model.MAJOR): _json(event_schema(model)) for kind, model in EVENTS.items()
    }
    found[SCHEMAS / file_name(dead_letter_schema.KIND)] = _json(dead_letter_schema.SCHEMA)
    found[ASYNCAPI] = _NOTE + yaml.dump(
        document(), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110
    )
    found[CONSUMING] = with_examples((ROOT / CONSUMING).read_text("utf-8"))
    return found


def with_examples(page: str) -> str:
    """`page` with each marked code block replaced by the example of its event."""

    def block(match: re.Match[str]) -> str:
        body = json.loads(examples()[match["kind"]].to_json())
        # The order of the models reads better than that of the wire.
        ordered = _ordered(body, event_schema(EVENTS[match["kind"]]))
        return f"{match['mark']}```json\n{json.dumps(ordered, indent=2)}\n```\n"

    return _EXAMPLE.sub(block, page)


def _ordered(body: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    names = [name for name in ("type", *schema["properties"]) if name in body]
    return {name: body[name] for name in dict.fromkeys(names)}


def stale(root: Path = ROOT) -> list[str]:
    """One line per file that is missing, differs, or belongs to no event."""
    wanted = contents()
    lines = [
        f"{path}: {'differs' if (root / path).exists() else 'missing'}"
        for path, text in wanted.items()
        if not (root / path).exists() or (root / path).read_text("utf-8") != text
    ]
    extra = {path.relative_to(root) for path in (root / SCHEMAS).glob("*")} - wanted.keys()
    return lines + [f"{path}: belongs to no event" for path in sorted(extra)]


def write(root: Path = ROOT) -> list[str]:
    """Writes what is stale, removes what belongs to no event; the lines of `stale` from before."""
    lines = stale(root)
    wanted = contents()
    for path, text in wanted.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    for path in (root / SCHEMAS).glob("*"):
        if path.relative_to(root) not in wanted:
            path.unlink()
    return lines


class _Dumper(yaml.SafeDumper):
    """No anchors: a reader should not have to look for what ``*id001`` was."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    # Paragraphs read better as a block than with escaped line ends.
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def _json(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=True) + "\n"


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        lines = stale()
        for line in lines:
            print(f"{line}; run `make schemas`")
        return 1 if lines else 0
    if arguments:
        print("usage: python -m tools.generate_schemas [--check]")
        return 2
    for line in write():
        print(f"was stale: {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
