"""Records that are not statements: commands, verdicts, due moments, and statements that take something back.

Each is decided alone, on slots that were loaded whole: a person's decision is rare, and it may concern all of a slot.
"""

from dataclasses import dataclass
from uuid import UUID

from processors.deciding.change import Change, Ruling
from processors.deciding.commands import ON_DISPUTES
from processors.deciding.control import ControlView
from processors.deciding.disputes import settle
from processors.deciding.endings import challenge_retraction
from processors.deciding.forgetting import forget_topic
from processors.deciding.model import Claim, EntityKey, SlotKey, Story
from processors.deciding.moves import end_forward, forward, forward_command, goes_on, move
from processors.deciding.refold import Replay, refold
from processors.deciding.replaying import actor_of, apply_to_slot, change_of, replay, settle_slot, waiting
from processors.deciding.resettling import registered, resettle
from processors.deciding.statement import Statement
from processors.deciding.stating import advance, order_of, statement_of
from processors.deciding.taking_back import covering, restore, retract, retract_all
from processors.deciding.telling import announce, decision_of, evidence_of, evidence_of_record
from processors.deciding.verdicts import judged
from processors.deciding.working_set import LoadPlan, WorkingSet, every_slot, plan
from processors.forgetting import topic_of
from schemas.base import read_object
from schemas.commands import Command, Due, Verdict
from schemas.identity import ForwardEnded, Moved
from schemas.inbox import Proposal
from schemas.inbox_records import InboxRecord


@dataclass(frozen=True, slots=True)
class Locate:
    """Which slots a record is about, for a store to find: by ids, by event, or all of the entity."""

    owner: EntityKey
    claims: tuple[UUID, ...] = ()
    disputes: tuple[UUID, ...] = ()
    records: tuple[UUID, ...] = ()
    #: (source, event id)
    events: tuple[tuple[str, str], ...] = ()
    retractions: tuple[UUID, ...] = ()
    every: bool = False


def is_alone(record: InboxRecord) -> bool:
    """Whether the record must be decided alone, with ``fold_alone``."""
    return not isinstance(record, Proposal) or record.act == "retract"


def locate(record: InboxRecord) -> Locate:
    """What a store must find before the record can be decided."""
    owner = EntityKey(record.tenant, record.entity)
    if isinstance(record, Moved | ForwardEnded):
        return Locate(owner, every=isinstance(record, Moved))
    if isinstance(record, Verdict):
        return Locate(owner, records=(record.proposal_id,))
    if isinstance(record, Due):
        return Locate(owner, claims=(record.target,), disputes=(record.target,))
    if isinstance(record, Proposal):
        return Locate(owner, every=topic_of(record) is not None)
    return Locate(
        owner,
        claims=(record.claim_id,) if record.claim_id else (),
        disputes=(record.dispute_id,) if record.dispute_id else (),
        events=((record.target_source or record.source, record.target_event),) if record.target_event else (),
        retractions=(record.retraction_id,) if record.retraction_id else (),
        every=record.action == "reconsider",
    )


def plan_alone(record: InboxRecord, found: list[SlotKey]) -> LoadPlan:
    """What to load for it: the slots found, and those that it names itself."""
    owner = EntityKey(record.tenant, record.entity)
    named: list[SlotKey] = list(found)
    if isinstance(record, Proposal):
        named += plan([record]).slots
    if isinstance(record, Command) and record.predicate:
        named.append(SlotKey(*owner, record.predicate, record.scope))
    if isinstance(record, Command) and record.action == "both_hold":
        named += [
            slot._replace(scope=name)
            for slot in found
            for name in (record.challenger_scope, record.incumbent_scope)
        ]
    slots = tuple(dict.fromkeys(named))
    return LoadPlan((record.id,), (owner,), slots, {}, (), whole=slots)


def fold_alone(ws: WorkingSet, record: InboxRecord, view: ControlView, found: list[SlotKey]) -> int:
    """Decides one such record; ``found`` are the slots that were located. Returns 1 for a duplicate, else 0."""
    if record.id in ws.decided:
        return 1
    ws.decided.add(record.id)
    entity = advance(ws, record)
    if isinstance(record, Moved):
        _write(ws, record, *move(ws, record, view, found, _again(view)))
    elif isinstance(record, ForwardEnded):
        _write(ws, record, *end_forward(ws, record, view))
    elif isinstance(record, Verdict):
        _verdict(ws, record, view)
    elif isinstance(record, Proposal) and goes_on(entity, record):
        forward(ws, record, view)
    elif isinstance(record, Command) and entity.moved_to and forward_command(ws, record, view):
        pass
    elif isinstance(record, Proposal):
        _take_back(ws, record, view, found)
    else:
        _on_slots(ws, record, view, found or _named(record))
    assert ws.decisions[-1].number == entity.decisions
    return 0


def _named(record: Command | Due) -> list[SlotKey]:
    owner = EntityKey(record.tenant, record.entity)
    if isinstance(record, Command) and record.predicate:
        return [SlotKey(*owner, record.predicate, record.scope)]
    return []


def _on_slots(ws: WorkingSet, record: Command | Due, view: ControlView, slots: list[SlotKey]) -> None:
    owner = EntityKey(record.tenant, record.entity)
    ruling = Ruling(record.TYPE, "REJECTED", "nothing_found", None)
    changes = []
    for slot in slots or [every_slot(owner)]:
        change = change_of(ws, record, view, slot, actor_of(record))
        changes.append(change)
        if slot in ws.slots:
            ruling = _one(change, record, view)
            settle_slot(change)
        if isinstance(record, Due):
            # A person who commands it knows.
            change.review_material()
        announce(change, ruling)
    _write(ws, record, changes, ruling)


