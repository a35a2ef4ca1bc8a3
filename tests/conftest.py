"""Fixtures of the whole suite, and what the session prints about its broker and its Postgres."""

from __future__ import annotations

import signal

# Its pytest plugin imports it at the very end, deep in the stack, where CPython 3.11's parser may fail with
# "AST constructor recursion depth mismatch".
import hypothesis  # noqa: F401
import pytest

pytest_plugins = ["tests.fixtures.broker", "tests.fixtures.postgres"]


def pytest_configure() -> None:
    # pytest turns SIGINT into an orderly end, but not SIGTERM; fixtures must be torn down for both.
    signal.signal(signal.SIGTERM, signal.default_int_handler)


# Imported inside the hooks: pytest must import the plugins first, to rewrite their asserts.
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # Whoever takes the fixture has the marker: `make test-fast` must not start a broker for one that was forgotten.
    for item in items:
        for name in ("broker", "postgres"):
            if name in getattr(item, "fixturenames", ()):
                item.add_marker(name)


def pytest_report_header() -> str:
    from tests.fixtures import broker

    return f"broker: {broker.describe(broker.planned())}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    from tests.fixtures import broker, postgres

    used_broker = config.stash.get(broker.USED, None)
    used_postgres = config.stash.get(postgres.USED, None)
    if used_broker is not None:
        terminalreporter.write_line(f"broker used: {broker.describe(used_broker.kind)}")
    if used_postgres is not None:
        terminalreporter.write_line(f"postgres used: {used_postgres.kind}")
