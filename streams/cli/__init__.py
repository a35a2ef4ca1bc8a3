"""The program `claimstream`. One file for each group of commands.

Exit codes: 0 done; 1 the command failed or found a problem; 2 wrong usage, or a setting or file that needs a
person; 128 + n ended by signal n.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence

from pydantic import ValidationError

from schemas.base import explain_validation
from schemas.errors import ClaimstreamError, ConfigurationError
from streams.cli.output import note
from streams.cli.running import Interrupted, debugging

FAILED = 1
USAGE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; never raises, never shows a traceback unasked."""
    from streams.cli.app import build  # here, so that an error of an import is reported as any other

    try:
        build()(args=list(sys.argv[1:] if arguments is None else arguments), prog_name="claimstream")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else (0 if end.code is None else FAILED)
    except Interrupted as end:
        return end.exit_code
    except KeyboardInterrupt:
        return Interrupted(2).exit_code
    except BrokenPipeError:
        # The reader of our output left (`claimstream disputes tail | head`): no error of ours.
        sys.stdout = None  # nothing more to flush at exit
        return 0
    except Exception as error:
        return report(error)
    return 0


def report(error: Exception) -> int:
    """Say what went wrong, in a line, and return the exit code."""
    if debugging():
        traceback.print_exc()
    if isinstance(error, ClaimstreamError):
        note(f"claimstream: {error}")
        return USAGE if isinstance(error, ConfigurationError) else FAILED
    if isinstance(error, ValidationError):
        # An option became a field of an event and is not what the field takes.
        note(f"claimstream: {explain_validation(error)}")
        return USAGE
    note(f"claimstream: unexpected {type(error).__name__}: {error}")
    if not debugging():
        note("`claimstream --debug ...` shows where; please report it with that output")
    return FAILED
