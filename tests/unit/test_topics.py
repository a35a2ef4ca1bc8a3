"""The topic table, key bytes and partitions."""

from __future__ import annotations

import pytest
from aiokafka.partitioner import murmur2
from hypothesis import given
from hypothesis import strategies as st

from topics.declaration import TOPICS, UnknownTopicError, size_limits, topic, topic_name
from topics.partitioner import SEPARATOR, KeyPartError, decode_key, encode_key, partition_of

PART = st.text(min_size=1).filter(lambda text: SEPARATOR not in text and text.isprintable())


def test_names_carry_prefix_and_version() -> None:
    assert topic_name("turns") == "memory.turns.v1"
    assert topic_name("inbox", "blue") == "blue.inbox.v1"
    assert size_limits("blue").keys() == {row.full_name("blue") for row in TOPICS.values()}


def test_the_nine_topics_of_the_design_are_declared() -> None:
    assert list(TOPICS) == [
        "turns", "facts", "inbox", "control", "judge", "claims", "disputes", "reviews", "deadletters",
    ]  # fmt: skip


@pytest.mark.parametrize("short", ["control", "inbox"])
def test_what_a_replay_reads_is_kept_for_ever(short: str) -> None:
    assert topic(short).configs()["retention.ms"] == "-1"
    assert topic(short).configs()["cleanup.policy"] == "delete"


def test_control_has_one_partition_whatever_the_setting() -> None:
    assert topic("control").partition_count(64) == 1
    assert topic("inbox").partition_count(64) == 64


def test_a_dead_letter_can_hold_any_record() -> None:
    others = max(row.max_message_bytes for row in TOPICS.values() if row.short != "deadletters")
    assert topic("deadletters").max_message_bytes > others


def test_unknown_topic_names_the_known_ones() -> None:
    with pytest.raises(UnknownTopicError, match="turns, facts"):
        topic("nope")


@given(tenant=PART, entity=PART)
def test_a_key_round_trips(tenant: str, entity: str) -> None:
    assert decode_key(encode_key(tenant, entity)) == (tenant, entity)


def test_key_bytes_are_fixed() -> None:
    assert encode_key("acme", "user:zoë") == b"acme\x1fuser:zo\xc3\xab"


@pytest.mark.parametrize("parts", [(), ("",), ("acme", ""), ("ac\x1fme", "x"), ("acme", "\ud800")])
def test_bad_key_parts_are_refused(parts: tuple[str, ...]) -> None:
    with pytest.raises(KeyPartError):
        encode_key(*parts)


@pytest.mark.parametrize("key", [None, b"", b"\x1f", b"acme\x1f", b"\xff\x1fx"])
def test_foreign_keys_are_refused(key: bytes | None) -> None:
    with pytest.raises(KeyPartError):
        decode_key(key)


# The vectors of Kafka's own UtilsTest.testMurmur2 (signed 32-bit there).
@pytest.mark.parametrize(
    ("data", "signed"),
    [
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_murmur2_is_kafkas(data: bytes, signed: int) -> None:
    assert murmur2(data) == signed % 2**32
    assert partition_of(data, 8) == (signed & 0x7FFFFFFF) % 8
