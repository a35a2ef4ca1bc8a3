"""Taking back a topic: what an entity's claims say of it, found here, in inbox order.

The record says only the topic. Which claims mention it is decided with everything that came before it in the inbox, so
a statement that was sent a moment earlier is reached and a replay finds the same claims.
"""

from datetime import datetime, timedelta

from processors.deciding.change import Change, Ruling
from processors.deciding.control import ControlView
from processors.deciding.model import Claim, EntityKey, SlotKey
from processors.deciding.refold import Replay
from processors.deciding.replaying import change_of, settle_slot
from processors.deciding.stating import statement_of
from processors.deciding.taking_back import retract
from processors.deciding.telling import announce
from processors.deciding.working_set import WorkingSet, every_slot
from processors.forgetting import mentions, topic_of, words_of
from schemas.inbox import Candidate, Proposal


def forget_topic(
    ws: WorkingSet, record: Proposal, view: ControlView, found: list[SlotKey], again: Replay
) -> tuple[list[Change], Ruling]:
    """Retracts what mentions the topic in the slots `found`, all that the entity has; nothing is a decision too.

    A slot whose name and entity say the topic goes as a whole: an older value that is told later is covered too. What
    other agents support and no policy lets this one overrule stays, with a review.
    """
    topic = words_of(topic_of(record) or "")
    changes: list[Change] = []
    ruling = Ruling("a", "HISTORY", "nothing_to_retract", None)
    for slot in found:
        named = mentions(topic, _words_of_slot(slot, record))
        claims = [claim for claim in _held(ws, slot) if named or mentions(topic, _words(claim, record))]
        if not claims:
            continue
        contested = [claim for claim in claims if _is_contested(ws, record, view, claim)]
        change = change_of(ws, record, view, slot, record.agent)
        changes.append(change)
        keys = {claim.value.key for claim in claims} - {claim.value.key for claim in contested}
        until = _up_to(record, claims)
        gone = []
        for key in [""] if named and not contested else sorted(keys):
            gone += retract(change, key, until, record.agent, record.content.text, again)
        for number, claim in enumerate(contested):
            change.review("retraction_contested", claim, number=number)
        settle_slot(change)
        own = Ruling("a", "RETRACTED" if gone else "HISTORY", "topic", gone[0] if gone else None)
        announce(change, own)
        ruling = ruling if ruling.outcome == "RETRACTED" else own
    if not changes:
        changes = [
            change_of(ws, record, view, every_slot(EntityKey(record.tenant, record.entity)), record.agent)
        ]
    return changes, ruling


def _held(ws: WorkingSet, slot: SlotKey) -> list[Claim]:
    rows = (claim for claim in ws.claims.values() if claim.cell.slot == slot)
    return sorted(
        (claim for claim in rows if claim.status not in ("retracted", "erased")),
        key=lambda claim: (claim.order, str(claim.id)),
    )


def _words_of_slot(slot: SlotKey, record: Proposal) -> frozenset[str]:
    """What the slot is called. Who speaks is in every sentence about himself and names no topic."""
    entity = "" if slot.entity == record.content.mention.entity else slot.entity.partition(":")[2]
    return words_of(slot.predicate, slot.scope, entity)


def _words(claim: Claim, record: Proposal) -> frozenset[str]:
    return _words_of_slot(claim.cell.slot, record) | words_of(claim.value.text, claim.text)


def _is_contested(ws: WorkingSet, record: Proposal, view: ControlView, claim: Claim) -> bool:
    """Whether others support the claim and no policy lets the agent overrule them."""
    others = [row for row in ws.supporters(claim) if row.agent != record.agent]
    if claim.status != "active" or not others:
        return False
    slot = claim.cell.slot
    one = Candidate(predicate=slot.predicate, match="exact", score=1.0, value=claim.value)
    said = record.model_copy(
        update={
            "scope": slot.scope,
            "polarity": claim.polarity,
            "content": record.content.model_copy(update={"candidates": (one,)}),
        }
    )
    return statement_of(ws, said, view).contest(others)[1].verdict != "wins"


def _up_to(record: Proposal, claims: list[Claim]) -> datetime:
    """All that was said before the record's own event; of the event itself only when it said so first.

    "Not true, there is no guest network" takes back what was said of it, and states what is so.
    """
    event = (record.source, record.event_id)
    said = any(
        (row.order.source, row.order.event_id) == event and row.order.ordinal < record.ordinal
        for row in claims
    )
    return record.event_time if said else record.event_time - timedelta(microseconds=1)
