"""Statements for property tests: few agents, few values, few moments, so that they meet."""

from typing import Any

from hypothesis import strategies as st

AGENTS = ("a", "b", "c")
#: Values of one slot; of the second kind some lie in one another (tests.unit.deciding.world.INSIDE).
PLAIN = ("214", "113", "99")
NESTED = ("Berlin", "Munich", "Germany", "Mitte", "Paris")
#: Values of a ``many`` slot that cannot hold together, as a rule of the registry says.
STATES = {"open": ("cancelled",), "completed": ("cancelled",), "cancelled": ("completed", "open")}
BASES = ("observed", "observed", "observed", "inferred")


@st.composite
def statements(
    draw: st.DrawFn,
    values: tuple[str, ...] = PLAIN,
    *,
    cardinalities: tuple[str, ...] = ("one", "many"),
    types: tuple[str, ...] = ("text",),
    ties: bool = False,
    most: int = 8,
    affirmed: bool = False,
) -> list[dict[str, Any]]:
    """Up to ``most`` statements on one slot, each a dict for World.proposal; ``affirmed``: no denials, no ends."""
    size = draw(st.integers(2, most))
    moments = draw(st.lists(st.integers(0, 4 if ties else 20), min_size=size, max_size=size, unique=not ties))
    cardinality = draw(st.sampled_from(cardinalities))
    made = []
    for number, at in enumerate(moments):
        ended = not affirmed and draw(st.integers(0, 5)) == 0
        text = draw(st.sampled_from(values))
        made.append(
            {
                "agent": draw(st.sampled_from(AGENTS)),
                "text": text,
                "at": at,
                "polarity": "+" if ended or affirmed or draw(st.integers(0, 3)) else "-",
                "ended": ended,
                "basis": draw(st.sampled_from(BASES)),
                "confidence": draw(st.sampled_from((0.9, 0.9, 0.9, 0.3))),
                "cardinality_hint": cardinality,
                "kind_of_value": draw(st.sampled_from(types)),
                "excludes": tuple(f"text:{other}" for other in STATES.get(text, ())),
                "event_id": f"e{number}",
            }
        )
    return made
