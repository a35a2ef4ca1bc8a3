"""The id map of one tenant in memory: for tests, the evaluation, and as what a store loads for a batch."""

from collections.abc import Iterable, Sequence

from processors.identity.forwards import follow
from processors.identity.model import Known, Resolution, Suggestion
from processors.identity.names import keys_of, parse


class MemoryIdentity:
    """An IdentityView that can be added to; in the way in which it was filled it answers, with no other order."""

    def __init__(self) -> None:
        self._rows: dict[str, list[Known]] = {}
        self._keys: dict[tuple[str, str], list[Known]] = {}
        self._identifiers: dict[str, str] = {}
        self._owned: dict[str, set[str]] = {}
        self._forwards: dict[str, str] = {}
        self._sources: dict[str, set[str]] = {}
        self.suspects: dict[tuple[str, str], Suggestion] = {}

    # -- the view -------------------------------------------------------------------------------------------------
    def named(self, family: str, key: str) -> Sequence[Known]:
        return self._keys.get((family, key), ())

    def names_of(self, entity: str) -> Sequence[Known]:
        return [row for one in self._with_sources(entity) for row in self._rows.get(one, ())]

    def identifier(self, key: str) -> str | None:
        return self._identifiers.get(key)

    def identifiers_of(self, entity: str) -> Sequence[str]:
        return sorted(key for one in self._with_sources(entity) for key in self._owned.get(one, ()))

    def forward(self, entity: str) -> str | None:
        return self._forwards.get(entity)

    def merged_into(self, entity: str) -> Sequence[str]:
        return sorted(self._sources.get(entity, ()))

    # -- filling --------------------------------------------------------------------------------------------------
    def add_name(self, row: Known) -> None:
        """Twice is once; a stated alias is not taken back by seeing it."""
        rows = self._rows.setdefault(row.entity, [])
        same = [old for old in rows if old.name == row.name]
        if same and (row.origin != "stated" or same[0].origin == "stated"):
            return
        if same:
            self._drop(same[0])
        rows.append(row)
        parsed = parse(row.name)
        for key in keys_of(parsed):
            self._keys.setdefault((parsed.family, key), []).append(row)

    def move_name(self, row: Known, to: str) -> None:
        """Gives a name to another entity."""
        self._drop(row)
        self.add_name(Known(to, row.name, row.origin))

    def add_identifiers(self, entity: str, keys: Iterable[str]) -> None:
        """The first entity to have an identifier keeps it."""
        for key in keys:
            if self._identifiers.setdefault(key, entity) == entity:
                self._owned.setdefault(entity, set()).add(key)

    def set_forward(self, entity: str, to: str | None) -> None:
        old = self._forwards.pop(entity, None)
        if old is not None:
            self._sources[old].discard(entity)
        if to is not None:
            self._forwards[entity] = to
            self._sources.setdefault(to, set()).add(entity)

    def keep(self, resolution: Resolution) -> list[tuple[str, str]]:
        """What a resolution found out; returns the pairs that were not suspected before."""
        fresh: list[tuple[str, str]] = []
        if resolution.learn is not None:
            self.add_name(resolution.learn)
        self.add_identifiers(resolution.entity, resolution.identifiers)
        if resolution.resolved:
            for one in resolution.suggestions:
                first, second = sorted((resolution.entity, follow(self, one.entity)))
                if first != second and (first, second) not in self.suspects:
                    self.suspects[first, second] = one
                    fresh.append((first, second))
        return fresh

    def _drop(self, row: Known) -> None:
        self._rows[row.entity].remove(row)
        parsed = parse(row.name)
        for key in keys_of(parsed):
            self._keys[parsed.family, key].remove(row)

    def _with_sources(self, entity: str) -> list[str]:
        """The entity and everything merged into it, however often."""
        found = [entity]
        if entity not in self._sources:
            return found
        for one in found:
            found.extend(source for source in self.merged_into(one) if source not in found)
        return found
