"""Rules of a domain by name."""

import pytest

from schemas.errors import ConfigurationError
from schemas.values import TypedValue
from streams.domain_rules import load_rules


class Orders:
    id = "orders/1"

    def excluded(self, subject_type: str, predicate: str, value: TypedValue) -> tuple[str, ...]:
        return ()


ORDERS = Orders()
NOT_A_RULE = object()


def test_rules_are_loaded_by_name() -> None:
    assert load_rules(f"{__name__}:ORDERS, {__name__}:ORDERS") == (ORDERS, ORDERS)
    assert load_rules(" ") == ()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("no_such_package.rules:ORDERS", "cannot be loaded"),
        (f"{__name__}:MISSING", "cannot be loaded"),
        ("not a name", "cannot be loaded"),
        (f"{__name__}:NOT_A_RULE", "needs an `id` and a method"),
    ],
)
def test_a_name_that_is_no_rule_is_refused(name: str, says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        load_rules(name)
