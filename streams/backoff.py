"""How long to wait before the next try: capped exponential back-off with full jitter."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

# 2**40 times any base is past any cap; the bound keeps the float from overflowing after days of tries.
_MAX_DOUBLINGS = 40


@dataclass(frozen=True, slots=True)
class Backoff:
    """Delays in seconds: uniform in [0, min(cap_s, base_s * 2**tries)].

    Full jitter as in Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015: of the
    variants compared there it needs the fewest calls when many clients wait for one server.
    """

    base_s: float = 0.1
    cap_s: float = 10.0
    uniform: Callable[[float, float], float] = random.uniform

    def delay_s(self, tries: int) -> float:
        """Seconds to wait after `tries` failed tries (1 after the first failure)."""
        ceiling = min(self.cap_s, self.base_s * 2.0 ** min(max(tries - 1, 0), _MAX_DOUBLINGS))
        return self.uniform(0.0, ceiling)
