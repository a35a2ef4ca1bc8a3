"""Values in PostgreSQL's binary form, made by the column: a batch has thousands of them.

A column's type is one letter::

    u uuid (16 bytes)    t text (str)    i bigint    n integer    z timestamptz (microseconds since 2000)
    f double             b boolean       j jsonb (bytes, see `jsonb`)    J json (bytes)    y bytea

psycopg's own adaption works by the value; for a batch it costs more than the insert that it is for. Here a column is
one pass, and rows and arrays are one join. The layouts are those of COPY BINARY in the manual and of array_recv,
uuid_recv, timestamptz_recv and jsonb_recv in PostgreSQL's source.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import chain, repeat
from struct import Struct, pack
from typing import Any, Final

import orjson
from psycopg import AsyncConnection
from psycopg.adapt import Dumper
from psycopg.pq import Format

from processors.deciding.model import microseconds

#: Microseconds from 1970 to 2000, where PostgreSQL's timestamps begin.
_EPOCH_2000: Final = 946_684_800_000_000
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
_FIXED: Final = {
    "i": Struct(">iq"),
    "n": Struct(">ii"),
    "z": Struct(">iq"),
    "f": Struct(">id"),
    "b": Struct(">i?"),
}
_NULL: Final = pack(">i", -1)
_LENGTH: Final = Struct(">i")
_UUID_LENGTH: Final = pack(">i", 16)
_COPY_HEAD: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_COPY_END: Final = pack(">h", -1)


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


def copy_data(letters: str, rows: Sequence[Sequence[Any]]) -> bytes:
    """The whole of what ``COPY ... FROM STDIN (FORMAT BINARY)`` takes."""
    parts: list[Iterable[bytes]] = [repeat(pack(">h", len(letters)), len(rows))]
    for letter, values in zip(letters, zip(*rows, strict=True), strict=True):
        parts += _fields(letter, values)
    return b"".join((_COPY_HEAD, *chain.from_iterable(zip(*parts, strict=False)), _COPY_END))


def _fields(letter: str, values: Sequence[Any]) -> list[Iterable[bytes]]:
    """A column as one or two streams of bytes (length and value, joined or apart); None is NULL."""
    fixed = _FIXED.get(letter)
    if fixed is not None:
        pack_one, size = fixed.pack, fixed.size - 4
        return [[_NULL if value is None else pack_one(size, value) for value in values]]
    if letter == "u" and None not in values:
        return [repeat(_UUID_LENGTH), values]
    length = _LENGTH.pack
    if letter == "t":
        blobs = [value.encode() for value in values]
        return [[length(len(blob)) for blob in blobs], blobs]
    return [[_NULL if blob is None else length(len(blob)) + blob for blob in values]]


def array(letter: str, values: Sequence[Any]) -> Array:
    """One column of values (None is NULL) as an array parameter."""
    head = pack(">iiI", 1 if values else 0, int(None in values), _OIDS[letter][0])
    if values:
        head += pack(">ii", len(values), 1)
    return _ARRAYS[letter][0](
        b"".join((head, *chain.from_iterable(zip(*_fields(letter, values), strict=False))))
    )


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
