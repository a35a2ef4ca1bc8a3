"""Ids are computed from what they name, so that a replay gives the same ones on any machine."""

from functools import lru_cache
from uuid import NAMESPACE_URL, UUID, uuid5

from schemas.base import SEPARATOR

NAMESPACE = uuid5(NAMESPACE_URL, "urn:claimstream:v1")


def event_key(tenant: str, source: str, event_id: str) -> str:
    """What makes an event one event: (tenant, source, event id), as in CloudEvents."""
    return SEPARATOR.join((tenant, source, event_id))


# Each stage asks for it again for every fact of an event.
@lru_cache(maxsize=4096)
def event_uuid(tenant: str, source: str, event_id: str) -> UUID:
    return uuid5(NAMESPACE, "event" + SEPARATOR + event_key(tenant, source, event_id))


def fact_id(tenant: str, source: str, event_id: str, ordinal: int) -> UUID:
    """The id of the ``ordinal``-th fact of an event; also the id of its proposal and of its decision."""
    return uuid5(event_uuid(tenant, source, event_id), str(ordinal))


def derived_id(parent: UUID, role: str) -> UUID:
    """The id of something that ``parent`` brought about, for example ``role="claim"``."""
    return uuid5(parent, role)
