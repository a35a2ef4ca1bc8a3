"""The purity lint bites on each thing it bans, and lets plain code pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.purity import check_folder, check_source, main

ROOT = Path(__file__).parents[2]

IMPURE = {
    "datetime.now": "from datetime import datetime\nx = datetime.now()",
    "datetime.now by alias": "import datetime as dt\nx = dt.datetime.now(dt.UTC)",
    "datetime.now not called": "from datetime import datetime\nx = dict(default_factory=datetime.now)",
    "utcnow": "from datetime import datetime\nx = datetime.utcnow()",
    "today": "from datetime import date\nx = date.today()",
    "local zone": "def f(moment):\n    return moment.astimezone()",
    "local timestamp": "from datetime import datetime\nx = datetime.fromtimestamp(3)",
    "dateparser's clock": "import dateparser\nx = dateparser.parse('yesterday')",
    "time": "import time",
    "from time": "from time import monotonic",
    "inside a function": "def f():\n    import time\n    return time",
    "random": "import random",
    "numpy random": "import numpy as np\nx = np.random.default_rng()",
    "numpy random import": "from numpy import random",
    "secrets": "import secrets",
    "uuid1": "import uuid\nx = uuid.uuid1()",
    "uuid4": "from uuid import uuid4",
    "uuid4 by alias": "import uuid as u\nx = u.uuid4()",
    "hash": "x = hash('a')",
    "id": "x = id('a')",
    "os": "import os",
    "environ": "from os import environ",
    "os.path": "import os.path as p",
    "pathlib": "from pathlib import Path",
    "socket": "import socket",
    "http": "import http.client",
    "urllib": "from urllib import request",
    "subprocess": "import subprocess",
    "asyncio": "from asyncio import sleep",
    "threading": "import threading",
    "open": "x = open('a')",
    "print": "print('a')",
    "input": "x = input()",
    "eval": "x = eval('1')",
    "dynamic import": "x = __import__('time')",
    "importlib": "from importlib import import_module",
    "stdout": "import sys\nsys.stdout.write('a')",
    "logging": "import logging",
    "kafka": "import aiokafka",
    "faust": "import faust",
    "psycopg": "from psycopg import connect",
    "lancedb": "import lancedb",
    "onnxruntime": "import onnxruntime",
}

PURE = """
import dateparser
import json
import re
from datetime import UTC, datetime, timedelta
from importlib import resources
from importlib.resources import files
from uuid import UUID, uuid5

def later(moment: datetime, days: int) -> datetime:
    return moment.astimezone(UTC) + timedelta(days=days)

def day(text: str, base: datetime):
    return dateparser.parse(text, settings={"RELATIVE_BASE": base})

def at(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)

def child(parent: UUID) -> UUID:
    return uuid5(parent, "claim")

TABLE = json.loads(files("processors").joinpath("table.json").read_text())
"""


@pytest.mark.parametrize("source", IMPURE.values(), ids=IMPURE.keys())
def test_bites(source: str) -> None:
    assert check_source(source)


def test_lets_plain_code_pass() -> None:
    assert check_source(PURE) == []


def test_names_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "bad.py").write_text("x = 1\nimport time\n")
    assert [str(finding) for finding in check_folder(tmp_path)] == [f"{tmp_path}/deep/bad.py:2: imports time"]
    assert main([str(tmp_path)]) == 1
    assert main([str(tmp_path / "none")]) == 2


def test_processors_are_pure() -> None:
    assert check_folder(ROOT / "processors") == []
