"""`claimstream dev` and `claimstream demo`: the whole pipeline on this machine, with nothing to install or to set."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from streams.cli import running
from streams.cli.output import note, print_json, say
from streams.devfile import dev_file
from streams.embedded.stack import Stack
from streams.settings import variable

_POLL_S: Final = 0.2
#: What another terminal needs; the rest is the worker's own business.
_SHARED: Final = ("bootstrap", "dsn", "lancedb_uri", "health_dir")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("dev")(dev)
    app.command("demo")(demo)


def dev(
    as_json: Annotated[
        bool, typer.Option("--json", help="The addresses as one JSON object, when ready.")
    ] = False,
) -> None:
    """Run a broker, a Postgres and all stages here until Ctrl-C; nothing is kept afterwards.

    Commands in other terminals of the same folder find it by themselves.
    """
    settings = running.settings()
    tell = note if as_json else say
    with (
        ended_by_signals(),
        dev_file(settings.state_dir) as publish,
        Stack(settings.state_dir / "dev.log", tell) as stack,
    ):
        shared = {name: stack.addresses[name] for name in _SHARED}
        publish(shared)
        if as_json:
            print_json({variable(name): value for name, value in shared.items()})
        else:
            _tell_how(shared, str(stack.log_path))
        while True:
            time.sleep(_POLL_S)
            stack.watch()


def _tell_how(shared: dict[str, str], log: str) -> None:
    say(f"log: {log}")
    say("")
    say("Ready. In other terminals of this folder:")
    say('  claimstream say --agent agent-a "I live in Lisbon"')
    say("  claimstream claims user:u1")
    say("  claimstream disputes tail")
    say("In terminals elsewhere, first:")
    for name, value in shared.items():
        say(f"  export {variable(name)}={value}")
    say("Ctrl-C ends everything; nothing is kept.")


def demo(
    conversation: Annotated[
        Path | None,
        typer.Option(
            envvar="CLAIMSTREAM_DEMO_CONVERSATION",
            help="A file in LoCoMo's format for the long conversation; without it, the one that ships.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The results as one JSON object.")] = False,
) -> None:
    """Two agents talk about one user and disagree: the claims, the dispute, the search and the counts, in one go.

    It brings its own broker and Postgres. Exit code 1 when a result is not what it must be.
    """
    settings = running.settings()
    with ended_by_signals(), Stack(settings.state_dir / "demo.log", note if as_json else say) as stack:
        # Not before: `--help` should not wait for the models, and the processes are forked before LanceDB has threads.
        from streams.demo import run_demo

        try:
            run_demo(stack.settings, conversation=conversation, as_json=as_json, check=stack.check)
        except Exception:
            note(f"what the stages said: {stack.log_path}")
            raise


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """SIGINT, SIGTERM and SIGHUP raise Interrupted in the block, once: a second Ctrl-C does not stop the tidying up."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def leave(number: int, _frame: object) -> None:
        for each in numbers:
            signal.signal(each, signal.SIG_IGN)
        raise running.Interrupted(number)

    before = {number: signal.signal(number, leave) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
