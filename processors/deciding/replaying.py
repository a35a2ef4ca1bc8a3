"""Deciding a stored record of a slot again, on the scratch set of a refold."""

from uuid import UUID

from processors.deciding.cases import decide_and_settle
from processors.deciding.change import Change, Ruling
from processors.deciding.commands import ON_DISPUTES, confirm, rule
from processors.deciding.control import ControlView, Rules
from processors.deciding.disputes import settle
from processors.deciding.dues import come
from processors.deciding.model import CellKey, Order, Slot, SlotKey, Story
from processors.deciding.statement import Statement
from processors.deciding.stating import advance, order_of, statement_of
from processors.deciding.verdicts import judged
from processors.deciding.working_set import WorkingSet
from schemas.base import read_object
from schemas.commands import Command, Due, Verdict
from schemas.identity import ForwardEnded, Moved
from schemas.inbox import Proposal
from schemas.inbox_records import INBOX, InboxRecord


def record_of(story: Story) -> InboxRecord:
    """The record of a story, as it was received."""
    body = read_object(story.body)
    return INBOX[str(body.get("type"))].from_object(body)


def story_order(story: Story) -> Order:
    """Its place in the order of evidence."""
    return order_of(record_of(story))


def change_of(ws: WorkingSet, record: InboxRecord, view: ControlView, slot: SlotKey, agent: str) -> Change:
    """A change of one slot by a record that is no statement."""
    entity = advance(ws, record)
    return Change(
        ws=ws,
        record_id=record.id,
        at=record.event_time,
        order=order_of(record),
        agent=agent,
        entity=entity,
        rules=Rules.at(view, entity),
        slot=ws.slots.get(slot) or Slot(slot, "many"),
    )


def cells_of(ws: WorkingSet, slot: SlotKey) -> list[CellKey]:
    """The cells of a slot that have claims, in a fixed order."""
    return sorted({claim.cell for claim in ws.claims.values() if claim.cell.slot == slot})


def settle_slot(change: Change) -> None:
    """Runs the open disputes of all cells of the slot again."""
    for cell in cells_of(change.ws, change.slot.key):
        settle(change, cell)


def actor_of(record: InboxRecord) -> str:
    if isinstance(record, Command):
        return record.actor
    if isinstance(record, Verdict):
        return record.judge
    if isinstance(record, Moved | ForwardEnded):
        return record.actor
    return record.agent if isinstance(record, Proposal) else "timekeeper"


def replay(scratch: WorkingSet, story: Story, view: ControlView, slot: SlotKey) -> tuple[UUID, Ruling] | None:
    """Decides the record of ``slot`` again; what takes back or restores is state already and is passed over."""
    record = record_of(story)
    if isinstance(record, Proposal):
        if record.act != "assert":
            return None
        statement = statement_of(scratch, record, view)
        ruling = decide_and_settle(statement)
        scratch.stories.setdefault(statement.slot.key, []).append(story)
        return record.id, ruling
    if isinstance(record, Verdict):
        held = waiting(scratch, record, view)
        if held is not None:
            judged(held, record)
            settle(held, held.cell)
    elif isinstance(record, Moved | ForwardEnded):
        return None
    elif isinstance(record, Due) or record.action in ON_DISPUTES or record.action == "confirm":
        change = change_of(scratch, record, view, slot, actor_of(record))
        apply_to_slot(change, _forced(record))
        settle_slot(change)
    return None


def apply_to_slot(change: Change, record: Command | Due) -> Ruling:
    """A due moment, a command on a dispute or a confirmation."""
    if isinstance(record, Due):
        return come(change, record)
    return rule(change, record) if record.action in ON_DISPUTES else confirm(change, record)


def waiting(ws: WorkingSet, verdict: Verdict, view: ControlView) -> Statement | None:
    """The statement that a verdict is about, under the verdict's own record id; None when it is not known."""
    for story in (row for slot in sorted(ws.stories) for row in ws.stories[slot]):
        if read_object(story.body).get("id") == str(verdict.proposal_id):
            statement = statement_of(ws, Proposal.from_json(story.body), view)
            statement.record_id, statement.at = verdict.id, verdict.event_time
            return statement
    return None


def _forced(record: Command | Due) -> Command | Due:
    """A command that was applied once is applied again, whatever the version of the slot is on the scratch set."""
    if isinstance(record, Command) and record.expected_slot_version is not None:
        return record.model_copy(update={"expected_slot_version": 1 << 30})
    return record
