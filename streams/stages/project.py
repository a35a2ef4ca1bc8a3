"""project: claim changes in, vector rows out. The only writer of the vectors."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from processors.vectors import decode
from schemas.claims import ClaimChanged
from schemas.errors import PoisonError
from sinks.ports import Transaction
from sinks.vector_rows import VectorRow, VectorStore
from streams.stage import InRecord
from streams.transactional import Applied, DeadLetter


class Project:
    """The handler of the stage. Writing a row again is harmless: an older version never replaces a newer one.

    So rows are written before the transaction, those of all partitions that are at hand in one go: an upsert costs
    the same for one row and for hundreds. ``model`` is the embedder's model id: a vector of another model is not
    written (``reembed`` makes new ones).
    """

    def __init__(self, vectors: VectorStore, model: str) -> None:
        self._vectors = vectors
        self._model = model

    async def prepare(self, records: Sequence[InRecord]) -> list[VectorRow | DeadLetter | None]:
        read = [self._read(record) for record in records]
        rows = [row for row in read if isinstance(row, VectorRow)]
        if rows:
            await self._vectors.upsert(rows)
        return read

    def _read(self, record: InRecord) -> VectorRow | DeadLetter | None:
        try:
            event = ClaimChanged.from_json(record.value)
            if event.embedding_model != self._model:
                return None
            return _row(event)
        except PoisonError as error:
            return DeadLetter(error)

    async def apply(self, tx: Transaction, items: Sequence[tuple[InRecord, VectorRow | None]]) -> Applied:
        rows = sum(row is not None for _, row in items)
        tx.count("projected", n=rows)
        tx.count("discarded", "no_vector_of_this_model", len(items) - rows)
        return Applied()


def _unit(coded: str) -> NDArray[np.float32] | None:
    """The vector with length 1; None (unchanged) where the event carries none."""
    if not coded:
        return None
    vector = decode(coded).values.astype(np.float32)
    unit: NDArray[np.float32] = vector / np.float32(np.linalg.norm(vector))
    return unit


def _row(event: ClaimChanged) -> VectorRow:
    return VectorRow(
        tenant=event.tenant,
        claim_id=str(event.claim_id),
        entity=event.entity,
        predicate=event.predicate,
        scope=event.scope,
        status=event.status,
        version=event.entity_version,
        embedding_model=event.embedding_model,
        text=event.content.text,
        vector=_unit(event.content.vector),
        kind=event.kind,
        valid_from=event.valid_from,
        valid_to=event.valid_to,
        updated_at=event.last_confirmed,
    )
