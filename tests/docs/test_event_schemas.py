"""The published JSON Schemas and the models that read say the same."""

from __future__ import annotations

import json
from datetime import datetime
from functools import lru_cache
from typing import Any

import pytest
from jsonschema import Draft7Validator, Draft202012Validator, FormatChecker

from schemas.base import Event
from schemas.errors import PoisonError
from tests.docs.mutations import mutations
from tools import dead_letter_schema
from tools.asyncapi import document
from tools.event_examples import examples
from tools.event_schemas import EVENTS, event_schema, file_name, urn
from tools.generate_schemas import ROOT, SCHEMAS

KINDS = sorted(EVENTS)
FORMATS = FormatChecker(("uuid",))


@FORMATS.checks("date-time", raises=ValueError)
def _is_date_time(value: object) -> bool:
    return not isinstance(value, str) or datetime.fromisoformat(value).tzinfo is not None


def published(kind: str) -> Draft202012Validator:
    """The schema in the file."""
    schema = json.loads((ROOT / SCHEMAS / file_name(kind)).read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema, format_checker=FORMATS)


@lru_cache(maxsize=1)
def components() -> dict[str, Any]:
    found: dict[str, Any] = document()["components"]
    return found


def in_asyncapi(kind: str) -> Draft7Validator:
    """The same schema as the AsyncAPI document has it, in draft 07."""
    whole = {"$ref": f"#/components/schemas/{kind}", "components": components()}
    return Draft7Validator(whole, format_checker=FORMATS)


def accepts(model: type[Event], body: dict[str, Any]) -> bool:
    try:
        model.from_json(json.dumps(body).encode())
    except PoisonError:
        return False
    return True


def wire(kind: str) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(examples()[kind].to_json())
    return body


def test_there_is_an_example_of_every_event() -> None:
    assert set(examples()) == set(EVENTS), "add one to tools/event_examples.py"


@pytest.mark.parametrize("kind", KINDS)
def test_an_example_of_the_model_validates_and_comes_back_the_same(kind: str) -> None:
    published(kind).validate(wire(kind))
    in_asyncapi(kind).validate(wire(kind))
    assert EVENTS[kind].from_json(examples()[kind].to_json()) == examples()[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_schema_and_model_give_the_same_verdict_on_every_changed_example(kind: str) -> None:
    schema, asyncapi, model = published(kind), in_asyncapi(kind), EVENTS[kind]
    accepted = refused = 0
    for what, body in mutations(wire(kind)):
        verdict = schema.is_valid(body)
        assert asyncapi.is_valid(body) == verdict, what
        # A reader of one topic knows its only event without `type`; a schema is also for topics with several.
        if what != "type left out":
            assert accepts(model, body) == verdict, what
        accepted, refused = accepted + verdict, refused + (not verdict)
    assert accepted > 10 and refused > 40


@pytest.mark.parametrize("kind", KINDS)
def test_a_schema_says_what_it_is(kind: str) -> None:
    schema = event_schema(EVENTS[kind])
    assert schema["$id"] == urn(kind) == f"urn:claimstream:schema:{kind}:v1"
    assert schema["title"] == EVENTS[kind].__name__
    assert schema["description"]
    assert schema["required"][0] == "type"
    for part in (schema, *schema.get("$defs", {}).values()):
        assert part.get("additionalProperties", True) is True


def test_texts_come_from_the_lines_above_the_fields_of_the_model_and_its_bases() -> None:
    properties = event_schema(EVENTS["turn"])["properties"]
    assert properties["user"]["description"].startswith("The account whose memory this is")
    assert properties["agent"]["description"].startswith("The agent that reports it")
    assert "description" not in properties["tenant"]


def test_a_dead_letter_has_the_headers_that_the_schema_names() -> None:
    Draft202012Validator.check_schema(dead_letter_schema.SCHEMA)
    record, letter = dead_letter_schema.example()
    headers = {name: value.decode() for name, value in letter.headers}
    assert set(headers) == set(dead_letter_schema.SCHEMA["properties"])
    validator = Draft202012Validator(dead_letter_schema.SCHEMA)
    validator.validate(headers)
    for name in headers:
        assert not validator.is_valid({key: value for key, value in headers.items() if key != name})
    assert not validator.is_valid(headers | {"claimstream_attempts": "0"})
    assert (letter.key, letter.value) == (record.key, record.value)
