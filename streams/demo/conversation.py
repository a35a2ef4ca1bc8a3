"""A longer conversation for the demo: the one that ships, or a file of LoCoMo (https://github.com/snap-research/locomo)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import orjson

from schemas.errors import ClaimstreamError
from schemas.turn import Message, Turn, TurnContent
from streams.demo.stage import AGENTS, TENANT

_SHIPPED: Final = "conversation.json"
#: "1:56 pm on 8 May, 2023"
_LOCOMO_TIME: Final = "%I:%M %p on %d %B, %Y"
_PAUSE: Final = timedelta(seconds=20)


class BadConversation(ClaimstreamError):
    """The file holds no conversation that the demo can read."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Who speaks, and what each agent observed: agent-a the first speaker, agent-b the second."""

    name: str
    speakers: tuple[str, ...]
    turns: tuple[Turn, ...]

    def by(self, agent: str) -> list[Turn]:
        """What one agent observed, in order."""
        return [turn for turn in self.turns if turn.agent == agent]


def load(path: Path | None) -> Conversation:
    """The first conversation of a LoCoMo file; the one that ships when `path` is None. Raises BadConversation."""
    if path is None:
        source, raw = "the conversation that ships", files(__package__).joinpath(_SHIPPED).read_bytes()
    else:
        source = str(path)
        try:
            raw = path.read_bytes()
        except OSError as error:
            raise BadConversation(f"{path} cannot be read: {error.strerror or error}") from None
    try:
        body = orjson.loads(raw)
        return _conversation(body[0] if isinstance(body, list) else body)
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise BadConversation(
            f"{source} is not in LoCoMo's format: {type(error).__name__}: {error}"
        ) from None


def _conversation(sample: dict[str, Any]) -> Conversation:
    spoken = sample["conversation"]
    speakers = (str(spoken["speaker_a"]), str(spoken["speaker_b"]))
    name = str(sample["sample_id"])
    agent_of = dict(zip(speakers, AGENTS, strict=True))
    turns = tuple(_turn(name, turn, agent_of[turn["speaker"]], at) for turn, at in _in_order(spoken))
    return Conversation(name, speakers, turns)


def _in_order(spoken: dict[str, Any]) -> Iterator[tuple[dict[str, Any], datetime]]:
    numbers = sorted(int(key.split("_")[1]) for key, value in spoken.items() if _is_session(key, value))
    for number in numbers:
        began = datetime.strptime(spoken[f"session_{number}_date_time"], _LOCOMO_TIME).replace(tzinfo=UTC)
        for n, turn in enumerate(spoken[f"session_{number}"]):
            yield turn, began + n * _PAUSE


def _is_session(key: str, value: object) -> bool:
    return isinstance(value, Sequence) and key.startswith("session_") and key.count("_") == 1


def _turn(name: str, turn: dict[str, Any], agent: str, at: datetime) -> Turn:
    return Turn(
        tenant=TENANT,
        source=name,
        event_id=str(turn["dia_id"]),
        agent=agent,
        conversation=name,
        user=str(turn["speaker"]).casefold(),
        at=at,
        content=TurnContent(messages=(Message(text=str(turn["text"])),)),
    )
