"""What adjudicate asks a judge: both sides, with their evidence. The verdict comes back into the inbox."""

from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field

from schemas.base import Event, Frozen, KeyPart, Moment
from schemas.commands import Relation
from schemas.facts import Polarity


class Side(Frozen):
    """One statement and who stands behind it."""

    claim_id: UUID
    text: str = Field(max_length=4096)
    value: str = Field(max_length=4096)
    polarity: Polarity
    agents: tuple[KeyPart, ...] = ()
    origins: tuple[str, ...] = ()
    since: Moment


class JudgeContent(Frozen):
    proposed: Side
    held: tuple[Side, ...]


class JudgeRequest(Event):
    """One question: how does the proposed statement relate to what is held?"""

    TYPE: ClassVar[str] = "judge_request"
    type: Literal["judge_request"] = "judge_request"
    tenant: KeyPart
    entity: KeyPart
    request_id: UUID
    #: The inbox record whose decision waits.
    proposal_id: UUID
    predicate: KeyPart
    scope: str = ""
    slot_version: int = Field(ge=0)
    round: int = Field(ge=1, le=3)
    event_time: Moment
    policy_version: int = Field(ge=0)
    content: JudgeContent


class Judgement(Frozen):
    """What a judge answers. ``prevails``: whether the proposed statement wins over what it contradicts."""

    relation: Relation
    #: None leaves it to a dispute.
    prevails: bool | None = None
    reason: str = Field(default="", max_length=1024)
