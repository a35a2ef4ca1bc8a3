"""Reading the pairs of bench/labels/identity and playing a line: what was known, then the two mentions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from processors.identity import Context, Known, Name, Resolution, resolve_mention
from processors.identity.identifiers import identifier_of
from processors.identity.memory import MemoryIdentity
from schemas.facts import Mention

LABELS = Path(__file__).parent / "labels" / "identity"
_BRACKETS = re.compile(r"^(.*?)\s*\[([^\]]+)\]$")


@dataclass(frozen=True, slots=True)
class Pair:
    """One line. `known` are its parts of context as written."""

    kind: str
    same: bool
    first: str
    second: str
    known: tuple[str, ...]

    @property
    def half(self) -> str:
        key = "|".join((self.kind, str(int(self.same)), self.first, self.second))
        return "dev" if sha256(key.encode()).digest()[0] < 128 else "held"


def read_pairs() -> Iterator[Pair]:
    lines = (
        line
        for name in ("pairs.txt", "second.txt")
        for line in (LABELS / name).read_text("utf-8").splitlines()
    )
    for line in lines:
        if line and not line.startswith("#"):
            kind, same, first, second, known = (part.strip() for part in f"{line} ".split(" | "))
            parts = tuple(part.strip() for part in known.split(" ; ") if part.strip())
            yield Pair(kind, same == "1", first, second, parts)


class Scene:
    """One line being played."""

    def __init__(self, pair: Pair) -> None:
        self._pair = pair
        self._view = MemoryIdentity()
        self._heard: set[str] = set()
        self._speaker = next((part.split()[1] for part in pair.known if part.startswith("speaker ")), None)

    def play(self) -> tuple[Resolution, Resolution]:
        """The resolutions of the two mentions."""
        for part in self._pair.known:
            self._prepare(part)
        return self._mention(self._pair.first), self._mention(self._pair.second)

    def _prepare(self, part: str) -> None:
        what, _, rest = part.partition(" ")
        if what == "knows":
            self._mention(rest)
        elif what == "alias":
            name, _, whole = rest.partition(" = ")
            type_, _, short = name.partition(":")
            entity = self._mention(whole if whole.startswith("@") else f"{type_}:{whole}").entity
            self._view.add_name(Known(entity, Name(short, type_), "stated"))
        elif what == "id":
            key, _, bearer = rest.partition(" = ")
            said = key.partition(":")[2] if key.startswith(("email:", "phone:")) else key
            self._view.add_identifiers(self._mention(bearer).entity, [identifier_of(said) or key])

    def _mention(self, said: str) -> Resolution:
        found = _BRACKETS.match(said)
        stated: list[str] = []
        if found:
            said = found[1]
            stated = [
                identifier_of(key.removeprefix("email:").removeprefix("phone:")) or key
                for key in found[2].split()
            ]
        if said.startswith("@"):
            mention = Mention(text=said[1:], type=said[1:].split(":")[0], entity=said[1:])
        else:
            type_, _, text = said.partition(":")
            mention = Mention(text=text, type=type_)
        nearby = frozenset(self._heard) if "near" in self._pair.known else frozenset()
        context = Context(speaker=self._speaker, nearby=nearby, identifiers=tuple(stated))
        resolution = resolve_mention(mention, context, self._view)
        self._view.keep(resolution)
        self._heard.add(resolution.entity)
        return resolution


def judged_one(pair: Pair) -> bool:
    """Whether the rules put both mentions of a pair into one entity."""
    first, second = Scene(pair).play()
    return first.resolved and second.resolved and first.entity == second.entity
