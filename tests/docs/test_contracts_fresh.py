"""What is generated is fresh: JSON Schema files, AsyncAPI document, examples on a page, stages in README.md."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from schemas.errors import ConfigurationError
from tools import draw_topology, generate_schemas


def test_schemas_and_asyncapi_are_fresh() -> None:
    assert generate_schemas.stale() == [], "run `make schemas`"


def test_the_stages_in_the_readme_are_fresh() -> None:
    text = draw_topology.README.read_text("utf-8")
    assert draw_topology.drawn(text) == text, "run `make topology`"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The generated files in a folder of their own."""
    for path in generate_schemas.contents():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(generate_schemas.ROOT / path, tmp_path / path)
    generate_schemas.write(tmp_path)
    return tmp_path


def test_what_is_stale_is_named_and_written(copy: Path) -> None:
    assert generate_schemas.stale(copy) == []
    folder = copy / generate_schemas.SCHEMAS
    (folder / "turn.v1.json").unlink()
    (folder / "gossip.v1.json").write_text("{}")
    document = copy / generate_schemas.ASYNCAPI
    document.write_text(document.read_text("utf-8").replace("memory.turns.v1", "memory.turns.v2"), "utf-8")
    page = copy / generate_schemas.CONSUMING
    page.write_text(page.read_text("utf-8").replace('"change": "opened"', '"change": "begun"'), "utf-8")
    named = {
        "schemas/json/turn.v1.json: missing",
        "schemas/json/gossip.v1.json: belongs to no event",
        "docs/asyncapi.yaml: differs",
    }
    assert named <= set(generate_schemas.stale(copy))
    generate_schemas.write(copy)
    assert generate_schemas.stale(copy) == []
    assert not (folder / "gossip.v1.json").exists()


def test_an_example_on_the_page_is_that_of_the_program() -> None:
    page = (generate_schemas.ROOT / generate_schemas.CONSUMING).read_text("utf-8")
    changed = page.replace('"change": "opened"', '"change": "begun"')
    assert changed != page
    assert generate_schemas.with_examples(changed) == generate_schemas.with_examples(page)
    assert generate_schemas.with_examples(changed) != changed


def test_a_drawing_replaces_only_what_is_between_the_markers() -> None:
    text = f"before\n{draw_topology.START}\nold\n{draw_topology.END}\nafter\n"
    drawn = draw_topology.drawn(text)
    assert drawn.startswith(f"before\n{draw_topology.START}\n```mermaid\n")
    assert drawn.endswith(f"{draw_topology.END}\nafter\n")
    assert "old" not in drawn
    assert draw_topology.drawn(drawn) == drawn


@pytest.mark.parametrize("text", ["", draw_topology.START, f"{draw_topology.END}\n{draw_topology.START}"])
def test_a_readme_without_markers_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="topology:start"):
        draw_topology.drawn(text)
