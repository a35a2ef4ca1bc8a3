"""What all events share: frozen models, a type, a version, JSON on the wire."""

from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, ClassVar, Self

import orjson
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from schemas.errors import UnknownVersion, UnreadableRecord

#: Unit separator: parts of a key are joined by it, so no part may contain it.
SEPARATOR = "\x1f"


def _plain(text: str) -> str:
    if SEPARATOR in text or "\x00" in text:
        raise ValueError("must not contain the control characters U+001F or U+0000")
    return text


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


#: A name that may become part of a key: 1 to 256 characters, no U+001F.
KeyPart = Annotated[
    str,
    # The pattern says the same as _plain, to readers of the JSON Schema.
    Field(min_length=1, max_length=256, json_schema_extra={"pattern": "^[^\\u0000\\u001f]*$"}),
    AfterValidator(_plain),
]
#: A moment with a zone; kept in UTC.
Moment = Annotated[AwareDatetime, AfterValidator(_utc)]
#: A weight or a probability.
Unit = Annotated[float, Field(ge=0.0, le=1.0)]


class Frozen(BaseModel):
    """An immutable value; unknown fields are accepted and dropped (a newer minor version may send them)."""

    model_config = ConfigDict(frozen=True, extra="ignore", use_enum_values=True)

    @classmethod
    def trusted(cls, **values: Any) -> Self:
        """An instance of values that were validated before: of our own rows and records, never of input.

        Nothing is checked or converted, so each value must have its field's type; fields left out get their defaults.
        Pydantic's `model_construct` does the same by the field and takes as long as validating.
        """
        made = cls.__new__(cls)
        object.__setattr__(made, "__dict__", _defaults(cls) | values)
        object.__setattr__(made, "__pydantic_fields_set__", set(values))
        object.__setattr__(made, "__pydantic_extra__", None)
        object.__setattr__(made, "__pydantic_private__", None)
        return made


@cache
def _defaults(cls: type[Frozen]) -> dict[str, Any]:
    """Of the fields that have one, in the order of the fields; all are immutable."""
    return {name: field.get_default() for name, field in cls.model_fields.items() if not field.is_required()}


class Event(Frozen):
    """A record on a topic. ``TYPE`` names it, ``MAJOR`` is the only major version this program reads."""

    TYPE: ClassVar[str]
    MAJOR: ClassVar[int] = 1

    schema_version: str = Field(default="1.0", pattern=r"^[0-9]{1,4}\.[0-9]{1,4}$")

    def to_json(self) -> bytes:
        """UTF-8 JSON with sorted keys and no empty fields; equal events give equal bytes."""
        return canonical_json(self.model_dump(mode="json", exclude_none=True))

    @classmethod
    def from_json(cls, raw: bytes | None) -> Self:
        """Reads one event.

        Raises UnreadableRecord (not JSON, not this type, a field missing or wrong) or UnknownVersion.
        """
        return cls.from_object(read_object(raw))

    @classmethod
    def from_object(cls, body: dict[str, Any]) -> Self:
        """Reads one event from what `read_object` gave. Raises UnreadableRecord or UnknownVersion."""
        check_version(body, cls)
        try:
            return cls.model_validate(body)
        except ValidationError as error:
            raise UnreadableRecord(f"not a valid {cls.TYPE}: {explain_validation(error)}") from None


def canonical_json(value: Any) -> bytes:
    """UTF-8 JSON with sorted keys: equal values give equal bytes."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def read_object(raw: bytes | None) -> dict[str, Any]:
    """The JSON object in ``raw``; UnreadableRecord when it is something else."""
    if raw is None:
        raise UnreadableRecord("the record has no value (a tombstone); this topic takes JSON objects")
    try:
        body = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise UnreadableRecord(f"the record is not JSON: {error}") from None
    if not isinstance(body, dict):
        raise UnreadableRecord(f"the record is a JSON {type(body).__name__}; this topic takes objects")
    if "content" in body and b"\\u0000" in raw:
        body["content"] = _without_nul(body["content"])
    return body


def _without_nul(value: Any) -> Any:
    """U+0000 as U+FFFD in readable text: PostgreSQL's text cannot hold it, and one such turn must not stop a stage."""
    if isinstance(value, str):
        return value.replace("\x00", "\ufffd")
    if isinstance(value, list):
        return [_without_nul(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_nul(item) for key, item in value.items()}
    return value


def check_version(body: dict[str, Any], model: type[Event]) -> None:
    """UnknownVersion when the body's major version is not the model's."""
    version = body.get("schema_version", f"{model.MAJOR}.0")
    major = str(version).split(".", 1)[0]
    if major != str(model.MAJOR):
        raise UnknownVersion(
            f"schema_version {version!r} of a {model.TYPE}: this program reads major version {model.MAJOR}; "
            "upgrade the program, then redrive the dead letter"
        )


def explain_validation(error: ValidationError) -> str:
    """One line for a person: which field, what is wrong. Never repeats the input's text."""
    parts = []
    for item in error.errors(include_url=False, include_input=False, include_context=False)[:5]:
        where = ".".join(str(step) for step in item["loc"]) or "record"
        parts.append(f"{where}: {item['msg']}")
    return "; ".join(parts)
