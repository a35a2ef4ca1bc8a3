"""What adjudicate publishes: every change of a claim, with the entity's dense version."""

from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field

from schemas.base import Event, Frozen, KeyPart, Moment, Unit
from schemas.facts import Basis, Kind, Polarity
from schemas.values import TypedValue

Status = Literal[
    "active", "superseded", "ended", "scheduled", "disputed", "candidate", "rejected", "retracted", "erased"
]
Change = Literal["added", "confirmed", "status", "refined", "support"]


class ClaimContent(Frozen):
    value: TypedValue
    text: str = Field(default="", max_length=4096)
    #: int8 vector, base64; sent when the claim is added, empty after.
    vector: str = ""


class ClaimChanged(Event):
    """One change of one claim. ``entity_version`` grows by one per event of an entity: drop what is not newer."""

    TYPE: ClassVar[str] = "claim"
    type: Literal["claim"] = "claim"
    tenant: KeyPart
    entity: KeyPart
    entity_version: int = Field(ge=1)
    claim_id: UUID
    predicate: KeyPart
    scope: str = ""
    #: The slot's version after the change.
    slot_version: int = Field(ge=1)
    change: Change
    status: Status
    reason: str = ""
    kind: Kind = "semantic"
    basis: Basis = "observed"
    polarity: Polarity = "+"
    confidence: Unit
    valid_from: Moment
    valid_to: Moment | None = None
    last_confirmed: Moment
    supporters: tuple[KeyPart, ...] = ()
    #: The inbox record that brought the change about, and the case of the decision table.
    decided_by: UUID
    case: str
    superseded_by: UUID | None = None
    embedding_model: str = ""
    content: ClaimContent
