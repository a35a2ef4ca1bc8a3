"""The official JSON Schema of AsyncAPI 3.0.0, out of the npm package @asyncapi/specs; no package for pip ships it.

Kept in `$XDG_CACHE_HOME/claimstream/asyncapi-specs-<version>` (default `~/.cache`), checked against a digest.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any

VERSION = "6.11.1"
_SHA256 = "d4571a420e6ffb7fcc7066c95a6db1202f299a3c51daa103d0706bf30f95e626"
_MEMBER = "package/schemas/3.0.0.json"
_TIMEOUT_S = 120.0


class NotAvailable(Exception):
    """The schema cannot be had here; the message says why."""


def official_schema() -> dict[str, Any]:
    """The schema; fetched the first time. Raises NotAvailable without npm or its registry."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "claimstream"
    path = cache / f"asyncapi-specs-{VERSION}" / "3.0.0.json"
    if not path.exists():
        fetched = _fetch()
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as half_done:
            half_done.write(fetched)
        os.replace(half_done.name, path)
    raw = path.read_bytes()
    found = hashlib.sha256(raw).hexdigest()
    assert found == _SHA256, f"{path} has digest {found}: delete it, and look where it came from"
    schema: dict[str, Any] = json.loads(raw)
    return schema


def _fetch() -> bytes:
    if shutil.which("npm") is None:
        raise NotAvailable("npm is not on PATH, so the official AsyncAPI schema cannot be fetched")
    with tempfile.TemporaryDirectory(prefix="claimstream-npm-") as folder:
        # Its own cache folder: nothing is left behind.
        command = ["npm", "pack", f"@asyncapi/specs@{VERSION}", "--silent", "--cache", f"{folder}/cache"]
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise NotAvailable(f"npm pack did not finish: {error}") from None
        packed = list(Path(folder).glob("*.tgz"))
        if done.returncode != 0 or not packed:
            raise NotAvailable(f"npm pack ended with {done.returncode}: {done.stderr.strip()[-300:]}")
        with tarfile.open(packed[0]) as archive:
            member = archive.extractfile(_MEMBER)
            assert member is not None
            return member.read()
