"""How near a label that the registry does not know is to the predicates that it does know."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from inference.cache import CachedEmbedder
from processors.embedding import spoken
from processors.ports import Embedder
from processors.registry import Registry


class LabelSimilarity:
    """Cosines of a label to the predicates of a registry. Labels and descriptions are embedded once and kept."""

    def __init__(self, embedder: Embedder) -> None:
        # A cache of its own: the texts of facts hardly ever repeat and would push the labels out.
        self._embedder = CachedEmbedder(embedder, capacity=20_000)

    async def of(self, labels: Sequence[str], registry: Registry) -> dict[str, Mapping[str, float]]:
        """Label to (predicate name to cosine), for labels that are not in the registry."""
        unknown = list(dict.fromkeys(labels))
        texts = registry.texts()
        if not unknown or not texts:
            return {}
        told: NDArray[np.float32] = await self._embedder.embed(list(texts.values()))
        said: NDArray[np.float32] = await self._embedder.embed([spoken(label) for label in unknown])
        cosines = said @ told.T
        # Rounded: the last bits differ between processors, and a ranking must not.
        return {
            label: {name: round(float(score), 4) for name, score in zip(texts, row, strict=True)}
            for label, row in zip(unknown, cosines, strict=True)
        }
