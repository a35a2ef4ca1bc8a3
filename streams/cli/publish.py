"""`claimstream publish`: turns and records from a file or a pipe."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, BinaryIO, Final

import typer

from schemas.errors import ClaimstreamError
from streams.cli import running
from streams.cli.output import note, print_json, progress_bar, say
from streams.envelope import open_publisher
from streams.inputs import BadLine, LineReader
from streams.stage import OutRecord

#: Records confirmed together: large enough for the broker's batches, small enough for a count that means something.
_CHUNK: Final = 500
#: A pipe may be slow: what has come is sent after this many seconds, full chunk or not.
_LINGER_S: Final = 0.1
#: Over any record's limit, JSON escapes included.
_MAX_LINE_BYTES: Final = 256 * 1024 * 1024


class PublishFailed(ClaimstreamError):
    """Not everything was published."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("publish")(publish)


def publish(
    file: Annotated[str, typer.Argument(help="JSON lines, one turn or record each; - reads a pipe.")],
    tenant: Annotated[str | None, typer.Option(help="The tenant of lines that name none.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The counts as one JSON object.")] = False,
) -> None:
    """Publish turns and records, and wait until the broker has confirmed them.

    A file is checked as a whole before anything is sent; a bad line is refused with its number and the reason, and
    nothing is sent. From a pipe, the lines before the bad one are sent. Publishing a file again is safe: events
    are known by (tenant, source, event_id).
    """
    settings = running.settings()
    counts = Counts()
    failure: ClaimstreamError | None = None
    try:
        if file == "-":
            running.run(lambda: _publish_pipe(sys.stdin.buffer, LineReader(settings, tenant), counts))
        else:
            path = Path(file)
            total = _check(path, LineReader(settings, tenant))
            running.run(lambda: _publish_file(path, total, LineReader(settings, tenant), counts))
    except ClaimstreamError as error:
        failure = error
    except running.Interrupted:
        note(f"interrupted: {counts.confirmed:,} confirmed; publish the same again to send the rest")
        raise
    if as_json:
        print_json({"confirmed": counts.confirmed, "error": None if failure is None else str(failure)})
    if failure is not None:
        raise _with_counts(failure, counts, file)
    if not as_json:
        say(f"{counts.confirmed:,} confirmed")


@dataclass(slots=True)
class Counts:
    """Records that the broker confirmed."""

    confirmed: int = 0


def _with_counts(failure: ClaimstreamError, counts: Counts, file: str) -> ClaimstreamError:
    """The failure with how much was confirmed, of the same class where that decides the exit code."""
    if isinstance(failure, BadLine) and file != "-":
        return PublishFailed(f"{file}: {failure}; nothing was sent")
    if isinstance(failure, BadLine):
        return PublishFailed(f"{failure}; the {counts.confirmed:,} records before it are confirmed")
    if counts.confirmed:
        return PublishFailed(
            f"{failure}; {counts.confirmed:,} confirmed, publish the same again to send the rest"
        )
    return failure


def _check(path: Path, reader: LineReader) -> int:
    """The number of records in a file whose every line is good. Raises BadLine, PublishFailed."""
    now = datetime.now(UTC)
    with _opened(path) as lines:
        return sum(1 for _ in reader.read_all(lines, now))


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        file = path.open("rb")
    except OSError as error:
        raise PublishFailed(f"{path} cannot be read: {error.strerror or error}") from None
    with file:
        yield file


async def _publish_file(path: Path, total: int, reader: LineReader, counts: Counts) -> None:
    with progress_bar("publishing", total) as advance, _opened(path) as lines:
        async with open_publisher(reader.settings, "turns") as publisher:
            chunk: list[OutRecord] = []

            async def send() -> None:
                await publisher.publish(chunk)
                counts.confirmed += len(chunk)
                advance(len(chunk))
                chunk.clear()

            for record in reader.read_all(lines, datetime.now(UTC)):
                chunk.append(record)
                if len(chunk) == _CHUNK:
                    await send()
            await send()


async def _publish_pipe(pipe: BinaryIO, reader: LineReader, counts: Counts) -> None:
    async with open_publisher(reader.settings, "turns") as publisher:
        number = 0
        async for lines in _line_chunks(pipe):
            records: list[OutRecord] = []
            bad: BadLine | None = None
            for line in lines:
                number += 1
                try:
                    record = reader.read(number, line, datetime.now(UTC))
                except BadLine as error:
                    bad = error
                    break
                if record is not None:
                    records.append(record)
            await publisher.publish(records)
            counts.confirmed += len(records)
            if bad is not None:
                raise bad


async def _line_chunks(pipe: BinaryIO) -> AsyncIterator[Sequence[bytes]]:
    """Lines as they come, up to `_CHUNK` together, none held back for longer than `_LINGER_S` seconds."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[bytes | None] = asyncio.Queue()
    # Bounds what is read ahead of the broker.
    room = threading.Semaphore(4 * _CHUNK)

    def put(line: bytes | None) -> None:
        # The loop is closed when the command ended before its input did.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(queue.put_nowait, line)

    def read() -> None:
        for line in _raw_lines(pipe.fileno()):
            room.acquire()
            put(line)
        put(None)

    # A daemon: a read from a terminal cannot be interrupted, and must not hold up the end of the program.
    threading.Thread(target=read, name="stdin", daemon=True).start()
    while True:
        line = await queue.get()
        chunk: list[bytes] = []
        deadline = loop.time() + _LINGER_S
        while line is not None:
            chunk.append(line)
            room.release()
            if len(chunk) == _CHUNK:
                break
            try:
                async with asyncio.timeout_at(deadline):
                    line = await queue.get()
            except TimeoutError:
                break
        if chunk:
            yield chunk
        if line is None:
            return


def _raw_lines(descriptor: int) -> Iterator[bytes]:
    """The lines of a pipe, by plain reads: a daemon thread must hold no buffer's lock when the program ends."""
    rest = b""
    while block := os.read(descriptor, 1 << 16):
        *lines, rest = (rest + block).split(b"\n")
        yield from lines
        if len(rest) > _MAX_LINE_BYTES:
            yield rest  # no record can be as long: it will be refused, with its number
            rest = b""
    if rest:
        yield rest
