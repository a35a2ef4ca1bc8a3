"""Typing values: what makes two values the same value, and which value contains which. See docs/values.md.

Typing belongs to libraries made for it (Babel's CLDR data, dateparser, phonenumbers, Pint); here is what they do
not decide: how a key is written, what lies within what, and that a text nobody can type stays a text.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Final

from processors.values import clock, contact, dates, named, numbers, places, zones
from processors.values.text import MAX_FORM, clean, digest, fold, form
from schemas.facts import Mention
from schemas.values import TypedValue

__all__ = ["ENTITY_TYPES", "OPEN_TYPES", "STRICT_TYPES", "form", "is_typed", "type_value"]

Typed = numbers.Typed

#: A text is of these types only if it can be read as one; otherwise it stays text.
_STRICT: Final[Mapping[str, Callable[[str], Typed | None]]] = MappingProxyType(
    {
        "timezone": zones.timezone,
        "time": clock.time_of_day,
        "duration": clock.duration,
        "phone": contact.phone,
        "email": contact.email,
        "url": contact.url,
        "money": numbers.money,
        "quantity": numbers.quantity,
        "number": numbers.number,
        "boolean": numbers.boolean,
        "language": places.language,
        "country": places.country,
        "place": places.place,
    }
)
#: Any text is of these types.
_OPEN: Final[Mapping[str, Callable[[str], Typed]]] = MappingProxyType(
    {"text": named.plain_text, "thing": named.thing, "food": named.food, "name": named.name}
)
STRICT_TYPES: Final = frozenset(_STRICT) | {"date"}
OPEN_TYPES: Final = frozenset(_OPEN)
#: The value is itself an entity: ``entity:<type>:<slug>``.
ENTITY_TYPES: Final = frozenset({"person", "org", "entity"})


def type_value(text: str, value_type: str, *, at: datetime, mention: Mention | None = None) -> TypedValue:
    """`text` as a value of `value_type`; it never raises, whatever the text.

    Args:
        text: the value as stated; control characters become spaces, what is over 4,096 characters is cut.
        value_type: one of ``STRICT_TYPES``, ``OPEN_TYPES`` or ``ENTITY_TYPES``; any other is read as ``text``.
        at: the moment that relative dates are counted from.
        mention: how the text names an entity; read for ``ENTITY_TYPES`` only, so that a value has the same key
            whether or not an extractor saw an entity in it.

    Returns:
        A value whose ``type`` is `value_type` if the text could be read as one, else ``text`` with a ``text:`` key.
    """
    said = clean(text)
    kind, (key, within) = _typed(said, value_type, at, mention)
    return TypedValue(type=kind, text=said, key=key, within=within)


def is_typed(value: TypedValue, value_type: str) -> bool:
    """Whether `value` was really read as `value_type` and did not fall back to text."""
    return value.type == value_type or (
        value_type not in STRICT_TYPES | ENTITY_TYPES and value.type == "text"
    )


def _typed(said: str, value_type: str, at: datetime, mention: Mention | None) -> tuple[str, Typed]:
    if value_type in ENTITY_TYPES and (said or mention is not None):
        return value_type, _bounded(named.entity(said, value_type, mention))
    if value_type in _OPEN:
        return value_type, _OPEN[value_type](said)
    # No library reads more than this as one value, and regular expressions stay cheap.
    if said and len(said) <= MAX_FORM:
        found = dates.partial_date(said, at) if value_type == "date" else _strict(said, value_type)
        if found is not None:
            return value_type, _bounded(found)
    return "text", named.plain_text(said)


def _strict(said: str, value_type: str) -> Typed | None:
    read = _STRICT.get(value_type)
    return None if read is None else read(said)


def _bounded(value: Typed) -> Typed:
    """Keys of at most 512 characters: a longer one keeps its beginning and gets a digest."""
    key, within = value
    if len(key) > 512:
        key = key[:400] + "~" + digest(fold(key), 32)
    return key, tuple(other for other in within if len(other) <= 512 and other != key)
