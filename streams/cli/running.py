"""How a command runs: its settings, its event loop, and what SIGINT and SIGTERM do."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

from streams import settings as settings_module
from streams.cli.output import note
from streams.settings import Settings

#: 128 + the number of the signal, as shells have it.
INTERRUPTED: Final = 128 + signal.SIGINT
TERMINATED: Final = 128 + signal.SIGTERM

_DEBUG: Final = "CLAIMSTREAM_DEBUG"
Result = TypeVar("Result")


class Interrupted(BaseException):
    """A signal ended the command; what it had under way was finished or given up in order."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


def debugging() -> bool:
    """Was --debug given, or CLAIMSTREAM_DEBUG set?"""
    return os.environ.get(_DEBUG, "").lower() not in ("", "0", "false", "no")


def set_debugging() -> None:
    """As --debug: child processes see it too."""
    os.environ[_DEBUG] = "1"


def settings(**overrides: Any) -> Settings:
    """The settings of this command; options that were not given (None) override nothing.

    Raises ConfigurationError. A variable that looks like a misspelt setting is pointed out.
    """
    for line in settings_module.unknown_variables():
        note(f"warning: {line}")
    return settings_module.load(**{name: value for name, value in overrides.items() if value is not None})


def run(main: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    """Run a command's coroutine. SIGINT and SIGTERM cancel it, so that its `finally` blocks run. Raises Interrupted."""
    if not debugging():
        # aiokafka logs each failed connection; the command says it once, in its own words.
        logging.getLogger("aiokafka").setLevel(logging.CRITICAL)
    return asyncio.run(_interruptible(main))


async def _interruptible(main: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    task = asyncio.ensure_future(main())
    received: list[int] = []

    def cancel(number: int) -> None:
        received.append(number)
        task.cancel()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, cancel, number)
    try:
        return await task
    except asyncio.CancelledError:
        if received:
            raise Interrupted(received[0]) from None
        raise
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
