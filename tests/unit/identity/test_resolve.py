"""Which entity a mention names, step by step of the order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from processors.identity import Context, Known, Name, Resolution, lookup_of, resolve_mention
from processors.identity.memory import MemoryIdentity
from processors.identity.model import MAX_ROWS
from processors.identity.names import keys_of, parse
from schemas.errors import IntegrityError
from schemas.facts import Mention


class World:
    """An id map that keeps what is resolved."""

    def __init__(self) -> None:
        self.view = MemoryIdentity()

    def say(self, text: str, kind: str = "person", *ids: str, near: tuple[str, ...] = ()) -> Resolution:
        context = Context(speaker="user:u1", nearby=frozenset(near), identifiers=ids)
        resolution = resolve_mention(Mention(text=text, type=kind), context, self.view)
        self.view.keep(resolution)
        return resolution

    def ids(self, *texts: str, kind: str = "person") -> list[str]:
        return [self.say(text, kind).entity for text in texts]


@pytest.fixture
def world() -> World:
    return World()


def test_an_id_is_followed_through_forwards(world: World) -> None:
    world.view.set_forward("person:a", "person:b")
    world.view.set_forward("person:b", "person:c")
    found = resolve_mention(Mention(text="x", entity="person:a"), Context(), world.view)
    assert (found.entity, found.how) == ("person:c", "id")


def test_a_circle_of_forwards_is_an_error_not_a_loop(world: World) -> None:
    world.view.set_forward("person:a", "person:b")
    world.view.set_forward("person:b", "person:a")
    with pytest.raises(IntegrityError, match="rebuild the id map"):
        resolve_mention(Mention(text="x", entity="person:a"), Context(), world.view)


def test_the_speaker_comes_before_names(world: World) -> None:
    world.view.add_name(Known("person:me", Name("me", "person"), "stated"))
    assert world.say("me").entity == "user:u1"


def test_a_whole_name_is_one_entity_however_written(world: World) -> None:
    spellings = (
        "Ana Ruiz",
        "ANA RUIZ",
        "Dr. Ana Ruiz",
        "Ruiz, Ana",
        "Ana Ruiz, PhD",
        "Ana Ruiz's",
        "Aña Ruiz",
    )
    assert set(world.ids(*spellings)) == {"person:ana-ruiz"}
    assert world.say("QRTX", "org").how == "new"
    assert world.say("Q.R.T.X.", "company").entity == "org:qrtx"


def test_a_shared_first_name_stays_unresolved(world: World) -> None:
    stone, reed = world.ids("Robin Stone", "Robin Reed")
    assert stone != reed
    bare = world.say("Robin", near=(stone, reed))
    assert (bare.entity, bare.how, bare.resolved) == ("unresolved:robin", "ambiguous", False)
    assert [one.entity for one in bare.suggestions] == [reed, stone]
    assert bare.learn is None
    # Also with one of them out of sight: the other may still be meant.
    assert world.say("Robin", near=(stone,)).how == "ambiguous"


def test_a_first_name_finds_its_one_bearer_in_the_conversation_only(world: World) -> None:
    stone = world.say("Robin Stone").entity
    near = world.say("Robin", near=(stone,))
    assert (near.entity, near.how, near.learn) == (stone, "context", None)
    far = world.say("Robin")
    assert (far.entity, far.how) == ("person:robin", "new")
    assert [(one.entity, one.why) for one in far.suggestions] == [(stone, "part_of_name")]
    assert list(world.view.suspects) == [("person:robin", stone)]


def test_a_full_name_is_not_put_under_a_bare_one(world: World) -> None:
    bare = world.say("Robin").entity
    assert world.say("Robin Stone", near=(bare,)).entity == "person:robin-stone"


def test_two_full_names_make_an_earlier_bare_one_doubtful(world: World) -> None:
    bare = world.say("Robin").entity
    world.say("Robin Stone")
    assert world.say("Robin").entity == bare, "one of that name: it may be the same, or not; nothing is moved"
    world.say("Robin Reed")
    assert world.say("Robin").how == "ambiguous"


def test_a_name_shared_by_very_many_is_ambiguous_without_reading_them_all(world: World) -> None:
    class Cut(MemoryIdentity):
        def named(self, family: str, key: str) -> list[Known]:
            rows = list(super().named(family, key))
            return rows if key.startswith("=") else rows[:MAX_ROWS]

    world.view = Cut()
    ids = world.ids(*(f"Robin Stone{n}" for n in range(MAX_ROWS)), "Ada Reed", "Robert Robin")
    assert world.say("R. Robin", near=(ids[-1],)).how == "ambiguous"
    assert world.say("A. Reed", near=(ids[-2],)).entity == "person:ada-reed"


def test_a_bare_name_with_an_id_of_its_own_is_somebody_else(world: World) -> None:
    bare = world.say("Ana").entity
    known = world.say("Ana", "person", "crm:17")
    assert known.how == "new" and known.entity == "person:crm:17" != bare
    assert world.say("Ana", "person", "crm:17").entity == known.entity


def test_near_names_only_suggest(world: World) -> None:
    assert world.say("Oman", "country").entity == "country:oman"
    roman = world.say("Roman", near=("country:oman",))
    assert (roman.entity, roman.suggestions) == ("person:roman", ())
    weber = world.say("Jonas Weber").entity
    webber = world.say("Jonas Webber", near=(weber,))
    assert webber.entity == "person:jonas-webber"
    assert [(one.entity, one.why) for one in webber.suggestions] == [(weber, "other_spelling")]
    world.say("Inter Bay Exchange", "org")
    assert [one.why for one in world.say("IBE", "org").suggestions] == ["acronym"]


def test_types_are_a_wall(world: World) -> None:
    kinds = ("person", "country", "org", "product", "pet", "thing", "city")
    assert len({world.say("Jordan", kind).entity for kind in kinds}) == len(kinds)
    assert world.say("Jordan", "organisation").entity == "org:jordan"


def test_an_identifier_comes_before_the_name(world: World) -> None:
    robert = world.say("Robert Finch", "person", "crm:17").entity
    assert world.say("Bob Finch", "person", "crm:17").entity == robert
    assert world.say("Bob Finch").entity == robert, "the name was learned with the id"
    assert world.say("crm:17").entity == robert


def test_two_ids_of_one_system_are_two(world: World) -> None:
    first, second = world.say("Sam Porter", "person", "hr:1"), world.say("Sam Porter", "person", "hr:2")
    assert first.entity != second.entity and second.distinct
    assert world.say("Sam Porter").how == "ambiguous"
    assert world.say("Sam Porter", "person", "hr:2").entity == second.entity


def test_identifiers_of_two_entities_are_a_conflict(world: World) -> None:
    ana, tobias = (
        world.say(name, "person", key).entity
        for name, key in (("Ana Ruiz", "crm:1"), ("Tobias Krall", "hr:9"))
    )
    both = world.say("Ana Ruiz", "person", "crm:1", "hr:9")
    assert (both.how, both.entity) == ("conflict", "unresolved:ana-ruiz")
    assert [one.entity for one in both.suggestions] == [ana, tobias]


@pytest.mark.parametrize("shared", ["email:office@lab.example", "phone:+4930901820"])
def test_a_shared_mailbox_does_not_make_two_one(world: World, shared: str) -> None:
    ana = world.say("Ana Ruiz", "person", shared).entity
    assert world.say("Tobias Krall", "person", shared).entity != ana
    assert world.say("Pablo Ruiz", "person", shared).entity != ana
    assert world.say("Ana Ruiz-Lopez", "person", shared).entity == ana


def test_a_stated_alias_beats_the_first_name_rule(world: World) -> None:
    voss = world.say("Katarina Voss").entity
    world.ids("Kat Moss", "Kat Boyd")
    assert world.say("Kat").how == "ambiguous"
    world.view.add_name(Known(voss, Name("Kat", "person"), "stated"))
    found = world.say("kat")
    assert (found.entity, found.how) == (voss, "alias")


def test_legal_forms(world: World) -> None:
    acme = world.say("Acme Inc.", "org").entity
    assert world.say("Acme", "org").entity == acme
    gmbh = world.say("Acme GmbH", "org")
    assert gmbh.entity != acme and gmbh.distinct
    assert world.say("Acme", "org").how == "ambiguous"


def test_names_of_a_merged_entity_lead_to_the_one_that_stays(world: World) -> None:
    a, b = world.ids("Kat Voss", "Katarina Voss")
    world.view.set_forward(a, b)
    assert world.say("Kat Voss").entity == b
    assert world.say("Kat Voss").learn is None


def test_a_new_entity_never_takes_an_id_in_use(world: World) -> None:
    first = world.say("Mr. Robin Stone").entity
    second = world.say("Ms. Robin Stone")
    assert (first, second.entity) == ("person:robin-stone", "person:ms-robin-stone")
    world.view.set_forward("person:dana-reyes", "person:other")
    assert world.say("Dana Reyes").entity != "person:dana-reyes"


NAMES = st.one_of(
    st.text(min_size=1, max_size=40),
    st.lists(
        st.sampled_from("Ana A. Ruiz Ruíz Dr. Robin Stone Jr. 山田 太郎 Acme GmbH".split()),
        min_size=1,
        max_size=4,
    ).map(" ".join),
)


@given(
    st.lists(st.tuples(NAMES, st.sampled_from(["person", "org", "country", "place", "thing"])), max_size=8)
)
def test_resolving_again_gives_the_same(said: list[tuple[str, str]]) -> None:
    world = World()
    for text, kind in said:
        first = world.say(text, kind)
        assert len(first.entity) <= 256 and ":" in first.entity
        if first.how == "new":
            # What made an entity is found under it: its name, its keys, its id.
            assert first.learn is not None
            again = world.say(text, kind)
            assert again.entity == first.entity or not again.resolved
        assert lookup_of(Mention(text=text, type=kind), Context()).keys == keys_of(parse(Name(text, kind)))
