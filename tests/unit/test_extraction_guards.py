"""What asserts nothing: each guard is shown to bite by taking it away."""

from __future__ import annotations

import pytest

from processors.extraction import guards
from tests.unit.test_extraction import read

SILENT = [
    "Is my name Mira?",
    "Do I live in Oslo?",
    "My name is Mira, right?",
    "If I live in Oslo, I take the tram to work.",
    "Maybe I live in the wrong town.",
    "I might have a nut allergy.",
    "Perhaps my seat is 14C.",
    "I wish my desk is on floor 3.",
    "Tom says my office is 214.",
    "My boss told me I work at Brightwater now.",
    "According to the leaflet, I am allergic to nuts.",
    "I live in a palace, yeah right!",
    "I really love waiting for my bus!",
    "Oh, I love Mondays!",
    "Imagine I am a pirate.",
    "Just kidding, I live in Oslo.",
    "[recalled memory] my locker is 12.",
    "For example: I live in Oslo.",
    "I don't think I like tea.",
]


@pytest.mark.parametrize("text", SILENT)
def test_nothing_is_asserted(text: str) -> None:
    assert [f for f in read(text) if f.basis == "observed"] == []


@pytest.mark.parametrize(
    "text",
    [
        "Do I live in Oslo?",
        "My seat is 14C?",
        "Perhaps my seat is 14C.",
        "Tom says my office is 214.",
        "I might have a nut allergy.",
        "I really love waiting for my bus!",
        "Oh, I love Mondays!",
        "Just kidding, I live in Oslo.",
    ],
)
def test_without_the_guard_something_would_be_read(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(text) == []
    plain = (
        text.replace("Perhaps ", "")
        .replace("Tom says ", "")
        .replace("might ", "")
        .replace("Just kidding, ", "")
    )
    plain = plain.replace("Do I", "I").removeprefix("Oh, ")
    monkeypatch.setattr(guards, "judge", lambda sentence: "asserts")
    assert read(plain) != []


@pytest.mark.parametrize(
    "text",
    [
        'She said "I am a welder".',
        "“My name is Mira”",
        "> my name is Mira",
        "```\nmy name is Mira\n```",
        "'I live in Oslo'",
    ],
)
def test_a_quoted_statement_is_not_the_speakers_own(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(text) == []
    monkeypatch.setattr(guards, "mask_quotes", lambda flat: flat.strip("\"'>` \n"))
    monkeypatch.setattr(guards, "judge", lambda sentence: "asserts")
    assert read(text.removeprefix('She said "').strip("“”'>` \n")) != []


def test_a_quoted_name_is_a_value() -> None:
    assert [f.value for f in read('I like "The Long Walk".')] == ["The Long Walk"]


@pytest.mark.parametrize(
    "text",
    [
        "I suspect the side gate is open.",
        "I think my seat is 14C.",
        "Apparently the side gate is open.",
        "The side gate is probably open.",
    ],
)
def test_a_guess_is_inferred_and_weak(text: str) -> None:
    (fact,) = read(text)
    assert fact.basis == "inferred" and fact.confidence < 0.5


def test_an_observation_of_the_same_is_observed_in_the_same_slot() -> None:
    (guess,) = read("I suspect the side gate is never locked.")
    (seen,) = read("Checked: the side gate is locked at night.")
    assert (guess.subject, guess.predicate, guess.value) == (seen.subject, seen.predicate, seen.value)
    assert (guess.polarity, seen.polarity, seen.basis) == ("-", "+", "observed")


@pytest.mark.parametrize(
    "text",
    [
        "You are a great cook.",
        "Your dog is cute.",
        "I'm so excited!",
        "I'm here for you.",
        "It was awesome.",
        "The view is amazing.",
        "I love it.",
        "Thanks, that means a lot to me.",
        "Have a great day!",
        "I'll let you know.",
        "We can make a difference.",
    ],
)
def test_small_talk_states_nothing(text: str) -> None:
    assert read(text) == []
