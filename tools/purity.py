"""Purity lint: nothing in processors/ may read a clock, draw a random number or do I/O.

The ledger is replayable because deciding depends on its input alone. This check reads the syntax tree, so it
sees a reference as well as a call (``default_factory=datetime.now`` is as bad as ``datetime.now()``).

``python -m tools.purity [FOLDER ...]`` prints one line per finding; exit code 1 when there is one.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

#: Modules whose mere import is a finding. A package stands for its submodules.
BANNED_MODULES: Final = frozenset(
    "time random secrets os io socket ssl select selectors subprocess multiprocessing threading asyncio "
    "concurrent signal shutil tempfile glob fileinput pathlib http urllib ftplib smtplib requests httpx "
    "aiohttp urllib3 sqlite3 psycopg psycopg_pool lancedb pyarrow faust mode aiokafka kafka openai "
    "onnxruntime tokenizers sentence_transformers logging structlog prometheus_client platform getpass "
    "locale tzlocal sched ctypes builtins importlib pkgutil runpy".split()
)
#: Reading a file that ships with the program gives the same bytes on every machine.
ALLOWED_MODULES: Final = frozenset({"importlib.resources"})

#: Names that are a finding wherever they come from, by their full dotted name after resolving imports.
BANNED_NAMES: Final = frozenset(
    {
        "uuid.uuid1",
        "uuid.uuid4",
        "uuid.uuid6",
        "uuid.uuid7",
        "uuid.getnode",
        "numpy.random",
        "sys.argv",
        "sys.stdin",
        "sys.stdout",
        "sys.stderr",
        "sys.exit",
        "zoneinfo.reset_tzpath",
    }
)
#: Builtins: I/O, code from text, and ``hash``/``id``, which differ from process to process.
BANNED_BUILTINS: Final = frozenset(
    {"open", "print", "input", "breakpoint", "exec", "eval", "compile", "__import__", "hash", "id"}
)
#: Attributes that read the clock on whatever object they are asked for.
BANNED_ATTRIBUTES: Final = frozenset({"now", "utcnow", "today", "localtime", "perf_counter", "monotonic"})


@dataclass(frozen=True, slots=True)
class Finding:
    """One impure thing: file, line (1-based), what it is."""

    path: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}"


def check_source(source: str, path: str = "<source>") -> list[Finding]:
    """The findings of one module's text. Raises SyntaxError when it is not Python."""
    tree = ast.parse(source, path)
    visitor = _Visitor(path)
    visitor.visit(tree)
    return visitor.findings


def check_folder(folder: Path) -> list[Finding]:
    """The findings of all modules below `folder`, by file name."""
    findings: list[Finding] = []
    for file in sorted(folder.rglob("*.py")):
        findings += check_source(file.read_text(encoding="utf-8"), str(file))
    return findings


def _prefixes(dotted: str) -> Iterator[str]:
    parts = dotted.split(".")
    for end in range(1, len(parts) + 1):
        yield ".".join(parts[:end])


def _is_banned_module(module: str) -> bool:
    names = tuple(_prefixes(module))
    return not ALLOWED_MODULES.intersection(names) and not BANNED_MODULES.isdisjoint(names)


class _Visitor(ast.NodeVisitor):
    def __init__(self, path: str) -> None:
        self.path = path
        self.findings: list[Finding] = []
        #: Local name to the full dotted name it was imported as.
        self.imported: dict[str, str] = {}

    def _found(self, node: ast.stmt | ast.expr, what: str) -> None:
        self.findings.append(Finding(self.path, node.lineno, what))

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if _is_banned_module(alias.name):
                self._found(node, f"imports {alias.name}")
            local = alias.asname or alias.name.split(".", 1)[0]
            self.imported[local] = alias.name if alias.asname else local

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        for alias in node.names:
            full = f"{module}.{alias.name}"
            self.imported[alias.asname or alias.name] = full
            if (node.level == 0 and _is_banned_module(full)) or full in BANNED_NAMES:
                self._found(node, f"imports {full}")

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load) and node.id in BANNED_BUILTINS and node.id not in self.imported:
            self._found(node, f"uses {node.id}")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        full = self._dotted(node)
        if full in BANNED_NAMES:
            self._found(node, f"uses {full}")
        elif node.attr in BANNED_ATTRIBUTES:
            self._found(node, f"uses .{node.attr} (a clock)")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        called = self._dotted(node.func)
        if isinstance(node.func, ast.Attribute) and not node.args and not node.keywords:
            if node.func.attr == "astimezone":
                self._found(node, "calls .astimezone() without a zone (the machine's own)")
        if called.endswith(".fromtimestamp") and len(node.args) + len(node.keywords) < 2:
            self._found(node, "calls fromtimestamp without a zone (the machine's own)")
        if called in {"dateparser.parse", "dateparser.date.DateDataParser"}:
            if not {"settings", None}.intersection(keyword.arg for keyword in node.keywords):
                self._found(node, f"calls {called} without settings: it would take 'today' from the clock")
        self.generic_visit(node)

    def _dotted(self, node: ast.expr) -> str:
        """``dt.datetime.now`` with ``import datetime as dt`` is ``datetime.datetime.now``; else empty."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        parts.append(self.imported.get(node.id, node.id))
        return ".".join(reversed(parts))


def main(arguments: list[str]) -> int:
    """Checks the folders (default: processors); 0 clean, 1 findings, 2 a folder is missing."""
    folders = [Path(argument) for argument in arguments or ["processors"]]
    missing = [folder for folder in folders if not folder.is_dir()]
    if missing:
        print(
            f"purity: no folder {', '.join(map(str, missing))}; run it from the top of the clone",
            file=sys.stderr,
        )
        return 2
    findings = [finding for folder in folders for finding in check_folder(folder)]
    for finding in findings:
        print(f"{finding}; processors take times, ids and data as arguments")
    if not findings:
        print(f"purity: {', '.join(map(str, folders))} clean")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
