"""A file of rules, written by hand: policy, authority and registry in YAML or JSON, as control events."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import BaseModel, ValidationError

from schemas.base import canonical_json
from schemas.control import CONTROL
from schemas.errors import ClaimstreamError
from streams.envelope import Control

#: Top-level keys of the file: the events, and who sets them and why.
_EVENTS: Final = tuple(CONTROL)
_ABOUT: Final = ("tenant", "actor", "reason")


class BadPolicyFile(ClaimstreamError):
    """The file holds no valid policy, authority or registry."""


def read_policy_file(path: Path, tenant: str | None, default_tenant: str, now: datetime) -> list[Control]:
    """The events of the file, policy first. `tenant` is the one asked for on the command line.

    A key that is not known is refused: a misspelt rule would be left out without a word. Raises BadPolicyFile.
    """
    try:
        body = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadPolicyFile(f"{path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise BadPolicyFile(f"{path} is not UTF-8 text") from None
    except yaml.YAMLError as error:
        hint = (
            '; a pattern such as "*" needs quotes in YAML'
            if "*" in str(error) or "alias" in str(error)
            else ""
        )
        raise BadPolicyFile(
            f"{path} is neither YAML nor JSON: {' '.join(str(error).split())}{hint}"
        ) from None
    if not isinstance(body, dict) or not set(_EVENTS) & body.keys():
        raise BadPolicyFile(
            f"{path} holds none of {', '.join(_EVENTS)}: it must be a mapping with at least one"
        )
    _refuse_unknown(str(path), body.keys(), (*_EVENTS, *_ABOUT))
    named = body.get("tenant")
    if tenant is not None and named is not None and tenant != named:
        raise BadPolicyFile(f"{path} is for tenant {named!r}, --tenant says {tenant!r}: make them agree")
    about = {name: body[name] for name in ("actor", "reason") if name in body}
    about["tenant"] = tenant or named or default_tenant
    return [_event(path, kind, body[kind], about, now) for kind in _EVENTS if kind in body]


def _event(path: Path, kind: str, body: object, about: Mapping[str, Any], now: datetime) -> Control:
    if not isinstance(body, dict):
        raise BadPolicyFile(f"{path}: {kind} must be a mapping, not a {type(body).__name__}")
    # The time belongs to the id: setting the same rules again later is a new version, not a repetition.
    moment = now.astimezone(UTC)
    digest = hashlib.sha256(canonical_json([kind, about, body])).hexdigest()[:12]
    try:
        event = CONTROL[kind].model_validate(
            {**about, **body, "type": kind, "event_id": f"{moment:%Y%m%dT%H%M%S.%fZ}-{digest}", "at": moment}
        )
    except ValidationError as error:
        raise BadPolicyFile(f"{path}: {_explain(kind, error)}") from None
    for where, unknown, known in _unknown_keys(kind, body, event):
        _refuse_unknown(f"{path}: {where}", [unknown], known)
    return event


def _explain(kind: str, error: ValidationError) -> str:
    parts = []
    for item in error.errors(include_url=False, include_context=False)[:5]:
        where = ".".join([kind, *(str(step) for step in item["loc"])])
        shown = "" if item["type"] == "missing" else f" (got {str(item['input'])[:60]!r})"
        parts.append(f"{where}: {item['msg'][:1].lower()}{item['msg'][1:]}{shown}")
    return "; ".join(parts)


def _unknown_keys(where: str, body: object, made: object) -> Iterator[tuple[str, str, Sequence[str]]]:
    """(where, key, keys that exist there) for each key that the model dropped."""
    if isinstance(made, BaseModel) and isinstance(body, dict):
        known = type(made).model_fields
        for key, value in body.items():
            if key not in known:
                yield where, str(key), tuple(known)
            else:
                yield from _unknown_keys(f"{where}.{key}", value, getattr(made, key))
    elif isinstance(made, tuple) and isinstance(body, list):
        for number, (value, item) in enumerate(zip(body, made, strict=True)):
            yield from _unknown_keys(f"{where}.{number}", value, item)


def _refuse_unknown(where: str, keys: Any, known: Sequence[str]) -> None:
    for key in keys:
        if key not in known:
            near = difflib.get_close_matches(str(key), known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known are: {', '.join(known)}"
            raise BadPolicyFile(f"{where}: {key!r} is not known; {hint}")
