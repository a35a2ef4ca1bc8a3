"""`claimstream say`: tell memory something, and see what it made of it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from processors.deciding.model import Claim, Decision
from schemas.errors import ClaimstreamError
from schemas.turn import Message, Turn, TurnContent
from sinks.ledger_reads import LedgerReads
from sinks.ledger_views import DeadLetterOrigin, FactStatus
from streams.cli import running
from streams.cli.output import print_json
from streams.cli.output import say as print_line
from streams.cli.stores import claim_json, decision_json, open_reads, strategy_text, value_text
from streams.cli.topics import parse_time
from streams.envelope import input_record, open_publisher, stamped
from streams.settings import Settings
from streams.waiting import until_decided


class GivenUp(ClaimstreamError):
    """The turn, or a fact of it, became a dead letter."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("say")(say)


def say(
    text: Annotated[str, typer.Argument(help="What the user says.")],
    agent: Annotated[str, typer.Option(help="The agent that hears it and reports it.")],
    user: Annotated[
        str | None, typer.Option(help="Who says it; CLAIMSTREAM_DEFAULT_USER without it.")
    ] = None,
    tenant: Annotated[
        str | None, typer.Option(help="Whose memory; CLAIMSTREAM_DEFAULT_TENANT without it.")
    ] = None,
    conversation: Annotated[str, typer.Option(help="Turns of one conversation stay in order.")] = "say",
    at: Annotated[
        str | None, typer.Option(help="When it was said: 2026-01-31T12:00:00Z. Now without it.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, for a program.")] = False,
) -> None:
    """Publish one turn, wait until memory has decided about it, and show what it did with it."""
    settings = running.settings(default_tenant=tenant, default_user=user)
    now = datetime.now(UTC)
    turn = Turn(
        tenant=settings.default_tenant,
        source="say",
        # Every call says something new, also the same words again; the process id parts two terminals.
        event_id=f"{now:%Y%m%dT%H%M%S.%fZ}-{os.getpid()}",
        agent=agent,
        conversation=conversation,
        user=settings.default_user,
        at=None if at is None else parse_time(at),
        content=TurnContent(messages=(Message(text=text),)),
    )
    heard = running.run(lambda: _say(turn, now, settings))
    if as_json:
        print_json(heard.as_json())
    else:
        for line in heard.lines():
            print_line(line)
    if heard.dead_letters:
        raise GivenUp(
            "; ".join(f"{row.stage} gave it up: {row.error_class}" for row in heard.dead_letters)
            + ". The dead-letter topic holds it with the reason"
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one fact. `claim` and `decision` are missing where it was given up."""

    fact: FactStatus
    decision: Decision | None
    claim: Claim | None
    claims: dict[str, Claim]
    supporters: dict[str, tuple[str, ...]]

    def line(self) -> str:
        """For a person."""
        if self.decision is None:
            return f"{self.fact.entity or 'a fact'}: given up"
        slot = self.decision.slot
        value = "" if self.claim is None else f" = {value_text(self.claim)!r}"
        by = strategy_text(self.decision)
        changed = ", ".join(
            f"{value_text(self.claims[str(key)])!r} became {status}"
            for key, status in self.decision.changed
            if str(key) in self.claims
        )
        return (
            f"{slot.entity} {slot.predicate}{value}: {self.decision.outcome} "
            f"(case {self.decision.case}{by}: {self.decision.rule})" + (f"; {changed}" if changed else "")
        )


@dataclass(frozen=True, slots=True)
class Heard:
    """What memory made of a turn."""

    turn: Turn
    outcome: str | None
    facts: tuple[Outcome, ...]
    dead_letters: tuple[DeadLetterOrigin, ...]

    def lines(self) -> list[str]:
        """For a person."""
        if self.outcome == "no_facts":
            return [
                "no facts: nothing in it reads as a plain statement (docs/extraction.md lists the shapes)"
            ]
        if self.outcome == "failed":
            return ["extraction failed: see the log of the extract stage"]
        return [fact.line() for fact in self.facts]

    def as_json(self) -> dict[str, Any]:
        """For a program."""
        return {
            "event_id": self.turn.event_id,
            "source": self.turn.source,
            "outcome": self.outcome,
            "facts": [
                {
                    "id": fact.fact.id,
                    "entity": fact.fact.entity,
                    "predicate": None if fact.decision is None else fact.decision.slot.predicate,
                    "decision": None if fact.decision is None else decision_json(fact.decision),
                    "claim": None
                    if fact.claim is None
                    else claim_json(fact.claim, fact.supporters.get(str(fact.claim.id), ())),
                }
                for fact in self.facts
            ],
            "dead_letters": [row._asdict() for row in self.dead_letters],
        }


async def _say(turn: Turn, now: datetime, settings: Settings) -> Heard:
    record = input_record(stamped(turn, now), settings)
    # The ledger first: nothing is published when its answer could not be shown.
    async with open_reads(settings) as reads:
        async with open_publisher(settings, "turns") as publisher:
            await publisher.publish([record])
        status = await until_decided(reads, turn.tenant, turn.source, turn.event_id, settings.wait_timeout_s)
        facts = tuple([await _outcome(reads, turn.tenant, fact) for fact in status.facts])
    return Heard(turn, status.outcome, facts, status.dead_letters)


async def _outcome(reads: LedgerReads, tenant: str, fact: FactStatus) -> Outcome:
    rows = None if fact.entity is None else await reads.entity(tenant, fact.entity)
    if rows is None:
        return Outcome(fact, None, None, {}, {})
    decision = next((row for row in rows.decisions if row.id == fact.id), None)
    claims = {str(claim.id): claim for claim in rows.claims}
    supporters: dict[str, tuple[str, ...]] = {}
    for support in rows.supports:
        key = str(support.claim_id)
        supporters[key] = tuple(sorted((*supporters.get(key, ()), support.agent)))
    return Outcome(fact, decision, claims.get(str(fact.claim_id)), claims, supporters)
