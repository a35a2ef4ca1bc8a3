"""Who is meant: from mentions to entities, and what may change that. See docs/identity.md.

Naming (``type:slug``) and resolving are pure: what is known comes through an ``IdentityView``, what is new goes out as
a ``Resolution``, and a store keeps both.
"""

from processors.identity.model import (
    Context,
    IdentityView,
    Known,
    Lookup,
    Name,
    Resolution,
    Suggestion,
)
from processors.identity.naming import entity_of, family_of, is_first_person, is_unresolved, type_of
from processors.identity.resolve import lookup_of, resolve_mention

__all__ = [
    "Context",
    "IdentityView",
    "Known",
    "Lookup",
    "Name",
    "Resolution",
    "Suggestion",
    "entity_of",
    "family_of",
    "is_first_person",
    "is_unresolved",
    "lookup_of",
    "resolve_mention",
    "type_of",
]
