"""Rules of a domain (`processors.ports.ConflictRule`), by the names in the settings."""

from __future__ import annotations

from pkgutil import resolve_name

from processors.ports import ConflictRule
from schemas.errors import ConfigurationError


def load_rules(names: str) -> tuple[ConflictRule, ...]:
    """The objects that `package.module:name`, joined by commas, name. Raises ConfigurationError."""
    return tuple(_load(name.strip()) for name in names.split(",") if name.strip())


def _load(name: str) -> ConflictRule:
    try:
        found = resolve_name(name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigurationError(
            f"CLAIMSTREAM_CONFLICT_RULES names {name!r}, which cannot be loaded ({error}); write package.module:name "
            "of an object in a package that is installed beside claimstream"
        ) from None
    if not callable(getattr(found, "excluded", None)) or not isinstance(getattr(found, "id", None), str):
        raise ConfigurationError(
            f"CLAIMSTREAM_CONFLICT_RULES names {name!r}, which is no rule: it needs an `id` and a method "
            "`excluded(subject_type, predicate, value)`"
        )
    rule: ConflictRule = found
    return rule
