"""Turns for the pipeline bench: sentences of our own, each stating one fact, no two facts alike."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from processors.extraction import extract
from processors.resolving import sentence
from schemas.facts import Fact, Mention
from schemas.turn import Message, Turn, TurnContent

TENANT = "bench"
AGENTS = ("agent-a", "agent-b")
_AT = datetime(2026, 1, 5, 9, tzinfo=UTC)

_MOODS = "quiet bright old tiny salty golden northern wild gentle rusty foggy blue crooked spicy hollow silver".split()
_THINGS = (
    "harbor lantern meadow compass orchard violin kettle thunder garden anchor mirror feather candle river mountain "
    "bridge castle island window forest pepper teapot clock"
).split()
_DISHES = (
    "noodles soup curry bread cheese pancakes dumplings salad stew pie rice beans mushrooms olives".split()
)
_NAMES = (
    "Ada Bruno Carla Dmitri Elif Farid Greta Hiro Ines Jonas Kavya Lars Mira Nadia Otto Priya Quentin Rosa Stefan "
    "Tove Ulrich Vera Wanda Xenia Yusuf Zora"
).split()
_CITIES = (
    "Lisbon Ghent Aarhus Porto Leipzig Turin Krakow Galway Bergen Utrecht Malaga Graz Tampere Bilbao Ljubljana "
    "Brno Oslo Riga Split Nantes"
).split()
_SHAPES = (
    "I love {mood} {dish} with {thing} herbs.",
    "I like {mood} {thing} pictures from {city}.",
    "My favorite book is The {Mood} {Thing} of {city}.",
    "My favorite song is {Mood} {Thing} for {name}.",
    "I work at {Mood} {Thing} {name} Ltd.",
    "My boss is {name} {Thing}.",
    "I own a {mood} {thing} from {city}.",
    "I hate {mood} {dish} from {city}.",
    "My dog's name is {name} {Mood}.",
    "I play the {mood} {thing} game.",
    "I live in {city}.",
    "My sister lives in {city}.",
    "I want to visit the {mood} {thing} in {city}.",
)


class Said(NamedTuple):
    """A turn, the sentence of its one fact (what is embedded), and whether that is about the user."""

    turn: Turn
    sentence: str
    about_user: bool


def turns(n: int, seed: int = 11) -> list[Said]:
    """`n` turns of `n` / 5 users. Same seed, same turns."""
    draw = random.Random(seed)
    users = max(1, n // 5)
    made: list[Said] = []
    seen: set[tuple[int, str]] = set()
    for text in _sentences(draw):
        user = len(made) % users
        fact = _only_fact(text, f"u{user}")
        # An alike fact of another user is embedded again, as it would be in life; of the same user it would be none.
        if fact is None or (user, found := sentence(fact)) in seen:
            continue
        seen.add((user, found))
        made.append(Said(_turn(len(made), user, text), found, fact.subject.entity == f"user:u{user}"))
        if len(made) == n:
            return made
    raise AssertionError("unreachable: sentences do not end")


def _sentences(draw: random.Random) -> Iterator[str]:
    while True:
        mood, thing = draw.choice(_MOODS), draw.choice(_THINGS)
        yield draw.choice(_SHAPES).format(
            mood=mood,
            Mood=mood.capitalize(),
            thing=thing,
            Thing=thing.capitalize(),
            dish=draw.choice(_DISHES),
            name=draw.choice(_NAMES),
            city=draw.choice(_CITIES),
        )


def _only_fact(text: str, user: str) -> Fact | None:
    speaker = Mention(text=user, type="user", entity=f"user:{user}")
    facts: list[Fact] = extract((Message(text=text),), speaker=speaker, at=_AT)
    return facts[0] if len(facts) == 1 else None


def _turn(number: int, user: int, text: str) -> Turn:
    return Turn(
        tenant=TENANT,
        source="bench",
        event_id=f"e{number}",
        agent=AGENTS[number % 2],
        conversation=f"c{user}",
        user=f"u{user}",
        content=TurnContent(messages=(Message(text=text),)),
    )
