"""What a person decides about claims and disputes: commands into the inbox of the entity, carried out in its order."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

import typer

from processors.deciding.model import SlotKey
from schemas.commands import Action, Command, CommandContent
from schemas.errors import ClaimstreamError
from schemas.ids import fact_id
from sinks.ledger_reads import LedgerReads
from sinks.ledger_views import DisputeView
from streams.cli import running
from streams.cli.output import print_json, say
from streams.cli.stores import dispute_json, open_reads, value_text
from streams.envelope import command_record, open_publisher
from streams.settings import Settings
from streams.waiting import until_decided_one

Json = Annotated[bool, typer.Option("--json", help="JSON, for a program.")]
Tenant = Annotated[str | None, typer.Option(help="Whose memory; CLAIMSTREAM_DEFAULT_TENANT without it.")]
Actor = Annotated[str, typer.Option(help="Who decides it; weighs like an agent of that name.")]
Reason = Annotated[str, typer.Option(help="Why; kept with the decision.")]
_SOURCE = "cli"


class UnknownTarget(ClaimstreamError):
    """The ledger knows no dispute, claim, event or entity of that name."""


class Refused(ClaimstreamError):
    """The command was decided, and changed nothing."""


@dataclass(frozen=True, slots=True)
class Order:
    """A command that is not yet published."""

    entity: str
    action: Action
    fields: dict[str, Any]


Orders = Callable[[LedgerReads], Awaitable[list[Order]]]


def register(app: typer.Typer) -> None:
    """Add the commands that are no part of a group."""
    app.command("retract")(retract)
    app.command("restore")(restore)
    app.command("confirm")(confirm)
    app.command("reconsider")(reconsider)


def resolve(
    dispute: Annotated[
        str, typer.Argument(help="Its id, or the first characters of it: see `disputes list`.")
    ],
    accept: Annotated[bool, typer.Option("--accept", help="The challenger is right.")] = False,
    uphold: Annotated[bool, typer.Option("--uphold", help="What was held is right.")] = False,
    dismiss: Annotated[
        bool, typer.Option("--dismiss", help="It is no conflict: they mean two things.")
    ] = False,
    both: Annotated[
        str | None,
        typer.Option(
            "--both", metavar="CHALLENGER,INCUMBENT", help="Both hold, each in its scope, e.g. work,home."
        ),
    ] = None,
    expect: Annotated[
        int | None,
        typer.Option(
            min=0, help="The slot version that you looked at; refused when the parties changed since."
        ),
    ] = None,
    reason: Reason = "",
    actor: Actor = "operator",
    tenant: Tenant = None,
    as_json: Json = False,
) -> None:
    """Rule on an open dispute. The ruling stands: the same evidence told again does not open it anew."""
    if sum((accept, uphold, dismiss, both is not None)) != 1:
        raise typer.BadParameter("say one of --accept, --uphold, --both CHALLENGER,INCUMBENT, --dismiss")
    challenger, _, incumbent = (both or "").partition(",")
    if both is not None and challenger.strip() == incumbent.strip():
        raise typer.BadParameter("--both needs two different scopes, for example work,home")
    action: Action = (
        "accept_challenger"
        if accept
        else "uphold_incumbent"
        if uphold
        else "dismiss"
        if dismiss
        else "both_hold"
    )
    settings = running.settings(default_tenant=tenant)

    async def orders(reads: LedgerReads) -> list[Order]:
        found = await find_dispute(reads, settings.default_tenant, dispute)
        slot = found.dispute.cell.slot
        fields = {
            "dispute_id": found.dispute.id,
            "expected_slot_version": await _version(reads, slot) if expect is None else expect,
            "challenger_scope": challenger.strip(),
            "incumbent_scope": incumbent.strip(),
        }
        return [Order(slot.entity, action, fields)]

    _carry_out(settings, orders, actor, reason, as_json)


def show(
    dispute: Annotated[str, typer.Argument(help="Its id, or the first characters of it.")],
    tenant: Tenant = None,
    as_json: Json = False,
) -> None:
    """Show one dispute: who says what, since when, and how to rule on it."""
    settings = running.settings(default_tenant=tenant)

    async def ask() -> tuple[DisputeView, int]:
        async with open_reads(settings) as reads:
            found = await find_dispute(reads, settings.default_tenant, dispute)
            return found, await _version(reads, found.dispute.cell.slot)

    found, version = running.run(ask)
    one, slot = found.dispute, found.dispute.cell.slot
    if as_json:
        print_json(dispute_json(*found) | {"slot_version": version, "parties_since": one.parties_since})
        return
    where = f"{slot.entity} {slot.predicate}" + (f" [{slot.scope}]" if slot.scope else "")
    say(
        f"{one.id} ({one.status}): {where}, opened {one.opened_at:%Y-%m-%d %H:%M}Z, repeated {one.repeats} times"
    )
    say(f"  challenger: {value_text(found.challenger)!r}")
    for claim in found.incumbents:
        say(f"  held:       {value_text(claim)!r}")
    say(f"  {one.strategy}: {one.reason}")
    if one.status == "open":
        say(f"  claimstream disputes resolve {str(one.id)[:8]} --accept | --uphold | --both A,B | --dismiss")


def retract(
    claim: Annotated[UUID | None, typer.Argument(help="The id of a claim: see `claims --json`.")] = None,
    entity: Annotated[str | None, typer.Option(help="With --predicate: of this entity.")] = None,
    predicate: Annotated[str | None, typer.Option(help="All values of this predicate.")] = None,
    scope: Annotated[str, typer.Option(help="With --predicate: of this scope.")] = "",
    value_key: Annotated[str, typer.Option(help="With --predicate: of this value only.")] = "",
    event: Annotated[
        str | None, typer.Option(metavar="SOURCE/EVENT_ID", help="Everything that one event said.")
    ] = None,
    reason: Reason = "",
    actor: Actor = "operator",
    tenant: Tenant = None,
    as_json: Json = False,
) -> None:
    """Take back a claim, a predicate's values, or all that an event said; older evidence never brings it back."""
    if sum((claim is not None, predicate is not None, event is not None)) != 1:
        raise typer.BadParameter(
            "name one: a claim's id, --predicate with --entity, or --event SOURCE/EVENT_ID"
        )
    if (predicate is not None) != (entity is not None):
        raise typer.BadParameter("--predicate and --entity go together")
    settings = running.settings(default_tenant=tenant)
    whose = settings.default_tenant

    async def orders(reads: LedgerReads) -> list[Order]:
        if claim is not None:
            return [await _on_claim(reads, whose, claim, "retract")]
        if event is not None:
            return await _on_event(reads, whose, event)
        assert entity is not None
        await _known(reads, whose, entity)
        return [Order(entity, "retract", {"predicate": predicate, "scope": scope, "value_key": value_key})]

    _carry_out(settings, orders, actor, reason, as_json)


