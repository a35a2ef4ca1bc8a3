"""What the stages need from a store of the id map, as a Protocol. See docs/identity.md for what is kept in it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol
from uuid import UUID

from processors.identity import Known, Lookup, Suggestion
from processors.identity.memory import MemoryIdentity

#: A part of a name finds its bearer among so many entities of a conversation, the last that were named first.
MAX_NEARBY: Final = 200


class Conversation(NamedTuple):
    """A stream of turns, as its producer names it."""

    tenant: str
    source: str
    stream_id: str


class Said(NamedTuple):
    """The event that said something last, and how many facts it had (0: nobody could read it)."""

    event_id: str
    facts: int


@dataclass(slots=True)
class IdentityChanges:
    """What a batch found out about one tenant; each is written once, what is there already stays.

    Attributes:
        names: rows of the id map; a ``stated`` one takes the place of the same name that was only seen.
        identifiers: (key, entity); the first entity to have one keeps it.
        suspects: pairs in order of name.
        named: what was named in which conversation.
        said: what was said last in which conversation.
        moved: (row, entity): the row belongs to the entity from now on.
        forwards: entity, what it was merged into (None: it stands for itself again), the control event that says so.
    """

    names: list[Known] = field(default_factory=list)
    identifiers: list[tuple[str, str]] = field(default_factory=list)
    suspects: dict[tuple[str, str], Suggestion] = field(default_factory=dict)
    named: dict[Conversation, list[str]] = field(default_factory=dict)
    said: dict[Conversation, Said] = field(default_factory=dict)
    moved: list[tuple[Known, str]] = field(default_factory=list)
    forwards: list[tuple[str, str | None, UUID]] = field(default_factory=list)


class IdentityReads(Protocol):
    """Questions about one tenant's id map."""

    async def view(self, tenant: str, lookups: Sequence[Lookup]) -> MemoryIdentity:
        """What is known under the lookups: names by key (all of an ``=`` key, of others `MAX_ROWS`), identifiers,
        forwards in both directions, every name and identifier of the entities found, and their suspects."""
        ...

    async def nearby(self, conversations: Collection[Conversation]) -> dict[Conversation, frozenset[str]]:
        """At most `MAX_NEARBY` entities of each; one without any is left out."""
        ...

    async def last_said(self, conversations: Collection[Conversation]) -> dict[Conversation, Said]:
        """What was said last in each; one without anything is left out."""
        ...


class IdentityStore(IdentityReads, Protocol):
    """The id map inside a transaction."""

    async def lock(self, tenant: str) -> None:
        """Until the end of the transaction nobody else changes this tenant's id map. Asked before `view`: two batches
        must not make two entities of one name. Several tenants are locked in order of their names."""
        ...

    async def write(self, tenant: str, changes: IdentityChanges) -> None: ...
