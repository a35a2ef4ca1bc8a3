"""What "forget that" and "delete the tent note" are about, and to whom they are sent."""

import pytest

from processors.forgetting import mentions, reach_of, sent_on, words_of
from schemas.facts import Fact, Mention, Quote
from schemas.inbox import Proposal
from tests.unit.deciding.world import World


@pytest.mark.parametrize(
    ("topic", "text", "found"),
    [
        ("tent", "tent_color orange", True),
        ("the tent", "Two TENTS", True),
        ("guest network", "network guest", True),
        ("guest network", "staff network", False),
        ("bus", "buses", False),
        ("art", "party", False),
        ("class", "classes", False),
        ("story", "stories", True),
        ("Zelt", "ｚｅｌｔ grün", True),
        ("テント", "テント 青", True),
        ("", "tent", False),
        ("my notes", "notes", False),
    ],
)
def test_words_of_a_topic(topic: str, text: str, found: bool) -> None:
    assert mentions(words_of(topic), words_of(text)) == found


def retraction(value: str, predicate: str = "*") -> Fact:
    return Fact(subject=Mention(text="u1", type="user"), predicate=predicate, value=value, act="retract")


@pytest.mark.parametrize(
    ("fact", "reach"),
    [
        (retraction("that"), "last"),
        (retraction("tent"), "topic"),
        (retraction(""), "entity"),
        (retraction("tea", "likes"), "named"),
        (retraction("that", "likes"), "named"),
    ],
)
def test_what_a_retraction_is_about(fact: Fact, reach: str) -> None:
    assert reach_of(fact) == reach


def quoted(proposal: Proposal, start: int) -> Proposal:
    quote = Quote(start=start, end=start + 1, text="x")
    return proposal.model_copy(update={"content": proposal.content.model_copy(update={"quote": quote})})


def test_a_topic_goes_to_the_speaker_and_to_what_was_named() -> None:
    base = World().proposal("a", "tent", 1, act="retract")
    found = sent_on(base, retraction("tent"), {"thing:tent", "user:u1"}, [], [base])
    assert [row.entity for row in found] == ["user:u1", "thing:tent"]
    assert found[0] == base and found[1].id != base.id
    assert sent_on(base, retraction("tent"), {"thing:tent"}, [], []) == found


def test_that_is_the_last_sentence_of_the_message_else_the_last_message() -> None:
    world = World()
    base = world.proposal("a", "", 9, act="retract")
    first, second, third = (
        quoted(world.proposal("a", name, 1, predicate=name), n // 2) for n, name in enumerate("xyz")
    )
    last = [world.proposal("a", "tea", 1, predicate="likes", entity="thing:pot")]

    within = sent_on(base, retraction("that"), (), [first, second, third], last)
    assert [row.content.label for row in within] == ["z"]
    within = sent_on(base, retraction("that"), (), [first, second], last)
    assert [row.content.label for row in within] == ["x", "y"]
    assert within[0].id == base.id != within[1].id
    (before,) = sent_on(base, retraction("that"), (), [], last)
    assert (before.entity, before.act, before.id) == ("thing:pot", "retract", base.id)
    assert before.content.candidates == last[0].content.candidates
    assert sent_on(base, retraction("that"), ("thing:pot",), [], []) == [base]


def test_a_named_value_goes_to_its_subject_only() -> None:
    base = World().proposal("a", "tea", 1, act="retract")
    assert sent_on(base, retraction("tea", "likes"), {"thing:tea"}, [base], [base]) == [base]
