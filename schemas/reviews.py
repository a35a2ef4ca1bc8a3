"""What a person should look at."""

from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field

from schemas.base import Event, Frozen, KeyPart, Moment


class ReviewContent(Frozen):
    claim_id: UUID | None = None
    text: str = Field(default="", max_length=4096)


class ReviewRaised(Event):
    """Something undecided: which slot, which record, why."""

    TYPE: ClassVar[str] = "review"
    type: Literal["review"] = "review"
    tenant: KeyPart
    entity: KeyPart
    review_id: UUID
    predicate: KeyPart
    scope: str = ""
    reason: str
    at: Moment
    decided_by: UUID
    content: ReviewContent = ReviewContent()
