"""`make bench-extract`: precision and recall of the rule extractor on the held-out labels.

Reads the sentences from the data folder (``--data``, or ``CLAIMSTREAM_DATA``), checks each against the
hash in the labels, and
prints figures with 95 % Wilson intervals and the errors by index, never a sentence.  Counted: asserted
facts; what the extractor
marks as inferred is listed, not counted.  Precision: share of predicted facts that fit a label, required
or optional.  Recall: share of
required labels that some predicted fact fits.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from bench.extract_pool import chat_pool, digest, persona_pool, sample
from processors.extraction import EXTRACTOR_ID, extract
from schemas.facts import Fact, Mention
from schemas.turn import Message

LABELS = Path(__file__).parent / "labels"
SPEAKER = Mention(text="speaker", type="user", entity="user:speaker")
#: Labels were written without a date; the time of the turn only dates "last year".
AT = datetime(2026, 1, 1, tzinfo=UTC)
_SAME_WORDS = {
    "mom": "mother",
    "dad": "father",
    "kids": "children",
    "kid": "child",
    "pups": "pup",
    "2": "two",
    "1": "one",
}


@dataclass
class Score:
    """Counts of one set, and where it went wrong (sample index, a note)."""

    predicted: int = 0
    correct: int = 0
    required: int = 0
    found: int = 0
    states: int = 0
    states_found: int = 0
    inferred: int = 0
    sentences: int = 0
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    def precision(self) -> float:
        return self.correct / self.predicted if self.predicted else 0.0

    def recall(self) -> float:
        return self.found / self.required if self.required else 0.0


def wilson(hits: int, n: int) -> tuple[float, float]:
    """The 95 % Wilson score interval of a proportion (Wilson 1927)."""
    if n == 0:
        return 0.0, 1.0
    z, p = 1.959964, hits / n
    middle = p + z * z / (2 * n)
    spread = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (middle - spread) / (1 + z * z / n), (middle + spread) / (1 + z * z / n)


def stems(text: str) -> set[str]:
    """Normalised word stems of a value: case folded, plural and verb endings cut, numbers as words."""
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold())
    return {_stem(_SAME_WORDS.get(word, word)) for word in words}


def _stem(word: str) -> str:
    for ending in ("ing", "ies", "ied", "es", "ed", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            root = word[: -len(ending)]
            return root[:-1] if ending in {"ing", "ed"} and len(root) > 3 and root[-1] == root[-2] else root
    return word


def fits(fact: Fact, label: dict[str, Any], families: dict[str, list[str]]) -> bool:
    """Subject, polarity, end, predicate family and value words agree."""
    if label["polarity"] not in {"any", fact.polarity} or label["ended"] not in {"any", fact.ended}:
        return False
    if not any(_is_subject(fact.subject, word) for word in label["subject"]):
        return False
    patterns = [pattern for name in label["predicate"] for pattern in families.get(name, [name])]
    if not any(fnmatchcase(fact.predicate, pattern) for pattern in patterns):
        return False
    return holds(fact, label)


def holds(fact: Fact, label: dict[str, Any]) -> bool:
    """Whether all words of one of the label's values are in the fact's value."""
    value = stems(fact.value)
    return any(stems(alternative) <= value for alternative in label["value"])


def _is_subject(mention: Mention, word: str) -> bool:
    if word == "*":
        return True
    if word == "self":
        return mention == SPEAKER
    return mention != SPEAKER and bool(stems(word) & stems(mention.text))


def lumps(fact: Fact, labels: list[dict[str, Any]]) -> bool:
    """A value that holds two different required values of one sentence is no atomic fact."""
    held = [label for label in labels if not label.get("optional") and holds(fact, label)]
    values = [frozenset(stems(label["value"][0])) for label in held]
    return len({v for v in values if not any(v < other or other < v for other in values)}) > 1


def score(name: str, pool: list[str]) -> Score:
    """Runs the extractor over one held-out set. Raises SystemExit when a sentence does not match its
    label's hash."""
    families = json.loads((LABELS / "families.json").read_text("utf-8"))
    texts, result = sample(pool), Score()
    for line in (LABELS / f"{name}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        text = texts[row["index"]]
        if digest(text) != row["sha256"]:
            raise SystemExit(
                f"{name} {row['index']}: the data set is not the one that was labelled (sha256 differs)"
            )
        _count(row, extract([Message(text=text)], speaker=SPEAKER, at=AT), families, result)
    return result


def _count(row: dict[str, Any], facts: list[Fact], families: dict[str, list[str]], result: Score) -> None:
    labels: list[dict[str, Any]] = row["facts"]
    result.sentences += 1
    asserted = [fact for fact in facts if fact.basis == "observed" and fact.act == "assert"]
    result.inferred += len(facts) - len(asserted)
    covered: set[int] = set()
    for fact in asserted:
        fitting = [i for i, label in enumerate(labels) if fits(fact, label, families)]
        result.predicted += 1
        if fitting and not lumps(fact, labels):
            result.correct += 1
            covered.update(fitting)
        else:
            result.wrong.append(f"{row['index']}:{fact.rule}")
    for index, label in enumerate(labels):
        if label.get("optional"):
            continue
        result.required += 1
        result.found += index in covered
        if label.get("kind") != "episodic":
            result.states += 1
            result.states_found += index in covered
        if index not in covered:
            result.missed.append(str(row["index"]))


def report(name: str, result: Score) -> None:
    """Prints the figures and the errors of one set."""
    low, high = wilson(result.correct, result.predicted)
    counts = f"{result.correct} of {result.predicted} facts"
    print(f"{name}: precision {result.precision():.3f} [{low:.3f}, {high:.3f}] ({counts})")
    low, high = wilson(result.found, result.required)
    counts = (
        f"{result.found} of {result.required} labels; states alone {result.states_found} of {result.states}"
    )
    print(f"{name}: recall    {result.recall():.3f} [{low:.3f}, {high:.3f}] ({counts})")
    print(f"{name}: inferred, not counted: {result.inferred}")
    print(f"{name}: wrong (index:rule): {' '.join(result.wrong) or 'none'}")
    print(f"{name}: missed (index): {' '.join(result.missed) or 'none'}")


def main() -> None:
    """Prints both sets and, last, one line of JSON. Exits with 2 when the data sets are absent."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--data", type=Path, default=Path(os.environ.get("CLAIMSTREAM_DATA", "../shared/data"))
    )
    folder: Path = parser.parse_args().data
    pools: dict[str, tuple[str, Callable[[Path], list[str]]]] = {
        "persona": ("msc_personas.json", persona_pool),
        "chat": ("locomo10.json", chat_pool),
    }
    missing = [file for file, _ in pools.values() if not (folder / file).is_file()]
    if missing:
        print(
            f"{', '.join(missing)} not found in {folder}; name the folder with --data or CLAIMSTREAM_DATA",
            file=sys.stderr,
        )
        raise SystemExit(2)
    print(f"extractor {EXTRACTOR_ID}, held-out labels of seed 7 (bench/labels/README.md)")
    scores = {name: score(name, read(folder)) for name, (_, read) in pools.items()}
    for name, result in scores.items():
        report(name, result)
    line: dict[str, str | float] = {"bench": "extract"}
    for name, result in scores.items():
        line[f"{name}_precision"] = round(result.precision(), 3)
        line[f"{name}_recall"] = round(result.recall(), 3)
    line["n"] = sum(result.sentences for result in scores.values())
    print(json.dumps(line))


if __name__ == "__main__":
    main()
