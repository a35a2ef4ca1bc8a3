"""What the thinking needs from outside, as Protocols: adapters in inference/ and sinks/ implement them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from processors.embedding import EmbedderProfile
from schemas.facts import Fact
from schemas.judge import Judgement, JudgeRequest
from schemas.turn import Turn
from schemas.values import TypedValue


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def profile(self) -> EmbedderProfile:
        """Model id (kept with every vector: vectors of different models are never compared), size, thresholds."""
        ...

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimension), rows of length 1. Raises TransientError when the model is away."""
        ...

    def close(self) -> None:
        """Ends threads and connections; it is not used after."""
        ...


class Extractor(Protocol):
    """Takes the facts out of a turn."""

    @property
    def id(self) -> str:
        """Kept with the facts: which extractor, which version of its rules or its model and prompt."""
        ...

    async def extract(self, turn: Turn, event_time: datetime) -> list[Fact]:
        """The facts of the turn, ordinals from 0. Raises PoisonError when this turn can never be read,
        TransientError when the model is away."""
        ...


class Judge(Protocol):
    """Says how a statement relates to what is held, where the policy leaves that to a judge."""

    @property
    def id(self) -> str:
        """Kept with the verdict: which judge, which version of its model and prompt."""
        ...

    async def judge(self, request: JudgeRequest) -> Judgement:
        """Raises PoisonError when this request can never be judged, TransientError when the model is away."""
        ...


class ConflictRule(Protocol):
    """A rule of a domain: which values of one predicate cannot hold together (a cancelled order is not a shipped one).

    It is asked when a fact is resolved and its answer is kept with the proposal, so that a replay needs no rule.
    """

    @property
    def id(self) -> str:
        """For logs: which rule, which version of it."""
        ...

    def excluded(self, subject_type: str, predicate: str, value: TypedValue) -> Sequence[str]:
        """Keys of the values that cannot hold together with `value`; pure, the same for the same arguments."""
        ...
