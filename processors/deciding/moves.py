"""An entity whose evidence moves: a merge, a split, an assignment; and what still comes for one that was merged.

The entity that gives folds its slots again without the evidence, and sends it, one ``adopt`` record for each statement,
to the one that takes, where it is decided like any statement, by its own time.
"""

from processors.deciding.change import Change, Ruling
from processors.deciding.control import ControlView
from processors.deciding.kept import kept, statement_in
from processors.deciding.model import Entity, EntityKey, Retraction, SlotKey, Story, versions_of
from processors.deciding.refold import Replay, refold
from processors.deciding.replaying import actor_of, change_of
from processors.deciding.telling import announce, decision_of
from processors.deciding.working_set import WorkingSet, every_slot
from processors.identity.commands import Evidence, InvalidCommand, choose, selects
from processors.identity.moving import adopted, forwarded
from schemas.commands import Command, CommandContent
from schemas.identity import Adopt, ForwardEnded, Moved
from schemas.ids import derived_id
from schemas.inbox import Proposal, Versions


def move(
    ws: WorkingSet, record: Moved, view: ControlView, slots: list[SlotKey], again: Replay
) -> tuple[list[Change], Ruling]:
    """Carries out a move; `slots` are all of the entity, loaded whole.

    What was taken back stays, ruled-out values too. With a merge the retractions of slots go along as commands, so that
    old evidence does not come back by way of the other entity; not those of the whole entity, which would empty the
    other one. A ruling was made on parties that are not there: a person is asked to look.
    """
    entity = ws.entity(EntityKey(record.tenant, record.entity))
    ruling = Ruling("moved", "APPLIED", record.command, None)
    live = {slot: _live(ws, slot) for slot in slots}
    try:
        chosen = choose(record, {row.id: _evidence(row) for rows in live.values() for row in rows})
    except InvalidCommand as error:
        return _refused(ws, record, view, str(error))
    changes = [
        _leave(ws, record, view, slot, again, ruling) for slot in slots if _concerned(ws, record, slot)
    ]
    if record.forward:
        entity.moved_to = record.to
        for slot in slots:
            ws.events += [_taken_back(record, row) for row in ws.retractions_of(slot) if row.slot == slot]
    sent = adopted(record, [row for rows in live.values() for row in rows if row.id in chosen])
    ws.events += sent
    if not changes:
        changes = [change_of(ws, record, view, every_slot(entity.key), record.actor)]
        announce(changes[0], ruling)
    changes[0].detail |= {"to": record.to, "moved": len(sent), "reason": record.reason}
    return changes, ruling


def end_forward(ws: WorkingSet, record: ForwardEnded, view: ControlView) -> tuple[list[Change], Ruling]:
    """The entity stands for itself again."""
    entity = ws.entity(EntityKey(record.tenant, record.entity))
    change = change_of(ws, record, view, every_slot(entity.key), record.actor)
    change.detail = {"was_merged_into": entity.moved_to, "reason": record.reason}
    outcome = "APPLIED" if entity.moved_to else "REJECTED"
    entity.moved_to = ""
    return [change], Ruling("moved", outcome, "forward_ended", None)


def goes_on(entity: Entity | None, proposal: Proposal) -> bool:
    """Whether the statement is for the entity that this one was merged into.

    What that entity gives back is not sent there again: it may overtake the record that ends the forward.
    """
    if entity is None or not entity.moved_to:
        return False
    return proposal.adopted is None or proposal.adopted.moved_from != entity.moved_to


def forward(ws: WorkingSet, proposal: Proposal, view: ControlView) -> None:
    """Decides FORWARDED, and sends the statement on. Raises PoisonError after too many hops."""
    to = ws.entities[EntityKey(proposal.tenant, proposal.entity)].moved_to
    _sent_on(ws, proposal, view, forwarded(proposal, to))


def forward_command(ws: WorkingSet, record: Command, view: ControlView) -> bool:
    """Sends a retraction or a ``reconsider`` on; False for a command that names something of the merged entity.

    Claims have other ids there, so a retraction by claim becomes one of its value.
    """
    entity = ws.entities[EntityKey(record.tenant, record.entity)]
    update: dict[str, object] = {}
    if record.action == "retract" and record.claim_id is not None:
        claim = ws.claims.get(record.claim_id)
        if claim is None:
            return False
        slot = claim.cell.slot
        update = {
            "claim_id": None,
            "predicate": slot.predicate,
            "scope": slot.scope,
            "value_key": claim.value.key,
        }
    elif record.action not in ("retract", "reconsider"):
        return False
    to = entity.moved_to
    update |= {"entity": to, "id": derived_id(record.id, f"forwarded:{to}")}
    _sent_on(ws, record, view, record.model_copy(update=update))
    return True


