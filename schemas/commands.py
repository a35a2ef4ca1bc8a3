"""What people, the judge and the clock put into an entity's inbox."""

from typing import Any, ClassVar, Literal
from uuid import UUID

from pydantic import ConfigDict, Field, model_validator

from schemas.base import Event, Frozen, KeyPart, Moment
from schemas.inbox import Versions

DisputeAction = Literal["accept_challenger", "uphold_incumbent", "both_hold", "dismiss"]
Action = Literal[
    "accept_challenger",
    "uphold_incumbent",
    "both_hold",
    "dismiss",
    "confirm",
    "retract",
    "restore",
    "reconsider",
    "resettle",
]
Relation = Literal["same", "refines", "contradicts", "ended", "unrelated", "undecided"]


class InboxEvent(Event):
    """What every inbox record has besides proposals' own fields; ``id`` is also the id of its decision."""

    tenant: KeyPart
    entity: KeyPart
    id: UUID
    source: KeyPart
    event_id: KeyPart
    event_time: Moment
    received_at: Moment
    versions: Versions = Versions()


class CommandContent(Frozen):
    """What the person said; kept apart from what the detector proposed."""

    reason: str = Field(default="", max_length=1024)


def _needs(actions: tuple[str, ...], **fields: str) -> dict[str, Any]:
    """JSON Schema: with one of the actions the fields (name to JSON type) must be there."""
    return {
        "if": {"required": ["action"], "properties": {"action": {"enum": list(actions)}}},
        "then": {
            "required": list(fields),
            "properties": {name: {"type": kind} for name, kind in fields.items()},
        },
    }


#: What each action needs, for readers of the schema; ``Command`` checks the same. That the scopes of ``both_hold``
#: differ cannot be said there.
_NEEDED: dict[str, Any] = {
    "allOf": [
        _needs(
            ("accept_challenger", "uphold_incumbent", "both_hold", "dismiss"),
            dispute_id="string",
            expected_slot_version="integer",
        ),
        _needs(("confirm",), claim_id="string"),
        _needs(("restore",), retraction_id="string"),
        _needs(("resettle",), predicate="string"),
        {
            "if": {"required": ["action"], "properties": {"action": {"const": "retract"}}},
            "then": {
                "anyOf": [
                    {"required": [name], "properties": {name: {"type": "string", "minLength": 1}}}
                    for name in ("claim_id", "target_event", "predicate")
                ]
            },
        },
    ]
}


class Command(InboxEvent):
    """A person's decision. ``actor`` weighs like an agent of that name.

    Disputes: ``dispute_id`` and ``expected_slot_version``; ``both_hold`` needs a scope for each side. ``confirm``:
    ``claim_id`` of a candidate. ``retract``: ``claim_id``, or ``target_event`` for all that one event said, or
    ``predicate`` (with ``value_key`` empty: all its values). ``restore`` undoes the retraction ``retraction_id``.
    ``reconsider``: the whole entity, folded again under the versions of now. ``resettle`` comes from the registry: a
    predicate holds one value now, or many; its slot is folded again with that, all else as it was decided.
    """

    model_config = ConfigDict(json_schema_extra=_NEEDED)

    TYPE: ClassVar[str] = "command"
    type: Literal["command"] = "command"
    actor: KeyPart
    action: Action
    dispute_id: UUID | None = None
    claim_id: UUID | None = None
    expected_slot_version: int | None = Field(default=None, ge=0)
    challenger_scope: str = Field(default="", max_length=256)
    incumbent_scope: str = Field(default="", max_length=256)
    target_event: KeyPart | None = None
    target_source: KeyPart | None = None
    predicate: KeyPart | None = None
    scope: str = Field(default="", max_length=256)
    value_key: str = Field(default="", max_length=4096)
    retraction_id: UUID | None = None
    content: CommandContent = CommandContent()

    @model_validator(mode="after")
    def _complete(self) -> "Command":
        if self.action in ("accept_challenger", "uphold_incumbent", "both_hold", "dismiss"):
            if self.dispute_id is None or self.expected_slot_version is None:
                raise ValueError(f"{self.action} needs dispute_id and expected_slot_version")
            if self.action == "both_hold" and self.challenger_scope == self.incumbent_scope:
                raise ValueError("both_hold needs two different scopes, one for each side")
        if self.action == "confirm" and self.claim_id is None:
            raise ValueError("confirm needs claim_id")
        if self.action == "retract" and not (self.claim_id or self.target_event or self.predicate):
            raise ValueError("retract needs claim_id, target_event or predicate")
        if self.action == "restore" and self.retraction_id is None:
            raise ValueError("restore needs retraction_id")
        if self.action == "resettle" and not self.predicate:
            raise ValueError("resettle needs predicate")
        return self


class VerdictContent(Frozen):
    reason: str = Field(default="", max_length=1024)


class Verdict(InboxEvent):
    """How a judge says a pending proposal relates to the claims it was asked about."""

    TYPE: ClassVar[str] = "verdict"
    type: Literal["verdict"] = "verdict"
    #: The proposal (and claim) that waits.
    proposal_id: UUID
    round: int = Field(ge=1, le=3)
    relation: Relation
    #: For ``llm-judge``: whether the proposal prevails over what it contradicts; None leaves it to a dispute.
    prevails: bool | None = None
    judge: KeyPart
    content: VerdictContent = VerdictContent()


class Due(InboxEvent):
    """A moment has come: a scheduled claim begins, a claim's period ends, a dispute is old enough."""

    TYPE: ClassVar[str] = "due"
    type: Literal["due"] = "due"
    what: Literal["starts", "ends", "dispute_age", "dispute_expiry"]
    #: The claim or the dispute.
    target: UUID
    due_at: Moment
