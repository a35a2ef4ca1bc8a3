"""`claimstream replay` and `diff`: the ledger made again from what was recorded, and two ledgers side by side."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from schemas.errors import ClaimstreamError
from sinks.ledger_reads import LedgerReads
from streams.cli import running
from streams.cli.output import note, print_json, progress_bar, say
from streams.cli.stores import open_reads
from streams.cli.topics import parse_time
from streams.ends import open_ends, total
from streams.policy_file import read_policy_file
from streams.settings import Settings
from topics.declaration import topic_name

Json = Annotated[bool, typer.Option("--json", help="JSON, for a program.")]


class Differs(ClaimstreamError):
    """The two ledgers do not hold the same."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("replay")(replay)
    app.command("diff")(diff)


def replay(
    schema: Annotated[
        str, typer.Argument(help="The schema to make it in; not there yet, or of a replay broken off.")
    ],
    until: Annotated[
        str | None, typer.Option(help="Only records that the broker took before: 2026-01-31T12:00:00Z.")
    ] = None,
    policy: Annotated[
        Path | None, typer.Option(help="Rules (as for `policy apply`) in place of those that were in force.")
    ] = None,
    tenant: Annotated[
        str | None, typer.Option(help="The tenant of --policy, where the file names none.")
    ] = None,
    processes: Annotated[
        int, typer.Option(min=0, max=256, help="Processes that decide; 0: one per core.")
    ] = 0,
    as_json: Json = False,
) -> None:
    """Decide everything recorded on the control log and in the inboxes again, into a schema of its own.

    The live ledger is read and not changed. Without --until and --policy the result must be equal to it: exit code 1
    when it is not. A replay that was broken off goes on where it was.
    """
    settings = running.settings()
    moment = None if until is None else parse_time(until)
    rules = (
        [] if policy is None else read_policy_file(policy, tenant, settings.default_tenant, datetime.now(UTC))
    )

    async def make() -> dict[str, object]:
        from streams.replay import digest_of
        from streams.replay import replay as again

        began = time.monotonic()
        async with open_ends(settings) as ends:
            at = await ends.now()
            n = sum(total(at, topic_name(short, settings.topic_prefix)) for short in ("control", "inbox"))
            with progress_bar("replaying", n) as advance:
                made = await again(
                    settings, schema, ends, until=moment, rules=rules, processes=processes, advance=advance
                )
        seconds = time.monotonic() - began
        async with open_reads(settings) as reads:
            live = await digest_of(reads)
        return {
            "schema": schema,
            "records": made.records,
            "records_per_s": round(made.records / seconds) if seconds else 0,
            "entities": made.entities,
            "digest": made.digest,
            "live_digest": live.digest,
            "equal": made.digest == live.digest,
        }

    told = running.run(make)
    if as_json:
        print_json(told)
    else:
        say(
            f"{told['records']:,} records decided again into {schema} ({told['records_per_s']:,} a second), "
            f"{told['entities']:,} entities; digest {str(told['digest'])[:16]}"
        )
        say(
            "equal to the live ledger"
            if told["equal"]
            else f"not equal: claimstream diff {settings.db_schema} {schema}"
        )
    if not told["equal"] and moment is None and not rules:
        raise Differs(
            "the replay is not equal to the live ledger. While records are under way this passes: let them settle, and "
            "replay again"
        )


def diff(
    first: Annotated[str, typer.Argument(help="A schema with a ledger.")],
    second: Annotated[str, typer.Argument(help="Another one.")],
    limit: Annotated[int, typer.Option(min=1, help="Show at most so many entities; all are counted.")] = 100,
    as_json: Json = False,
) -> None:
    """Show what two ledgers believe differently, entity by entity. Exit code 1 when they differ."""
    settings = running.settings()

    async def compare() -> tuple[list[dict[str, object]], int]:
        from streams.replay import differences

        shown: list[dict[str, object]] = []
        n = 0
        async with _reads(settings, first) as one, _reads(settings, second) as two:
            async for row in differences(one, two):
                n += 1
                if len(shown) < limit:
                    shown.append(
                        {
                            "tenant": row.tenant,
                            "entity": row.entity,
                            first: row.only_first,
                            second: row.only_second,
                        }
                    )
        return shown, n

    rows, n = running.run(compare)
    if as_json:
        print_json({"entities": n, "differences": rows})
    else:
        for row in rows:
            say(f"{row['tenant']} {row['entity']}")
            for name, sign in ((first, "-"), (second, "+")):
                for line in row[name]:  # type: ignore[attr-defined]
                    say(f"  {sign} {line}")
        if n > len(rows):
            note(f"and {n - len(rows):,} more entities")
    if n:
        raise Differs(f"{n:,} entities differ")
    note("no difference")


def _reads(settings: Settings, schema: str) -> LedgerReads:
    return LedgerReads(settings.dsn.get_secret_value(), schema=schema, timeout_s=settings.database_timeout_s)
