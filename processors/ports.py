"""What the thinking needs from outside, as Protocols: adapters in inference/ and sinks/ implement them."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from schemas.facts import Fact
from schemas.turn import Turn


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def model(self) -> str:
        """The id kept with every vector; vectors of different models are never compared."""
        ...

    @property
    def dimension(self) -> int: ...

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimension), rows of length 1. Raises TransientError when the model is away."""
        ...


class Extractor(Protocol):
    """Takes the facts out of a turn. Raises PoisonError when this turn can never be read."""

    @property
    def id(self) -> str: ...

    async def extract(self, turn: Turn, received_at: Any) -> list[Fact]: ...
