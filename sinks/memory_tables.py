"""Tables in memory with indexes, and a layer over one: what a transaction wrote and nobody else sees yet."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
R = TypeVar("R")
#: Index name to the function that gives a row's place in it; None leaves the row out.
Indexes = Mapping[str, Callable[[R], Hashable | None]]


class Table(Generic[K, R]):
    """Rows by primary key, found by index as well."""

    def __init__(self, indexes: Indexes[R] | None = None) -> None:
        self.indexes: Indexes[R] = indexes or {}
        self.rows: dict[K, R] = {}
        self._found: dict[str, dict[Hashable, dict[K, None]]] = {name: {} for name in self.indexes}

    def put(self, key: K, row: R) -> None:
        """Adds or replaces."""
        self.remove(key)
        self.rows[key] = row
        for name, place_of in self.indexes.items():
            place = place_of(row)
            if place is not None:
                self._found[name].setdefault(place, {})[key] = None

    def remove(self, key: K) -> None:
        """A key that is not there is passed over."""
        row = self.rows.pop(key, None)
        if row is None:
            return
        for name, place_of in self.indexes.items():
            place = place_of(row)
            if place is not None:
                del self._found[name][place][key]

    def keys(self, index: str, place: Hashable) -> Iterator[K]:
        """The keys of the rows at a place of an index."""
        return iter(self._found[index].get(place, ()))


class Layer(Generic[K, R]):
    """A table as one transaction sees it: its own changes over what is committed."""

    def __init__(self, table: Table[K, R]) -> None:
        self._table = table
        self._own: Table[K, R] = Table(table.indexes)
        self._removed: set[K] = set()

    def get(self, key: K) -> R | None:
        if key in self._own.rows:
            return self._own.rows[key]
        return None if key in self._removed else self._table.rows.get(key)

    def __contains__(self, key: K) -> bool:
        return self.get(key) is not None

    def find(self, index: str, place: Hashable) -> list[R]:
        """The rows at a place of an index."""
        held = self._table.keys(index, place)
        rows = [
            self._table.rows[key] for key in held if key not in self._own.rows and key not in self._removed
        ]
        return rows + [self._own.rows[key] for key in self._own.keys(index, place)]

    def put(self, key: K, row: R) -> None:
        self._removed.discard(key)
        self._own.put(key, row)

    def remove(self, key: K) -> None:
        self._own.remove(key)
        self._removed.add(key)

    def values(self) -> Iterator[R]:
        """All rows; a scan."""
        for key, row in self._table.rows.items():
            if key not in self._own.rows and key not in self._removed:
                yield row
        yield from self._own.rows.values()

    def items(self) -> Iterator[tuple[K, R]]:
        """All rows with their keys; a scan."""
        for key, row in self._table.rows.items():
            if key not in self._own.rows and key not in self._removed:
                yield key, row
        yield from self._own.rows.items()

    def commit(self) -> None:
        """Makes the changes everybody's."""
        for key in self._removed:
            self._table.remove(key)
        for key, row in self._own.rows.items():
            self._table.put(key, row)
