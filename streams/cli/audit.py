"""`claimstream audit`: does everything that is stored hang together?"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from schemas.errors import ClaimstreamError, ConfigurationError
from streams.cli import running
from streams.cli.output import note, print_json, say
from streams.settings import Settings
from topics.declaration import topic_name

if TYPE_CHECKING:
    from audit.finding import Finding


class FoundFaults(ClaimstreamError):
    """Something that is stored breaks a rule."""


class AuditImpossible(ConfigurationError):
    """A store could not be read."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("audit")(audit)


def audit(
    topics: Annotated[bool, typer.Option(help="Read the topics and compare them with the outbox.")] = True,
    index: Annotated[bool, typer.Option(help="Compare the vector index with the claims.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="JSON, for a program.")] = False,
) -> None:
    """Check the tables, the topics and the vector index from outside, with no code of the pipeline, and change nothing.

    For operators: all tenants are looked at. Exit code 0: nothing found; 1: something breaks a rule, and which rows do;
    2: a store could not be read.
    """
    # Here, not above: LanceDB takes a second to import.
    from audit.finding import CannotAudit

    settings = running.settings()
    try:
        made, found = _check(settings, topics, index)
    except CannotAudit as error:
        raise AuditImpossible(str(error)) from None
    if as_json:
        rows = [
            {
                "check": row.check,
                "rule": row.rule,
                "n": row.n,
                "subjects": row.subjects,
                "advice": row.advice,
            }
            for row in found
        ]
        print_json({"ok": not found, "checks": made, "findings": rows})
    else:
        _tell(made, found)
    if found:
        names = dict.fromkeys(row.check for row in found)
        raise FoundFaults(f"{len(found)} rules are broken: {', '.join(names)}")


def _tell(made: list[str], found: list[Finding]) -> None:
    broken = {row.check for row in found}
    for name in made:
        say(f"{'BROKEN' if name in broken else 'ok    '} {name}")
    for row in found:
        say("")
        say(str(row))
        say(f"  {row.advice}")


def _check(settings: Settings, topics: bool, index: bool) -> tuple[list[str], list[Finding]]:
    """The names of the checks made, and what they found."""
    from audit import ledger

    found: list[Finding | None] = []
    made: list[str] = []
    dsn = settings.dsn.get_secret_value()
    with ledger.open_ledger(dsn, settings.db_schema, settings.database_timeout_s) as connection:
        for rule in ledger.rules():
            made.append(rule.check)
            found.append(ledger.check(connection, rule))
        if topics:
            from audit import sums

            note("reading the topics")
            written = {
                short: topic_name(short, settings.topic_prefix)
                for short in ("facts", "inbox", "claims", "disputes", "reviews", "judge", "deadletters")
            }
            turns = topic_name("turns", settings.topic_prefix)
            read = asyncio.run(
                sums.records(settings.bootstrap, [turns, *written.values()], 3 * settings.broker_timeout_s)
            )
            made += ["turns", "topics"]
            found.append(sums.received(connection, read[turns]))
            for short, name in written.items():
                # People's commands come into the inbox from outside.
                found += sums.published(connection, name, read[name], outside=short == "inbox")
        if index:
            from audit import vectors

            made.append("vectors")
            found += vectors.compare(connection, vectors.rows(settings.lancedb_uri))
    return made, [row for row in found if row is not None]
