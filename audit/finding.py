"""What an audit found."""

from __future__ import annotations

from dataclasses import dataclass

#: So many subjects of a finding are named; the count is of all.
NAMED = 20


class CannotAudit(Exception):
    """A store cannot be read; the message says which, and what to do."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule that does not hold: how often, and where. `advice` says what to do."""

    check: str
    rule: str
    n: int
    subjects: tuple[str, ...]
    advice: str

    def __str__(self) -> str:
        shown = "; ".join(self.subjects)
        more = f"; and {self.n - len(self.subjects):,} more" if self.n > len(self.subjects) else ""
        return f"{self.check}: {self.rule}: {self.n:,}: {shown}{more}"
