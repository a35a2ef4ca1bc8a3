"""Every kind of record that an inbox holds, by its ``type``."""

from schemas.commands import Command, Due, Verdict
from schemas.identity import Adopt, ForwardEnded, Moved
from schemas.inbox import Proposal

#: What is decided. An ``adopt`` record is decided as the proposal in it.
InboxRecord = Proposal | Command | Verdict | Due | Moved | ForwardEnded

INBOX: dict[str, type[InboxRecord]] = {
    "proposal": Proposal,
    "command": Command,
    "verdict": Verdict,
    "due": Due,
    "moved": Moved,
    "forward_ended": ForwardEnded,
}
INBOX_TOPIC: dict[str, type[InboxRecord] | type[Adopt]] = {**INBOX, "adopt": Adopt}
