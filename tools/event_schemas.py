"""JSON Schema (2020-12) of every event, made from the models: titles and texts come from docstrings and ``#:`` lines.

A published schema is a promise to programs that do not import ours. It is at most as wide as the model that reads:
what validates against it is accepted. Fields it does not name are accepted as well.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from pydantic.json_schema import GenerateJsonSchema

from schemas.base import Event, Frozen
from schemas.claims import ClaimChanged
from schemas.control_records import CONTROL_TOPIC
from schemas.disputes import DisputeChanged
from schemas.facts import FactsExtracted
from schemas.inbox_records import INBOX_TOPIC
from schemas.judge import JudgeRequest
from schemas.reviews import ReviewRaised
from schemas.turn import INPUTS
from topics.declaration import TOPICS

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

#: Short topic name to the events that it takes. A dead letter holds the bytes of any other topic.
TOPIC_EVENTS: Final[MappingProxyType[str, tuple[type[Event], ...]]] = MappingProxyType(
    {
        "turns": tuple(INPUTS.values()),
        "facts": (FactsExtracted,),
        "inbox": tuple(INBOX_TOPIC.values()),
        "control": tuple(CONTROL_TOPIC.values()),
        "judge": (JudgeRequest,),
        "claims": (ClaimChanged,),
        "disputes": (DisputeChanged,),
        "reviews": (ReviewRaised,),
    }
)
EVENTS: Final = MappingProxyType({model.TYPE: model for row in TOPIC_EVENTS.values() for model in row})
#: Topics that carry no event of ours: dead letters, and what is declared but not written yet.
WITHOUT_EVENTS: Final = tuple(short for short in TOPICS if short not in TOPIC_EVENTS)


class _WithoutFieldTitles(GenerateJsonSchema):
    """A title made of the field's own name says nothing."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def urn(kind: str, major: int = 1) -> str:
    """The ``$id`` of an event's schema."""
    return f"urn:claimstream:schema:{kind}:v{major}"


def file_name(kind: str, major: int = 1) -> str:
    """The file of an event's schema in schemas/json."""
    return f"{kind}.v{major}.json"


def event_schema(model: type[Event]) -> dict[str, Any]:
    """The JSON Schema of one event as it is on the wire."""
    body = model.model_json_schema(schema_generator=_WithoutFieldTitles, mode="validation")
    definitions: dict[str, Any] = body.pop("$defs", {})
    _describe(body, model)
    named = {found.__name__: found for found in _models(Frozen)}
    for name, definition in definitions.items():
        if name in named:
            _describe(definition, named[name])
    # A topic may take several events: a reader knows them by `type`. Another major version is another schema.
    body["required"] = ["type", *body.get("required", ())]
    body["properties"]["schema_version"]["pattern"] = rf"^{model.MAJOR}\.[0-9]{{1,4}}$"
    schema = {"$schema": DIALECT, "$id": urn(model.TYPE, model.MAJOR), **body}
    if definitions:
        schema["$defs"] = {name: definitions[name] for name in sorted(definitions)}
    return schema


def _models(base: type[Frozen]) -> Iterator[type[Frozen]]:
    for model in base.__subclasses__():
        yield model
        yield from _models(model)


def _describe(schema: dict[str, Any], model: type[Frozen]) -> None:
    doc = model.__dict__.get("__doc__")
    schema.pop("description", None)
    if doc:
        schema["description"] = plain(doc)
    texts = _field_texts(model)
    for name, field in schema.get("properties", {}).items():
        if name in texts:
            field["description"] = texts[name]


def plain(doc: str) -> str:
    """A docstring as Markdown: one line per paragraph, `code` in single backticks."""
    paragraphs = inspect.cleandoc(doc).replace("``", "`").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _field_texts(model: type[Frozen]) -> dict[str, str]:
    """Field to the ``#:`` lines above it, the bases' first."""
    found: dict[str, str] = {}
    for cls in reversed(model.__mro__):
        if issubclass(cls, Frozen):
            found |= _class_comments(cls)
    return found


@cache
def _class_comments(cls: type[Frozen]) -> dict[str, str]:
    lines, first = inspect.getsourcelines(cls)
    module = ast.parse(inspect.getsource(inspect.getmodule(cls) or cls))
    node = next(n for n in ast.walk(module) if isinstance(n, ast.ClassDef) and n.name == cls.__name__)
    found = {}
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            comment: list[str] = []
            number = statement.lineno - first - 1
            while (line := lines[number].strip()).startswith("#:"):
                comment.insert(0, line.removeprefix("#:"))
                number -= 1
            if comment:
                found[statement.target.id] = plain("\n".join(part.strip() for part in comment))
    return found
