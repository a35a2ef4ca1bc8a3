"""The AsyncAPI document: valid by the official schema, whole in itself, and true to topics, stages and headers."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from streams.topology import SERVICES, STAGES
from tests.docs.asyncapi_specs import NotAvailable, official_schema
from tools.asyncapi import as_sent
from tools.event_examples import examples
from tools.event_schemas import EVENTS
from tools.generate_schemas import ASYNCAPI, ROOT
from topics.declaration import TOPICS


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """The document in the file."""
    found: dict[str, Any] = yaml.safe_load((ROOT / ASYNCAPI).read_text("utf-8"))
    return found


def test_it_is_valid_by_the_official_schema(document: dict[str, Any]) -> None:
    try:
        validator = Draft7Validator(official_schema())
    except NotAvailable as why:
        pytest.skip(str(why))
    assert [error.message[:300] for error in validator.iter_errors(document)] == []
    # The check bites.
    broken = copy.deepcopy(document)
    broken["channels"]["turns"]["bindings"]["kafka"]["partitions"] = "eight"
    broken["operations"]["extract.receive.turns"]["action"] = "take"
    assert len(list(validator.iter_errors(broken))) == 2


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from references(part)


def resolved(document: dict[str, Any], reference: str) -> Any:
    """What a reference within the document points to. Raises KeyError."""
    assert reference.startswith("#/"), reference
    found: Any = document
    for step in reference.removeprefix("#/").split("/"):
        found = found[step]
    return found


def test_every_reference_resolves_within_the_document(document: dict[str, Any]) -> None:
    found = set(references(document))
    assert {"#/components/messages/turn", "#/components/schemas/StatedFact"} <= found
    for reference in found:
        resolved(document, reference)
    used = {name.rsplit("/", 1)[1] for name in found if name.startswith("#/components/schemas/")}
    assert used == set(document["components"]["schemas"])


def schema_of(document: dict[str, Any], part: dict[str, Any]) -> Draft7Validator:
    schema = {**part, "components": document["components"]}
    return Draft7Validator(schema)


def test_every_schema_is_one_and_every_example_is_valid(document: dict[str, Any]) -> None:
    for schema in document["components"]["schemas"].values():
        Draft7Validator.check_schema(schema)
    for kind, message in document["components"]["messages"].items():
        assert message["examples"], kind
        key = message["bindings"]["kafka"]["key"]
        for example in key.get("examples", ()):
            Draft7Validator(key).validate(example)
            assert not Draft7Validator(key).is_valid(example + "\u001f")
        for example in message["examples"]:
            schema_of(document, message["payload"]).validate(example["payload"])
            schema_of(document, message["headers"]).validate(example["headers"])


def test_headers_of_another_event_or_none_are_refused(document: dict[str, Any]) -> None:
    messages = document["components"]["messages"]
    headers = schema_of(document, messages["turn"]["headers"])
    example = messages["turn"]["examples"][0]["headers"]
    assert headers.is_valid(example)
    assert not headers.is_valid(example | {"ce_type": "claimstream.record.v1"})
    for name in ("content-type", "ce_specversion", "ce_type", "ce_source", "ce_id"):
        assert not headers.is_valid({key: value for key, value in example.items() if key != name})


def test_channels_are_the_declared_topics(document: dict[str, Any]) -> None:
    assert list(document["channels"]) == list(TOPICS)
    for short, channel in document["channels"].items():
        topic = TOPICS[short]
        assert channel["address"] == topic.full_name()
        kafka = channel["bindings"]["kafka"]
        assert kafka["partitions"] == topic.partition_count()
        told = {
            name: ",".join(value) if isinstance(value, list) else str(value)
            for name, value in kafka["topicConfiguration"].items()
        }
        assert told == topic.configs()


def test_each_event_is_in_the_channel_it_is_sent_to(document: dict[str, Any]) -> None:
    for kind, event in examples().items():
        record = as_sent(event)
        found = [short for short, channel in document["channels"].items() if kind in channel["messages"]]
        assert [document["channels"][short]["address"] for short in found] == [record.topic]
        assert json.loads(record.value) == document["components"]["messages"][kind]["examples"][0]["payload"]
    assert set(document["components"]["messages"]) == {*EVENTS, "deadletter"}


def test_operations_are_what_the_stages_read_and_write(document: dict[str, Any]) -> None:
    wanted = {(stage.name, "receive", stage.reads) for stage in STAGES}
    wanted |= {(stage.name, "send", short) for stage in (*STAGES, *SERVICES) for short in stage.writes}
    found = set()
    for name, operation in document["operations"].items():
        assert re.fullmatch(r"[A-Za-z0-9_.-]+", name)
        short = operation["channel"]["$ref"].removeprefix("#/channels/")
        found.add((name.split(".")[0], operation["action"], short))
        messages = {message["$ref"] for message in operation["messages"]}
        assert messages == {
            f"#/channels/{short}/messages/{kind}" for kind in document["channels"][short]["messages"]
        }
        if operation["action"] == "receive":
            assert operation["bindings"]["kafka"]["groupId"]["const"] == f"memory.{name.split('.')[0]}"
    assert found == wanted
