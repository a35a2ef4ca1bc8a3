"""The table of shapes, in the order in which rows are tried."""

from __future__ import annotations

from typing import Final

from processors.extraction.shape import Shape
from processors.extraction.shapes_being import BEING
from processors.extraction.shapes_doing import DOING

SHAPES: Final[tuple[Shape, ...]] = BEING + DOING
