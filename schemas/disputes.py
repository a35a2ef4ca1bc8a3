"""What adjudicate publishes when agents disagree and no policy decides."""

from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field

from schemas.base import Event, Frozen, KeyPart, Moment, Unit
from schemas.facts import Polarity

DisputeChange = Literal[
    "opened", "repeated", "retargeted", "withdrawn", "resolved", "expired", "rejected_stale"
]


class Party(Frozen):
    """One side of a dispute: a claim, who supports it and with what weight (none: no weight is set)."""

    claim_id: UUID
    value: str = Field(max_length=4096)
    value_key: str = Field(max_length=4096)
    polarity: Polarity
    supporters: tuple[KeyPart, ...] = ()
    weight: Unit | None = None


class DisputeContent(Frozen):
    challenger: Party
    incumbents: tuple[Party, ...] = ()
    #: What the detector says, for a person.
    explanation: str = Field(default="", max_length=1024)


class DisputeChanged(Event):
    """One step of a dispute, in the order of the entity."""

    TYPE: ClassVar[str] = "dispute"
    type: Literal["dispute"] = "dispute"
    tenant: KeyPart
    entity: KeyPart
    #: Grows by one with each step of one dispute.
    dispute_version: int = Field(ge=1)
    entity_version: int = Field(ge=0)
    dispute_id: UUID
    predicate: KeyPart
    scope: str = ""
    #: What a command names in ``expected_slot_version``.
    slot_version: int = Field(ge=1)
    change: DisputeChange
    strategy: str
    policy_version: int = Field(ge=0)
    reason: str
    opened_at: Moment
    at: Moment
    repeats: int = Field(default=0, ge=0)
    decided_by: UUID
    content: DisputeContent
