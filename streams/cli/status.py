"""`claimstream status`: where one event is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from schemas.errors import ClaimstreamError
from sinks.ledger_views import EventStatus
from streams.cli import running
from streams.cli.output import note, print_json, say
from streams.cli.stores import open_reads
from streams.ends import open_ends
from streams.settings import Settings
from streams.stage import InRecord
from topics.headers import origin


class UnknownEvent(ClaimstreamError):
    """Neither the ledger nor the turns topic has the event."""


@dataclass(frozen=True, slots=True)
class Found:
    """What is known of an event; `record` is its first record on the turns topic, looked for where the ledger is
    silent."""

    status: EventStatus
    record: InRecord | None

    @property
    def state(self) -> str:
        """One word: `received`, `extracted`, `resolved`, `decided`, `dead_lettered`."""
        status = self.status
        if status.outcome is None:
            return "dead_lettered" if status.dead_letters else "received"
        if status.done:
            return "dead_lettered" if status.dead_letters else "decided"
        return "resolved" if all(fact.entity for fact in status.facts) else "extracted"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("status")(status)


def status(
    event_id: Annotated[str, typer.Argument(help="The id that the producer gave it.")],
    source: Annotated[str, typer.Option(help="The source that the producer named.")],
    tenant: Annotated[
        str | None, typer.Option(help="Whose memory; CLAIMSTREAM_DEFAULT_TENANT without it.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON, for a program.")] = False,
) -> None:
    """Show where an event is: received, extracted, resolved, decided, or given up and why.

    Exit code 1 for an event that is nowhere, and for one that was given up as a whole or in part.
    """
    settings = running.settings(default_tenant=tenant)
    found = running.run(lambda: _find(settings, source, event_id))
    if as_json:
        print_json(_json(found, settings.default_tenant, source, event_id))
    else:
        for line in _lines(found):
            say(line)
    if found.state == "dead_lettered":
        raise ClaimstreamError(
            "; ".join(f"{row.stage} gave it up: {row.error_class}" for row in found.status.dead_letters)
            + ". `claimstream deadletters list` shows it, `deadletters redrive` sends it again"
        )


async def _find(settings: Settings, source: str, event_id: str) -> Found:
    tenant = settings.default_tenant
    async with open_reads(settings) as reads:
        known = await reads.event_status(tenant, source, event_id)
        if known.outcome is not None or known.dead_letters:
            return Found(known, None)
    note("not in the ledger; looking for it on the turns topic")
    wanted = {("ce_id", event_id.encode()), ("ce_source", origin(tenant, source))}
    async with open_ends(settings) as ends:
        async for record in ends.read("turns", await ends.now()):
            if wanted <= set(record.headers):
                return Found(known, record)
    raise UnknownEvent(
        f"no event {event_id!r} of source {source!r}, tenant {tenant}: it was not published, or under another id, "
        "source or tenant; an unreadable one is in `claimstream deadletters list`"
    )


def _lines(found: Found) -> Sequence[str]:
    status, record = found.status, found.record
    if record is not None:
        return [
            f"received: {record.topic} partition {record.partition} offset {record.offset}",
            "not extracted yet; does extract run (`claimstream worker extract`)?",
        ]
    lines = ["received"]
    if status.outcome is not None:
        n = len(status.facts)
        what = {"no_facts": "no facts in it", "failed": "failed"}.get(
            status.outcome, f"{n} fact{'s' * (n != 1)}"
        )
        lines.append(f"extracted: {what}")
    for fact in status.facts:
        if fact.outcome is not None:
            lines.append(
                f"  {fact.entity}: decided, {fact.outcome} (case {fact.case}); claim {fact.claim_id}"
            )
        elif fact.entity is not None:
            lines.append(f"  {fact.entity}: resolved, not decided yet")
        else:
            lines.append(f"  fact {fact.id}: not resolved yet")
    for row in status.dead_letters:
        place = f"{row.topic} partition {row.partition} offset {row.offset}"
        lines.append(
            f"given up by {row.stage}: {row.error_class} ({place}, item {row.item}, attempt {row.attempts})"
        )
    return lines


def _json(found: Found, tenant: str, source: str, event_id: str) -> dict[str, Any]:
    record = found.record
    return {
        "tenant": tenant,
        "source": source,
        "event_id": event_id,
        "state": found.state,
        "received": None
        if record is None
        else {"topic": record.topic, "partition": record.partition, "offset": record.offset},
        "extraction": found.status.outcome,
        "facts": [fact._asdict() for fact in found.status.facts],
        "dead_letters": [row._asdict() for row in found.status.dead_letters],
    }
