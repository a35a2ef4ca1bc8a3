"""Names become ids that every agent computes alike."""

from hypothesis import given
from hypothesis import strategies as st

from processors.identity import entity_of, is_first_person, type_of
from processors.values.text import fold
from schemas.facts import Mention


def named(text: str, kind: str = "person") -> str:
    return entity_of(Mention(text=text, type=kind), speaker="user:u1")


def test_spelling_makes_no_difference() -> None:
    assert named("Dana Reyes") == named("  dana  REYES.") == named("Ｄａｎａ Reyes") == "person:dana-reyes"
    assert named("The Renewal", "project") == "project:renewal"
    assert named("Apollo 11") == "person:apollo-11"


def test_scripts_are_kept() -> None:
    assert named("山田 太郎") == "person:山田-太郎"
    assert named("Ольга") == "person:ольга"
    assert len({named(text) for text in ("मोहन", "मोहिनी", "मोहित")}) == 3


def test_the_first_person_is_the_speaker() -> None:
    for word in ("I", "me", "My", "myself", "the user"):
        assert named(word) == "user:u1"
        assert entity_of(Mention(text=word, type="person")) != "user:u1"
    assert named("Ian") == "person:ian"
    assert not is_first_person(Mention(text="me", entity="person:me"))


def test_an_id_stays_as_it_is() -> None:
    assert entity_of(Mention(text="me", entity="user:U-7"), speaker="user:u1") == "user:U-7"
    assert type_of("user:U-7:x") == "user"


def test_never_empty_and_never_too_long() -> None:
    assert named("!!!") != named("???")
    assert named("!!!").startswith("person:~")
    assert len(named("x" * 512, "t" * 256)) <= 256
    assert named("x" * 511 + "a") != named("x" * 511 + "b")


@given(st.text(min_size=1, max_size=512), st.text(min_size=1, max_size=256))
def test_any_mention_gets_a_usable_id(text: str, kind: str) -> None:
    entity = entity_of(Mention.model_construct(text=text, type=kind, entity=None))
    type_, slug = entity.split(":", 1)
    assert type_ and slug and len(entity) <= 256
    assert not {"\x1f", "\x00", " "} & set(entity)
    assert fold(entity) == entity
