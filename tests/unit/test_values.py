"""Typing values: what is the same value, what contains what, and what holds for every text."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from processors.values import ENTITY_TYPES, OPEN_TYPES, STRICT_TYPES, is_typed, type_value
from processors.values.text import fold, form
from schemas.facts import Mention

AT = datetime(2026, 3, 4, 10, 7, tzinfo=UTC)  # a Wednesday
TYPES = sorted(OPEN_TYPES | STRICT_TYPES | ENTITY_TYPES | {"of no such type"})


def key(text: str, value_type: str) -> str:
    return type_value(text, value_type, at=AT).key


@pytest.mark.parametrize(
    ("value_type", "texts"),
    [
        (
            "timezone",
            "PST|PDT|Pacific|Pacific time|America/Los_Angeles|US/Pacific|the Pacific time zone|PST (UTC-8)",
        ),
        ("timezone", "EST|EDT|Eastern time (US & Canada)|America/New_York|New York time"),
        ("timezone", "UTC+1|GMT+01:00|utc+01"),
        ("timezone", "CET|Mitteleuropäische Zeit|central european summer time"),
        ("timezone", "JST|日本標準時|Tokyo"),
        ("date", "2026-03-04|March 4, 2026|4 March 2026|today|2026年3月4日|04.03.2026"),
        ("date", "2025|last year|in 2025"),
        ("date", "May 7|7th of May|--05-07"),
        ("date", "2025-06|last June|June 2025"),
        ("time", "six|06:00|6 am|six in the morning|6"),
        ("time", "18:30|half past six in the evening|6:30 pm"),
        ("duration", "90 minutes|1h30|an hour and a half|PT1H30M|1.5 hours|one and a half hours"),
        ("duration", "18 months|1.5 years|P1Y6M"),
        ("number", "32|thirty-two|32 years old|３２|٣٢"),
        ("money", "$5,000|5000 USD|5,000 dollars|5k dollars|US$5000|five thousand dollars"),
        ("money", "$20/hour|20 dollars an hour|20 USD per hour"),
        ("quantity", "5 km|5000 m|five kilometers|5,000 meters"),
        ("quantity", "5'11\"|5 ft 11 in"),
        ("phone", "+1 415 555 0100|001 415-555-0100|+1 (415) 555-0100"),
        ("email", "Ana@Example.com|ana@example.com|mailto:ANA@EXAMPLE.COM"),
        ("url", "https://Example.com/|http://example.com|example.com"),
        ("boolean", "yes|true|Sí"),
        ("language", "German|Deutsch|de|ドイツ語"),
        ("country", "Germany|Deutschland|ドイツ|DE|DEU"),
        ("country", "USA|the US|United States|America"),
        ("place", "Berlin, Germany|in Berlin, Deutschland|Berlin (Germany)"),
        ("place", "San Francisco, CA|San Francisco, California|San Francisco, California, USA"),
        ("thing", "a cat|cats|cats!|the cat|Cat"),
        ("food", "Japanese|Japanese food|japanese cuisine"),
        ("text", "Java 21|java  21|the JAVA 21"),
        ("text", "Ｃａｆé|café|cafe\u0301"),
        ("org", "Acme|the ACME"),
    ],
)
def test_one_value_spelled_differently(value_type: str, texts: str) -> None:
    values = [type_value(text, value_type, at=AT) for text in texts.split("|")]
    assert {value.key for value in values} == {values[0].key}
    assert {value.type for value in values} - {"text"} == ({value_type} - {"text"})


@pytest.mark.parametrize(
    ("value_type", "texts"),
    [
        ("timezone", "PST|EST|CST|CET|UTC+1|UTC-1|IST"),
        ("date", "2026|2026-03|2026-03-04|--03-04|2026-W10|tomorrow|yesterday"),
        ("time", "6 am|6 pm|6:30|noon|midnight"),
        ("money", "$5|€5|$5 a month|$5.50"),
        ("quantity", "5 km|5 miles|5 kg|5 m"),
        ("text", "C|C#|C++|Java 17|Java 21|1.5|15|1 5|-5|5|+|!!|??|re-sign|resign"),
        ("thing", "Friends|friend|glass|glasses"),
        ("name", "أحمد|احمد|李|王|मोहन|मोहिनी|Ольга|Ольха|Jörg|Jorg"),
        ("place", "Paris, Texas|Paris, France|Atlanta, Georgia|Tbilisi, Georgia|Georgia"),
        ("person", "山田|山本|!!|??"),
    ],
)
def test_different_values_have_different_keys(value_type: str, texts: str) -> None:
    spelled = texts.split("|")
    assert len({key(text, value_type) for text in spelled}) == len(spelled)


@pytest.mark.parametrize(
    ("value_type", "precise", "coarse"),
    [
        ("date", "2026-03-04", "2026-03"),
        ("date", "2026-03-04", "2026"),
        ("date", "2026-03", "2026"),
        ("date", "2026-03-04T15:00:00Z", "2026-03-04"),
        ("date", "4 March 2026", "in March"),
        ("date", "7 May 1990", "May 7"),
        ("date", "tomorrow", "this week"),
        ("place", "Berlin, Germany", "Berlin"),
        ("place", "Berlin, Germany", "Germany"),
        ("place", "Kreuzberg, Berlin, Germany", "Berlin, Germany"),
        ("place", "San Francisco, CA", "California"),
        ("place", "California", "USA"),
        ("timezone", "America/Vancouver", "PST"),
        ("language", "Brazilian Portuguese", "Portuguese"),
        ("phone", "+1 415 555 0100", "415-555-0100"),
        ("name", "Sam Porter", "Sam"),
        ("person", "Sam Porter", "Sam"),
        ("org", "Acme Inc.", "Acme"),
    ],
)
def test_the_more_precise_value_lies_within_the_coarser_one(
    value_type: str, precise: str, coarse: str
) -> None:
    value = type_value(precise, value_type, at=AT)
    assert key(coarse, value_type) in value.within
    assert value.key not in type_value(coarse, value_type, at=AT).within


@pytest.mark.parametrize(
    ("value_type", "text"),
    [
        ("timezone", "Mars"),
        ("timezone", "8"),
        ("date", "03/04/2026"),
        ("date", "Friday"),
        ("date", "Feb 30"),
        ("date", "spring"),
        ("time", "25:00"),
        ("time", "13 pm"),
        ("number", "one two"),
        ("quantity", "10 cats"),
        ("quantity", "3 apples"),
        ("money", "20"),
        ("phone", "2026-03-04"),
        ("email", "a..b@c.de"),
        ("url", "not a url"),
        ("country", "in"),
        ("language", "Elvish"),
        ("place", "12345"),
    ],
)
def test_what_cannot_be_read_stays_text(value_type: str, text: str) -> None:
    value = type_value(text, value_type, at=AT)
    assert value.type == "text"
    assert value.key == key(text, "text")
    assert not is_typed(value, value_type)


def test_a_relative_date_is_counted_from_the_moment_it_was_said() -> None:
    later = AT + timedelta(days=400)
    assert type_value("yesterday", "date", at=AT).key == "date:2026-03-03"
    assert type_value("yesterday", "date", at=later).key == "date:2027-04-07"
    assert type_value("two weeks ago", "date", at=AT).key == "date:2026-W08"
    assert type_value("last friday", "date", at=AT).key == "date:2026-02-27"
    assert type_value("in 2 hours", "date", at=AT).key == "date:2026-03-04T12:07Z"


def test_an_entity_keeps_the_id_that_its_mention_has() -> None:
    known = Mention(text="Sam", type="person", entity="person:sam-porter")
    assert type_value("Sam", "person", at=AT, mention=known).key == "entity:person:sam-porter"
    # A mention does not change a value that is no entity: agents that see one meet those that do not.
    assert (
        type_value("Berlin", "place", at=AT, mention=Mention(text="Berlin", type="place")).key
        == "place:berlin"
    )


ANY_TEXT = st.text(alphabet=st.characters(), max_size=60) | st.sampled_from(
    [
        "last year",
        "PST",
        "5 km",
        "$5",
        "+1 415 555 0100",
        "Berlin, Germany",
        "\ud800",
        "\x00",
        "9" * 60,
        "١٢:٣٠",
    ]
)
LETTERS = st.text(
    alphabet=st.characters(categories=["Lu", "Ll", "Lo", "Lm", "Nd"], min_codepoint=0x250),
    min_size=1,
    max_size=12,
)


@settings(max_examples=400, deadline=None)
@given(ANY_TEXT, st.sampled_from(TYPES))
def test_any_text_is_typed_the_same_again(text: str, value_type: str) -> None:
    value = type_value(text, value_type, at=AT)
    assert value == type_value(text, value_type, at=AT)
    assert value == type_value(value.text, value_type, at=AT)
    assert 0 < len(value.key) <= 520
    assert all(0 < len(other) <= 512 for other in value.within)
    assert value.key not in value.within
    value.model_dump_json().encode("utf-8")
    assert "\x00" not in value.key + value.text


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(TYPES), st.sampled_from(["x", "9", "a b ", "東", ",", "( ", "1.", "and "]))
def test_a_very_long_text_is_cut_and_quickly(value_type: str, piece: str) -> None:
    value = type_value(piece * 20_000, value_type, at=AT)
    assert len(value.text) <= 4096
    assert len(value.key) <= 520


def test_long_texts_with_one_beginning_stay_apart() -> None:
    for value_type in ("text", "person"):
        assert key("x" * 3000 + "a", value_type) != key("x" * 3000 + "b", value_type)


@settings(max_examples=400, deadline=None)
@given(LETTERS, LETTERS, st.sampled_from(["text", "thing", "food", "name", "person", "org", "entity"]))
def test_non_latin_texts_share_a_key_only_when_they_are_equal(one: str, other: str, value_type: str) -> None:
    def letters(text: str) -> str:
        return "".join(char for char in fold(text) if char not in "ʼ")

    assert (key(one, value_type) == key(other, value_type)) == (letters(one) == letters(other))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40))
def test_the_form_of_a_form_is_the_form(text: str) -> None:
    assert form(fold(text)) == form(text)
