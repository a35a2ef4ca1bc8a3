"""judge: questions in, verdicts out, back into the inbox of the entity.

A question is asked once per delivery, so a retried batch may get another answer from a model; only one of the two
verdicts is committed to the outbox, and their id, made from the question's, lets the inbox take one.
"""

import asyncio
from collections.abc import Sequence

from processors.ports import Judge
from schemas.commands import Verdict, VerdictContent
from schemas.errors import KeyMismatch, PoisonError
from schemas.ids import derived_id
from schemas.inbox import Versions
from schemas.judge import Judgement, JudgeRequest
from sinks.ports import Transaction
from streams.stage import InRecord
from streams.stages.outgoing import inbox_record
from streams.transactional import Applied, DeadLetter
from topics.partitioner import encode_key


class Judging:
    """The handler of the stage."""

    def __init__(self, judge: Judge, prefix: str) -> None:
        self._judge = judge
        self._prefix = prefix

    async def prepare(self, records: Sequence[InRecord]) -> list[Verdict | DeadLetter]:
        """Asks about all records at once: the judge is to bound how many calls it makes together."""
        return await asyncio.gather(*(self._answer(record) for record in records))

    async def _answer(self, record: InRecord) -> Verdict | DeadLetter:
        try:
            request = _read(record)
        except PoisonError as error:
            return DeadLetter(error)
        try:
            judgement = await self._judge.judge(request)
        except PoisonError as error:
            # Without a verdict the statement would wait for ever.
            judgement = Judgement(relation="undecided", reason=f"it could not be judged: {error}"[:1024])
        return verdict(request, judgement, self._judge.id)

    async def apply(self, tx: Transaction, items: Sequence[tuple[InRecord, Verdict]]) -> Applied:
        applied = Applied()
        for record, answer in items:
            tx.count("judged", answer.relation)
            applied.send(record, inbox_record(answer, self._prefix))
        return applied


def verdict(request: JudgeRequest, judgement: Judgement, judge: str) -> Verdict:
    """The judgement as an inbox record. It has the question's event time: a verdict adds no evidence of its own."""
    return Verdict(
        tenant=request.tenant,
        entity=request.entity,
        id=derived_id(request.request_id, "verdict"),
        source="judge",
        event_id=str(request.request_id),
        event_time=request.event_time,
        received_at=request.event_time,
        versions=Versions(policy=request.policy_version),
        proposal_id=request.proposal_id,
        round=request.round,
        relation=judgement.relation,
        prevails=judgement.prevails,
        judge=judge,
        content=VerdictContent(reason=judgement.reason),
    )


def _read(record: InRecord) -> JudgeRequest:
    request = JudgeRequest.from_json(record.value)
    if record.key != encode_key(request.tenant, request.entity):
        raise KeyMismatch()
    return request
