"""Which records of a slot still count when it is folded again: not those that a move took to another entity."""

from collections.abc import Iterable
from typing import Final

from processors.deciding.model import Story
from processors.identity.commands import selects
from schemas.base import read_object
from schemas.identity import Moved
from schemas.inbox import Proposal

# In canonical JSON a quotation mark inside a text has a backslash before it, so this is the field itself.
_MOVED: Final = b'"type":"moved"'


def kept(stories: Iterable[Story]) -> list[Story]:
    """The stories without ``moved`` records and without the statements that these took away."""
    told = list(stories)
    moves = [(story.number, Moved.from_json(story.body)) for story in told if _MOVED in story.body]
    if not moves:
        return told
    return [story for story in told if _MOVED not in story.body and not _gone(story, moves)]


def statement_in(story: Story) -> Proposal | None:
    """The statement that the story is; None for any other record, also for one that takes something back."""
    if read_object(story.body).get("type") != "proposal":
        return None
    proposal = Proposal.from_json(story.body)
    return proposal if proposal.act == "assert" else None


def _gone(story: Story, moves: list[tuple[int, Moved]]) -> bool:
    later = [move for number, move in moves if number > story.number]
    if not later or (proposal := statement_in(story)) is None:
        return False
    mention, resolved_as = proposal.content.mention.text, proposal.resolved_as or proposal.entity
    return any(selects(move, proposal.id, mention, resolved_as) for move in later)
