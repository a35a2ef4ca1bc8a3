"""Loading the models leaves no device id, session or event behind, in the home folder or the temporary one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = """
import asyncio
from inference.offline_minilm import OfflineMiniLM
print(asyncio.run(OfflineMiniLM(threads=1).embed(["I live in Lisbon"])).shape)
"""


def files_left(tmp_path: Path, program: str) -> list[str]:
    home, temporary = tmp_path / "home", tmp_path / "tmp"
    for folder in (home, temporary):
        folder.mkdir()
    hidden = {"ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME"}
    inherited = {name: value for name, value in os.environ.items() if name not in hidden}
    places = {"HOME": str(home), "TMPDIR": str(temporary)}
    subprocess.run([sys.executable, "-c", program], env=inherited | places, cwd=ROOT, check=True)
    return [str(path) for folder in (home, temporary) for path in folder.rglob("*") if path.is_file()]


def test_embedding_leaves_no_file(tmp_path: Path) -> None:
    assert files_left(tmp_path, PROGRAM) == []
