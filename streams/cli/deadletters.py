"""`claimstream deadletters`: records that were given up, and sending them again."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

import typer

from schemas.errors import ClaimstreamError
from sinks.ledger_reads import LedgerReads
from streams.cli import running
from streams.cli.output import note, print_json, print_table, progress_bar, say
from streams.cli.stores import open_reads, time_text
from streams.cli.topics import parse_time
from streams.ends import open_ends
from streams.envelope import open_publisher
from streams.redrive import Dead, again, dead_of, newest, processed
from streams.settings import Settings
from streams.topology import BY_NAME

Json = Annotated[bool, typer.Option("--json", help="JSON, for a program.")]
Stage = Annotated[str | None, typer.Option(help="Only those that this stage gave up.")]
Reason = Annotated[
    str | None, typer.Option(help="Only those with this error class, for example UnknownVersion.")
]
Since = Annotated[str | None, typer.Option(help="Only those given up since: 2026-01-31T12:00:00Z.")]
_CHUNK = 500


class UnknownDeadLetter(ClaimstreamError):
    """There is no dead letter of that name."""


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(
        no_args_is_help=True,
        help="Records that a stage gave up, and sending them again.",
        rich_markup_mode=None,
    )
    group.command("list")(list_dead)
    group.command("show")(show)
    group.command("redrive")(redrive)
    app.add_typer(group, name="deadletters")


def list_dead(
    stage: Stage = None,
    reason: Reason = None,
    since: Since = None,
    every: Annotated[
        bool, typer.Option("--all", help="Those that were processed or given up again since, too.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show the dead letters that still wait for somebody, oldest first."""
    settings = running.settings()
    wanted = _filter(stage, reason, since)

    async def ask() -> list[tuple[Dead, str]]:
        async with open_reads(settings) as reads:
            return await _with_state(reads, await _read(settings))

    found = [
        (dead, state) for dead, state in running.run(ask) if wanted(dead) and (every or state == "waiting")
    ]
    if as_json:
        print_json([_json(dead, state) for dead, state in found])
        return
    rows = [
        (
            dead.name,
            f"{dead.at:%Y-%m-%d %H:%M:%S}",
            dead.stage,
            dead.error_class,
            dead.attempts,
            f"{dead.origin_topic}/{dead.origin_partition}@{dead.origin_offset}",
            state,
        )
        for dead, state in found
    ]
    columns = ("id", "given up", "stage", "reason", "attempts", "from", "state")
    print_table(columns, rows, empty="no dead letters" if every else "no dead letters that wait")


def show(
    name: Annotated[str, typer.Argument(metavar="PARTITION/OFFSET", help="As `deadletters list` shows it.")],
    as_json: Json = False,
) -> None:
    """Show one dead letter whole: why, from where, its headers, key and bytes."""
    settings = running.settings()

    async def ask() -> list[tuple[Dead, str]]:
        async with open_reads(settings) as reads:
            return await _with_state(reads, await _read(settings))

    (dead, state) = _named(running.run(ask), [name])[0]
    if as_json:
        print_json(_json(dead, state) | _whole(dead))
        return
    say(f"{dead.name} ({state}): {dead.stage} gave it up at {time_text(dead.at)}, attempt {dead.attempts}")
    say(f"  {dead.error_class}: {dead.error}")
    say(
        f"  from {dead.origin_topic} partition {dead.origin_partition} offset {dead.origin_offset}, item {dead.item}"
    )
    for header, value in dead.record.headers:
        say(f"  header {header}: {value.decode('utf-8', 'backslashreplace')}")
    say(f"  key: {(dead.record.key or b'').decode('utf-8', 'backslashreplace')!r}")
    say((dead.record.value or b"").decode("utf-8", "backslashreplace"))


