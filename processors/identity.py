"""Which entity a mention names: ``type:slug``, the same for every agent that spells it alike.

This is the naming part: first-person words are the speaker, an id stays the id, a name becomes a slug.
"""

from typing import Final

from processors.values.named import entity_key
from processors.values.text import form
from schemas.facts import Mention

#: Words for the speaker in the statements of the offline extractor and of records.
_FIRST_PERSON: Final = frozenset("i me my mine myself im ive self user the-user speaker the-speaker".split())


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