def restore(
    retraction: Annotated[
        UUID, typer.Argument(help="The id of the step that retracted: see `explain --json`.")
    ],
    entity: Annotated[str, typer.Option(help="Whose inbox it was in.")],
    reason: Reason = "",
    actor: Actor = "operator",
    tenant: Tenant = None,
    as_json: Json = False,
) -> None:
    """Undo a retraction: what it took back is decided again as if it had not been."""
    settings = running.settings(default_tenant=tenant)

    async def orders(reads: LedgerReads) -> list[Order]:
        await _known(reads, settings.default_tenant, entity)
        return [Order(entity, "restore", {"retraction_id": retraction})]

    _carry_out(settings, orders, actor, reason, as_json)


def confirm(
    claim: Annotated[UUID, typer.Argument(help="The id of a candidate: see `claims --json`.")],
    reason: Reason = "",
    actor: Actor = "operator",
    tenant: Tenant = None,
    as_json: Json = False,
) -> None:
    """Vouch for a candidate: it becomes active in place of what it contradicts."""
    settings = running.settings(default_tenant=tenant)

    async def orders(reads: LedgerReads) -> list[Order]:
        return [await _on_claim(reads, settings.default_tenant, claim, "confirm")]

    _carry_out(settings, orders, actor, reason, as_json)


def reconsider(
    entity: Annotated[str, typer.Argument(help="For example user:u1.")],
    reason: Reason = "",
    actor: Actor = "operator",
    tenant: Tenant = None,
    as_json: Json = False,
) -> None:
    """Decide everything about an entity again, under the policy, authority and registry of now."""
    settings = running.settings(default_tenant=tenant)

    async def orders(reads: LedgerReads) -> list[Order]:
        await _known(reads, settings.default_tenant, entity)
        return [Order(entity, "reconsider", {})]

    _carry_out(settings, orders, actor, reason, as_json)