def _sent_on(ws: WorkingSet, record: Proposal | Command, view: ControlView, sent: Adopt | Command) -> None:
    entity = ws.entity(EntityKey(record.tenant, record.entity))
    change = change_of(ws, record, view, every_slot(entity.key), actor_of(record))
    entity.decisions += 1
    detail = {"to": sent.entity, "as": str(sent.id)}
    ws.decisions.append(decision_of(change, Ruling("moved", "FORWARDED", "merged", None), [], detail))
    ws.events.append(sent)


def _refused(ws: WorkingSet, record: Moved, view: ControlView, why: str) -> tuple[list[Change], Ruling]:
    change = change_of(ws, record, view, every_slot(EntityKey(record.tenant, record.entity)), record.actor)
    ruling = Ruling("moved", "REJECTED", record.command, None)
    change.detail = {"refused": why, "reason": record.reason}
    change.review(f"{record.command}_refused", None, text=why)
    announce(change, ruling)
    return [change], ruling


def _leave(
    ws: WorkingSet, record: Moved, view: ControlView, slot: SlotKey, again: Replay, ruling: Ruling
) -> Change:
    """Folds the slot again without what moves; the record becomes one of its stories, so that it stays away."""
    change = change_of(ws, record, view, slot, record.actor)
    ws.stories.setdefault(slot, []).append(
        Story(change.entity.decisions + 1, record.to_json(), record.id, versions_of(change.entity))
    )
    refold(change, slot, again, status="superseded", gone="moved")
    for key, pending in list(ws.pending.items()):
        if pending.slot == slot and not ws.claims[key].live:
            ws.forget_pending(key)
    if record.forward:
        _ask_about_rulings(change, slot)
    announce(change, ruling)
    return change


def _ask_about_rulings(change: Change, slot: SlotKey) -> None:
    rows = [row for row in change.ws.standings.values() if row.slot == slot]
    for row in sorted(rows, key=lambda row: (row.value_key, row.polarity)):
        # One record may ask in several slots: the numbers go on.
        number = len(change.ws.events) + len(change.announcements) + 1
        change.review("ruling_left_behind", None, text=f"{row.ruling}: {row.value_key}"[:4096], number=number)


def _concerned(ws: WorkingSet, record: Moved, slot: SlotKey) -> bool:
    told = (statement_in(story) for story in kept(ws.stories.get(slot, [])))
    return any(row is not None and _is_of(record, row) for row in told)


def _is_of(record: Moved, proposal: Proposal) -> bool:
    row = _evidence(proposal)
    return selects(record, proposal.id, row.mention, row.resolved_as)


def _evidence(proposal: Proposal) -> Evidence:
    return Evidence(proposal.content.mention.text, proposal.resolved_as or proposal.entity)


def _live(ws: WorkingSet, slot: SlotKey) -> list[Proposal]:
    """The statements of the slot that count: not taken back, not of a value that a person has ruled out."""
    told = (statement_in(story) for story in kept(ws.stories.get(slot, [])))
    covering = ws.retractions_of(slot)
    lost = {
        (row.value_key, row.polarity)
        for row in ws.standings.values()
        if row.slot == slot and row.ruling == "rejected"
    }
    held = (row for row in ws.claims.values() if row.cell.slot == slot and row.live)
    lost -= {(row.value.key, row.polarity) for row in held}
    found = []
    for row in told:
        if row is None:
            continue
        key = next((one.value.key for one in row.content.candidates if one.predicate == slot.predicate), "")
        taken = any(one.value_key in ("", key) and row.event_time <= one.up_to for one in covering)
        if not taken and (key, row.polarity) not in lost:
            found.append(row)
    return found


def _taken_back(record: Moved, row: Retraction) -> Command:
    """The retraction of a slot as a command for the entity that takes."""
    return Command(
        tenant=record.tenant,
        entity=record.to,
        id=derived_id(record.id, f"retract:{row.id}:{row.slot.predicate}:{row.slot.scope}:{row.value_key}"),
        source=record.source,
        event_id=record.event_id,
        event_time=row.up_to,
        received_at=record.received_at,
        versions=Versions(),
        actor=row.actor[:256] or record.actor,
        action="retract",
        predicate=row.slot.predicate,
        scope=row.slot.scope,
        value_key=row.value_key,
        content=CommandContent(reason=row.reason[:1024]),
    )
