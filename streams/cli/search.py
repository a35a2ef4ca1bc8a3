"""`claimstream search`: claims by meaning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

import typer

from processors.deciding.model import Claim
from sinks.vector_rows import VectorHit
from streams.cli import running
from streams.cli.output import print_json, print_table
from streams.cli.stores import open_reads, value_text
from streams.settings import Settings


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("search")(search)


def search(
    text: Annotated[str, typer.Argument(help="For example: what timezone is the user in?")],
    entity: Annotated[str | None, typer.Option(help="Only about this entity, for example user:u1.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most so many.")] = 5,
    tenant: Annotated[
        str | None, typer.Option(help="Whose memory; CLAIMSTREAM_DEFAULT_TENANT without it.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON, for a program.")] = False,
) -> None:
    """Find active claims whose meaning is near to a text, nearest first, each checked against the ledger."""
    if not text.strip():
        raise typer.BadParameter("say what to look for: the text is empty")
    settings = running.settings(default_tenant=tenant)
    found = running.run(lambda: find(settings, text, entity, limit))
    if as_json:
        print_json([hit.as_json() for hit in found])
        return
    rows = [
        (
            f"{hit.hit.score:.2f}",
            hit.hit.row.entity,
            hit.hit.row.predicate,
            hit.value,
            hit.hit.row.text,
            hit.status,
        )
        for hit in found
    ]
    columns = ("score", "entity", "predicate", "value", "claim", "ledger")
    print_table(columns, rows, empty=f"nothing found (tenant {settings.default_tenant})")


@dataclass(frozen=True, slots=True)
class CheckedHit:
    """A hit of the index with what the ledger says about it; the ledger wins."""

    hit: VectorHit
    claim: Claim | None

    @property
    def value(self) -> str:
        """The value as stated; empty when the ledger does not know the claim."""
        return "" if self.claim is None else value_text(self.claim)

    @property
    def status(self) -> str:
        """The claim's status in the ledger; `unknown` for a row without a claim."""
        return "unknown" if self.claim is None else self.claim.status

    def as_json(self) -> dict[str, object]:
        """For a program."""
        row = self.hit.row
        return {
            "score": round(self.hit.score, 4),
            "claim_id": row.claim_id,
            "entity": row.entity,
            "predicate": row.predicate,
            "scope": row.scope,
            "value": self.value,
            "text": row.text,
            "status": self.status,
            "verified_against_ledger": self.claim is not None and self.claim.status == row.status,
        }


async def find(settings: Settings, text: str, entity: str | None, limit: int) -> list[CheckedHit]:
    """The nearest active claims of the default tenant. Raises what the stores and the embedder raise."""
    # Here, not above: models and stores take seconds to import, and `--help` should not.
    from streams.assembly import open_embedder, open_vectors

    async with open_reads(settings) as reads:
        embedder = open_embedder(settings)
        vectors = await open_vectors(settings, embedder)
        try:
            (vector,) = await embedder.embed([text])
            filters = None if entity is None else {"entity": entity}
            hits = await vectors.search(vector, settings.default_tenant, limit, filters)
        finally:
            await vectors.close()
        claims = await reads.claims_by_id(settings.default_tenant, [UUID(hit.row.claim_id) for hit in hits])
    return [CheckedHit(hit, claims.get(UUID(hit.row.claim_id))) for hit in hits]
