"""Statements for property tests: few agents, few values, few moments, so that they meet."""

from typing import Any

from hypothesis import strategies as st

AGENTS = ("a", "b", "c")
#: Values of one slot: some lie in one another (tests.unit.deciding.world.INSIDE).
PLAIN = ("214", "113", "99")
NESTED = ("Berlin", "Munich", "Germany", "Mitte", "Paris")


@st.composite
def statements(
    draw: st.DrawFn, values: tuple[str, ...] = PLAIN, endings: bool = True
) -> list[dict[str, Any]]:
    """Up to eight statements at different moments; each a dict for World.proposal."""
    size = draw(st.integers(2, 8))
    moments = draw(st.lists(st.integers(0, 20), min_size=size, max_size=size, unique=True))
    cardinality = draw(st.sampled_from(("one", "many")))
    made = []
    for number, at in enumerate(moments):
        ended = endings and draw(st.integers(0, 5)) == 0
        made.append(
            {
                "agent": draw(st.sampled_from(AGENTS)),
                "text": draw(st.sampled_from(values)),
                "at": at,
                "polarity": "+" if ended or draw(st.integers(0, 3)) else "-",
                "ended": ended,
                "basis": draw(st.sampled_from(("observed", "observed", "observed", "inferred"))),
                "cardinality_hint": cardinality,
                "event_id": f"e{number}",
            }
        )
    return made
