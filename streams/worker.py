"""One process, some stages: start them, say when they are ready, end them together."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final, Protocol

from streams.faust_adapter import FaustOptions, StageApp
from streams.stage import Stage
from topics.admin import wait_until_visible

log = logging.getLogger(__name__)

EXIT_OK: Final = 0
EXIT_CRASHED: Final = 1
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


class Service(Protocol):
    """What runs beside the stages and reads no topic."""

    name: str

    async def run(self, stop: asyncio.Event) -> None:
        """Until `stop`; what it raises ends the process."""
        ...


async def host(
    stages: Sequence[Stage],
    options: FaustOptions,
    *,
    services: Sequence[Service] = (),
    stop: asyncio.Event | None = None,
    on_ready: Callable[[], None] | None = None,
    topics_timeout_s: float = 30.0,
) -> int:
    """Run `stages` and `services` until SIGTERM, SIGINT or `stop` (exit code 0) or until one crashes (logged, 1).

    `on_ready` is called once, when every stage has had its first assignment of partitions (an idle worker
    may get none). Raises what a stage's `start` raises, and TopicsMissing when an input topic does not
    appear within `topics_timeout_s` seconds.
    """
    stopping = stop or asyncio.Event()
    waiting = {stage.name for stage in stages}
    if len(waiting) < len(stages):
        raise ValueError(f"two stages have the same name: {sorted(stage.name for stage in stages)}")

    def assigned(name: str, partitions: int) -> None:
        log.info("%s: %s partitions assigned", name, partitions)
        if name in waiting:
            waiting.discard(name)
            if not waiting and on_ready is not None:
                on_ready()

    inputs = {stage.input_topic: 1 for stage in stages}
    await wait_until_visible(options.bootstrap, inputs, topics_timeout_s)
    async with contextlib.AsyncExitStack() as opened:
        await opened.enter_async_context(_signals_set(stopping))
        for stage in stages:
            opened.push_async_callback(stage.stop)
            await stage.start()
        apps = [StageApp(stage, options, assigned) for stage in stages]
        for app in apps:
            opened.push_async_callback(app.stop)
        # Together: each one waits for its group's first assignment, seconds that need not add up.
        await asyncio.gather(*(app.start() for app in apps))
        if not apps and on_ready is not None:
            on_ready()
        return await _until_ended(apps, services, stopping)


async def _until_ended(apps: Sequence[StageApp], services: Sequence[Service], stopping: asyncio.Event) -> int:
    asked = asyncio.create_task(stopping.wait())
    ends = {asyncio.create_task(app.ended()): app.name for app in apps}
    ends |= {asyncio.create_task(service.run(stopping)): service.name for service in services}
    done, pending = await asyncio.wait({asked, *ends}, return_when=asyncio.FIRST_COMPLETED)
    for task in pending:
        task.cancel()
    await asyncio.gather(*pending, return_exceptions=True)
    code = EXIT_OK
    for task, name in ends.items():
        if task in done:
            error = task.exception()
            if error is None and stopping.is_set():
                continue  # a service that was asked to end
            log.critical("%s ended: %s; the process ends, start it again", name, error, exc_info=error)
            code = EXIT_CRASHED
    return code


@contextlib.asynccontextmanager
async def _signals_set(stopping: asyncio.Event) -> AsyncIterator[None]:
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        # Only the main thread may; elsewhere (a test) the caller uses `stop`.
        with contextlib.suppress(ValueError, RuntimeError, NotImplementedError):
            loop.add_signal_handler(number, stopping.set)
    try:
        yield
    finally:
        for number in _SIGNALS:
            with contextlib.suppress(ValueError, RuntimeError, NotImplementedError):
                loop.remove_signal_handler(number)
