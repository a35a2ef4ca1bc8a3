"""Vectors on the wire: int8 as base64, compared with integers only.

A decision may depend on which claims are nearest (the working set of a proposal), so nearness must come out
the same on every machine. Embedders differ in the last bits between processors; what they say is therefore
rounded once, to int8, written to the log, and from then on only integers are used.

Coding: ``q = rint(127 * v / max|v|)``. The scale is not kept, because a cosine does not need it. For unit
vectors of 384 dimensions the cosine of two coded vectors differs from that of the originals by at most 0.003
(measured, docs/decisions/0003-offline-embedder.md).
"""

import base64
import binascii
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt

import numpy as np
import numpy.typing as npt

from schemas.errors import PoisonError

#: Cosines are integers in millionths: exact to compare, and wider than int8 coding is precise.
MICRO = 1_000_000


class BadVector(PoisonError):
    """A vector is empty, all zeros, not finite, or not int8 in base64; embed the text again."""


@dataclass(frozen=True, slots=True, eq=False)
class CodedVector:
    """A decoded int8 vector: ``values`` of shape (dimension,), read-only, and its squared norm."""

    values: npt.NDArray[np.int8]
    norm2: int


def encode(vector: npt.ArrayLike) -> str:
    """The int8 base64 form of one vector of shape (dimension,), any scale. Raises BadVector.

    In float64, where each step is correctly rounded, so equal input gives equal text everywhere.
    """
    values = np.asarray(vector, dtype=np.float64)
    if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
        raise BadVector("a vector must be one row of finite numbers; embed the text again")
    peak = float(np.abs(values).max())
    if peak == 0.0:
        raise BadVector("a vector of zeros has no direction; embed the text again")
    # The division comes first: 127 * v could overflow for huge v, and v / peak is at most 1.
    coded = np.rint(values / peak * 127.0).astype(np.int8)
    return base64.b64encode(coded.tobytes()).decode("ascii")


@lru_cache(maxsize=16_384)
def decode(text: str) -> CodedVector:
    """The vector in ``text``. Raises BadVector.

    Cached: a claim's vector is compared with many proposals (16,384 vectors of 384 dimensions are 14 MB).
    """
    try:
        raw = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        raise BadVector("a vector is not base64; embed the text again") from None
    values = np.frombuffer(raw, dtype=np.int8)
    wide = values.astype(np.int64)
    norm2 = int(wide @ wide)
    if norm2 == 0:
        raise BadVector("a vector is empty or all zeros; embed the text again")
    return CodedVector(values, norm2)


def to_unit(text: str) -> npt.NDArray[np.float32]:
    """The coded vector as float32 of length 1, shape (dimension,), for a vector store. Raises BadVector."""
    coded = decode(text)
    unit: npt.NDArray[np.float32] = (coded.values / np.sqrt(float(coded.norm2))).astype(np.float32)
    return unit


def cosine(left: str, right: str) -> int:
    """The cosine of two coded vectors in millionths, -1,000,000 to 1,000,000. Raises BadVector."""
    a, b = decode(left), decode(right)
    if a.values.size != b.values.size:
        raise BadVector(_mixed(a.values.size, b.values.size))
    return _micro(int(a.values.astype(np.int64) @ b.values.astype(np.int64)), a.norm2 * b.norm2)


def nearest(query: str, candidates: Iterable[tuple[str, str]], limit: int = 8) -> list[tuple[str, int]]:
    """The ``limit`` candidates nearest to ``query``: (id, cosine in millionths), best first, ties by id.

    ``candidates`` are (id, coded vector). Raises BadVector, also for a vector of another dimension.
    """
    pairs = [(name, decode(text)) for name, text in candidates]
    if not pairs or limit <= 0:
        return []
    q = decode(query)
    for _, vector in pairs:
        if vector.values.size != q.values.size:
            raise BadVector(_mixed(q.values.size, vector.values.size))
    # float64 holds every partial sum exactly (384 * 127 * 127 is far below 2^53), so the order in which a
    # BLAS adds does not matter: these are integer dot products, only faster.
    dots = np.stack([v.values for _, v in pairs]).astype(np.float64) @ q.values.astype(np.float64)
    scored = [(name, _micro(int(d), q.norm2 * v.norm2)) for (name, v), d in zip(pairs, dots, strict=True)]
    scored.sort(key=lambda item: (-item[1], item[0]))
    return scored[:limit]


def _micro(dot: int, norms2: int) -> int:
    """``dot / sqrt(norms2)`` in millionths, rounded toward zero, by integer square root."""
    size = isqrt(dot * dot * MICRO * MICRO // norms2)
    return size if dot >= 0 else -size


def _mixed(left: int, right: int) -> str:
    return f"vectors of {left} and {right} dimensions cannot be compared; embed both with one model"
