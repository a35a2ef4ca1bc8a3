"""`claimstream identity`: who is who, and putting it right."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

import typer

from processors.identity import Lookup, is_unresolved, type_of
from processors.identity.commands import check_alias
from processors.identity.memory import MemoryIdentity
from schemas.errors import ClaimstreamError
from schemas.identity import AliasSet, AssignUnresolved, MergeEntities, SplitEntity
from schemas.ids import derived_id, event_uuid
from sinks.ledger_reads import LedgerReads
from streams.cli import running
from streams.cli.output import note, print_json, say
from streams.cli.stores import open_reads
from streams.envelope import control_record, open_publisher
from streams.settings import Settings
from streams.stages.control import IdentityCommand, check, lookup_for
from streams.waiting import until_decided_one, until_versions

Json = Annotated[bool, typer.Option("--json", help="JSON, for a program.")]
Tenant = Annotated[str | None, typer.Option(help="Whose memory; CLAIMSTREAM_DEFAULT_TENANT without it.")]
Actor = Annotated[str, typer.Option(help="Who orders it; kept with the decision.")]
Reason = Annotated[str, typer.Option(help="Why; kept with the decision.")]
Evidence = Annotated[
    list[UUID] | None,
    typer.Option("--evidence", help="The id of a step in `explain --json`; may be repeated."),
]


class UnknownEntity(ClaimstreamError):
    """Nothing is known of an entity of that name."""


class Refused(ClaimstreamError):
    """The command was not carried out."""


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(no_args_is_help=True, help="Who is who, and putting it right.", rich_markup_mode=None)
    group.command("show")(show)
    group.command("merge")(merge)
    group.command("split")(split)
    group.command("alias")(alias)
    group.command("assign")(assign)
    app.add_typer(group, name="identity")


def show(
    entity: Annotated[str, typer.Argument(help="For example person:ana-ruiz.")],
    tenant: Tenant = None,
    as_json: Json = False,
) -> None:
    """Show the names and identifiers of an entity, what was merged with it, and what may be the same."""
    settings = running.settings(default_tenant=tenant)

    async def ask() -> MemoryIdentity:
        async with open_reads(settings) as reads:
            view = await reads.identity(settings.default_tenant, [Lookup("", (), (), (entity,))])
            await _require(reads, settings.default_tenant, view, entity)
            return view

    found = _told(running.run(ask), entity)
    if as_json:
        print_json(found)
        return
    if found["merged_into"]:
        say(f"{entity} was merged into {found['merged_into']}")
    for title, rows in (
        ("names", [f"{row['name']} ({row['origin']})" for row in found["names"]]),
        ("identifiers", found["identifiers"]),
        ("merged into it", found["merged"]),
        (
            "may be the same",
            [f"{row['entity']} ({row['why']}, {row['score']:.2f})" for row in found["suspects"]],
        ),
    ):
        say(f"{title}: {', '.join(rows) or 'none'}")


def merge(
    entity: Annotated[str, typer.Argument(help="Whose evidence moves; its id becomes a forward.")],
    into: Annotated[str, typer.Argument(help="The one that stays.")],
    reason: Reason = "",
    actor: Actor = "operator",
    tenant: Tenant = None,
    as_json: Json = False,
) -> None:
    """Make two entities one: everything said of the first is decided again under the second, in its own order."""
    settings = running.settings(default_tenant=tenant)
    command = MergeEntities(**_head(settings, actor, reason), entity=entity, into=into)
    _carry_out(settings, command, (entity, into), as_json)


def split(
    entity: Annotated[str, typer.Argument(help="The entity that holds too much.")],
    new_entity: Annotated[str, typer.Argument(help="A new id; or one that was merged, to undo that.")],
    evidence: Evidence = None,
    mention: Annotated[str, typer.Option(help="All that named it so, and the name with it.")] = "",
    reason: Reason = "",
    actor: Actor = "operator",
    tenant: Tenant = None,
    as_json: Json = False,
) -> None:
    """Take a part of what an entity holds to another one, or undo a merge; both sides are decided again."""
    if evidence and mention:
        raise typer.BadParameter("--evidence and --mention exclude each other")
    settings = running.settings(default_tenant=tenant)
    command = SplitEntity(
        **_head(settings, actor, reason),
        entity=entity,
        new_entity=new_entity,
        evidence=tuple(evidence or ()),
        mention=mention,
    )
    _carry_out(settings, command, (entity,), as_json)


def alias(
    name: Annotated[str, typer.Argument(help="The other name, as people say it.")],
    entity: Annotated[str, typer.Argument(help="Whose name it is.")],
    type_: Annotated[
        str, typer.Option("--type", help="The type it is said of; the entity's without it.")
    ] = "",
    reason: Reason = "",
    actor: Actor = "operator",
    tenant: Tenant = None,
    as_json: Json = False,
) -> None:
    """Give an entity another name: later mentions of it resolve there, what was decided stays."""
    settings = running.settings(default_tenant=tenant)
    head = _head(settings, actor, reason)
    command = AliasSet(**head, alias=name, alias_type=type_ or type_of(entity), entity=entity)
    _carry_out(settings, command, (entity,), as_json)


def assign(
    unresolved: Annotated[str, typer.Argument(help="The key of the review, for example unresolved:robin.")],
    entity: Annotated[str, typer.Argument(help="Who is meant.")],
    evidence: Evidence = None,
    new: Annotated[bool, typer.Option("--new", help="Nothing is known of the entity yet.")] = False,
    reason: Reason = "",
    actor: Actor = "operator",
    tenant: Tenant = None,
    as_json: Json = False,
) -> None:
    """Say who is meant by an ambiguous mention: what waits there is decided under that entity."""
    settings = running.settings(default_tenant=tenant)
    command = AssignUnresolved(
        **_head(settings, actor, reason),
        unresolved=unresolved,
        entity=entity,
        evidence=tuple(evidence or ()),
    )
    _carry_out(settings, command, (unresolved,) if new else (unresolved, entity), as_json)


def _head(settings: Settings, actor: str, reason: str) -> dict[str, Any]:
    now = datetime.now(UTC)
    return {
        "tenant": settings.default_tenant,
        "event_id": f"{now:%Y%m%dT%H%M%S.%fZ}-{os.getpid()}",
        "actor": actor,
        "reason": reason,
        "at": now,
    }


def _carry_out(settings: Settings, command: IdentityCommand, known: Sequence[str], as_json: bool) -> None:
    outcome, detail = running.run(lambda: _publish(settings, command, known))
    if outcome == "REJECTED":
        raise Refused(
            str(detail.get("refused", "the entity was merged meanwhile; `identity show` says where to"))
        )
    if as_json:
        print_json({"command": command.type, "outcome": outcome, **detail})
    elif isinstance(command, AliasSet):
        say(f"{command.alias!r} is a name of {command.entity}")
    else:
        say(f"{command.type}: {detail['moved']} statements moved to {detail['to']}")
        note("they are decided there in a moment")


async def _publish(
    settings: Settings, command: IdentityCommand, known: Sequence[str]
) -> tuple[str, dict[str, Any]]:
    """Checks the command as control will, publishes it, and waits until it is carried out."""
    tenant, wait = settings.default_tenant, settings.wait_timeout_s
    async with open_reads(settings) as reads:
        view = await reads.identity(tenant, [lookup_for(command)])
        if isinstance(command, AliasSet):
            check_alias(command, view)
        else:
            check(command, view)
        for entity in known:
            await _require(reads, tenant, view, entity)
        async with open_publisher(settings, "control") as publisher:
            await publisher.publish([control_record(command, settings)])
        await until_versions(reads, tenant, [command], wait)
        if isinstance(command, AliasSet):
            return "APPLIED", {"alias": command.alias, "entity": command.entity}
        key = event_uuid(tenant, command.source, command.event_id)
        moved = await until_decided_one(reads, tenant, derived_id(key, "moved"), wait)
        return moved.outcome, moved.detail


async def _require(reads: LedgerReads, tenant: str, view: MemoryIdentity, entity: str) -> None:
    """A misspelt id must not become an entity."""
    if (
        view.names_of(entity)
        or view.identifiers_of(entity)
        or view.forward(entity)
        or view.merged_into(entity)
    ):
        return
    if await reads.entity(tenant, entity) is None:
        hint = "the reviews topic says what is unresolved" if is_unresolved(entity) else "is it spelt right?"
        raise UnknownEntity(f"nothing is known of {entity} (tenant {tenant}); {hint}")


def _told(view: MemoryIdentity, entity: str) -> dict[str, Any]:
    suspects = [
        {"entity": second if first == entity else first, "why": one.why, "score": one.score}
        for (first, second), one in sorted(view.suspects.items())
        if entity in (first, second)
    ]
    return {
        "entity": entity,
        "names": [
            {"name": row.name.text, "type": row.name.type, "origin": row.origin, "entity": row.entity}
            for row in view.names_of(entity)
        ],
        "identifiers": list(view.identifiers_of(entity)),
        "merged_into": view.forward(entity),
        "merged": list(view.merged_into(entity)),
        "suspects": suspects,
    }
