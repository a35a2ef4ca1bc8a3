"""What rests on what: the claims whose evidence was derived from a claim, or from an event that is evidence of it."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple
from uuid import UUID


class Ground(NamedTuple):
    """One piece of evidence of a claim: the event that it is."""

    claim_id: UUID | None
    source: str
    event_id: str


def origins_of(claims: Iterable[UUID], grounds: Iterable[Ground]) -> dict[str, set[UUID]]:
    """Origin to the claims that it stands for: ``claim:<id>``, and the events of their evidence."""
    found = {f"claim:{key}": {key} for key in claims}
    for ground in grounds:
        if ground.claim_id is not None:
            found.setdefault(f"{ground.source}:{ground.event_id}", set()).add(ground.claim_id)
    return found


def derived(
    origins: Mapping[str, set[UUID]], rests: Iterable[tuple[str, UUID]]
) -> dict[UUID, tuple[UUID, ...]]:
    """Claim to the claims that rest on it; ``rests`` are (origin, claim). In a fixed order."""
    found: dict[UUID, set[UUID]] = {}
    for origin, claim in rests:
        for ground in origins.get(origin, ()):
            if ground != claim:
                found.setdefault(ground, set()).add(claim)
    return {key: tuple(sorted(claims, key=str)) for key, claims in found.items()}