def redrive(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PARTITION/OFFSET]...", help="As `deadletters list` shows them."),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="All that wait, as far as the filters let them.")
    ] = False,
    stage: Stage = None,
    reason: Reason = None,
    since: Since = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be sent, and send nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Send dead letters again, as they were, to the topic they came from.

    What the ledger knows as processed is left out; what arrives twice all the same counts once, by its event id. One
    that fails again is a dead letter again, with one attempt more.
    """
    if bool(names) == every:
        raise typer.BadParameter("name dead letters, or say --all")
    settings = running.settings()
    wanted = _filter(stage, reason, since)

    async def send() -> tuple[list[Dead], int]:
        async with open_reads(settings) as reads:
            found = await _with_state(reads, await _read(settings))
        chosen = _named(found, names) if names else [row for row in found if wanted(row[0])]
        todo = newest(dead for dead, state in chosen if state == "waiting")
        if not dry_run:
            await _send(settings, todo)
        return todo, len(chosen) - sum(state == "waiting" for _, state in chosen)

    sent, left_out = running.run(send)
    if as_json:
        print_json({"redriven": [dead.name for dead in sent], "left_out": left_out, "dry_run": dry_run})
        return
    for dead in sent if dry_run else ():
        say(f"{dead.name} would go to {dead.origin_topic}: {dead.error_class}")
    say(f"{len(sent):,} {'would be sent' if dry_run else 'sent'} again")
    if left_out:
        note(
            f"{left_out:,} left out: processed, or given up again, since (`deadletters list --all` says which)"
        )


async def _send(settings: Settings, todo: Sequence[Dead]) -> None:
    shorts = sorted(set(map(_short, todo)))
    with progress_bar("sending", len(todo)) as advance:
        async with open_publisher(settings, *shorts) as publisher:
            for first in range(0, len(todo), _CHUNK):
                chunk = todo[first : first + _CHUNK]
                await publisher.publish([again(dead) for dead in chunk])
                advance(len(chunk))


def _short(dead: Dead) -> str:
    stage = BY_NAME.get(dead.stage)
    if stage is None:
        raise UnknownDeadLetter(
            f"{dead.name} was given up by {dead.stage!r}, which is no stage of this program"
        )
    return stage.reads


async def _read(settings: Settings) -> list[Dead]:
    """All dead letters that are still kept, oldest first."""
    async with open_ends(settings) as ends:
        found = [dead_of(record) async for record in ends.read("deadletters", await ends.now())]
    return sorted(
        (dead for dead in found if dead is not None),
        key=lambda dead: (dead.record.timestamp_ms, dead.record.partition, dead.record.offset),
    )


async def _with_state(reads: LedgerReads, found: Sequence[Dead]) -> list[tuple[Dead, str]]:
    """Each with `waiting`, `processed` (the ledger has what came of it) or `given up again` (a later attempt)."""
    done = await processed(reads, found)
    latest = {dead.content: dead.attempts for dead in newest(found)}
    return [
        (
            dead,
            "processed"
            if dead.name in done
            else "waiting"
            if dead.attempts == latest[dead.content]
            else "given up again",
        )
        for dead in found
    ]


def _filter(stage: str | None, reason: str | None, since: str | None) -> Any:
    if stage is not None and stage not in BY_NAME:
        raise typer.BadParameter(f"{stage!r} is no stage; there are: {', '.join(BY_NAME)}")
    moment: datetime | None = None if since is None else parse_time(since)

    def wanted(dead: Dead) -> bool:
        return (
            stage in (None, dead.stage)
            and (reason is None or reason.casefold() == dead.error_class.casefold())
            and (moment is None or dead.at >= moment)
        )

    return wanted


def _named(found: Sequence[tuple[Dead, str]], names: Sequence[str]) -> list[tuple[Dead, str]]:
    by_name = {dead.name: (dead, state) for dead, state in found}
    if missing := [name for name in names if name not in by_name]:
        raise UnknownDeadLetter(
            f"no dead letter {', '.join(missing)}; `claimstream deadletters list --all` lists them"
        )
    return [by_name[name] for name in dict.fromkeys(names)]


def _json(dead: Dead, state: str) -> dict[str, Any]:
    return {
        "id": dead.name,
        "given_up_at": time_text(dead.at),
        "stage": dead.stage,
        "error_class": dead.error_class,
        "error": dead.error,
        "attempts": dead.attempts,
        "item": dead.item,
        "origin": {
            "topic": dead.origin_topic,
            "partition": dead.origin_partition,
            "offset": dead.origin_offset,
        },
        "state": state,
    }


def _whole(dead: Dead) -> dict[str, Any]:
    key, value = dead.record.key or b"", dead.record.value or b""
    return {
        "headers": {
            name: content.decode("utf-8", "backslashreplace") for name, content in dead.record.headers
        },
        "key_base64": b64encode(key).decode(),
        "value_base64": b64encode(value).decode(),
        "value": value.decode("utf-8", "backslashreplace"),
    }
