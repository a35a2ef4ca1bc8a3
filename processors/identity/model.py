"""What is known of entities, and what resolving a mention gives."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

#: How a name came to an entity: it made the entity, was seen for it as a spelling, or was stated or set as an alias.
NameOrigin = Literal["claimed", "seen", "stated"]
How = Literal[
    "id", "speaker", "identifier", "alias", "name", "spelling", "context", "new", "ambiguous", "conflict"
]
Why = Literal["part_of_name", "other_spelling", "acronym", "identifier", "same_name"]


@dataclass(frozen=True, slots=True)
class Name:
    """A name of an entity as it was said, with the type it was said of."""

    text: str
    type: str


@dataclass(frozen=True, slots=True)
class Known:
    """A row of the id map: `name` belongs to `entity`."""

    entity: str
    name: Name
    origin: NameOrigin = "seen"


@dataclass(frozen=True, slots=True)
class Lookup:
    """What must be loaded to resolve a mention: index keys by family, identifiers, entities that may have moved."""

    family: str
    keys: tuple[str, ...]
    identifiers: tuple[str, ...]
    entities: tuple[str, ...]


#: A view may stop here for keys other than ``=...``; whoever reads so many rows takes the name for ambiguous.
MAX_ROWS: Final = 200


class IdentityView(Protocol):
    """The id map of one tenant. Entities come as stored; the reader follows forwards."""

    def named(self, family: str, key: str) -> Sequence[Known]:
        """The names filed under an index key (processors.identity.names.keys_of): all of an ``=`` key, of others at
        least the first ``MAX_ROWS``."""
        ...

    def names_of(self, entity: str) -> Sequence[Known]:
        """Every name of an entity, those of entities merged into it included."""
        ...

    def identifier(self, key: str) -> str | None:
        """The entity that ``email:...``, ``phone:+...`` or ``crm:...`` belongs to."""
        ...

    def identifiers_of(self, entity: str) -> Collection[str]:
        """The identifiers of an entity, those of entities merged into it included."""
        ...

    def forward(self, entity: str) -> str | None:
        """What the entity was merged into, one hop; None when it stands for itself."""
        ...

    def merged_into(self, entity: str) -> Collection[str]:
        """The entities whose forward is this one, one hop."""
        ...


@dataclass(frozen=True, slots=True)
class Context:
    """What is known around a mention.

    Attributes:
        speaker: the entity that says "I".
        nearby: entities that were named in the same conversation before; only among these does a part of a name or
            an initial find its bearer.
        identifiers: what the same record, or the speaker of himself, states of the mentioned one: ``email:a@b``,
            ``phone:+49...`` or ``crm:17``. What an agent has read somewhere about a third person does not belong here.
    """

    speaker: str | None = None
    nearby: frozenset[str] = frozenset()
    identifiers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A suspected duplicate, for a person to look at; nothing is merged by it. `score` is from 0 to 1."""

    entity: str
    why: Why
    score: float


@dataclass(frozen=True, slots=True)
class Resolution:
    """Which entity a mention names.

    Attributes:
        entity: its id, or ``unresolved:<mention>``: then the claim is a candidate and a review is due.
        how: what decided; ``ambiguous`` and ``conflict`` (identifiers of several entities) leave it unresolved.
        score: how sure that is, from 0 to 1; 0 where nothing decided.
        learn: the name to keep for the entity, with its origin; None when it is known, or would be no name of its own.
        identifiers: those to keep for the entity.
        suggestions: suspected duplicates, or the bearers that an ambiguous mention may mean; surest first.
        distinct: it is a new entity although another one bears the name (another CRM id, another legal form).
    """

    entity: str
    how: How
    score: float
    learn: Known | None = None
    identifiers: tuple[str, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    distinct: bool = False

    @property
    def resolved(self) -> bool:
        return self.how not in ("ambiguous", "conflict")

    @property
    def is_new(self) -> bool:
        return self.how == "new"
