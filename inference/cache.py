"""Embedding each text once: memory repeats itself, and predicate labels repeat all the time."""

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from processors.ports import Embedder


class CachedEmbedder:
    """An embedder that keeps the newest ``capacity`` texts' vectors (1.5 KB each at 384 dimensions)."""

    def __init__(self, inner: Embedder, capacity: int = 20_000) -> None:
        self._inner = inner
        self._capacity = capacity
        self._kept: OrderedDict[str, npt.NDArray[np.float32]] = OrderedDict()
        self.profile = inner.profile
        self.hits = 0
        self.misses = 0

    async def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """As the inner embedder's; a text given twice in one call is embedded once."""
        # Taken out first: what is put in below may push them out before they are read.
        found = {text: self._kept[text] for text in texts if text in self._kept}
        new = [text for text in dict.fromkeys(texts) if text not in found]
        self.hits += len(texts) - len(new)
        self.misses += len(new)
        if new:
            found.update(zip(new, await self._inner.embed(new), strict=True))
        for text, vector in found.items():
            self._kept[text] = vector
            self._kept.move_to_end(text)
        while len(self._kept) > self._capacity:
            self._kept.popitem(last=False)
        if not texts:
            return np.empty((0, self.profile.dimension), dtype=np.float32)
        return np.stack([found[text] for text in texts])

    def close(self) -> None:
        self._inner.close()
