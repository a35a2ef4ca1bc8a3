"""Folds statements into the working set, one decision per record, in inbox order."""

from collections.abc import Iterable

from processors.deciding.cases import decide_and_settle
from processors.deciding.control import ControlView
from processors.deciding.late import note, out_of_order, put_in_order
from processors.deciding.limits import meter
from processors.deciding.model import EntityKey, Story, versions_of
from processors.deciding.moves import forward, goes_on
from processors.deciding.resettling import ask_to_resettle
from processors.deciding.stating import advance, statement_of
from processors.deciding.telling import announce, decision_of, evidence_of
from processors.deciding.working_set import WorkingSet
from schemas.inbox import Proposal


def fold(ws: WorkingSet, proposals: Iterable[Proposal], view: ControlView) -> int:
    """Decides every statement that has no decision yet; returns how many were duplicates.

    The outcome does not depend on how records are cut into batches: a record sees what the ones before it left,
    whether that is still in memory or was loaded back from the store.
    """
    duplicates = 0
    for proposal in proposals:
        if proposal.id in ws.decided:
            duplicates += 1
            continue
        ws.decided.add(proposal.id)
        if goes_on(ws.entities.get(EntityKey(proposal.tenant, proposal.entity)), proposal):
            advance(ws, proposal)
            forward(ws, proposal, view)
            continue
        statement = statement_of(ws, proposal, view)
        meter(statement)
        if out_of_order(statement):
            ruling = put_in_order(statement, view)
        else:
            ruling = decide_and_settle(statement)
        note(statement)
        statement.review_material()
        ask_to_resettle(statement)
        announce(statement, ruling)
        statement.entity.decisions += 1
        row = evidence_of(statement, ruling)
        ws.evidence.append(row)
        if row.slot in ws.stories:
            story = Story(statement.entity.decisions, row.body, row.id, versions_of(statement.entity))
            ws.stories[row.slot].append(story)
        ws.decisions.append(decision_of(statement, ruling, list(statement.changed.items()), statement.detail))
    return duplicates
