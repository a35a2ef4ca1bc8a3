"""`claimstream worker`: run stages."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Annotated

import typer
from prometheus_client import start_http_server

from schemas.errors import ClaimstreamError
from streams.cli import running
from streams.settings import Settings
from streams.topology import RUNNABLE


class WorkerEnded(ClaimstreamError):
    """A stage crashed; what it had not acknowledged comes again when the worker is started again."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "worker",
        epilog="Stages: " + ", ".join(f"{stage.name} ({stage.does})" for stage in RUNNABLE.values()) + ".",
    )(worker)


def worker(
    stages: Annotated[list[str] | None, typer.Argument(metavar="STAGE...", help="Stages by name.")] = None,
    every: Annotated[bool, typer.Option("--all", help="All stages in this one process.")] = False,
) -> None:
    """Run stages until SIGTERM or Ctrl-C (exit code 0). A crash ends the process with exit code 1: start it again.

    Start as many workers of a stage as there are partitions, at most; they share them.
    """
    names = stage_names(stages or [], every)
    settings = running.settings()
    if asyncio.run(_host(names, settings)) != 0:
        raise WorkerEnded()


def stage_names(names: Sequence[str], every: bool) -> list[str]:
    """The stages asked for, each once. Raises typer.BadParameter for none, for both ways, for an unknown one."""
    if bool(names) == every:
        raise typer.BadParameter(f"name the stages ({', '.join(RUNNABLE)}), or say --all")
    for name in names:
        if name not in RUNNABLE:
            near = difflib.get_close_matches(name, RUNNABLE, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(RUNNABLE)}"
            raise typer.BadParameter(f"{name!r} is no stage; {hint}")
    return list(dict.fromkeys(names)) if names else list(RUNNABLE)


async def _host(names: Sequence[str], settings: Settings) -> int:
    # Here, not above: models and stores take seconds to import, and `--help` should not.
    from streams.assembly import open_stages
    from streams.cli.stores import open_reads
    from streams.collector import settle_collector
    from streams.faust_adapter import FaustOptions
    from streams.heartbeat import Heartbeat
    from streams.logs import configure
    from streams.watchdog import Watchdog, lag_of
    from streams.worker import host

    configure(settings)
    options = FaustOptions(
        settings.bootstrap, settings.topic_prefix, session_timeout_s=settings.session_timeout_s
    )
    async with (
        Heartbeat(settings.health_dir, names) as heartbeat,
        open_stages(names, settings) as (stages, services),
        AsyncExitStack() as opened,
    ):
        if settings.stall_s and stages:
            reads = await opened.enter_async_context(open_reads(settings))
            read = [stage.name for stage in stages]
            services.append(Watchdog(read, lag_of(read, settings, reads), settings.stall_s))
        if settings.metrics_port:
            start_http_server(settings.metrics_port, settings.metrics_host)
        settle_collector()
        return await host(stages, options, services=services, on_ready=heartbeat.ready)
