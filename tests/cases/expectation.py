"""Comparing what a case expects with what is believed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC
from typing import Any, NamedTuple

from processors.deciding.model import Claim
from tests.cases.scene import Believed
from tests.cases.table import Case


class Wanted(NamedTuple):
    """An expected claim in our names."""

    entity: str
    predicate: str
    scope: str
    value: str
    polarity: str

    @property
    def name(self) -> str:
        scope = f"@{self.scope}" if self.scope else ""
        return f"{self.entity} {self.predicate}{scope} = {self.value}"


def wanted(expected: dict[str, Any], ours: Case) -> Wanted:
    """The expected claim under our names; yes and no are the polarity where the value is said elsewhere."""
    entity = expected["entity"].split("/", 1)[-1]
    name, _, held = ours.names.get(
        f"{entity} {expected['predicate']}", f"{entity} {expected['predicate']}"
    ).partition(" = ")
    entity, predicate = name.split(" ", 1)
    predicate, _, scope = predicate.partition("@")
    said = expected["value"]
    polarity = "-" if held and said == "no" else "+"
    return Wanted(entity, predicate, scope, held or ours.names.get(said, said), polarity)


def find(believed: Believed, want: Wanted) -> list[Claim]:
    """Claims of the slot with the value, the same text but for case."""
    return [claim for claim in in_slot(believed, want) if _same(claim, want)]


def in_slot(believed: Believed, want: Wanted) -> list[Claim]:
    return [
        claim for claim in believed.claims if claim.cell.slot[1:] == (want.entity, want.predicate, want.scope)
    ]


def _same(claim: Claim, want: Wanted) -> bool:
    return claim.value.text.casefold() == want.value.casefold() and claim.polarity == want.polarity


def differences(case: dict[str, Any], ours: Case, believed: Believed) -> Iterator[str]:
    """What is not as expected, in words; nothing when all is."""
    tenants = {turn.get("tenant", "t") for turn in case["turns"]}
    expected = [row for row in case["expectation"]["claims"] if _of(row, believed, tenants)]
    for row in expected:
        want = wanted(row, ours)
        found = find(believed, want)
        status, reason = _status(row["status"])
        status = ours.statuses.get(want.name, status)
        fitting = [
            claim for claim in found if claim.status == status and (not reason or claim.reason == reason)
        ]
        if len(fitting) != 1:
            yield f"{want.name}: expected one {status} claim, found {[claim.status for claim in found] or 'none'}"
            continue
        yield from _details(row, want, fitting[0], believed)
    yield from _only(expected, ours, believed)
    for row in case["expectation"].get("absent", ()):
        if any(claim.status == row["status"] for claim in find(believed, wanted(row, ours))):
            yield f"{wanted(row, ours).name} is {row['status']}"
    yield from _counts(ours, believed)


def _of(row: dict[str, Any], believed: Believed, tenants: set[str]) -> bool:
    """Whether the expectation is about the tenant that was looked at."""
    named = row["entity"].partition("/")[0] if "/" in row["entity"] else None
    return named is None or named in {entity.entity.key.tenant for entity in believed.rows}


def _status(said: str) -> tuple[str, str]:
    return ("candidate", said) if said in ("unresolved", "quarantined") else (said, "")


def _details(row: dict[str, Any], want: Wanted, claim: Claim, believed: Believed) -> Iterator[str]:
    if "basis" in row and claim.basis != row["basis"]:
        yield f"{want.name}: basis {claim.basis}, not {row['basis']}"
    if "version" in row and claim.slot_version != row["version"]:
        yield f"{want.name}: made at version {claim.slot_version} of its slot, not {row['version']}"
    for name in ("valid_from", "valid_to"):
        moment = getattr(claim, name)
        written = moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if moment else "open"
        if name in row and not written.startswith(row[name]):
            yield f"{want.name}: {name} {written}, not {row[name]}"
    if "provenance" in row and believed.provenance(claim) != set(row["provenance"]):
        yield f"{want.name}: from {believed.provenance(claim)}, not {row['provenance']}"


def _only(expected: list[dict[str, Any]], ours: Case, believed: Believed) -> Iterator[str]:
    """Where the case says what is believed of a slot, nothing else may be."""
    wants = [wanted(row, ours) for row in expected]
    for want in wants:
        for claim in in_slot(believed, want):
            if claim.status == "active" and not any(_same(claim, one) for one in wants):
                yield f"{want.name}: {claim.polarity}{claim.value.text} is believed as well"


def _counts(ours: Case, believed: Believed) -> Iterator[str]:
    opened = [event for event in believed.disputes if event.change == "opened"]
    found = {
        "disputes": len(opened),
        "reviews": len(believed.reviews),
        "claims": len(believed.claims),
        "entities": len({claim.cell.slot.entity for claim in believed.claims}),
    }
    for name, n in found.items():
        if getattr(ours, name) not in (None, n):
            yield f"{n} {name}, not {getattr(ours, name)}: {sorted(believed.lines())}"
