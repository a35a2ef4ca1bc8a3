"""Headers of a published event: CloudEvents 1.0, binary mode (Kafka protocol binding), for routing without parsing."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import Final
from urllib.parse import quote

CONTENT_TYPE: Final = b"application/json"
_TYPE_PREFIX: Final = "claimstream"


def cloud_headers(
    kind: str, major: int, tenant: str, source: str, event_id: str, at: datetime | None = None
) -> tuple[tuple[str, bytes], ...]:
    """The headers of one event; `source` becomes the URI reference `/tenant/source`, percent-encoded."""
    headers = [
        ("content-type", CONTENT_TYPE),
        ("ce_specversion", b"1.0"),
        ("ce_type", f"{_TYPE_PREFIX}.{kind}.v{major}".encode()),
        ("ce_source", origin(tenant, source)),
        ("ce_id", event_id.encode()),
    ]
    if at is not None:
        headers.append(("ce_time", at.isoformat().replace("+00:00", "Z").encode()))
    return tuple(headers)


@lru_cache(maxsize=1024)
def origin(tenant: str, source: str) -> bytes:
    """The value of `ce_source`."""
    return f"/{quote(tenant, safe='')}/{quote(source, safe='')}".encode()
