"""`claimstream disputes`: what agents disagree about."""

from __future__ import annotations

from typing import Annotated

import typer

from schemas.disputes import DisputeChanged, Party
from schemas.errors import PoisonError
from sinks.ledger_views import DisputeView
from streams.cli import orders, running
from streams.cli.output import note, print_json, print_table, say
from streams.cli.stores import dispute_json, open_reads, value_text
from streams.follow import Start, follow
from streams.settings import Settings
from streams.stage import InRecord

Json = Annotated[bool, typer.Option("--json", help="One JSON object per line, for a program.")]
Tenant = Annotated[str | None, typer.Option(help="Only this tenant.")]


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(no_args_is_help=True, help="What agents disagree about.", rich_markup_mode=None)
    group.command("list")(list_disputes)
    group.command("show")(orders.show)
    group.command("resolve")(orders.resolve)
    group.command("tail")(tail)
    app.add_typer(group, name="disputes")


def list_disputes(
    every: Annotated[bool, typer.Option("--all", help="Those that are over too.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most so many.")] = 100,
    tenant: Annotated[
        str | None, typer.Option(help="Whose memory; CLAIMSTREAM_DEFAULT_TENANT without it.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON, for a program.")] = False,
) -> None:
    """Show the open disputes, newest first."""
    settings = running.settings(default_tenant=tenant)

    async def ask() -> list[DisputeView]:
        async with open_reads(settings) as reads:
            return await reads.disputes(settings.default_tenant, None if every else "open", limit=limit)

    found = running.run(ask)
    if as_json:
        print_json([dispute_json(*view) for view in found])
        return
    rows = [
        (
            str(view.dispute.id)[:8],
            f"{view.dispute.opened_at:%Y-%m-%d %H:%M}",
            view.dispute.status,
            view.dispute.cell.slot.entity,
            view.dispute.cell.slot.predicate,
            value_text(view.challenger),
            " and ".join(value_text(claim) for claim in view.incumbents),
            view.dispute.reason,
            view.dispute.repeats,
        )
        for view in found
    ]
    columns = ("id", "opened", "status", "entity", "predicate", "challenger", "against", "why", "repeats")
    print_table(columns, rows, empty=f"no disputes (tenant {settings.default_tenant})")


def tail(
    from_beginning: Annotated[bool, typer.Option("--from-beginning", help="Begin with the oldest.")] = False,
    offset: Annotated[int | None, typer.Option(min=0, help="Begin at this offset of each partition.")] = None,
    partition: Annotated[int | None, typer.Option(min=0, help="Only this partition.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="End after so many.")] = None,
    tenant: Tenant = None,
    as_json: Json = False,
) -> None:
    """Show the events of the dispute topic as they come, until Ctrl-C. Without an option: those from now on."""
    if from_beginning and offset is not None:
        raise typer.BadParameter("--from-beginning and --offset exclude each other")
    settings = running.settings()
    start: Start = "earliest" if from_beginning else "latest" if offset is None else offset
    running.run(lambda: _tail(settings, start, partition, limit, tenant, as_json))


async def _tail(
    settings: Settings,
    start: Start,
    partition: int | None,
    limit: int | None,
    tenant: str | None,
    as_json: bool,
) -> None:
    shown = 0
    async with follow(settings, "disputes", start, partition) as follower:
        note("waiting for disputes; Ctrl-C ends")
        async for record in follower.records():
            event = _read(record)
            if event is None or tenant not in (None, event.tenant):
                continue
            _show(record, event, as_json)
            shown += 1
            if shown == limit:
                return


def _read(record: InRecord) -> DisputeChanged | None:
    try:
        return DisputeChanged.from_json(record.value)
    except PoisonError as error:
        note(f"partition {record.partition} offset {record.offset} passed over: {error}")
        return None


def _show(record: InRecord, event: DisputeChanged, as_json: bool) -> None:
    if as_json:
        place = {"partition": record.partition, "offset": record.offset}
        print_json(event.model_dump(mode="json", exclude_none=True) | {"_at": place})
    else:
        say(f"{event.at:%Y-%m-%d %H:%M:%S}Z  {describe(event)}")


def describe(event: DisputeChanged) -> str:
    """The event in one line: what happened, where, who says what with what weight, why it is a dispute."""
    where = f"{event.entity} {event.predicate}" + (f" [{event.scope}]" if event.scope else "")
    against = " and ".join(_party(party) for party in event.content.incumbents) or "nobody"
    return (
        f"{event.change}: {where}: {_party(event.content.challenger)} against {against} "
        f"({event.reason}; tenant {event.tenant}, dispute {event.dispute_id})"
    )


def _party(party: Party) -> str:
    value = party.value if party.polarity == "+" else f"not {party.value}"
    by = ", ".join(party.supporters) or "nobody"
    weight = "" if party.weight is None else f", weight {party.weight:g}"
    return f"{value!r} ({by}{weight})"
