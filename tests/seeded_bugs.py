"""Bugs put into the code on purpose, one at a time: a search that does not find one of them proves nothing.

Each is a change of a few words in the source of one function. When those words are not there any more the change fails
loudly: it must be written anew for the code of now.
"""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from processors.deciding import cases, fold, moves, strategies, suppress
from processors.deciding.change import Change
from processors.deciding.compare import compare


class TheCodeMoved(Exception):
    """The words that the bug changes are not in the function."""


@dataclass(frozen=True)
class Bug:
    """`where` is a function of a module, or a method as (class, name); `old` stands in its source exactly once."""

    name: str
    where: Callable[..., Any] | tuple[type, str]
    old: str
    new: str

    def __str__(self) -> str:
        return self.name

    @contextmanager
    def applied(self) -> Iterator[None]:
        """The bug is in the code for the length of the block, wherever the function was imported to."""
        with pytest.MonkeyPatch.context() as patch:
            if isinstance(self.where, tuple):
                owner, name = self.where
                patch.setattr(owner, name, self._changed(getattr(owner, name)))
            else:
                self._everywhere(patch, self.where, self._changed(self.where))
            yield

    def _changed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        source = textwrap.dedent(inspect.getsource(function))
        if source.count(self.old) != 1:
            raise TheCodeMoved(
                f"{self.name}: {self.old!r} stands {source.count(self.old)} times in {function}"
            )
        code = compile(source.replace(self.old, self.new), f"<{self.name}>", "exec")
        made: dict[str, Any] = {}
        exec(code, function.__globals__, made)
        changed: Callable[..., Any] = made[function.__name__]
        return changed

    def _everywhere(
        self, patch: pytest.MonkeyPatch, before: Callable[..., Any], after: Callable[..., Any]
    ) -> None:
        for module in [module for name, module in sys.modules.items() if name.split(".")[0] in _OURS]:
            for name, value in list(vars(module).items()):
                if value is before:
                    patch.setattr(module, name, after)
                elif isinstance(value, dict):
                    for key in [key for key, held in value.items() if held is before]:
                        patch.setitem(value, key, after)


_OURS = ("processors", "streams", "sinks", "tests")

LATE_CHECK_OFF = Bug(
    "late check off",
    cases.decide,
    "if own is not None and own.order > statement.order and not proposal.ended:",
    "if False:",
)
TIE_REVERSED = Bug(
    "tie reversed",
    strategies.recency,
    "contest.order > latest",
    "(contest.order.at_us, latest.event_id) > (latest.at_us, contest.order.event_id)",
)
POLARITY_DROPPED = Bug(
    "polarity dropped", compare, '"same" if polarity == claim.polarity else "contradicts"', '"same"'
)
REPLACE_SKIPS_THE_STRATEGY = Bug(
    "REPLACE with co-supporters skips the strategy",
    cases._contradiction,
    "if not opponents:",
    "own = statement.own_latest()\n"
    "    if not opponents or (own is not None and own.claim_id in [claim.id for claim in conflicts]):",
)
AUTHORITY_AT_LEAST = Bug(
    ">= in authority", strategies.authority, "(mine or 0.0) > heaviest", "(mine or 0.0) >= heaviest"
)
ECHO_COUNTED = Bug("echo counted", cases._noop, "str(claim.id) in statement.proposal.recalled", "False")
RETRACTION_BY_ID = Bug(
    "retraction by id only",
    suppress.suppressed,
    "and proposal.event_time <= row.up_to:",
    "and any(claim.created_by == proposal.id for claim in statement.ws.claims.values()):",
)
VERSION_NOT_BUMPED = Bug("version not bumped", (Change, "touch_slot"), "self.slot.version += 1", "pass")
WITHDRAWN_STILL_COUNTED = Bug(
    "withdrawn support still counted",
    (Change, "put_support"),
    "Support(claim.cell, agent, claim.id,",
    "Support(claim.cell, agent if own is None or own.claim_id == claim.id else agent + '*', claim.id,",
)
DEPENDS_ON_BATCHES = Bug(
    "outcome depends on batch size",
    fold.fold,
    "for proposal in proposals:",
    "for proposal in sorted(proposals, key=lambda row: row.event_time):",
)
FORWARD_LOST = Bug(
    "forward lost after a merge",
    moves.goes_on,
    "return proposal.adopted is None or proposal.adopted.moved_from != entity.moved_to",
    "return False",
)
RULING_FORGOTTEN = Bug(
    "ruling forgotten",
    suppress.suppressed,
    'if ruling is None or ruling.ruling != "rejected":',
    "if True:",
)

#: Of the ledger's rules.
RULES = (
    LATE_CHECK_OFF,
    TIE_REVERSED,
    POLARITY_DROPPED,
    REPLACE_SKIPS_THE_STRATEGY,
    AUTHORITY_AT_LEAST,
    ECHO_COUNTED,
    RETRACTION_BY_ID,
    VERSION_NOT_BUMPED,
    WITHDRAWN_STILL_COUNTED,
    DEPENDS_ON_BATCHES,
    FORWARD_LOST,
    RULING_FORGOTTEN,
)
