"""Policy, authority and registry versions as the stages know them. A version never changes, so it is read once."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from processors.deciding.control import DEFAULT_POLICY
from processors.registry import Registry, shipped
from schemas.control import CONTROL, AuthoritySet, PolicySet, RegistrySet
from schemas.errors import TransientError
from schemas.inbox import Versions
from sinks.ports import ControlVersion, Reads

KINDS = ("policy", "authority", "registry")


class Controls:
    """A ControlView (processors.deciding.control) that is filled from the ledger before a batch is folded."""

    def __init__(self) -> None:
        # Index 0 is what ships; a tenant's list grows by one per version.
        self._policies: dict[str, list[PolicySet]] = {}
        self._authorities: dict[str, list[AuthoritySet | None]] = {}
        self._registries: dict[str, list[Registry]] = {}

    # -- the view -----------------------------------------------------------------------------------------------
    def policy(self, tenant: str, version: int) -> PolicySet:
        return DEFAULT_POLICY if version == 0 else self._policies[tenant][version]

    def authority(self, tenant: str, version: int) -> AuthoritySet | None:
        return None if version == 0 else self._authorities[tenant][version]

    def registry(self, tenant: str, version: int) -> Registry:
        return shipped() if version == 0 else self._registries[tenant][version]

    # -- filling ------------------------------------------------------------------------------------------------
    async def current(self, reads: Reads, tenants: Collection[str]) -> dict[str, Versions]:
        """The newest versions of each tenant, loaded."""
        heads = await reads.control_heads(tenants)
        found = {
            tenant: Versions(**{kind: heads.get((tenant, kind), 0) for kind in KINDS})
            for tenant in sorted(tenants)
        }
        await self.ensure(reads, found.items())
        return found

    async def ensure(self, reads: Reads, needed: Iterable[tuple[str, Versions]]) -> None:
        """Loads what is missing up to the given versions.

        Raises TransientError when the ledger does not have one yet: a proposal is stamped only with versions that
        are committed, so this can only be a control log that is still being replayed.
        """
        for tenant, versions in needed:
            for kind in KINDS:
                await self._ensure(reads, tenant, kind, getattr(versions, kind))

    async def _ensure(self, reads: Reads, tenant: str, kind: str, version: int) -> None:
        known = self._known(tenant, kind)
        if version < len(known):
            return
        self._extend(tenant, kind, await reads.control_log(tenant, kind, len(known) - 1))
        if version >= len(known):
            raise TransientError(
                f"{kind} version {version} of tenant {tenant} is not in the ledger yet; is the control stage running?"
            )

    def _known(self, tenant: str, kind: str) -> list[Any]:
        if kind == "policy":
            return self._policies.setdefault(tenant, [DEFAULT_POLICY])
        if kind == "authority":
            return self._authorities.setdefault(tenant, [None])
        return self._registries.setdefault(tenant, [shipped()])

    def _extend(self, tenant: str, kind: str, rows: Sequence[ControlVersion]) -> None:
        known = self._known(tenant, kind)
        for row in rows:
            if row.version != len(known):
                continue
            event = CONTROL[kind].from_json(row.body)
            known.append(known[-1].merged(event) if isinstance(event, RegistrySet) else event)
