"""`claimstream policy`: who is believed about what."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from streams.cli import running
from streams.cli.output import print_json, say
from streams.cli.stores import open_reads
from streams.envelope import Control, control_record, open_publisher
from streams.policy_file import read_policy_file
from streams.settings import Settings
from streams.waiting import until_versions


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(no_args_is_help=True, help="Who is believed about what.", rich_markup_mode=None)
    group.command("apply")(apply)
    # A group of one command would lose its name without a callback.
    group.callback()(lambda: None)
    app.add_typer(group, name="policy")


def apply(
    file: Annotated[
        Path, typer.Argument(help="YAML or JSON with policy, authority and registry, any of them.")
    ],
    tenant: Annotated[str | None, typer.Option(help="The tenant, where the file names none.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The versions as one JSON object.")] = False,
) -> None:
    """Publish a file of rules and wait until each part has become a version.

    A policy and an authority replace the tenant's as a whole; registry entries are added or replaced by name. What
    was decided before stays as it is: rules act on what comes after.
    """
    settings = running.settings()
    events = read_policy_file(file, tenant, settings.default_tenant, datetime.now(UTC))
    versions = running.run(lambda: _apply(events, settings))
    if as_json:
        print_json({"tenant": events[0].tenant, "versions": versions})
    else:
        say(f"tenant {events[0].tenant}: " + ", ".join(f"{kind} version {n}" for kind, n in versions.items()))


async def _apply(events: Sequence[Control], settings: Settings) -> dict[str, int]:
    records = [control_record(event, settings) for event in events]
    async with open_reads(settings) as reads:
        async with open_publisher(settings, "control") as publisher:
            await publisher.publish(records)
        return await until_versions(reads, events[0].tenant, events, settings.wait_timeout_s)
