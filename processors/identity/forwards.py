"""Following merged entities to where they are now."""

from typing import Protocol

from schemas.errors import IntegrityError
from schemas.inbox import MAX_HOPS

__all__ = ["MAX_HOPS", "Forwards", "follow"]


class Forwards(Protocol):
    def forward(self, entity: str) -> str | None: ...


def follow(view: Forwards, entity: str) -> str:
    """The entity at the end of the forwards of `entity`; itself without one.

    Raises IntegrityError after more than ``MAX_HOPS``: commands are checked before they take effect, so the id map
    has been changed by other means.
    """
    at = entity
    for _ in range(MAX_HOPS + 1):
        onward = view.forward(at)
        if onward is None:
            return at
        at = onward
    raise IntegrityError(
        f"{entity} is forwarded more than {MAX_HOPS} times or in a circle; rebuild the id map from the control log"
    )
