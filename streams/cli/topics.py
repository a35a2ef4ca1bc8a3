"""`claimstream topics`: create, describe, offsets."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, TypeVar

import typer

from schemas.errors import ClaimstreamError, TransientError
from streams.cli import running
from streams.cli.output import print_json, print_table, say
from topics import admin
from topics.declaration import TOPICS, topic

Json = Annotated[bool, typer.Option("--json", help="JSON, for a program.")]
Result = TypeVar("Result")


class TopicsWrong(ClaimstreamError):
    """Topics are missing or differ from what is declared."""


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(no_args_is_help=True, help="The topics on the broker.", rich_markup_mode=None)
    group.command("create")(create)
    group.command("describe")(describe)
    group.command("offsets")(offsets)
    app.add_typer(group, name="topics")


def create(as_json: Json = False) -> None:
    """Create the topics that are missing; those that exist are left as they are."""
    settings = running.settings()
    created = running.run(
        lambda: admin.create_topics(
            settings.bootstrap,
            settings.topic_prefix,
            settings.partitions,
            settings.replication_factor,
            timeout_s=3 * settings.broker_timeout_s,
        )
    )
    if as_json:
        print_json({"created": created})
    elif created:
        say("created " + ", ".join(created))
    else:
        say("nothing to do: all topics are there")


def describe(as_json: Json = False) -> None:
    """Show each declared topic: partitions on the broker, retention, largest record, writers; with --json keys too.

    Exit code 1 when one is missing or has another number of partitions.
    """
    settings = running.settings()

    async def ask() -> list[admin.TopicState]:
        return await within(
            settings.broker_timeout_s,
            settings.bootstrap,
            admin.describe_topics(settings.bootstrap, settings.topic_prefix, settings.partitions),
        )

    states = running.run(ask)
    if as_json:
        print_json([asdict(topic(state.short)) | asdict(state) for state in states])
    else:
        rows = []
        for state in states:
            row = topic(state.short)
            found = str(state.partitions) if state.partitions else "missing"
            kept = "for ever" if row.retention_ms < 0 else f"{row.retention_ms // 86_400_000} days"
            size = f"{row.max_message_bytes // 1024:,} KiB"
            partitions = (
                found
                if state.partitions == state.declared_partitions
                else f"{found}, not {state.declared_partitions}"
            )
            rows.append((state.name, partitions, kept, size, ", ".join(row.written_by)))
        columns = ("topic", "partitions", "kept", "largest", "written by")
        print_table(columns, rows, empty="")
    wrong = [state.name for state in states if state.partitions != state.declared_partitions]
    if wrong:
        raise TopicsWrong(
            f"missing or with another number of partitions: {', '.join(wrong)}; run `claimstream topics create`"
        )


def offsets(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[TOPIC]...", help="Short names; all without one.")
    ] = None,
    at: Annotated[str | None, typer.Option(help="Also the offset at a time: 2026-01-31T12:00:00Z.")] = None,
    as_json: Json = False,
) -> None:
    """Show the first and the next offset of every partition and, with --at, where a time begins."""
    settings = running.settings()
    moment = None if at is None else parse_time(at)
    full = [topic(name).full_name(settings.topic_prefix) for name in names or TOPICS]

    async def ask() -> list[admin.PartitionOffsets]:
        return await within(
            3 * settings.broker_timeout_s, settings.bootstrap, admin.offsets(settings.bootstrap, full, moment)
        )

    found = running.run(ask)
    if as_json:
        print_json([asdict(row) for row in found])
        return
    columns = ("topic", "partition", "earliest", "next") + (() if moment is None else ("at",))
    rows = [
        (row.topic, row.partition, row.earliest, row.latest) + (() if moment is None else (row.at,))
        for row in found
    ]
    print_table(columns, rows, empty="no partitions")


def parse_time(text: str) -> datetime:
    """An RFC 3339 time with a zone. Raises typer.BadParameter."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no time; write it as 2026-01-31T12:00:00Z") from None
    if moment.tzinfo is None:
        raise typer.BadParameter(f"{text!r} has no time zone; write it as {text}Z for UTC")
    return moment.astimezone(UTC)


async def within(seconds: float, bootstrap: str, question: Awaitable[Result]) -> Result:
    """The broker's answer. Raises TransientError after `seconds`: a firewall may swallow what is sent."""
    try:
        return await asyncio.wait_for(question, seconds)
    except TimeoutError:
        raise TransientError(
            f"the broker at {bootstrap} did not answer within {seconds:g} s; check the address "
            "(CLAIMSTREAM_BOOTSTRAP) and that it can be reached"
        ) from None
