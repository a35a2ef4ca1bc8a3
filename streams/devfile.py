"""How commands in other terminals of the same folder find a running `claimstream dev`.

`dev` writes its addresses to a file and holds a lock on it while it runs. A file without a lock is left over
from a run that was killed, and is ignored: a process id could have been given to another program since.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from schemas.errors import ConfigurationError

DEFAULT_STATE_DIR: Final = ".claimstream"
FILE_NAME: Final = "dev.json"


@contextmanager
def dev_file(state_dir: Path) -> Iterator[Callable[[Mapping[str, str]], None]]:
    """Hold the file for the length of the block; the function given takes the addresses (settings to values).

    Raises ConfigurationError when another `dev` of this folder holds it.
    """
    state_dir.mkdir(parents=True, exist_ok=True)
    path = state_dir / FILE_NAME
    # Readable by its owner alone: a DSN may hold a password.
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _lock(descriptor):
            raise ConfigurationError(
                f"`claimstream dev` already runs in this folder ({path} is locked); "
                "use it, end it, or set CLAIMSTREAM_STATE_DIR to another folder"
            )
        os.ftruncate(descriptor, 0)

        def publish(addresses: Mapping[str, str]) -> None:
            os.pwrite(descriptor, json.dumps(dict(addresses)).encode(), 0)

        try:
            yield publish
        finally:
            with suppress(OSError):
                path.unlink()
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    # More than one try: a reader holds the lock for the moment in which it looks.
    for _ in range(10):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.05)
        else:
            return True
    return False


def read_dev_file(state_dir: Path) -> dict[str, str] | None:
    """The addresses of the `dev` that runs in this folder; None when there is none."""
    try:
        descriptor = os.open(state_dir / FILE_NAME, os.O_RDONLY)
    except OSError:
        return None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            with os.fdopen(os.dup(descriptor), "rb") as file:
                raw = file.read()
        else:
            return None  # nobody holds it: left over
    finally:
        os.close(descriptor)
    try:
        found = json.loads(raw)
    except ValueError:
        return None  # it is still starting
    return {str(name): str(value) for name, value in found.items()} if isinstance(found, dict) else None
