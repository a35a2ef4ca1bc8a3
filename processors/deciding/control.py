"""Policy, authority and registry of one tenant at given versions, as the decisions see them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from processors.deciding.model import Entity, SlotKey
from processors.patterns import most_specific
from processors.registry import Registry
from schemas.control import AuthoritySet, PolicyRule, PolicySet

DEFAULT_RULE = PolicyRule(pattern="*", strategy="recency")
DEFAULT_POLICY = PolicySet(tenant="default", event_id="shipped", rules=(DEFAULT_RULE,))


class ControlView(Protocol):
    """The versions that a batch needs; a store fills it before the fold. Version 0 is what ships."""

    def policy(self, tenant: str, version: int) -> PolicySet: ...

    def authority(self, tenant: str, version: int) -> AuthoritySet | None: ...

    def registry(self, tenant: str, version: int) -> Registry: ...


@dataclass(slots=True)
class Rules:
    """What holds for one entity while one record is decided."""

    policy: PolicySet
    authority: AuthoritySet | None
    registry: Registry
    _by_agent: dict[str, dict[str, float]] = field(default_factory=dict)

    @classmethod
    def at(cls, view: ControlView, entity: Entity) -> "Rules":
        tenant = entity.key.tenant
        return cls(
            view.policy(tenant, entity.policy),
            view.authority(tenant, entity.authority),
            view.registry(tenant, entity.registry),
        )

    def rule_for(self, slot: SlotKey) -> PolicyRule:
        """The rule with the most specific pattern; the registry's strategy where only ``*`` names the predicate.

        Recency when nothing names it.
        """
        return self.of_registry(slot) or self._named(slot)

    def of_registry(self, slot: SlotKey) -> PolicyRule | None:
        """The rule of the slot where it is the registry's and not the policy's."""
        named = self._named(slot)
        spec = self.registry.get(slot.predicate) if named.pattern == "*" else None
        if spec is None or spec.strategy is None:
            return None
        return named.model_copy(update={"strategy": spec.strategy})

    def _named(self, slot: SlotKey) -> PolicyRule:
        rules: Mapping[str, PolicyRule] = {rule.pattern: rule for rule in self.policy.rules}
        found = most_specific(slot.pattern_name, rules)
        return DEFAULT_RULE if found is None else rules[found]

    def weight(self, agent: str, slot: SlotKey) -> float | None:
        """The agent's weight on the slot's predicate by its most specific pattern; None when none is set."""
        if self.authority is None:
            return None
        if not self._by_agent:
            for entry in self.authority.weights:
                self._by_agent.setdefault(entry.agent, {})[entry.pattern] = entry.weight
        patterns = self._by_agent.get(agent, {})
        found = most_specific(slot.pattern_name, patterns)
        return None if found is None else patterns[found]
