"""`claimstream claims`, `explain`, `counts`: what memory holds and why."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Annotated, Any, Final

import typer

from processors.deciding.model import Claim
from schemas.errors import ClaimstreamError
from sinks.ledger_views import SlotChain
from streams.cli import running
from streams.cli.output import print_json, print_table, say
from streams.cli.stores import (
    claim_json,
    decision_json,
    open_reads,
    strategy_text,
    time_text,
    value_text,
)
from streams.ends import open_ends
from streams.equations import Numbers, equations, measure
from streams.settings import Settings
from streams.topology import STAGES

Json = Annotated[bool, typer.Option("--json", help="JSON, for a program.")]
Tenant = Annotated[str | None, typer.Option(help="Whose memory; CLAIMSTREAM_DEFAULT_TENANT without it.")]

#: What is believed or could become so. The rest is history.
_CURRENT: Final = ("active", "scheduled", "disputed", "candidate")


class NothingKnown(ClaimstreamError):
    """Memory holds nothing of that name."""


class DoesNotAddUp(ClaimstreamError):
    """Records are missing, doubled, or still under way."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("claims")(claims)
    app.command("explain")(explain)
    app.command("counts")(counts)


def claims(
    entity: Annotated[str, typer.Argument(help="For example user:u1.")],
    history: Annotated[bool, typer.Option("--all", help="Superseded, ended and rejected ones too.")] = False,
    tenant: Tenant = None,
    as_json: Json = False,
) -> None:
    """Show the claims about an entity with their status and who supports them."""
    settings = running.settings(default_tenant=tenant)

    async def ask() -> list[tuple[Claim, tuple[str, ...]]]:
        async with open_reads(settings) as reads:
            return await reads.claims(settings.default_tenant, entity, None if history else _CURRENT)

    found = running.run(ask)
    if as_json:
        print_json([claim_json(claim, supporters) for claim, supporters in found])
        return
    rows = []
    for claim, supporters in found:
        slot = claim.cell.slot
        place = slot.predicate + (f" [{slot.scope}]" if slot.scope else "")
        status = claim.status + (f" ({claim.reason})" if claim.reason else "")
        rows.append(
            (place, value_text(claim), status, ", ".join(supporters), time_text(claim.last_confirmed))
        )
    columns = ("predicate", "value", "status", "supported by", "last confirmed")
    print_table(columns, rows, empty=f"nothing known about {entity} (tenant {settings.default_tenant})")


def explain(
    entity: Annotated[str, typer.Argument(help="For example user:u1.")],
    predicate: Annotated[str, typer.Argument(help="For example timezone; see `claimstream claims`.")],
    tenant: Tenant = None,
    as_json: Json = False,
) -> None:
    """Show why memory says what it says: each decision about a slot in order, who said it, what lost."""
    settings = running.settings(default_tenant=tenant)

    async def ask() -> list[SlotChain]:
        async with open_reads(settings) as reads:
            found = await reads.slot_chains(settings.default_tenant, entity, predicate)
            # Policies say "user.timezone", the ledger "timezone": both are understood.
            short = predicate.removeprefix(entity.split(":", 1)[0] + ".")
            return found or await reads.slot_chains(settings.default_tenant, entity, short)

    chains = running.run(ask)
    if not chains:
        raise NothingKnown(
            f"nothing was ever said about {predicate} of {entity} (tenant {settings.default_tenant}); "
            f"`claimstream claims {entity} --all` lists what was"
        )
    if as_json:
        print_json([_chain_json(chain) for chain in chains])
    else:
        for chain in chains:
            _print_chain(chain)


def _chain_json(chain: SlotChain) -> dict[str, Any]:
    steps = [
        decision_json(step.decision)
        | {
            "said": None if step.evidence is None else step.evidence.text,
            "quote": step.evidence and step.evidence.quote,
        }
        for step in chain.steps
    ]
    supporters = _supporters(chain)
    return {
        "entity": chain.slot.key.entity,
        "predicate": chain.slot.key.predicate,
        "scope": chain.slot.key.scope,
        "cardinality": chain.slot.cardinality,
        "steps": steps,
        "claims": [claim_json(claim, supporters.get(str(claim.id), ())) for claim in chain.claims],
    }


def _print_chain(chain: SlotChain) -> None:
    key = chain.slot.key
    values = {claim.id: value_text(claim) for claim in chain.claims}
    say(
        f"{key.entity} {key.predicate}"
        + (f" [{key.scope}]" if key.scope else "")
        + f" ({chain.slot.cardinality})"
    )
    for step in chain.steps:
        decision, evidence = step.decision, step.evidence
        said = "" if evidence is None else f" said {(evidence.quote or evidence.text)!r}"
        by = strategy_text(decision)
        say(
            f"  {decision.number}. {time_text(decision.order.at)} {decision.agent}{said}: "
            f"{decision.outcome} (case {decision.case}{by}: {decision.rule})"
        )
        for claim_id, status in decision.changed:
            # A command may reach other slots too: they tell of their own claims.
            if claim_id in values:
                say(f"       {values[claim_id]!r} became {status}")
    say("  now:")
    supporters = _supporters(chain)
    for claim in chain.claims:
        by = ", ".join(supporters.get(str(claim.id), ())) or "nobody"
        say(f"    {value_text(claim)!r}: {claim.status}, supported by {by}")


def _supporters(chain: SlotChain) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for support in chain.supports:
        key = str(support.claim_id)
        found[key] = tuple(sorted((*found.get(key, ()), support.agent)))
    return found


def counts(
    index: Annotated[bool, typer.Option("--index", help="Count the rows of the vector index too.")] = False,
    as_json: Json = False,
) -> None:
    """Count what went into each stage and what came of it, and check that nothing was lost or doubled.

    The left sides are the broker's, the right sides the ledger's. Exit code 1 when an equation does not hold:
    something is still under way, or lost.
    """
    settings = running.settings()
    numbers = running.run(lambda: _measure(settings, index))
    checked = equations(numbers)
    if as_json:
        print_json(
            {
                "tables": numbers.ledger.tables,
                "topics": dict(numbers.records),
                "counters": [row._asdict() for row in numbers.ledger.counters],
                "equations": [row.as_json() for row in checked],
            }
        )
    else:
        order = {stage.name: number for number, stage in enumerate(STAGES)}
        counters = sorted(
            numbers.ledger.counters, key=lambda row: (order.get(row.stage, 99), row.name, row.detail)
        )
        rows = [(row.stage, row.name, row.detail, f"{row.n:,}") for row in counters]
        print_table(("stage", "what", "detail", "count"), rows, empty="nothing was counted yet")
        for row in checked:
            say(("ok     " if row.ok else "WRONG  ") + str(row))
    wrong = [str(row) for row in checked if not row.ok]
    if wrong:
        raise DoesNotAddUp(f"{'; '.join(wrong)}. While records are under way this passes: ask again")


async def _measure(settings: Settings, index: bool) -> Numbers:
    async with AsyncExitStack() as opened:
        ends = await opened.enter_async_context(open_ends(settings))
        reads = await opened.enter_async_context(open_reads(settings))
        if not index:
            return await measure(ends, reads, settings.topic_prefix)
        from streams.assembly import open_embedder, open_vectors  # models take seconds to import

        vectors = await open_vectors(settings, open_embedder(settings))
        opened.push_async_callback(vectors.close)
        return await measure(ends, reads, settings.topic_prefix, vectors)
