"""`claimstream settings`: what is set, and from where."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from streams.cli import running
from streams.cli.output import print_json, print_table
from streams.settings import Settings, shown, variable


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("settings")(show)


def show(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, for a program.")] = False,
) -> None:
    """Show every setting, its value and what it is for. Passwords are hidden."""
    settings = running.settings()
    values = shown(settings)
    if as_json:
        print_json(values)
        return
    rows = []
    for name, field in Settings.model_fields.items():
        key = variable(name)
        rows.append((key, values[key], _origin(name, settings), field.description))
    print_table(("variable", "value", "from", "meaning"), rows, empty="")


def _origin(name: str, settings: Settings) -> str:
    if variable(name) in {key.upper() for key in os.environ}:
        return "environment"
    return ".env or dev" if name in settings.model_fields_set else "default"
