"""The AsyncAPI 3.0.0 document: topics, keys, headers and events, and which stage reads and writes what.

Seen from the pipeline: where a stage *receives*, somebody else sends. Payloads are inlined under ``components`` so that
the document can be opened alone; AsyncAPI's own schema dialect is draft 07, so what differs from 2020-12 is rewritten.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any, Final, cast

from schemas.base import SEPARATOR, Event
from schemas.commands import Command, InboxEvent
from schemas.control import ControlEvent
from schemas.errors import ConfigurationError
from schemas.facts import FactsExtracted
from schemas.inbox import Proposal
from schemas.turn import Record, Turn
from streams.envelope import command_record, control_record, input_record
from streams.settings import Settings
from streams.stage import OutRecord
from streams.stages.outgoing import facts_record, inbox_record, ledger_record
from streams.topology import SERVICES, STAGES, StageSpec
from tools import dead_letter_schema
from tools.event_examples import examples
from tools.event_schemas import EVENTS, TOPIC_EVENTS, event_schema, file_name, plain, urn
from topics.declaration import DEFAULT_PARTITIONS, DEFAULT_PREFIX, TOPICS, Topic

ASYNCAPI: Final = "3.0.0"
_KAFKA_BINDING: Final = "0.5.0"
_DEAD: Final = "deadletters"

_ABOUT: Final = f"""Shared memory for many agents, as a stream. Producers send turns and records, operators send
policies, authority and registry entries; consumers subscribe to claims, disputes and reviews. All else is internal.

