"""Who is who: commands on the control log, and what they put into the inboxes of the entities."""

from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field, model_validator

from schemas.base import KeyPart
from schemas.commands import InboxEvent
from schemas.control import ControlEvent
from schemas.inbox import MAX_HOPS, Proposal

#: Ids of evidence that one command may name.
MAX_EVIDENCE = 10000


class MergeEntities(ControlEvent):
    """``entity`` is ``into``: its live evidence is adopted there, its id becomes a forward."""

    TYPE: ClassVar[str] = "merge"
    type: Literal["merge"] = "merge"
    entity: KeyPart
    into: KeyPart


class SplitEntity(ControlEvent):
    """Part of what ``entity`` holds is about ``new_entity``: the named evidence, or all that named it ``mention``.

    To undo a merge, ``new_entity`` is the merged entity: what came from it goes back, and its forward ends.
    """

    TYPE: ClassVar[str] = "split"
    type: Literal["split"] = "split"
    entity: KeyPart
    new_entity: KeyPart
    #: Ids of evidence (of proposals).
    evidence: tuple[UUID, ...] = Field(default=(), max_length=MAX_EVIDENCE)
    mention: str = Field(default="", max_length=512)

    @model_validator(mode="after")
    def _names_evidence(self) -> "SplitEntity":
        if self.evidence and self.mention:
            raise ValueError("a split names evidence ids or a mention, not both")
        return self


class AliasSet(ControlEvent):
    """``alias`` is another name of ``entity``: later mentions of it resolve there; what was decided stays."""

    TYPE: ClassVar[str] = "alias"
    type: Literal["alias"] = "alias"
    alias: str = Field(min_length=1, max_length=512)
    #: The type in which the alias is said ("person"); it must be one that the entity can be.
    alias_type: KeyPart
    entity: KeyPart


class AssignUnresolved(ControlEvent):
    """What waits under ``unresolved:<mention>`` is about ``entity``; with ``evidence``, only that."""

    TYPE: ClassVar[str] = "assign"
    type: Literal["assign"] = "assign"
    unresolved: KeyPart
    entity: KeyPart
    evidence: tuple[UUID, ...] = Field(default=(), max_length=MAX_EVIDENCE)


class Moved(InboxEvent):
    """In the inbox of ``entity``: its evidence, or the part named, is about ``to`` and goes there as ``adopt`` records.

    With ``forward`` later statements and retractions go on to ``to`` as well (a merge). Without, only what is named
    here moves (a split, an assignment).
    """

    TYPE: ClassVar[str] = "moved"
    type: Literal["moved"] = "moved"
    to: KeyPart
    #: The control event that ordered it, and who did.
    command: Literal["merge", "split", "assign"]
    actor: KeyPart = "operator"
    forward: bool = False
    #: ``to`` was merged into ``entity`` and stands for itself again.
    restores: bool = False
    #: Which evidence: by its ids, by how it names the entity, or by the entities it was first resolved as. With none
    #: of the three: all.
    evidence: tuple[UUID, ...] = Field(default=(), max_length=MAX_EVIDENCE)
    mention: str = Field(default="", max_length=512)
    resolved_as: tuple[KeyPart, ...] = Field(default=(), max_length=MAX_EVIDENCE)
    reason: str = Field(default="", max_length=1024)


class Adopt(InboxEvent):
    """In the inbox of ``entity``: a piece of evidence that was decided under another entity, to be decided here.

    ``proposal`` is the original, with its own id, event time, agent and the entity it was resolved as: so a split can
    fold both sides again. ``id`` is that of the decision here.
    """

    TYPE: ClassVar[str] = "adopt"
    type: Literal["adopt"] = "adopt"
    #: Where it comes from, and the ``moved`` record that sent it; without one it came after the move and was forwarded.
    moved_from: KeyPart
    moved_by: UUID | None = None
    hops: int = Field(default=0, ge=0, le=MAX_HOPS)
    proposal: Proposal


class ForwardEnded(InboxEvent):
    """In the inbox of ``entity``, which was merged: it stands for itself again, later records stay here."""

    TYPE: ClassVar[str] = "forward_ended"
    type: Literal["forward_ended"] = "forward_ended"
    actor: KeyPart = "operator"
    reason: str = Field(default="", max_length=1024)


IdentityCommand = MergeEntities | SplitEntity | AliasSet | AssignUnresolved
IDENTITY_COMMANDS: dict[str, type[MergeEntities | SplitEntity | AliasSet | AssignUnresolved]] = {
    "merge": MergeEntities,
    "split": SplitEntity,
    "alias": AliasSet,
    "assign": AssignUnresolved,
}
