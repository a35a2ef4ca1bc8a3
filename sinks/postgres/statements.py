"""The statements of the .sql files of this folder, by name.

A file holds statements, each under ``-- name: <name>`` and a line or more that say what it is for.
"""

import re
from importlib.resources import files
from typing import Final

_NAME: Final = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


def load_statements(*names: str) -> dict[str, bytes]:
    """Name to statement, of the files ``<name>.sql`` in this package. Comments are left out."""
    statements: dict[str, bytes] = {}
    for name in names:
        text = files("sinks.postgres").joinpath(f"{name}.sql").read_text("utf-8")
        parts = _NAME.split(text)[1:]
        for key, body in zip(parts[::2], parts[1::2], strict=True):
            if key in statements:
                raise ValueError(f"two statements are called {key}")
            lines = (line for line in body.splitlines() if not line.lstrip().startswith("--"))
            statements[key] = "\n".join(lines).strip().rstrip(";").encode()
    return statements


SQL: Final = load_statements("progress", "load", "flush", "alone", "stages", "identity", "reads", "schema")
