"""More inputs of the kinds of the reported faults, in sentences of our own."""

from __future__ import annotations

from tests.cases.stories_settled import SETTLED
from tests.cases.stories_understood import UNDERSTOOD
from tests.cases.story import Story

STORIES: tuple[Story, ...] = SETTLED + UNDERSTOOD
