"""Vector rows as Arrow, the form in which LanceDB takes and gives them."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import UTC
from typing import Any

import numpy as np
import pyarrow as pa

from processors.embedding import EmbedderProfile
from sinks.vector_rows import VectorRow

#: One column per field of a row, in order.
COLUMNS = [field.name for field in fields(VectorRow)]
_MODEL = b"embedding_model"
_MOMENTS = ("valid_from", "valid_to", "updated_at")


def table_schema(profile: EmbedderProfile) -> pa.Schema:
    """The layout of a table of this embedder's vectors; its metadata name the model."""
    types = {"version": pa.int64(), "vector": pa.list_(pa.float32(), profile.dimension)}
    types |= dict.fromkeys(_MOMENTS, pa.timestamp("us", tz="UTC"))
    columns = [pa.field(name, types.get(name, pa.string())) for name in COLUMNS]
    return pa.schema(columns, metadata={_MODEL: profile.model_id.encode()})


def model_of(schema: pa.Schema) -> str:
    """The embedding model that a table's metadata name, or ``unknown``."""
    return str((schema.metadata or {}).get(_MODEL, b"unknown").decode())


def to_arrow(rows: Sequence[VectorRow], schema: pa.Schema) -> pa.Table:
    values = {name: [getattr(row, name) for row in rows] for name in COLUMNS}
    return pa.table({n: pa.array(v, type=schema.field(n).type) for n, v in values.items()}, schema=schema)


def to_row(item: Mapping[str, Any]) -> VectorRow:
    """A row from what a query gave; without a vector when that column was not asked for."""
    values: dict[str, Any] = {name: item.get(name) for name in COLUMNS}
    if values["vector"] is not None:
        values["vector"] = np.asarray(values["vector"], dtype=np.float32)
    for name in _MOMENTS:
        if values[name] is not None:
            values[name] = values[name].astimezone(UTC)
    return VectorRow(**values)
