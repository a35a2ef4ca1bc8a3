"""What an extractor or a record states, before it has an entity and a fixed predicate."""

from typing import Annotated, ClassVar, Literal
from uuid import UUID

from pydantic import Field

from schemas.base import Event, Frozen, KeyPart, Moment, Unit
from schemas.ids import fact_id

Polarity = Literal["+", "-"]
Kind = Literal["semantic", "episodic"]
Basis = Literal["observed", "inferred"]
Cardinality = Literal["one", "many"]
#: A moment or a coarser date: ``2025``, ``2025-03``, ``2025-03-04`` or a full RFC 3339 time.
PartialDate = Annotated[str, Field(pattern=r"^\d{4}(-\d{2}(-\d{2}(T[0-9:.]+(Z|[+-]\d{2}:\d{2}))?)?)?$")]


class Mention(Frozen):
    """How a text names something. ``entity`` is set when the name is already an id (``user:u1``)."""

    text: str = Field(min_length=1, max_length=512)
    type: KeyPart = "thing"
    entity: KeyPart | None = None


class Quote(Frozen):
    """The span a fact was taken from: characters ``start`` to ``end`` (exclusive) of one message."""

    message: int = Field(default=0, ge=0)
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    text: str = Field(max_length=4096)


class StatedFact(Frozen):
    """One statement about one thing: subject, predicate label, value, polarity."""

    subject: Mention
    #: The label as stated (``timezone``, ``user.timezone``, ``tz``); resolution finds the predicate.
    predicate: KeyPart
    #: The value as stated, not yet typed. Empty only with ``ended`` (all values of the slot end).
    value: str = Field(max_length=4096)
    #: Set when the value is itself an entity (a relation).
    value_entity: Mention | None = None
    #: Part of the slot: a second value under another scope is no conflict (``org:harbor-labs``).
    scope: str = Field(default="", max_length=256)
    polarity: Polarity = "+"
    kind: Kind = "semantic"
    basis: Basis = "observed"
    #: "no longer": the value was true and stopped.
    ended: bool = False
    #: "X is short for Y" and the like say something about names, "forget that" about memory itself.
    act: Literal["assert", "alias", "retract"] = "assert"
    #: What the form says about the number of values: "my X is Y" one, "I like Y" many.
    cardinality_hint: Cardinality | None = None
    confidence: Unit = 0.9
    valid_from: PartialDate | None = None
    valid_to: PartialDate | None = None
    #: A plain sentence that says the fact; it is what gets embedded and shown.
    text: str = Field(default="", max_length=4096)


class Fact(StatedFact):
    """A statement with its place in the event and the span it quotes."""

    ordinal: int = Field(default=0, ge=0)
    quote: Quote | None = None
    #: The name of the shape or rule that read it, for explain and for tuning.
    rule: str = ""


class FactsContent(Frozen):
    facts: tuple[Fact, ...] = Field(default=(), max_length=256)


class FactsExtracted(Event):
    """All facts of one event, as one record: the first record of an event wins."""

    TYPE: ClassVar[str] = "facts"
    type: Literal["facts"] = "facts"
    tenant: KeyPart
    source: KeyPart
    event_id: KeyPart
    stream_id: str = Field(min_length=1, max_length=1024)
    agent: KeyPart
    outcome: Literal["facts", "no_facts", "failed"]
    event_time: Moment
    received_at: Moment
    extractor: str
    prompt_hash: str = ""
    #: Why there are no facts, or why extraction failed.
    reason: str = ""
    derived_from: tuple[KeyPart, ...] = ()
    contains_recall: tuple[KeyPart, ...] = ()
    source_version: dict[str, int] = Field(default_factory=dict)
    content: FactsContent = FactsContent()

    def id_of(self, fact: Fact) -> UUID:
        return fact_id(self.tenant, self.source, self.event_id, fact.ordinal)
