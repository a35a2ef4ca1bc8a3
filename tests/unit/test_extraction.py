"""Statements of every kind, read from sentences of our own."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from processors.extraction import MAX_FACTS, extract
from schemas.facts import Fact, Mention
from schemas.turn import Message

AT = datetime(2026, 9, 23, 9, 0, tzinfo=UTC)
SPEAKER = Mention(text="u1", type="user", entity="user:u1")


def read(text: str, **message: str) -> list[Fact]:
    return extract([Message(text=text, **message)], speaker=SPEAKER, at=AT)


def said(text: str) -> set[tuple[str, str, str]]:
    """(predicate, value, sign) of all facts about the speaker; the sign is ``+``, ``-`` or ``x`` for ended."""
    return {
        (f.predicate, f.value, "x" if f.ended else f.polarity) for f in read(text) if f.subject == SPEAKER
    }


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("My name is Mira Holt.", {("name", "Mira Holt", "+")}),
        ("Hi, I'm called Mira and I like barley soup.", {("name", "Mira", "+"), ("likes", "barley soup", "+")}),
        ("Call me Lex.", {("nickname", "Lex", "+")}),
        ("I live in Turku.", {("lives_in", "Turku", "+")}),
        ("I'm from Lower Saxony", {("from", "Lower Saxony", "+")}),
        ("I'm in PST", {("timezone", "PST", "+")}),
        ("I'm in UTC+2.", {("timezone", "UTC+2", "+")}),
        ("My time zone is Europe/Berlin.", {("timezone", "Europe/Berlin", "+")}),
        ("I am a nurse.", {("job_title", "nurse", "+")}),
        ("I work as a carpenter at Brightwater.", {("job_title", "carpenter", "+")}),
        ("I work at Brightwater Mills.", {("employer", "Brightwater Mills", "+")}),
        ("I am vegan.", {("diet", "vegan", "+")}),
        ("I'm a strict vegetarian!", {("diet", "vegetarian", "+")}),
        ("I am allergic to nuts, shellfish and pollen.",
         {("allergic_to", "nuts", "+"), ("allergic_to", "shellfish", "+"), ("allergic_to", "pollen", "+")}),
        ("I have a nut allergy.", {("allergic_to", "nut", "+")}),
        ("I love Italian food", {("likes", "Italian food", "+")}),
        ("I hate Italian food, I only eat Japanese", {("likes", "Italian food", "-"), ("eats_only", "Japanese", "+")}),
        ("I don't like olives.", {("likes", "olives", "-")}),
        ("Actually I can't stand parsley any more.", {("likes", "parsley", "-")}),
        ("My favorite drink is mint tea.", {("favorite_drink", "mint tea", "+")}),
        ("Mint tea is my favorite drink.", {("favorite_drink", "Mint tea", "+")}),
        ("My email is mira@example.org.", {("email", "mira@example.org", "+")}),
        ("You can reach me at +49 170 1234567.", {("phone", "+49 170 1234567", "+")}),
        ("I have two dogs and a cat.", {("pet", "two dogs", "+"), ("pet", "cat", "+")}),
        ("I have three sisters.", {("number_of_sisters", "3", "+")}),
        ("I have a brother.", {("sibling", "brother", "+")}),
        ("I own a green canoe.", {("owns", "green canoe", "+")}),
        ("I speak Finnish and Dutch.", {("speaks", "Finnish", "+"), ("speaks", "Dutch", "+")}),
        ("I play the cello.", {("plays", "cello", "+")}),
        ("I'm 41 years old.", {("age", "41", "+")}),
        ("I drive a Lada.", {("drives", "Lada", "+")}),
        ("I don't smoke.", {("does", "smoke", "-")}),
        ("I can't swim.", {("can", "swim", "-")}),
        ("I've got a boat.", {("has", "boat", "+")}),
        ("I would like to visit Oslo.", {("wants", "visit Oslo", "+")}),
        ("I live in Turku, but I work in Naantali.", {("lives_in", "Turku", "+"), ("works_in", "Naantali", "+")}),
        ("My dream is to open a bakery.", {("wants", "open a bakery", "+")}),
        ("Time zone: CET", {("timezone", "CET", "+")}),
        ("u1 prefers tea over coffee.", {("prefers", "tea", "+")}),
    ],
)  # fmt: skip
def test_plain_statements_of_the_speaker(text: str, facts: set[tuple[str, str, str]]) -> None:
    assert said(text) == facts


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("I no longer work at Brightwater.", ("employer", "Brightwater", "x")),
        ("I don't live in Turku anymore.", ("lives_in", "Turku", "x")),
        ("I used to live in Turku.", ("lives_in", "Turku", "x")),
        ("I stopped eating meat.", ("eats", "meat", "x")),
        ("I worked at Brightwater.", ("employer", "Brightwater", "x")),
        ("I was a baker.", ("job_title", "baker", "x")),
        ("I no longer have a car.", ("has", "car", "x")),
    ],
)
def test_what_is_over_is_ended_and_not_denied(text: str, fact: tuple[str, str, str]) -> None:
    assert said(text) == {fact}


def test_a_move_ends_the_old_place_and_states_the_new_one() -> None:
    assert said("I moved from Turku to Oslo.") == {("lives_in", "Turku", "x"), ("lives_in", "Oslo", "+")}


@pytest.mark.parametrize(
    ("text", "subject", "fact"),
    [
        ("My mom is a teacher.", "user:u1's mother", ("job_title", "teacher")),
        ("My mother lives in Rauma.", "user:u1's mother", ("lives_in", "Rauma")),
        ("My sister Ada works at Brightwater.", "user:u1's sister", ("name", "Ada")),
        ("I have a cat named Pixel.", "user:u1's cat", ("name", "Pixel")),
        ("I got a puppy. Her name is Bo.", "user:u1's puppy", ("name", "Bo")),
        ("I have a brother. He lives in Rauma.", "user:u1's brother", ("lives_in", "Rauma")),
        ("I have a 3 year old terrier.", "user:u1's terrier", ("age", "3")),
        ("Ada Moor leads procurement.", "Ada Moor", ("leads", "procurement")),
        ("Ada is plant manager at Brightwater Mills.", "Ada", ("job_title", "plant manager")),
    ],
)
def test_relatives_pets_and_names_have_facts_of_their_own(
    text: str, subject: str, fact: tuple[str, str]
) -> None:
    assert (subject, *fact) in {(f.subject.text, f.predicate, f.value) for f in read(text)}


def test_he_is_nobody_when_two_people_were_named() -> None:
    facts = read("I have a brother and a cousin. He lives in Rauma.")
    assert {f.predicate for f in facts} == {"sibling", "cousin"}


def test_an_event_is_episodic_and_dated_against_the_turn() -> None:
    (fact,) = read("I visited Oslo last year.")
    assert (fact.kind, fact.predicate, fact.value, fact.valid_from) == ("episodic", "visited", "Oslo", "2025")
    (ended,) = read("I used to take the ferry to work until last year.")
    assert (ended.predicate, ended.value, ended.ended, ended.valid_to) == (
        "commutes_by",
        "ferry",
        True,
        "2025",
    )


def test_each_fact_quotes_its_span_exactly_even_among_typographic_signs() -> None:
    text = "Hey — nice one 😀! I’m a welder… and I’ve got “two” goats.  I live in 東京."
    facts = read(text)
    assert {f.predicate for f in facts} >= {"job_title", "lives_in"}
    for fact in facts:
        assert fact.quote is not None
        assert text[fact.quote.start : fact.quote.end] == fact.quote.text != ""


def test_the_quote_names_the_message_it_is_in() -> None:
    messages = [Message(role="assistant", text="I live in Turku."), Message(text="I live in Rauma.")]
    (fact,) = extract(messages, speaker=SPEAKER, at=AT)
    assert fact.quote is not None and fact.quote.message == 1 and fact.value == "Rauma"


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
def test_only_the_user_asserts(role: str) -> None:
    assert read("My tent is orange. I live in Turku.", role=role) == []
    assert read("My tent is orange. I live in Turku.", role="user") != []


def test_a_message_of_another_speaker_is_about_that_speaker() -> None:
    (fact,) = read("I keep bees.", speaker="guest:ola")
    assert fact.subject == Mention(text="ola", type="guest", entity="guest:ola")


@pytest.mark.parametrize("speaker", ["Ola", ":ola", "guest:"])
def test_a_speaker_without_a_type_is_a_person(speaker: str) -> None:
    (fact,) = read("I keep bees.", speaker=speaker)
    assert fact.subject == Mention(text=speaker, type="person")


def test_a_visitor_who_says_so_is_the_speaker_from_then_on() -> None:
    facts = read("Hello, I'm a visitor named Runa. I keep goats.")
    assert {(f.subject.text, f.predicate, f.value) for f in facts} == {
        ("Runa", "name", "Runa"),
        ("Runa", "keeps", "goats"),
    }


def test_equal_turns_give_equal_facts_and_ordinals_count_up() -> None:
    text = "I like tea, coffee and cocoa. My desk is on floor 2. I like tea."
    assert read(text) == read(text)
    assert [f.ordinal for f in read(text)] == [0, 1, 2, 3]


def test_the_form_says_how_many_values_there_can_be() -> None:
    hints = {f.predicate: f.cardinality_hint for f in read("My seat is 14C. I like tea. I own a canoe.")}
    assert hints == {"seat": "one", "likes": "many", "owns": "many"}


def test_a_flood_of_statements_is_bounded() -> None:
    text = " ".join(f"I like dish{n}." for n in range(900))
    assert len(read(text)) == MAX_FACTS


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\x00",
        "I",
        "my",
        "ok thanks",
        "a" * 20_000,
        "I like " + "and " * 4000,
        '"' * 999,
        "I am " * 3000,
        "、。" * 50,
    ],
)
def test_odd_texts_give_nothing_and_do_no_harm(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "predicate", "value"),
    [
        ("Lost my job as a courier yesterday.", "lost", "job as a courier"),
        ("Max and I visited Oslo.", "visited", "Oslo"),
        ("I had an interview yesterday!", "had", "interview"),
    ],
)
def test_events_of_chat(text: str, predicate: str, value: str) -> None:
    (fact,) = read(text)
    assert (fact.subject, fact.kind, fact.predicate, fact.value) == (SPEAKER, "episodic", predicate, value)
