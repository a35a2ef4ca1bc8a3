"""The commands, put together."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from streams.cli import running


def build() -> typer.Typer:
    """The program with all its commands."""
    from streams.cli import (
        audit,
        deadletters,
        dev,
        disputes,
        health,
        identity,
        orders,
        policy,
        publish,
        reading,
        replay,
        say,
        search,
        settings_command,
        status,
        topics,
        worker,
    )

    app = typer.Typer(
        name="claimstream",
        help="Shared memory for many agents, as a stream: turns in; claims, disputes and an index out.",
        epilog=(
            "Exit codes: 0 done; 1 failed or found a problem; 2 wrong usage or settings; 128+n ended by signal n. "
            "Start with `claimstream demo`, or `claimstream dev` and, in another terminal, `claimstream say`."
        ),
        no_args_is_help=True,
        add_completion=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for module in (
        dev,
        say,
        publish,
        reading,
        status,
        search,
        disputes,
        orders,
        identity,
        policy,
        topics,
        deadletters,
        audit,
        replay,
        worker,
        health,
        settings_command,
    ):
        module.register(app)
    return app


def _options(
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks and the clients' own log.")] = False,
    show_version: Annotated[bool, typer.Option("--version", help="Show the version.", is_eager=True)] = False,
) -> None:
    if debug:
        running.set_debugging()
    if show_version:
        typer.echo(f"claimstream {version('claimstream')}")
        raise typer.Exit
