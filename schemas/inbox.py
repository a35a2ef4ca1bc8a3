"""The entity's log: everything that can change its claims, in one order."""

from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field

from schemas.base import Event, Frozen, KeyPart, Moment, Unit
from schemas.facts import Basis, Cardinality, Kind, Mention, Polarity, Quote
from schemas.values import TypedValue

#: A record is forwarded from merged entity to merged entity at most so often.
MAX_HOPS = 8

#: How a label was matched to a predicate: ``exact`` and ``synonym`` are certain, ``weak`` is by similarity
#: alone, ``new`` is the label itself.
Match = Literal["exact", "synonym", "weak", "new"]


#: ``instruction``: the text addresses its reader (processors.guard); ``rate_limit`` and ``dispute_limit``: the agent
#: has said, or disputed, more of the entity than the policy lets it.
Held = Literal["", "instruction", "rate_limit", "dispute_limit"]


class Candidate(Frozen):
    """One predicate that the label may mean, with the value typed for it. Best first in a proposal."""

    predicate: KeyPart
    match: Match
    score: Unit
    value: TypedValue
    #: Keys of values that the registry says cannot hold together with this one (``excludes``).
    excludes: tuple[str, ...] = Field(default=(), max_length=32)


class Versions(Frozen):
    """Versions on the control log that resolve knew. 0 is what ships with the program."""

    policy: int = Field(default=0, ge=0)
    authority: int = Field(default=0, ge=0)
    registry: int = Field(default=0, ge=0)


class ProposalContent(Frozen):
    """The readable part of a proposal."""

    mention: Mention
    label: KeyPart
    candidates: tuple[Candidate, ...] = Field(min_length=1, max_length=8)
    text: str = Field(max_length=4096)
    quote: Quote | None = None
    #: int8 vector of ``text``, base64 (see processors.vectors); empty when there is none.
    vector: str = ""


class Adopted(Frozen):
    """Where a statement was decided before: it was moved or forwarded here from another entity."""

    #: The id of the proposal as it was first resolved.
    original: UUID
    moved_from: KeyPart
    #: The ``moved`` record that sent it; missing where it came after the move and was forwarded.
    moved_by: UUID | None = None
    #: Forwards that it came by since it was last decided.
    hops: int = Field(default=0, ge=0, le=MAX_HOPS)


class Proposal(Event):
    """A fact after resolution: entity, ranked predicates, typed value, vector."""

    TYPE: ClassVar[str] = "proposal"
    type: Literal["proposal"] = "proposal"
    tenant: KeyPart
    entity: KeyPart
    #: The fact's id; the decision has the same one.
    id: UUID
    source: KeyPart
    event_id: KeyPart
    ordinal: int = Field(ge=0)
    agent: KeyPart
    #: The entity that the mention named before merges were followed, where that is another one.
    resolved_as: KeyPart | None = None
    #: Whom an unresolved mention may mean.
    suggested: tuple[KeyPart, ...] = Field(default=(), max_length=8)
    adopted: Adopted | None = None
    #: The independent origins of the statement: its own event (``source:event id``), or what it was derived from
    #: (``claim:<id>`` where that was a claim).
    origins: tuple[str, ...] = Field(min_length=1, max_length=128)
    #: Claims whose text the turn quotes from memory: telling them again is no evidence.
    recalled: tuple[str, ...] = Field(default=(), max_length=64)
    #: Why a guard keeps it from being believed by itself: it becomes a candidate, and a person may confirm it.
    held: Held = ""
    #: ``retract``: the statement takes back what was said ("forget that"), it asserts nothing.
    act: Literal["assert", "retract"] = "assert"
    event_time: Moment
    received_at: Moment
    versions: Versions = Versions()
    scope: str = Field(default="", max_length=256)
    polarity: Polarity = "+"
    kind: Kind = "semantic"
    basis: Basis = "observed"
    ended: bool = False
    cardinality_hint: Cardinality | None = None
    confidence: Unit = 0.9
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    embedding_model: str = ""
    extractor: str = ""
    content: ProposalContent
