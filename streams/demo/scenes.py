"""The scenes: what the two agents say, and what must come of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from processors.deciding.model import Claim
from schemas.disputes import DisputeChanged, Party
from sinks.vector_rows import VectorHit
from streams.demo.stage import Stage
from topics.declaration import topic_name

PREFERRED: Final = "agent-a"
OTHER: Final = "agent-b"
QUESTION: Final = "what timezone is the user in?"
_PST: Final = "timezone:America/Los_Angeles"
_EST: Final = "timezone:America/New_York"

Believed = Sequence[tuple[Claim, tuple[str, ...]]]


@dataclass(slots=True)
class Outcome:
    """What a scene showed: lines for a person, and what was not as it must be."""

    lines: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)

    def must(self, holds: bool, otherwise: str) -> None:
        """Note `otherwise` unless `holds`."""
        if not holds:
            self.wrong.append(otherwise)


@dataclass(frozen=True, slots=True)
class Scene:
    """`play` publishes; `check` looks at what came of it once nothing is under way."""

    title: str
    play: Callable[[Stage], Awaitable[None]]
    check: Callable[[Stage], Awaitable[Outcome]]


async def _two_time_zones(stage: Stage) -> None:
    await stage.say(PREFERRED, "u1", "I'm in PST")
    await stage.say(OTHER, "u1", "I'm in EST")


async def _another_label(stage: Stage) -> None:
    # A record has a Kafka key of its own, so it could overtake the turn; then PST would be the one that comes late.
    await stage.decided(PREFERRED, await stage.say(PREFERRED, "u2", "I'm in PST"))
    await stage.record(OTHER, "u2", "user.current_zone", "EST")


async def _another_taste(stage: Stage) -> None:
    await stage.say(PREFERRED, "u3", "I love Italian food")
    await stage.say(OTHER, "u3", "I hate Italian food, I only eat Japanese")


async def _zone_disputed(stage: Stage, entity: str) -> Outcome:
    shown = Outcome()
    claims = await stage.claims(entity, "timezone")
    _show_claims(shown, claims)
    shown.must(
        _has(claims, "active", _PST, PREFERRED), f"{PREFERRED}'s PST is not the active time zone of {entity}"
    )
    shown.must(_has(claims, "disputed", _EST, OTHER), f"{OTHER}'s EST is not disputed")
    shown.must(len(claims) == 2, f"{entity} has {len(claims)} claims about the time zone, not 2")
    event = await stage.dispute_about(entity)
    if event is None:
        shown.wrong.append(f"no event about {entity} came on the dispute topic")
    else:
        _show_dispute(shown, stage, event)
        parties = event.content
        shown.must(event.change == "opened", f"the dispute event says {event.change!r}, not 'opened'")
        shown.must(parties.challenger.supporters == (OTHER,), f"the challenger is not {OTHER}'s")
        shown.must(
            [p.supporters for p in parties.incumbents] == [(PREFERRED,)],
            f"the incumbent is not {PREFERRED}'s",
        )
    return shown


async def _authority(stage: Stage) -> Outcome:
    shown = await _zone_disputed(stage, "user:u1")
    hits = await stage.search(QUESTION, "user:u1")
    believed = {
        str(claim.id) for claim, agents in await stage.claims("user:u1", "timezone") if PREFERRED in agents
    }
    _show_hit(shown, hits)
    shown.must(
        bool(hits) and hits[0].row.claim_id in believed, f"the search does not find {PREFERRED}'s claim first"
    )
    return shown


async def _same_slot(stage: Stage) -> Outcome:
    return await _zone_disputed(stage, "user:u2")


async def _recency(stage: Stage) -> Outcome:
    shown = Outcome()
    entity = "user:u3"
    likes, eats = await stage.claims(entity, "likes"), await stage.claims(entity, "eats_only")
    _show_claims(shown, [*likes, *eats])
    by = {(claim.polarity, claim.status) for claim, _ in likes if "italian" in claim.value.key.casefold()}
    shown.must(
        by == {("+", "superseded"), ("-", "active")},
        f"'loves Italian food' was not superseded by the later: {by}",
    )
    chain = {claim.id: claim.superseded_by for claim, _ in likes}
    newer = [claim.id for claim, _ in likes if claim.status == "active"]
    shown.must(
        [by for by in chain.values() if by] == newer, "the superseded claim does not name the newer one"
    )
    shown.must([claim.status for claim, _ in eats] == ["active"], "'only eats Japanese' is not active")
    disputes = [
        view for view in await stage.reads.disputes("demo", None) if view.dispute.cell.slot.entity == entity
    ]
    shown.must(not disputes, f"{len(disputes)} disputes about {entity}, none was expected")
    shown.lines.append("disputes: none")
    return shown


def _has(claims: Believed, status: str, key: str, agent: str) -> bool:
    return [(claim.value.key, agents) for claim, agents in claims if claim.status == status] == [
        (key, (agent,))
    ]


def _show_claims(shown: Outcome, claims: Believed) -> None:
    shown.data["claims"] = []
    for claim, agents in claims:
        value = claim.value.text if claim.polarity == "+" else f"not {claim.value.text}"
        slot = claim.cell.slot
        by = f"  (from {', '.join(agents)})" if agents else ""
        shown.lines.append(f"{claim.status:<10} {slot.entity} {slot.predicate}: {value}{by}")
        shown.data["claims"].append(
            {
                "entity": slot.entity,
                "predicate": slot.predicate,
                "value": value,
                "key": claim.value.key,
                "status": claim.status,
                "supporters": agents,
            }
        )


def _show_dispute(shown: Outcome, stage: Stage, event: DisputeChanged) -> None:
    shown.lines.append(
        f"{topic_name('disputes', stage.settings.topic_prefix)}: {event.change}, {_party(event.content.challenger)} "
        f"against {' and '.join(map(_party, event.content.incumbents))}; {event.strategy}: {event.reason}"
    )
    shown.data["dispute"] = event.model_dump(mode="json", exclude_none=True)


def _party(party: Party) -> str:
    weight = "" if party.weight is None else f" with weight {party.weight:g}"
    return f"{party.value} ({', '.join(party.supporters)}{weight})"


def _show_hit(shown: Outcome, hits: Sequence[VectorHit]) -> None:
    for hit in hits[:1]:
        shown.lines.append(f'search "{QUESTION}": {hit.row.text} (score {hit.score:.2f})')
        shown.data["search"] = {"question": QUESTION, "text": hit.row.text, "score": round(hit.score, 4)}


SCENES: Final = (
    Scene(
        'agent-a hears "I\'m in PST", agent-b "I\'m in EST"; about time zones agent-a weighs 0.9, agent-b 0.2',
        _two_time_zones,
        _authority,
    ),
    Scene(
        "the same, but agent-b sends a record with a label of its own, user.current_zone: still one slot",
        _another_label,
        _same_slot,
    ),
    Scene(
        'agent-a hears "I love Italian food", later agent-b "I hate Italian food, I only eat Japanese"; the newer wins',
        _another_taste,
        _recency,
    ),
)
