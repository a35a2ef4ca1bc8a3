"""How well mentions are put together, on labelled pairs: ``python -m bench.identity`` (``make eval-identity``).

Precision: of the pairs put into one entity, how many must be. Recall: of those that must be, how many were.
Intervals are Wilson's at 95 % (Wilson 1927).
``--wrong`` lists the wrong pairs of ``dev``, the half that may be looked at.
"""

import argparse
import json
import math
from collections import defaultdict
from collections.abc import Sequence

from bench.identity_pairs import Pair, judged_one, read_pairs

_Z = 1.959964


def wilson(right: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a share of `right` in `n`; (0, 1) without any."""
    if n == 0:
        return 0.0, 1.0
    share, z2 = right / n, _Z * _Z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


class Counts:
    def __init__(self) -> None:
        self.n = self.both = self.put = self.must = 0

    def add(self, pair: Pair, one: bool) -> None:
        self.n += 1
        self.put += one
        self.must += pair.same
        self.both += one and pair.same

    @property
    def precision(self) -> float:
        return self.both / self.put if self.put else 1.0

    @property
    def recall(self) -> float:
        return self.both / self.must if self.must else 1.0


def measure(pairs: Sequence[Pair]) -> tuple[dict[str, Counts], dict[str, Counts], list[Pair]]:
    """Counts by half, counts by kind in the held-out half, and the wrong pairs of ``dev``."""
    halves: dict[str, Counts] = defaultdict(Counts)
    kinds: dict[str, Counts] = defaultdict(Counts)
    wrong = []
    for pair in pairs:
        one = judged_one(pair)
        halves[pair.half].add(pair, one)
        if pair.half == "held":
            kinds[pair.kind].add(pair, one)
        elif one != pair.same:
            wrong.append(pair)
    return halves, kinds, wrong


def _line(name: str, counts: Counts) -> str:
    low, high = wilson(counts.both, counts.put)
    below, above = wilson(counts.both, counts.must)
    return (
        f"{name:<18} {counts.n:>4} {counts.must:>5} {counts.put:>5}   "
        f"{counts.precision:5.3f} [{low:5.3f}, {high:5.3f}]   {counts.recall:5.3f} [{below:5.3f}, {above:5.3f}]"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="precision and recall of putting mentions into one entity")
    parser.add_argument("--wrong", action="store_true", help="list the wrong pairs of the dev half")
    arguments = parser.parse_args()
    halves, kinds, wrong = measure(list(read_pairs()))
    print(f"{'':<18} {'n':>4} {'must':>5} {'put':>5}   precision [95 %]         recall [95 %]")
    for kind, counts in sorted(kinds.items()):
        print(_line(kind, counts))
    print(_line("held out", halves["held"]))
    print(_line("dev", halves["dev"]))
    if arguments.wrong:
        for pair in wrong:
            print(
                "wrong:", pair.kind, int(pair.same), pair.first, "|", pair.second, "|", " ; ".join(pair.known)
            )
    held = halves["held"]
    print(
        json.dumps(
            {
                "eval": "identity",
                "precision": round(held.precision, 4),
                "recall": round(held.recall, 4),
                "n": held.n,
                "half": "held",
            }
        )
    )


if __name__ == "__main__":
    main()
