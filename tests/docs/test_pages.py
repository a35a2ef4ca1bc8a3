"""What the pages show is true: events are valid, commands exist, programs compile, links lead somewhere."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest
import typer
from jsonschema import Draft202012Validator

from schemas.base import Frozen
from schemas.claims import Change, ClaimChanged, ClaimContent, Status
from schemas.disputes import DisputeChange, DisputeChanged, DisputeContent, Party
from schemas.facts import Mention, StatedFact
from schemas.reviews import ReviewContent, ReviewRaised
from schemas.turn import Message, Record, Turn
from streams.cli.app import build
from streams.inputs import read_input
from tests.docs.pages import PAGES, ROOT, Block, blocks, commands, page
from tools import dead_letter_schema
from tools.event_schemas import EVENTS, event_schema


@pytest.mark.parametrize("block", blocks("json"), ids=str)
def test_an_event_on_a_page_is_valid(block: Block) -> None:
    body = json.loads(block.body)
    if block.about == "headers":
        Draft202012Validator(dead_letter_schema.SCHEMA).validate(body)
    elif isinstance(body, dict) and body.get("type") in EVENTS:
        model = EVENTS[body["type"]]
        Draft202012Validator(event_schema(model)).validate(body)
        model.from_json(block.body.encode())
    else:
        assert block.page.name not in ("producing.md", "consuming.md"), "neither an event nor headers"


@pytest.mark.parametrize("block", blocks("jsonl"), ids=str)
def test_lines_to_publish_are_accepted(block: Block) -> None:
    for line in block.body.splitlines():
        read_input(line.encode())


@pytest.mark.parametrize("block", blocks("python"), ids=str)
def test_a_program_compiles(block: Block) -> None:
    compile(block.body, str(block), "exec")


@pytest.mark.parametrize("block", blocks("sh", "bash", "shell", "console"), ids=str)
def test_commands_and_their_options_exist(block: Block) -> None:
    for arguments in commands(block):
        parse(arguments)


def parse(arguments: list[str]) -> None:
    """What the program does with a command line before it acts. Raises click's UsageError."""
    command = typer.main.get_command(build())
    context = command.make_context("claimstream", list(arguments))
    while hasattr(command, "resolve_command"):
        rest = [*context._protected_args, *context.args]
        name, command, rest = command.resolve_command(context, rest)
        context = command.make_context(name, rest, parent=context)


@pytest.mark.parametrize(
    "wrong", [["gossip"], ["publish"], ["publish", "a", "b"], ["topics", "offsets", "--since", "now"]]
)
def test_a_command_that_does_not_exist_is_noticed(wrong: list[str]) -> None:
    with pytest.raises(Exception, match=r"(?i)no such|missing|unexpected|usage"):
        parse(wrong)


def test_the_pages_are_not_empty_of_what_is_tested() -> None:
    for name in ("producing.md", "consuming.md"):
        found = {block.language for block in blocks("json", "jsonl", "python", "sh", pages=[page(name)])}
        assert {"json", "python", "sh"} <= found


@pytest.mark.parametrize(
    ("name", "models"),
    [
        ("producing.md", (Turn, Message, Record, StatedFact, Mention)),
        (
            "consuming.md",
            (ClaimChanged, ClaimContent, DisputeChanged, DisputeContent, Party, ReviewRaised, ReviewContent),
        ),
    ],
)
def test_every_field_is_explained(name: str, models: tuple[type[Frozen], ...]) -> None:
    text = page(name).read_text("utf-8")
    explained = {word for code in re.findall(r"`([^`\n]+)`", text) for word in code.split(".")}
    fields = {field for model in models for field in model.model_fields}
    assert fields - explained - {"type", "schema_version"} == set()


def test_every_change_and_status_is_explained() -> None:
    text = page("consuming.md").read_text("utf-8")
    for words in (Status, Change, DisputeChange):
        for word in get_args(words):
            assert f"`{word}`" in text


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    text = path.read_text("utf-8")
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        target, _, anchor = link.partition("#")
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        file = (path.parent / target).resolve() if target else path
        assert file.exists(), f"{link}: there is no {file.relative_to(ROOT)}"
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file.read_text("utf-8")), f"{link}: no such heading"


def anchors(text: str) -> set[str]:
    """What GitHub makes of the headings."""
    headings = re.findall(r"^#+ +(.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
