"""What a dead letter looks like: the original bytes, and headers that say where they come from and why.

The headers of the example are those that `streams.dead_letters` writes; here stands only what they mean.
"""

from __future__ import annotations

from typing import Any, Final

from schemas.errors import PoisonError, UnreadableRecord
from streams.dead_letters import DeadLetter, dead_record
from streams.stage import InRecord, OutRecord
from streams.topology import STAGES
from tools.event_schemas import DIALECT, urn
from topics.declaration import topic_name
from topics.partitioner import encode_key

KIND: Final = "deadletter-headers"

_NUMBER: Final = r"^[0-9]+$"

_PROPERTIES: Final[dict[str, Any]] = {
    "claimstream_stage": {
        "type": "string",
        "enum": [stage.name for stage in STAGES],
        "description": "The stage that could not process the record.",
    },
    "claimstream_origin_topic": {
        "type": "string",
        "minLength": 1,
        "description": "Full name of the topic the record was read from.",
    },
    "claimstream_origin_partition": {
        "type": "string",
        "pattern": _NUMBER,
        "description": "Its partition there, in decimal digits.",
    },
    "claimstream_origin_offset": {
        "type": "string",
        "pattern": _NUMBER,
        "description": "Its offset there, in decimal digits.",
    },
    "claimstream_item": {
        "type": "string",
        "pattern": _NUMBER,
        "description": "Which part of the record was given up, from 0: after the facts topic that is a single fact.",
    },
    "claimstream_error_class": {
        "type": "string",
        "pattern": r"^[A-Za-z]+$",
        "description": "Name of the error (schemas/errors.py), for example `UnreadableRecord`.",
    },
    "claimstream_error": {
        "type": "string",
        "maxLength": 500,
        "description": "What is wrong and what to do, for a person. Never repeats the record's text.",
    },
    "claimstream_attempts": {
        "type": "string",
        "pattern": r"^[1-9][0-9]*$",
        "description": "How often the record was given up, this time included.",
    },
}

SCHEMA: Final[dict[str, Any]] = {
    "$schema": DIALECT,
    "$id": urn(KIND),
    "title": "DeadLetterHeaders",
    "description": "Headers of a dead letter, each UTF-8 text. Key and value are the original bytes; the headers "
    "that the record came with stand before these.",
    "type": "object",
    "properties": _PROPERTIES,
    "required": list(_PROPERTIES),
}


def example() -> tuple[InRecord, OutRecord]:
    """A turn that is cut off, and its dead letter."""
    record = InRecord(
        topic=topic_name("turns"),
        partition=3,
        offset=1041,
        key=encode_key("acme", "agent-a-1"),
        value=b'{"type": "turn", "tenant": "acme", "event',
    )
    error: PoisonError = UnreadableRecord("the record is not JSON: unexpected end of data")
    return record, dead_record(record, DeadLetter(error), "extract", topic_name("deadletters"))
