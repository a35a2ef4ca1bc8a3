"""What producers send: a turn of a conversation, or a record of structured facts. The one way in."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from schemas.base import Event, Frozen, KeyPart, Moment
from schemas.facts import StatedFact

Role = Literal["user", "assistant", "tool", "system"]


class Message(Frozen):
    """One message of a turn. Only what a ``user`` says is taken as a statement of fact."""

    role: Role = "user"
    text: str
    #: The entity that speaks, when it is not the turn's ``user`` (for example ``guest:ola``).
    speaker: KeyPart | None = None


class TurnContent(Frozen):
    """The readable part of a turn."""

    messages: tuple[Message, ...] = Field(min_length=1, max_length=64)


class Input(Event):
    """What a turn and a record share."""

    tenant: KeyPart
    #: The system the event comes from; with ``event_id`` it names the event within the tenant.
    source: KeyPart = "default"
    event_id: KeyPart
    #: The agent that reports it: evidence and authority are counted by agent.
    agent: KeyPart
    #: When it was said. Missing: the time at which it was received.
    at: Moment | None = None
    #: Stamped by the producer or, where missing, from the Kafka record's timestamp.
    received_at: Moment | None = None
    #: Event ids (same source) or claim ids that this was derived from: an echo is not a second origin.
    derived_from: tuple[KeyPart, ...] = Field(default=(), max_length=64)


class Turn(Input):
    """One user message and the assistant messages that follow it in one conversation."""

    TYPE: ClassVar[str] = "turn"
    type: Literal["turn"] = "turn"
    conversation: KeyPart
    #: The account whose memory this is; the default speaker is ``user:<user>``.
    user: KeyPart
    #: Claim ids that the text quotes from memory.
    contains_recall: tuple[KeyPart, ...] = Field(default=(), max_length=64)
    content: TurnContent

    @property
    def stream_id(self) -> str:
        """With the tenant, the Kafka key: turns of one conversation stay in order."""
        return self.conversation


class RecordContent(Frozen):
    facts: tuple[StatedFact, ...] = Field(min_length=1, max_length=256)


class Record(Input):
    """Structured facts from a system of record or from an agent with an extractor of its own."""

    TYPE: ClassVar[str] = "record"
    type: Literal["record"] = "record"
    record_id: KeyPart
    #: The source's own version, for example ``{"crm": 7}``.
    version: dict[str, Annotated[int, Field(ge=0)]] = Field(default_factory=dict, max_length=16)
    content: RecordContent

    @property
    def stream_id(self) -> str:
        return self.source + ":" + self.record_id


INPUTS: dict[str, type[Turn] | type[Record]] = {"turn": Turn, "record": Record}
