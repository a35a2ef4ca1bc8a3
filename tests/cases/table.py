"""What our memory calls the things of ../shared/cases/reported-faults.jsonl, by the ids of the cases.

Names of entities and predicates are proposals there, so ours are written down here; a value is given where our
predicate holds as a value what theirs has in its name. Not one text of a case is copied.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Facts = tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """How one case is played and read.

    Attributes:
        names: "entity predicate" of the case to ours; "= value" at the end says which value ours has where theirs is
            only yes or no, or in other words.
        statuses: (our name, value) to a status that is ours by design where the case has another one; `why` says why.
        records: the number of a turn to the facts that enter in its place, because the extractor does not read it;
            the value "$text" is the text of the turn.
        policy: pattern to strategy, beside what the case's own setup says.
        disputes, reviews, claims: how many there must be; claims of all statuses.
        entities: how many entities hold claims.
        why: where we differ, and why.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    statuses: Mapping[str, str] = field(default_factory=dict)
    records: Mapping[int, Facts] = field(default_factory=dict)
    disputes: int | None = None
    reviews: int | None = None
    claims: int | None = None
    entities: int | None = None
    why: str = ""


CASES: dict[str, Case] = {
    "contradiction-no-empty-store": Case(
        names={"user:u1 likes_food:cilantro": "user:u1 likes = cilantro"}, claims=2
    ),
    "correction-replaces": Case(
        names={
            "service:ledger runtime": "service:ledger runs_on@java",
            "service:ledger broker": "service:ledger runs_on@rabbitmq",
        },
        claims=3,
    ),
    "over-invalidation-unrelated": Case(
        names={"person:dana leads": "person:dana leads = Harbor Labs running group"}, claims=2
    ),
    "missed-supersession-reassign": Case(
        names={
            "person:ravi assigned_to": "person:ravi works_on",
            "project:cedar": "project Cedar",
            "project:birch": "project Birch",
        },
        statuses={"person:ravi works_on = project Birch": "ended"},
        claims=2,
        why="one may work on several projects, so the new one does not take the old one's place: the old one ended",
    ),
    "ended-without-replacement": Case(
        names={"service:gateway verbose_tracing": "thing:gateway verbose_tracing"}, claims=1
    ),
    "multi-value-add-not-replace": Case(
        names={"user:u1 likes_item@corner-grill": "user:u1 likes@corner-grill"}
    ),
    "first-fact-into-empty-store": Case(
        names={"user:u9 likes_food": "user:u9 likes"},
        why="no model classifies here: what is known is compared by rules, so a NOOP verdict cannot be had",
    ),
    "retry-same-event-id": Case(claims=1),
    "stale-judge-snapshot": Case(names={"user:u1 badge_colour": "user:u1 badge_color"}, claims=3),
    "benign-version-conflict": Case(claims=2),
    "rebalance-duplicate": Case(claims=2),
    "prefetched-out-of-order": Case(names={"ticket:default state": "ticket:ticket status"}, claims=3),
    "vector-upsert-duplicate-key": Case(claims=1),
    "exact-short-name-not-merged": Case(
        names={"org:qrtx event": "org:qrtx hired = new director"}, entities=1
    ),
    "near-name-hijack": Case(
        names={"country:oman receives": "user:u1 ships = dates to Oman"},
        entities=2,
        why='who ships is the subject of a sentence that says "we ship"; what must not happen is one entity for both',
    ),
    "shared-first-name": Case(
        names={"person:?robin late_today": "unresolved:robin late_today"}, reviews=1, entities=3
    ),
    "alias-explicit": Case(entities=1),
    "speaker-identity": Case(),
    "backfill-older-event": Case(claims=2),
    "validity-guessed-as-today": Case(
        names={"project:bridge approved_by": "thing:council approved = bridge"}, claims=1
    ),
    "as-of-hides-future": Case(names={"stand:default hall": "thing:stand hall"}, claims=2),
    "late-historical-fact": Case(claims=2),
    "assistant-text-not-user-fact": Case(claims=0),
    "leading-negation-lost": Case(
        names={"task:water-palms needed": "task:water-the-palms needed = yes"}, claims=1
    ),
    "negation-other-language": Case(
        names={
            "server:norte in_use": "user:u1 uses = servidor norte",
            "user:u1 uses:old-printer": "user:u1 uses = alten Drucker",
        },
        claims=2,
        why='"we never use it" says it of the speaker: that nobody does is not said',
    ),
    "non-latin-hash-collision": Case(names={"user:u1 likes_place": "user:u1 likes"}, claims=2),
    "unverified-inference": Case(
        names={"gate:side locked_at_night": "thing:side-gate status = locked"}, claims=2
    ),
    "recall-fed-back": Case(claims=1),
    "echo-is-not-second-source": Case(names={"job:backup start_time": "thing:backups start_time"}, claims=1),
    "low-trust-cannot-overwrite": Case(
        records={
            1: ({"subject": "user:u1", "predicate": "timezone", "value": "UTC-5", "cardinality_hint": "one"},)
        },
        disputes=1,
        claims=2,
    ),
    "reviewer-and-detector-kept-apart": Case(
        names={"lab:default opens": "lab:lab opens", "canteen:lab opens": "thing:lab-canteen opens"},
        disputes=0,
        claims=2,
        why="the two are about two entities and never meet; dismissing a false conflict is played in test_kinds",
    ),
    "non-resurrection-all-paths": Case(claims=1),
    "deleted-text-echoed-by-tool": Case(names={"item:tent colour": "user:u1 tent_color"}, claims=1),
    "per-fact-retraction": Case(
        names={
            "device:printer network": "printer:office-printer network",
            "network:guest exists": "thing:guest-network exists = yes",
        },
        claims=2,
    ),
    "filter-param-ignored": Case(claims=2),
    "conflict-scan-crosses-tenants": Case(disputes=0),
    "near-duplicate-observations": Case(claims=2),
    "default-read-current-only": Case(names={"meeting:default room": "thing:meeting room"}, claims=2),
    "hallucinated-claim-id": Case(claims=2, why="no model names a target here: slots are keys, not guesses"),
    "poison-turn-in-batch": Case(claims=2),
    "whole-conversation-embedded": Case(claims=1),
    "crash-leaves-orphan-vector": Case(claims=1),
    "stale-vector-detectable": Case(names={"item:tent sleeps": "thing:tent sleeps"}, claims=2),
    "caller-picks-user-id": Case(claims=1),
    "injection-in-claim-text": Case(
        names={"place:default opening_hours": "place:place opening_hours"},
        records={
            0: (
                {"subject": "place:place", "predicate": "opening_hours", "value": "9-17"},
                {"subject": "user:u1", "predicate": "instruction", "value": "$text"},
            )
        },
        why="what a tool prints is not read as anybody's statement, so the fact enters as a record",
    ),
}

#: Cases about what these stages do not do, and where it is tested.
ELSEWHERE: dict[str, str] = {
    "accepted-but-dropped": "dead letters and the status of an event: the runtime's tests",
    "empty-vs-failed": "answers of a model: there is none behind the offline extractor",
    "shared-vector-delete": "erasure of a subject",
    "erasure-all-stores-receipt": "erasure of a subject",
    "erasure-covers-replay-log": "erasure of a subject",
}
