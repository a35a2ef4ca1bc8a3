"""The offline default extractor behind the port: the rules of processors.extraction, no model, no network."""

from datetime import datetime

from processors.extraction import EXTRACTOR_ID, extract
from schemas.facts import Fact, Mention
from schemas.turn import Turn


class RuleExtractor:
    """Reads plain statements only; what it does not know it leaves out (docs/extraction.md)."""

    id = EXTRACTOR_ID

    async def extract(self, turn: Turn, event_time: datetime) -> list[Fact]:
        """The facts of the turn; never raises on any text."""
        return extract(turn.content.messages, speaker=speaker_of(turn), at=event_time)


def speaker_of(turn: Turn) -> Mention:
    """Who speaks where a message does not say: the turn's user."""
    return Mention(text=turn.user, type="user", entity=f"user:{turn.user}")
