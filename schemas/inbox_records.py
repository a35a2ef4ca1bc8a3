"""Every kind of record that an inbox holds, by its ``type``."""

from schemas.commands import Command, Due, Verdict
from schemas.inbox import Proposal

InboxRecord = Proposal | Command | Verdict | Due

INBOX: dict[str, type[Proposal] | type[Command] | type[Verdict] | type[Due]] = {
    "proposal": Proposal,
    "command": Command,
    "verdict": Verdict,
    "due": Due,
}
