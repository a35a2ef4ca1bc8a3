"""`claimstream audit`: does everything that is stored hang together?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from schemas.errors import ClaimstreamError, ConfigurationError
from streams.cli import running
from streams.cli.output import note, print_json, say
from topics.declaration import TOPICS

if TYPE_CHECKING:
    from audit.looking import Audited


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
    from audit.looking import Broker
    from audit.looking import audit as look

    settings = running.settings()
    names = {short: row.full_name(settings.topic_prefix) for short, row in TOPICS.items()}
    note("reading the ledger" + (", the topics" if topics else "") + (", the index" if index else ""))
    try:
        made = look(
            settings.dsn.get_secret_value(),
            settings.db_schema,
            broker=Broker(settings.bootstrap, names, 3 * settings.broker_timeout_s) if topics else None,
            index=settings.lancedb_uri if index else None,
            timeout_s=settings.database_timeout_s,
        )
    except CannotAudit as error:
        raise AuditImpossible(str(error)) from None
    found = made.findings
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
        print_json({"ok": not found, "checks": made.checks, "findings": rows, "digest": made.digest})
    else:
        _tell(made)
    if found:
        broken = dict.fromkeys(row.check for row in found)
        raise FoundFaults(f"{len(found)} rules are broken: {', '.join(broken)}")


def _tell(made: Audited) -> None:
    broken = {row.check for row in made.findings}
    for name in made.checks:
        say(f"{'BROKEN' if name in broken else 'ok    '} {name}")
    for row in made.findings:
        say("")
        say(str(row))
        say(f"  {row.advice}")
    say(f"what is believed: digest {made.digest[:16]}")
