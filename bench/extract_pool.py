"""Drawing the sentences of `bench.extract` from the public data sets, deterministically.

The data sets are CC BY-NC, so the repository holds labels by index and hash only; the sentences are read from the
data folder at run time.  Pool: all distinct sentences, stripped, sorted by code point; sample: one
``random.Random(seed).sample(pool, n)`` per set.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

HELD_OUT_SEED = 7
SAMPLE_SIZE = 200


def digest(text: str) -> str:
    """sha256 of the UTF-8 text, as hex: how a label names its sentence."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def persona_pool(folder: Path) -> list[str]:
    """All distinct persona sentences of all splits and speakers of `msc_personas.json`, sorted."""
    data: dict[str, list[dict[str, Any]]] = json.loads((folder / "msc_personas.json").read_text("utf-8"))
    lists = (value for split in data.values() for row in split for value in row.values())
    return _pool(text for value in lists if isinstance(value, list) for text in value)


def chat_pool(folder: Path) -> list[str]:
    """All distinct turn texts of `locomo10.json` (what was said; no image captions), sorted."""
    data: list[dict[str, Any]] = json.loads((folder / "locomo10.json").read_text("utf-8"))
    sessions = (value for talk in data for value in talk["conversation"].values())
    return _pool(turn["text"] for value in sessions if isinstance(value, list) for turn in value)


def _pool(texts: Iterable[str]) -> list[str]:
    return sorted({text.strip() for text in texts if text.strip()})


def sample(pool: list[str], seed: int = HELD_OUT_SEED, n: int = SAMPLE_SIZE) -> list[str]:
    """`n` sentences of the sorted pool; the held-out sets are those of seed 7.

    Any other seed gives development sentences: those never include a held-out one.
    """
    held_out = random.Random(HELD_OUT_SEED).sample(pool, SAMPLE_SIZE)
    if seed == HELD_OUT_SEED:
        return held_out[:n]
    kept = set(held_out)
    rest = [text for text in pool if text not in kept]
    return random.Random(seed).sample(rest, min(n, len(rest)))
