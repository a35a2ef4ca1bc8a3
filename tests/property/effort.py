"""How hard the property tests search: the same small search everywhere, a longer random one on request."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import Phase, settings

#: Set CLAIMSTREAM_TEST_EFFORT=20 for twenty times the examples, drawn anew at each run.
EFFORT = int(os.environ.get("CLAIMSTREAM_TEST_EFFORT", "1"))


_phases = tuple(Phase)


@contextmanager
def first_failure() -> Iterator[None]:
    """Searches that begin in the block stop at the first failure and do not look for a smaller one."""
    global _phases
    before, _phases = _phases, (Phase.explicit, Phase.generate)
    try:
        yield
    finally:
        _phases = before


def effort(examples: int, steps: int = 50) -> settings:
    """Settings for a property test of ``examples`` examples; without an effort the same ones at every run."""
    return settings(
        max_examples=examples * EFFORT,
        stateful_step_count=steps,
        deadline=None,
        derandomize=EFFORT == 1,
        database=None,
        phases=_phases,
    )
