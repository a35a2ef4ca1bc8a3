"""Fixed-length keys of slots and cells, for the ledger's indexes.

The names themselves do not fit: a value key may be 4,096 characters, a btree entry holds 2,704 bytes.
"""

from functools import lru_cache
from hashlib import sha256

from processors.deciding.model import CellKey, EntityKey, SlotKey
from schemas.base import SEPARATOR


@lru_cache(maxsize=16384)
def slot_id(slot: SlotKey) -> bytes:
    """The first 16 bytes of the SHA-256 of the slot's names; the scope comes last, so the join is unambiguous."""
    return sha256(SEPARATOR.join(slot).encode()).digest()[:16]


def cell_id(slot: bytes, value_key: str) -> bytes:
    """16 bytes for one value of the slot with the id `slot`; an empty `value_key` is the slot as a whole."""
    return sha256(slot + value_key.encode()).digest()[:16]


def id_of(cell: CellKey) -> bytes:
    return cell_id(slot_id(cell.slot), cell.value_key)


def origin_id(owner: EntityKey, origin: str) -> bytes:
    """16 bytes for an origin of evidence about the entity; the origin comes last, so the join is unambiguous."""
    return sha256(SEPARATOR.join((*owner, origin)).encode()).digest()[:16]


def named_id(*names: str) -> bytes:
    """16 bytes for names in an order that the caller keeps to. A name may hold the separator: lengths go in too."""
    parts = (f"{len(name)}:{name}" for name in names)
    return sha256("".join(parts).encode()).digest()[:16]
