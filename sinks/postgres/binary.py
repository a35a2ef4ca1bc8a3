"""Values in PostgreSQL's binary form, made by the column: a batch has thousands of them.

A column's type is one letter::

    u uuid (16 bytes)    t text (str)    i bigint    n integer    z timestamptz (microseconds since 2000)
    f double             b boolean       j jsonb (bytes, see `jsonb`)    J json (bytes)    y bytea

Arrays by psycopg's own list dumper cost more than the insert they are for; here a column is one join of bytes.
The layouts are those of array_recv, uuid_recv, timestamptz_recv and jsonb_recv in PostgreSQL's source.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from struct import Struct, pack
from typing import Any, Final

import orjson
from psycopg import AsyncConnection
from psycopg.adapt import Dumper
from psycopg.pq import Format

from processors.deciding.model import microseconds

#: Microseconds from 1970 to 2000, where PostgreSQL's timestamps begin.
_EPOCH_2000: Final = 946_684_800_000_000
#: Type for COPY: uuid and jsonb are given as their bytes, a timestamp as its integer.
_COPY_TYPES: Final = {
    "u": "bytea",
    "t": "text",
    "i": "int8",
    "n": "int4",
    "z": "int8",
    "f": "float8",
    "b": "bool",
    "j": "bytea",
    "J": "bytea",
    "y": "bytea",
}
#: Letter to (element oid, array oid), from pg_type.
_OIDS: Final = {
    "u": (2950, 2951),
    "t": (25, 1009),
    "i": (20, 1016),
    "n": (23, 1007),
    "z": (1184, 1185),
    "f": (701, 1022),
    "b": (16, 1000),
    "j": (3802, 3807),
    "J": (114, 199),
    "y": (17, 1001),
}
_PACKED: Final = {
    "i": Struct(">iq"),
    "n": Struct(">ii"),
    "z": Struct(">iq"),
    "f": Struct(">id"),
    "b": Struct(">i?"),
}
_NULL: Final = pack(">i", -1)
_LENGTH: Final = Struct(">i")


class Array(bytes):
    """An array of one column in binary form; its subclasses carry the type."""


def _array_class(letter: str) -> tuple[type[Array], type[Dumper]]:
    class ColumnDumper(Dumper):
        format = Format.BINARY
        oid = _OIDS[letter][1]

        def dump(self, obj: Any) -> bytes:
            return bytes(obj)

    return type(f"Array_{letter}", (Array,), {}), ColumnDumper


_ARRAYS: Final = {letter: _array_class(letter) for letter in _OIDS}


def register(connection: AsyncConnection[Any]) -> None:
    """Teaches the connection `array`."""
    for cls, dumper in _ARRAYS.values():
        connection.adapters.register_dumper(cls, dumper)


def copy_types(letters: str) -> list[str]:
    return [_COPY_TYPES[letter] for letter in letters]


def array(letter: str, values: Sequence[Any]) -> Array:
    """One column of values (None is NULL) as an array parameter."""
    packed = _PACKED.get(letter)
    nulls = None in values
    if packed is not None:
        pack_one, size = packed.pack, packed.size - 4
        parts = [_NULL if value is None else pack_one(size, value) for value in values]
    else:
        blobs = (
            [value.encode() if value is not None else None for value in values] if letter == "t" else values
        )
        length = _LENGTH.pack
        parts = [_NULL if blob is None else length(len(blob)) + blob for blob in blobs]
    head = pack(">iiI", 1 if values else 0, int(nulls), _OIDS[letter][0])
    if values:
        head += pack(">ii", len(values), 1)
    return _ARRAYS[letter][0](head + b"".join(parts))


def columns(letters: str, rows: Sequence[Sequence[Any]]) -> list[Array]:
    """Rows as one array per column, for ``unnest``."""
    by_column: Iterable[Sequence[Any]] = zip(*rows, strict=True) if rows else [()] * len(letters)
    return [array(letter, values) for letter, values in zip(letters, by_column, strict=True)]


def stamp(moment: datetime) -> int:
    """For a `z` column."""
    return microseconds(moment) - _EPOCH_2000


def stamp_us(at_us: int) -> int:
    """For a `z` column, from microseconds since 1970."""
    return at_us - _EPOCH_2000


def jsonb(value: Any) -> bytes:
    """For a `j` column: a version byte, then JSON."""
    return b"\x01" + orjson.dumps(value)
