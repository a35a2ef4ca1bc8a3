"""The name of an entity: ``type:slug``, the same for every agent that spells it alike.

First-person words are the speaker, an id stays the id, a name becomes a slug. Whether two names are one entity is
asked in ``resolve``; here is also which types may be one at all.
"""

from typing import Final

from processors.values.named import entity_key
from processors.values.text import form
from schemas.facts import Mention

#: Words for the speaker in the statements of the offline extractor and of records.
_FIRST_PERSON: Final = frozenset("i me my mine myself im ive self user the-user speaker the-speaker".split())

#: Words for one type; new entities get the first of each. A customer or a client may be a person or an organisation, so
#: they stand for themselves.
_SAME_TYPE: Final = {
    "human": "person",
    "individual": "person",
    "people": "person",
    "organization": "org",
    "organisation": "org",
    "company": "org",
    "corporation": "org",
    "firm": "org",
    "business": "org",
    "town": "city",
    "nation": "country",
}
#: Types whose entities may be one: an account is a person, a city is a place.
_FAMILIES: Final = {
    "user": "person",
    "guest": "person",
    "speaker": "person",
    "contact": "person",
    "employee": "person",
    "colleague": "person",
    "friend": "person",
    "city": "place",
    "village": "place",
    "location": "place",
}
UNRESOLVED: Final = "unresolved"


def is_first_person(mention: Mention) -> bool:
    """Whether the mention is a word for the speaker. An entity id says who it is and is never one."""
    return mention.entity is None and form(mention.text) in _FIRST_PERSON


def entity_of(mention: Mention, *, speaker: str | None = None) -> str:
    """The canonical id of what `mention` names.

    Args:
        mention: its ``entity``, when set, is the answer as it stands.
        speaker: the entity that speaks, for example ``user:u1``; first-person words name it. Without one they
            are names like any other.

    Returns:
        ``type:slug`` of at most 256 characters. The slug is in Unicode compatibility form without case; letters and
        digits of every script are kept, everything between them is one dash. A text without any letter gets a digest.
    """
    if mention.entity is not None:
        return mention.entity
    if speaker is not None and is_first_person(mention):
        return speaker
    return entity_key(mention.type, mention.text)


def type_of(entity: str) -> str:
    """``user`` of ``user:u1``."""
    return entity.split(":", 1)[0]


def canonical_type(type_: str) -> str:
    """The type that new entities of a stated type get: ``org`` for ``Company``."""
    kind = form(type_, "_")[:40] or "thing"
    return _SAME_TYPE.get(kind, kind)


def family_of(type_: str) -> str:
    """Entities of two types may be one only within a family: a person is never a country."""
    kind = canonical_type(type_)
    return _FAMILIES.get(kind, kind)


def unresolved_of(mention: Mention) -> str:
    """``unresolved:robin``: the key under which an ambiguous mention waits for ``assign``."""
    return entity_key(UNRESOLVED, mention.text)


def is_unresolved(entity: str) -> bool:
    return type_of(entity) == UNRESOLVED
