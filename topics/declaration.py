"""Every topic as one row of data. A topic that is not in TOPICS does not exist for claimstream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from schemas.errors import ClaimstreamError

DEFAULT_PREFIX: Final = "memory"
DEFAULT_PARTITIONS: Final = 8
FOR_EVER: Final = -1
KIB: Final = 1024
MIB: Final = 1024 * KIB
DAY_MS: Final = 24 * 60 * 60 * 1000


class UnknownTopicError(ClaimstreamError):
    """The topic is not declared in topics/declaration.py."""


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic: `retention_ms` in milliseconds (-1 for ever), `max_message_bytes` for key, value and
    headers together.

    `key` says in words what the Kafka key holds; its bytes are made by `topics.partitioner.encode_key`.
    `partitions` None means the setting (default 8); a number is fixed, because order depends on it.
    """

    short: str
    version: int
    key: str
    written_by: tuple[str, ...]
    holds: str
    retention_ms: int
    max_message_bytes: int
    partitions: int | None = None

    def full_name(self, prefix: str = DEFAULT_PREFIX) -> str:
        """The name on the broker: `{prefix}.{short}.v{version}`."""
        return f"{prefix}.{self.short}.v{self.version}"

    def partition_count(self, default: int = DEFAULT_PARTITIONS) -> int:
        """The declared number of partitions, else `default`."""
        return default if self.partitions is None else self.partitions

    def configs(self) -> dict[str, str]:
        """The topic configuration as Kafka takes it, strings to strings."""
        return {
            "cleanup.policy": "delete",
            "retention.ms": str(self.retention_ms),
            "max.message.bytes": str(self.max_message_bytes),
        }


_CONVERSATION: Final = "tenant, conversation (records: tenant, source and record id)"
_ENTITY: Final = "tenant, entity"

_ROWS: Final = (
    Topic("turns", 1, _CONVERSATION, ("producers",), "turns and records: the one way in", 90 * DAY_MS, MIB),
    # One record carries every fact of its turn, each with a copy of its quoted span, so it may outgrow the
    # turn.
    Topic("facts", 1, _CONVERSATION, ("extract",), "all facts of one turn", 30 * DAY_MS, 4 * MIB),
    # The inbox and the control log are what a replay reads: they are the memory's own history.
    Topic(
        "inbox",
        1,
        _ENTITY,
        ("resolve", "judge", "control", "timekeeper"),
        "everything that can change an entity's claims, in one order",
        FOR_EVER,
        MIB,
    ),
    Topic(
        "control",
        1,
        "tenant",
        ("operators", "api"),
        "policies, authority, registry, identity commands, erasures",
        FOR_EVER,
        MIB,
        partitions=1,
    ),
    Topic("judge", 1, _ENTITY, ("adjudicate",), "requests for a verdict", 30 * DAY_MS, MIB),
    Topic("claims", 1, _ENTITY, ("adjudicate",), "every change of a claim", 90 * DAY_MS, MIB),
    Topic(
        "disputes",
        1,
        _ENTITY,
        ("adjudicate",),
        "disputes opened, repeated, resolved, withdrawn, expired",
        365 * DAY_MS,
        MIB,
    ),
    Topic(
        "reviews", 1, _ENTITY, ("adjudicate", "resolve"), "what a person should look at", 365 * DAY_MS, MIB
    ),
    # A dead letter carries the bytes of any other topic and its own headers.
    Topic(
        "deadletters", 1, "the original key", ("every stage",), "unprocessable bytes", 365 * DAY_MS, 5 * MIB
    ),
)

TOPICS: Final[Mapping[str, Topic]] = MappingProxyType({row.short: row for row in _ROWS})


def topic_name(short: str, prefix: str = DEFAULT_PREFIX) -> str:
    """The full name of a declared topic. Raises UnknownTopicError."""
    return topic(short).full_name(prefix)


def topic(short: str) -> Topic:
    """The declaration of a topic by its short name. Raises UnknownTopicError."""
    try:
        return TOPICS[short]
    except KeyError:
        raise UnknownTopicError(f"no topic is called {short!r}; there are: {', '.join(TOPICS)}") from None


def size_limits(prefix: str = DEFAULT_PREFIX) -> dict[str, int]:
    """Full topic name to its `max.message.bytes`, for the publisher's check before it sends."""
    return {row.full_name(prefix): row.max_message_bytes for row in _ROWS}
