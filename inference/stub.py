"""A stand-in for an embedder: no model, no meaning. For benches without embedding cost and for tests.

Texts that share words get near vectors; a synonym is as far away as any other word. Never use it to answer
people: "what timezone is the user in?" finds "User is in PST" only through the words they share.
"""

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from inference.profiles import STUB

_WORD = re.compile(r"\w+")


class StubEmbedder:
    """Hashes each word to eight of 384 positions; a text is the sum of its words, with length 1."""

    profile = STUB

    async def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit vectors, float32, shape (len(texts), 384); equal texts give equal vectors on any machine."""
        out = np.zeros((len(texts), self.profile.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in _WORD.findall(text.casefold()) or [text]:
                places, signs = _spread(word)
                np.add.at(out[row], places, signs)
            norm = float(np.linalg.norm(out[row]))
            # Words can cancel each other out; a vector of zeros has no direction.
            out[row] = out[row] / norm if norm else np.eye(1, self.profile.dimension, dtype=np.float32)[0]
        return out

    def close(self) -> None:
        """Nothing to end; there so that embedders are interchangeable."""


@lru_cache(maxsize=16_384)
def _spread(word: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=24).digest()
    places = np.frombuffer(digest[:16], dtype="<u2").astype(np.int64) % STUB.dimension
    signs = np.where(np.frombuffer(digest[16:], dtype=np.uint8) & 1, 1.0, -1.0).astype(np.float32)
    return places, signs
