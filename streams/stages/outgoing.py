"""Events of ours as records: topic, key and CloudEvents headers."""

from schemas.base import Event
from schemas.claims import ClaimChanged
from schemas.commands import Command
from schemas.disputes import DisputeChanged
from schemas.facts import FactsExtracted
from schemas.identity import Adopt
from schemas.inbox_records import InboxRecord
from schemas.judge import JudgeRequest
from schemas.reviews import ReviewRaised
from streams.stage import OutRecord
from topics.declaration import topic_name
from topics.headers import cloud_headers
from topics.partitioner import encode_key

_TOPIC_OF: dict[str, str] = {
    "claim": "claims",
    "dispute": "disputes",
    "review": "reviews",
    "judge_request": "judge",
}


def facts_record(event: FactsExtracted, prefix: str) -> OutRecord:
    headers = cloud_headers(
        event.TYPE, event.MAJOR, event.tenant, event.source, event.event_id, event.event_time
    )
    return OutRecord(
        topic_name("facts", prefix), encode_key(event.tenant, event.stream_id), event.to_json(), headers
    )


def inbox_record(event: InboxRecord | Adopt, prefix: str) -> OutRecord:
    """The record of anything that an inbox takes."""
    headers = cloud_headers(
        event.TYPE, event.MAJOR, event.tenant, event.source, str(event.id), event.event_time
    )
    return OutRecord(
        topic_name("inbox", prefix), encode_key(event.tenant, event.entity), event.to_json(), headers
    )


def published(event: Event, prefix: str) -> OutRecord:
    """The record of anything that a decision brings about: also what it puts into another inbox."""
    return inbox_record(event, prefix) if isinstance(event, Adopt | Command) else ledger_record(event, prefix)


def ledger_record(event: Event, prefix: str) -> OutRecord:
    """The record of a claim, a dispute, a review or a question to the judge."""
    assert isinstance(event, ClaimChanged | DisputeChanged | ReviewRaised | JudgeRequest)
    if isinstance(event, ClaimChanged):
        name, at = f"{event.claim_id}/{event.entity_version}", event.last_confirmed
    elif isinstance(event, DisputeChanged):
        name, at = f"{event.dispute_id}/{event.dispute_version}", event.at
    elif isinstance(event, JudgeRequest):
        name, at = str(event.request_id), event.event_time
    else:
        name, at = str(event.review_id), event.at
    headers = cloud_headers(event.TYPE, event.MAJOR, event.tenant, "ledger", name, at)
    key = encode_key(event.tenant, event.entity)
    return OutRecord(topic_name(_TOPIC_OF[event.TYPE], prefix), key, event.to_json(), headers)
