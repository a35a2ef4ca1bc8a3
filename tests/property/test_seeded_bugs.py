"""Each bug that is put into the rules on purpose is found by a search that finds nothing without it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis.stateful import run_state_machine_as_test

from processors.deciding.compare import compare
from tests import seeded_bugs as bugs
from tests.property import test_machine, test_oracle, test_order, test_rulings
from tests.property.effort import effort, first_failure

Search = Callable[[], object]


def oracle(strategy: str) -> Search:
    return lambda: test_oracle.test_the_oracle_agrees(strategy)


def order(name: str) -> Search:
    return lambda: test_order.test_any_order_of_delivery_gives_the_same_active_claims(name)


def machine() -> None:
    """The state machine: its laws hold after every step."""
    run_state_machine_as_test(test_machine.Ledger, settings=effort(150, 25))  # type: ignore[no-untyped-call]


#: The searches are those of the suite: that they find nothing in the code as it is, other tests show.
FOUND_BY: dict[bugs.Bug, Search] = {
    bugs.LATE_CHECK_OFF: order("affirmed"),
    bugs.TIE_REVERSED: oracle("recency"),
    bugs.POLARITY_DROPPED: oracle("recency"),
    bugs.REPLACE_SKIPS_THE_STRATEGY: oracle("authority"),
    bugs.AUTHORITY_AT_LEAST: oracle("authority"),
    bugs.ECHO_COUNTED: oracle("consensus"),
    bugs.RETRACTION_BY_ID: machine,
    bugs.VERSION_NOT_BUMPED: machine,
    bugs.WITHDRAWN_STILL_COUNTED: oracle("consensus"),
    bugs.DEPENDS_ON_BATCHES: test_order.test_batches_do_not_matter,
    bugs.FORWARD_LOST: test_order.test_what_is_said_of_a_merged_entity_goes_on_to_the_other,
    bugs.RULING_FORGOTTEN: lambda: test_rulings.test_the_same_sides_change_nothing("uphold_incumbent"),
}


def test_every_bug_has_a_search() -> None:
    assert set(FOUND_BY) == set(bugs.RULES)


@pytest.mark.parametrize("bug", bugs.RULES, ids=str)
def test_the_search_finds_it(bug: bugs.Bug) -> None:
    with bug.applied(), first_failure():
        found: BaseException | None = None
        try:
            FOUND_BY[bug]()
        except Exception as error:
            found = error
    assert found is not None, f"the search missed {bug}"
    assert not isinstance(found, bugs.TheCodeMoved | TypeError | NameError | SyntaxError), found


def test_a_bug_whose_words_are_gone_says_so() -> None:
    with (
        pytest.raises(bugs.TheCodeMoved, match="stands 0 times"),
        bugs.Bug("x", compare, "no such words", "").applied(),
    ):
        pass
