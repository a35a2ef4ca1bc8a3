"""The id map in memory, as one transaction sees it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from processors.identity import Known, Lookup, Name, Suggestion
from processors.identity.memory import MemoryIdentity
from sinks.identity_ports import MAX_NEARBY, Conversation, IdentityChanges, Said
from sinks.memory_tables import Layer, Table

NameKey = tuple[str, str, Name]


@dataclass(frozen=True, slots=True)
class _Named:
    conversation: Conversation
    entity: str


def _names() -> Table[NameKey, Known]:
    return Table()


def _named() -> Table[_Named, _Named]:
    return Table({"conversation": lambda row: row.conversation})


@dataclass(slots=True)
class IdentityTables:
    """What is committed. Keys begin with the tenant."""

    names: Table[NameKey, Known] = field(default_factory=_names)
    identifiers: Table[tuple[str, str], str] = field(default_factory=Table)
    forwards: Table[tuple[str, str], tuple[str, UUID]] = field(default_factory=Table)
    suspects: Table[tuple[str, str, str], Suggestion] = field(default_factory=Table)
    named: Table[_Named, _Named] = field(default_factory=_named)
    said: Table[Conversation, Said] = field(default_factory=Table)


class LayeredIdentity:
    """`sinks.identity_ports.IdentityStore`. It gives all of a tenant's id map, not only what was looked up."""

    def __init__(self, tables: IdentityTables) -> None:
        self._names = Layer(tables.names)
        self._identifiers = Layer(tables.identifiers)
        self._forwards = Layer(tables.forwards)
        self._suspects = Layer(tables.suspects)
        self._named = Layer(tables.named)
        self._said = Layer(tables.said)

    def commit(self) -> None:
        for layer in (
            self._names,
            self._identifiers,
            self._forwards,
            self._suspects,
            self._named,
            self._said,
        ):
            layer.commit()

    async def lock(self, tenant: str) -> None:
        """One event loop, and no pause between `view` and the commit that another batch could use."""

    async def view(self, tenant: str, lookups: Sequence[Lookup]) -> MemoryIdentity:
        found = MemoryIdentity()
        for (owner, _, _), row in sorted(self._names.items(), key=lambda item: (item[0][1], item[0][2].text)):
            if owner == tenant:
                found.add_name(row)
        for (owner, key), entity in sorted(self._identifiers.items()):
            if owner == tenant:
                found.add_identifiers(entity, [key])
        for (owner, entity), (target, _) in self._forwards.items():
            if owner == tenant:
                found.set_forward(entity, target)
        for (owner, first, second), why in self._suspects.items():
            if owner == tenant:
                found.suspects[first, second] = why
        return found

    async def nearby(self, conversations: Collection[Conversation]) -> dict[Conversation, frozenset[str]]:
        rows = {key: [row.entity for row in self._named.find("conversation", key)] for key in conversations}
        return {key: frozenset(entities[-MAX_NEARBY:]) for key, entities in rows.items() if entities}

    async def last_said(self, conversations: Collection[Conversation]) -> dict[Conversation, Said]:
        return {key: row for key in conversations if (row := self._said.get(key)) is not None}

    async def write(self, tenant: str, changes: IdentityChanges) -> None:
        for row in changes.names:
            held = self._names.get((tenant, row.entity, row.name))
            if held is None or row.origin == "stated":
                self._names.put((tenant, row.entity, row.name), row)
        for row, to in changes.moved:
            self._names.remove((tenant, row.entity, row.name))
            self._names.put((tenant, to, row.name), Known(to, row.name, row.origin))
        for key, entity in changes.identifiers:
            if (tenant, key) not in self._identifiers:
                self._identifiers.put((tenant, key), entity)
        for (first, second), why in changes.suspects.items():
            if (tenant, first, second) not in self._suspects:
                self._suspects.put((tenant, first, second), why)
        for conversation, entities in changes.named.items():
            for entity in entities:
                named = _Named(conversation, entity)
                if named not in self._named:
                    self._named.put(named, named)
        for conversation, said in changes.said.items():
            self._said.put(conversation, said)
        for entity, target, command in changes.forwards:
            if target is None:
                self._forwards.remove((tenant, entity))
            else:
                self._forwards.put((tenant, entity), (target, command))