def _one(change: Change, record: Command | Due, view: ControlView) -> Ruling:
    if isinstance(record, Due) or record.action in ON_DISPUTES or record.action == "confirm":
        return apply_to_slot(change, record)
    again = _again(view)
    reason = record.content.reason
    if record.action == "reconsider":
        refold(
            change,
            change.slot.key,
            again,
            status="superseded",
            gone="reconsidered",
            anew=True,
            cardinality=registered(change),
        )
        return Ruling("command", "APPLIED", "reconsider", None)
    if record.action == "resettle":
        return resettle(change, again)
    if record.action == "restore":
        rows = covering(change, record.retraction_id, change.slot.key) if record.retraction_id else []
        for row in rows:
            restore(change, row, again)
        return Ruling("command", "APPLIED" if rows else "REJECTED", "restore", None)
    gone: list[UUID] = []
    for key in _keys(change, record):
        gone += retract(change, key, record.event_time, record.actor, reason, again)
    change.detail["retracted"] = [str(key) for key in gone]
    return Ruling("command", "APPLIED", "retract", gone[0] if gone else record.claim_id)


def _keys(change: Change, record: Command) -> list[str]:
    """The value keys of the slot that a retraction names: by claim, by event, or as stated."""
    if record.claim_id is not None:
        claim = change.ws.claims.get(record.claim_id)
        return [claim.value.key] if claim is not None else []
    if record.target_event is not None:
        source = record.target_source or record.source
        said = (
            Proposal.from_json(row.body)
            for row in change.ws.stories.get(change.slot.key, [])
            if _is_proposal(row)
        )
        named = [one for one in said if (one.source, one.event_id) == (source, record.target_event)]
        keys = (row.value.key for one in named for row in one.content.candidates)
        held = {claim.value.key for claim in change.ws.claims.values() if claim.cell.slot == change.slot.key}
        return [key for key in dict.fromkeys(keys) if key in held]
    return [record.value_key]


def _is_proposal(story: Story) -> bool:
    return read_object(story.body).get("type") == "proposal"


def _take_back(ws: WorkingSet, record: Proposal, view: ControlView, found: list[SlotKey]) -> None:
    """ "Forget that", "that was wrong": allowed for what the agent may overrule, else a challenge."""

    again = _again(view)
    changes: list[Change] = []
    topic = topic_of(record)
    if topic:
        _write(ws, record, *forget_topic(ws, record, view, found, again))
        return
    if topic == "":
        ruling = Ruling("a", "HISTORY", "nothing_to_retract", None)
        for slot in found or [every_slot(EntityKey(record.tenant, record.entity))]:
            change = change_of(ws, record, view, slot, record.agent)
            changes.append(change)
            if slot == (found or [slot])[0]:
                retract_all(change, record.event_time, record.agent, record.content.text)
            if slot in ws.slots:
                refold(change, slot, again)
                change.review_material()
                ruling = Ruling("a", "RETRACTED", "forget", None)
            announce(change, ruling)
        _write(ws, record, changes, ruling)
        return
    statement = statement_of(ws, record, view)
    opponents = statement.opponents(_held(statement))
    verdict = statement.contest(opponents)[1].verdict if opponents else "wins"
    if verdict == "wins":
        key = statement.value.key if statement.value.text else ""
        gone = retract(statement, key, record.event_time, record.agent, record.content.text, again)
        ruling = Ruling("a", "RETRACTED" if gone else "HISTORY", "taken_back", gone[0] if gone else None)
    else:
        ruling = challenge_retraction(statement)
    settle(statement, statement.cell)
    statement.review_material()
    announce(statement, ruling)
    _write(ws, record, [statement], ruling)


def _held(statement: Statement) -> list[Claim]:
    rows = statement.ws.active(statement.cell)
    return [row for row in rows if not statement.value.text or row.value.key == statement.value.key]


def _verdict(ws: WorkingSet, record: Verdict, view: ControlView) -> None:
    statement = waiting(ws, record, view)
    if statement is None:
        owner = EntityKey(record.tenant, record.entity)
        change = change_of(ws, record, view, every_slot(owner), record.judge)
        _write(ws, record, [change], Ruling("verdict", "REJECTED", "no_such_proposal", None))
        return
    ruling = judged(statement, record)
    settle(statement, statement.cell)
    statement.review_material()
    announce(statement, ruling)
    # What is written down is the judge's word, at its own place in the order of evidence.
    statement.order, statement.agent = order_of(record), record.judge
    _write(ws, record, [statement], ruling)


def _again(view: ControlView) -> Replay:
    def decide_again(scratch: WorkingSet, story: Story, slot: SlotKey) -> None:
        replay(scratch, story, view, slot)

    return decide_again


def _write(ws: WorkingSet, record: InboxRecord, changes: list[Change], ruling: Ruling) -> None:
    entity = changes[0].entity
    entity.decisions += 1
    for change in changes:
        if isinstance(record, Proposal) and isinstance(change, Statement):
            row = evidence_of(change, ruling)
        else:
            row = evidence_of_record(change, record, ruling, _words(record))
        ws.evidence.append(row)
        ws.evidence += change.moved
    changed = [item for change in changes for item in change.changed.items()]
    detail = {key: value for change in changes for key, value in change.detail.items()}
    ws.decisions.append(decision_of(changes[0], ruling, changed, detail))


def _words(record: InboxRecord) -> str:
    if isinstance(record, Command | Verdict):
        return record.content.reason
    if isinstance(record, Moved | ForwardEnded):
        return record.reason
    return record.content.text if isinstance(record, Proposal) else record.what
