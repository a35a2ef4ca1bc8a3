"""`claimstream health`: for a container's health check."""

from __future__ import annotations

from typing import Annotated

import typer

from schemas.errors import ClaimstreamError
from streams.cli import running
from streams.cli.output import print_json, say
from streams.cli.worker import stage_names
from streams.heartbeat import unwell


class Unwell(ClaimstreamError):
    """A stage does not run, or makes no progress."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("health")(health)


def health(
    stages: Annotated[list[str] | None, typer.Argument(metavar="STAGE...", help="Stages by name.")] = None,
    every: Annotated[bool, typer.Option("--all", help="All stages.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, for a program.")] = False,
) -> None:
    """Say whether a worker of this machine runs these stages and makes progress; exit code 1 when not.

    It looks at the files that workers write to CLAIMSTREAM_HEALTH_DIR every two seconds.
    """
    names = stage_names(stages or [], every)
    settings = running.settings()
    found = {name: unwell(settings.health_dir, name, settings.health_max_age_s) for name in names}
    if as_json:
        print_json({name: {"ready": why is None, "reason": why} for name, why in found.items()})
    bad = [f"{name}: {why}" for name, why in found.items() if why is not None]
    if bad:
        raise Unwell("; ".join(bad))
    if not as_json:
        say(f"ready: {', '.join(names)}")
