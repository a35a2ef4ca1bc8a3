"""A child process that never outlives us: stopped on request, at exit, and by the kernel when we are
killed.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from schemas.errors import ClaimstreamError

LOOPBACK: Final = "127.0.0.1"
_PR_SET_PDEATHSIG: Final = 1
_POLL_S: Final = 0.02
_LOG_TAIL_CHARS: Final = 2000


class ChildFailed(ClaimstreamError):
    """A broker or database of our own did not start."""


class Child:
    """One child process. `stop_signal` asks it to end; after `grace_s` seconds it is killed."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        log_path: Path,
        *,
        env: Mapping[str, str] | None = None,
        user: int | None = None,
        group: int | None = None,
        stop_signal: signal.Signals = signal.SIGTERM,
        grace_s: float = 10.0,
    ) -> None:
        if threading.current_thread() is not threading.main_thread():
            # The kernel's parent-death signal is tied to the thread that forked: a pool thread that ends
            # would take the child with it.
            raise ChildFailed(f"{name} must be started from the main thread")
        self.name = name
        self.log_path = log_path
        self._stop_signal = stop_signal
        self._grace_s = grace_s
        with log_path.open("ab") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=None if env is None else dict(env),
                user=user,
                group=group,
                extra_groups=None if user is None else [],
                # A session of its own: Ctrl-C in the terminal reaches us, and we end it in our own order.
                start_new_session=True,
                preexec_fn=_die_with_parent(stop_signal),
            )
        atexit.register(self.stop)

    @property
    def pid(self) -> int:
        """Process id of the child."""
        return self._process.pid

    def poll(self) -> int | None:
        """Its exit code, None while it runs."""
        return self._process.poll()

    def wait_until(self, ready: Callable[[], bool], timeout_s: float) -> None:
        """Return when `ready()`. Raises ChildFailed, with the end of its log, when it exits first or on
        timeout.
        """
        deadline = time.monotonic() + timeout_s
        while not ready():
            code = self._process.poll()
            if code is not None:
                raise ChildFailed(
                    f"{self.name} ended with exit code {code} before it was ready:\n{self.log_tail()}"
                )
            if time.monotonic() > deadline:
                raise ChildFailed(f"{self.name} was not ready after {timeout_s:g} s:\n{self.log_tail()}")
            time.sleep(_POLL_S)

    def running(self) -> bool:
        """Has it not ended yet?"""
        return self._process.poll() is None

    def wait(self, timeout_s: float) -> int:
        """Its exit code, once it ended by itself. Raises ChildFailed after `timeout_s` seconds."""
        try:
            return self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise ChildFailed(f"{self.name} still runs after {timeout_s:g} s:\n{self.log_tail()}") from None

    def stop(self) -> None:
        """End the process and wait for it. Does nothing the second time."""
        atexit.unregister(self.stop)
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(self._stop_signal)
            try:
                self._process.wait(self._grace_s)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def kill(self) -> None:
        """SIGKILL, for tests of what happens when it goes away at once."""
        self._process.kill()
        self._process.wait()

    def log_tail(self) -> str:
        """The last lines of what it printed."""
        with contextlib.suppress(OSError):
            return self.log_path.read_text(errors="replace")[-_LOG_TAIL_CHARS:]
        return "(no log)"


def _die_with_parent(stop_signal: signal.Signals) -> Callable[[], None] | None:
    if sys.platform != "linux":
        return None  # elsewhere atexit and the callers' finally blocks must do
    parent = os.getpid()
    prctl = ctypes.CDLL(None, use_errno=True).prctl  # looked up before the fork: no imports in the child

    def before_exec() -> None:
        prctl(_PR_SET_PDEATHSIG, int(stop_signal), 0, 0, 0)
        if os.getppid() != parent:  # it died before prctl
            os._exit(1)

    return before_exec


def free_port() -> int:
    """A TCP port that is free on the loopback interface now."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def accepts_connections(port: int) -> bool:
    """Does something listen on this loopback port?"""
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex((LOOPBACK, port)) == 0


def stop_on_sigterm() -> None:
    """Turn SIGTERM into SystemExit, so that finally blocks and atexit run and the children end in order."""

    def leave(_number: int, _frame: object) -> None:
        raise SystemExit(128 + signal.SIGTERM)

    signal.signal(signal.SIGTERM, leave)