async def find_dispute(reads: LedgerReads, tenant: str, name: str) -> DisputeView:
    """By id or the beginning of one. Raises UnknownTarget: none, or more than one."""
    found = await reads.disputes_named(tenant, name.casefold().strip())
    if len(found) == 1:
        return found[0]
    if found:
        raise UnknownTarget(f"{len(found)} disputes begin with {name!r}; write more of the id")
    raise UnknownTarget(
        f"no dispute {name!r} (tenant {tenant}); `claimstream disputes list --all` lists them"
    )


async def _version(reads: LedgerReads, slot: SlotKey) -> int:
    chain = await reads.slot_chain(slot)
    return 0 if chain is None else chain.slot.version


async def _on_claim(reads: LedgerReads, tenant: str, claim: UUID, action: Action) -> Order:
    found = (await reads.claims_by_id(tenant, [claim])).get(claim)
    if found is None:
        raise UnknownTarget(
            f"no claim {claim} (tenant {tenant}); `claimstream claims ENTITY --all --json` lists ids"
        )
    return Order(found.cell.slot.entity, action, {"claim_id": claim})


async def _on_event(reads: LedgerReads, tenant: str, name: str) -> list[Order]:
    source, slash, event_id = name.partition("/")
    if not slash or not source or not event_id:
        raise typer.BadParameter(f"--event {name!r}: write SOURCE/EVENT_ID")
    status = await reads.event_status(tenant, source, event_id)
    entities = dict.fromkeys(fact.entity for fact in status.facts if fact.entity is not None)
    if not entities:
        raise UnknownTarget(f"event {name} of tenant {tenant} stated nothing that is in the ledger")
    fields = {"target_event": event_id, "target_source": source}
    return [Order(entity, "retract", fields) for entity in entities]


async def _known(reads: LedgerReads, tenant: str, entity: str) -> None:
    """A misspelt id must not become an entity."""
    if await reads.entity(tenant, entity) is None:
        raise UnknownTarget(f"nothing is known of {entity} (tenant {tenant}); is it spelt right?")


def _carry_out(settings: Settings, orders: Orders, actor: str, reason: str, as_json: bool) -> None:
    done = running.run(lambda: _publish(settings, orders, actor, reason))
    if as_json:
        print_json([row | {"command": str(command.id)} for command, row in done])
    else:
        for command, row in done:
            say(f"{command.entity} {row['action']}: {row['outcome']}")
    refused = [row for _, row in done if row["outcome"] != "APPLIED"]
    if refused:
        raise Refused("; ".join(_why(row) for row in refused))


def _why(row: dict[str, Any]) -> str:
    if row["outcome"] == "REJECTED_STALE":
        return "the parties of the dispute changed since: look again (`claimstream disputes show`)"
    return f"{row['action']} changed nothing: {row['rule'].replace('_', ' ')}"


async def _publish(
    settings: Settings, orders: Orders, actor: str, reason: str
) -> Sequence[tuple[Command, dict[str, Any]]]:
    """Publishes the commands and waits until each is decided."""
    tenant = settings.default_tenant
    async with open_reads(settings) as reads:
        wanted = await orders(reads)
        versions = await reads.control_heads(tenant)
        now = datetime.now(UTC)
        commands = []
        for number, order in enumerate(wanted):
            event_id = f"{now:%Y%m%dT%H%M%S.%fZ}-{os.getpid()}-{number}"
            commands.append(
                Command(
                    tenant=tenant,
                    entity=order.entity,
                    id=fact_id(tenant, _SOURCE, event_id, 0),
                    source=_SOURCE,
                    event_id=event_id,
                    event_time=now,
                    received_at=now,
                    versions=versions,
                    actor=actor,
                    action=order.action,
                    content=CommandContent(reason=reason),
                    **order.fields,
                )
            )
        async with open_publisher(settings, "inbox") as publisher:
            await publisher.publish([command_record(command, settings) for command in commands])
        done = []
        for command in commands:
            outcome, rule, detail = await until_decided_one(
                reads, tenant, command.id, settings.wait_timeout_s
            )
            done.append((command, {**detail, "action": command.action, "outcome": outcome, "rule": rule}))
        return done
