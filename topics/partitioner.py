"""Keys and partitions: the bytes of a key, and where Kafka's own producer would put them.

Order is per key, so every producer of a topic, in whatever language, must agree on both.
"""

from __future__ import annotations

from typing import Final

from aiokafka.partitioner import murmur2

from schemas.errors import ClaimstreamError

SEPARATOR: Final = "\x1f"
_SEPARATOR_BYTE: Final = SEPARATOR.encode()


class KeyPartError(ClaimstreamError):
    """A part of a Kafka key is empty or holds the unit separator 0x1F."""


def encode_key(*parts: str) -> bytes:
    """The parts (tenant, then entity or conversation) as UTF-8 joined by 0x1F. Raises KeyPartError."""
    if not parts:
        raise KeyPartError("a key needs at least one part, the tenant")
    for part in parts:
        if not part:
            raise KeyPartError(
                f"a key part is empty in {parts!r}: name the tenant and the entity or conversation"
            )
        if SEPARATOR in part:
            raise KeyPartError(f"key part {part!r} holds the unit separator 0x1F: take it out of the name")
    try:
        return SEPARATOR.join(parts).encode("utf-8")
    except UnicodeEncodeError as exc:
        raise KeyPartError(f"a key part of {parts!r} is not Unicode text (lone surrogate): {exc}") from exc


def decode_key(key: bytes | None) -> tuple[str, ...]:
    """The parts of a key written by `encode_key`. Raises KeyPartError on anything else."""
    if not key:
        raise KeyPartError(
            "the record has no key: producers must set it to tenant 0x1F entity or conversation"
        )
    try:
        parts = tuple(part.decode("utf-8") for part in key.split(_SEPARATOR_BYTE))
    except UnicodeDecodeError as exc:
        raise KeyPartError(f"the record's key is not UTF-8: {exc}") from exc
    if not all(parts):
        raise KeyPartError(f"the record's key {key!r} has an empty part")
    return parts


def partition_of(key: bytes, partitions: int) -> int:
    """The partition (0-based) Kafka's default partitioner gives to `key`: murmur2, sign bit cleared, modulo.

    Source: org.apache.kafka.clients.producer.internals.BuiltInPartitioner.partitionForKey.
    """
    if partitions < 1:
        raise ValueError("partitions must be at least 1")
    return (int(murmur2(key)) & 0x7FFFFFFF) % partitions