Seen from the pipeline: where a stage receives, somebody else sends. Topic names begin with the setting
`CLAIMSTREAM_TOPIC_PREFIX` (here: `{DEFAULT_PREFIX}`); the number of partitions is the setting
`CLAIMSTREAM_PARTITIONS` (here: {DEFAULT_PARTITIONS}) except where order depends on it. The key decides the partition by
Kafka's own murmur2 partitioner. How to publish: docs/producing.md; how to subscribe: docs/consuming.md.
"""

_CLOUD_EVENT: Final[dict[str, Any]] = {
    "title": "CloudEvents headers",
    "description": "CloudEvents 1.0, binary mode of the Kafka protocol binding: enough to route without parsing.",
    "type": "object",
    "required": ["content-type", "ce_specversion", "ce_type", "ce_source", "ce_id"],
    "properties": {
        "content-type": {"type": "string", "const": "application/json"},
        "ce_specversion": {"type": "string", "const": "1.0"},
        "ce_type": {"type": "string", "description": "`claimstream.<type>.v<major version>`"},
        "ce_source": {
            "type": "string",
            "format": "uri-reference",
            "description": "`/<tenant>/<source>`, each percent-encoded; the source of what the ledger says is `ledger`",
        },
        "ce_id": {"type": "string", "minLength": 1, "description": "unique within `ce_source`"},
        "ce_time": {"type": "string", "format": "date-time"},
    },
}


def document() -> dict[str, Any]:
    """The document as plain data; the order of everything in it is fixed."""
    return {
        "asyncapi": ASYNCAPI,
        "id": "urn:claimstream:v1",
        "info": {
            "title": "claimstream",
            "version": version("claimstream"),
            "description": plain(_ABOUT),
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": "application/json",
        "channels": {short: _channel(topic) for short, topic in TOPICS.items()},
        "operations": {name: row for stage in STAGES for name, row in _operations(stage).items()}
        | {f"{row.name}.send.{short}": _sent(row.name, short) for row in SERVICES for short in row.writes},
        "components": {
            "messages": {kind: _message(kind, model) for kind, model in EVENTS.items()}
            | {"deadletter": _dead_message()},
            "schemas": _schemas(),
        },
    }


def _channel(topic: Topic) -> dict[str, Any]:
    configs = topic.configs()
    kept = "for ever" if topic.retention_ms < 0 else f"{topic.retention_ms // 86_400_000} days"
    about = f"Holds {topic.holds}. Key: {topic.key}. Written by: {', '.join(topic.written_by)}. Kept: {kept}."
    if not _messages(topic.short):
        about += " Declared and created, not written yet."
    return {
        "address": topic.full_name(),
        "title": topic.short,
        "description": about,
        "messages": {kind: {"$ref": f"#/components/messages/{kind}"} for kind in _messages(topic.short)},
        "bindings": {
            "kafka": {
                "partitions": topic.partition_count(),
                "topicConfiguration": {
                    "cleanup.policy": [configs["cleanup.policy"]],
                    "retention.ms": topic.retention_ms,
                    "max.message.bytes": topic.max_message_bytes,
                },
                "bindingVersion": _KAFKA_BINDING,
            }
        },
    }


def _messages(short: str) -> tuple[str, ...]:
    if short == _DEAD:
        return ("deadletter",)
    return tuple(model.TYPE for model in TOPIC_EVENTS.get(short, ()))


def _operations(stage: StageSpec) -> dict[str, Any]:
    group = {"type": "string", "const": f"{DEFAULT_PREFIX}.{stage.name}"}
    receive = _operation("receive", stage.reads, f"`{stage.name}` {stage.does}.")
    receive["bindings"] = {"kafka": {"groupId": group, "bindingVersion": _KAFKA_BINDING}}
    found = {f"{stage.name}.receive.{stage.reads}": receive}
    for short in stage.writes:
        found[f"{stage.name}.send.{short}"] = _sent(stage.name, short)
    return found


def _sent(name: str, short: str) -> dict[str, Any]:
    text = f"What `{name}` cannot process." if short == _DEAD else f"What `{name}` finds."
    return _operation("send", short, text)


def _operation(action: str, short: str, summary: str) -> dict[str, Any]:
    messages = [{"$ref": f"#/channels/{short}/messages/{kind}"} for kind in _messages(short)]
    return {
        "action": action,
        "channel": {"$ref": f"#/channels/{short}"},
        "summary": summary,
        "messages": messages,
    }


def _message(kind: str, model: type[Event]) -> dict[str, Any]:
    example = examples().get(kind)
    if example is None:
        raise ConfigurationError(f"there is no example of a {kind}: add one to tools/event_examples.py")
    record = as_sent(example)
    headers = {name: value.decode() for name, value in record.headers}
    cloud_type = {"type": "string", "const": headers["ce_type"]}
    return {
        "name": kind,
        "title": model.__name__,
        "summary": plain(model.__doc__ or kind),
        "description": f"JSON Schema: schemas/json/{file_name(kind, model.MAJOR)} (`{urn(kind, model.MAJOR)}`).",
        "contentType": "application/json",
        "headers": {
            "type": "object",
            "allOf": [
                {"$ref": "#/components/schemas/CloudEventHeaders"},
                {"type": "object", "properties": {"ce_type": cloud_type}},
            ],
        },
        "payload": {"$ref": f"#/components/schemas/{kind}"},
        "bindings": {"kafka": {"key": _key_schema(record.key), "bindingVersion": _KAFKA_BINDING}},
        "examples": [{"name": f"{kind}_example", "headers": headers, "payload": json.loads(record.value)}],
    }


def _dead_message() -> dict[str, Any]:
    _, letter = dead_letter_schema.example()
    return {
        "name": "deadletter",
        "title": "DeadLetter",
        "summary": "A record that can never be processed: its own bytes; headers say where it comes from and why.",
        "description": f"JSON Schema of the headers: schemas/json/{file_name(dead_letter_schema.KIND)}.",
        "contentType": "application/octet-stream",
        "headers": {"$ref": "#/components/schemas/DeadLetterHeaders"},
        "payload": {"description": "The original bytes, whatever they are."},
        "bindings": {
            "kafka": {
                "key": {"description": "The original key; empty when there was none."},
                "bindingVersion": _KAFKA_BINDING,
            }
        },
        "examples": [
            {
                "name": "cut_off_turn",
                "headers": {name: value.decode() for name, value in letter.headers},
                "payload": letter.value.decode(),
            }
        ],
    }


def as_sent(event: Event) -> OutRecord:
    """The record that the program sends for an event: key, value and headers."""
    if isinstance(event, Turn | Record):
        return input_record(event, _shipped_settings())
    if isinstance(event, ControlEvent):
        return control_record(cast(Any, event), _shipped_settings())
    if isinstance(event, FactsExtracted):
        return facts_record(event, DEFAULT_PREFIX)
    if isinstance(event, Command):
        return command_record(event, _shipped_settings())
    if isinstance(event, Proposal | InboxEvent):
        return inbox_record(cast(Any, event), DEFAULT_PREFIX)
    return ledger_record(event, DEFAULT_PREFIX)


def _shipped_settings() -> Settings:
    # As shipped, whatever the environment and .env of whoever runs this say.
    return Settings.model_construct()


def _key_schema(key: bytes) -> dict[str, Any]:
    parts = key.decode().count(SEPARATOR) + 1
    pattern = SEPARATOR.join(["[^\\u0000\\u001f]+"] * parts)
    return {
        "type": "string",
        "pattern": f"^{pattern}$".replace(SEPARATOR, "\\u001f"),
        "examples": [key.decode()],
    }


def _schemas() -> dict[str, Any]:
    found: dict[str, Any] = {
        "CloudEventHeaders": _CLOUD_EVENT,
        "DeadLetterHeaders": _draft_07(dead_letter_schema.SCHEMA),
    }
    for kind, model in EVENTS.items():
        schema = event_schema(model)
        for name, definition in ({kind: schema} | schema.pop("$defs", {})).items():
            rewritten = _draft_07(definition)
            if found.setdefault(name, rewritten) != rewritten:
                raise ValueError(f"two models are called {name}: rename one, the document has one namespace")
    return found


def _draft_07(schema: Any) -> Any:
    """The same schema in AsyncAPI's dialect, references pointing into ``components``."""
    if isinstance(schema, list):
        return [_draft_07(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    # An unnamed part cannot be told from a property called "$id": ours has none.
    made = {key: _draft_07(value) for key, value in schema.items() if key not in ("$schema", "$id")}
    if "prefixItems" in made:
        made["items"] = made.pop("prefixItems")
    if isinstance(made.get("$ref"), str):
        target = {"$ref": made.pop("$ref").replace("#/$defs/", "#/components/schemas/")}
        # Draft 07 ignores what stands beside a $ref.
        return {"allOf": [target], **made} if made else target
    return made
