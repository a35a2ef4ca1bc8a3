"""From settings to running stages: which handler, which ledger, which models. One place, no decisions elsewhere."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from inference.offline_minilm import OfflineMiniLM
from inference.rules import RuleExtractor
from inference.stub import StubEmbedder
from inference.undecided import UndecidedJudge
from processors.ports import ConflictRule, Embedder, Extractor, Judge
from schemas.errors import ConfigurationError
from sinks.ports import Ledger
from sinks.postgres.ledger import PostgresLedger
from sinks.vector_rows import VectorStore
from streams import registrar
from streams.controls import Controls
from streams.domain_rules import load_rules
from streams.kafka_log import KafkaLog, PartitionLog
from streams.publisher import Publisher
from streams.settings import Settings
from streams.stages import timekeeper
from streams.stages.adjudicate import Adjudicate
from streams.stages.control import Control
from streams.stages.extract import Extract
from streams.stages.judge import Judging
from streams.stages.project import Project
from streams.stages.resolve import Resolve
from streams.topology import BY_NAME, RUNNABLE
from streams.transactional import Handler, RecordPublisher, TransactionalStage
from streams.worker import Service
from topics.declaration import size_limits, topic_name

if TYPE_CHECKING:
    from sinks.vectors import LanceVectors

_Part = TypeVar("_Part")


@dataclass(slots=True)
class Parts:
    """What the stages of one process share. ``vectors`` and ``embedder`` only where a stage needs them."""

    ledger: Ledger
    publisher: RecordPublisher
    prefix: str
    extractor: Extractor = field(default_factory=RuleExtractor)
    judge: Judge = field(default_factory=UndecidedJudge)
    embedder: Embedder | None = None
    vectors: VectorStore | None = None
    source: PartitionLog | None = None
    controls: Controls = field(default_factory=Controls)
    rules: Sequence[ConflictRule] = ()
    auto_register: bool = False
    batch_records: int = 500
    #: Nothing is told of what is decided: a replay's is on the topics already.
    silent: bool = False


def handler_for(name: str, parts: Parts) -> Handler:
    """The handler of a stage. Raises ConfigurationError for a name that is no stage."""
    if name == "extract":
        return Extract(parts.extractor, parts.prefix)
    if name == "resolve":
        embedder = _present(parts.embedder, name)
        return Resolve(embedder, parts.ledger, parts.controls, parts.prefix, parts.rules)
    if name == "adjudicate":
        return Adjudicate(parts.controls, parts.prefix, silent=parts.silent)
    if name == "judge":
        return Judging(parts.judge, parts.prefix)
    if name == "control":
        return Control(parts.prefix)
    if name == "project":
        return Project(_present(parts.vectors, name), _present(parts.embedder, name).profile.model_id)
    raise ConfigurationError(f"no stage is called {name!r}; there are: {', '.join(BY_NAME)}")


def build_stages(names: Sequence[str], parts: Parts) -> list[TransactionalStage]:
    """The named stages over the given parts."""
    return [
        TransactionalStage(
            name,
            topic_name(BY_NAME[name].reads, parts.prefix),
            handler_for(name, parts),
            parts.ledger,
            parts.publisher,
            dead_letter_topic=topic_name("deadletters", parts.prefix),
            max_batch=min(BY_NAME[name].max_batch, parts.batch_records),
            source=parts.source,
            limits=size_limits(parts.prefix),
            linger_s=BY_NAME[name].linger_s,
        )
        for name in names
    ]


class Timekeeping:
    """The timekeeper as a service of a worker."""

    name = timekeeper.NAME

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def run(self, stop: asyncio.Event) -> None:
        parts = self._parts
        keeping = timekeeper.run(parts.ledger, parts.publisher, timekeeper.now, stop, prefix=parts.prefix)
        if not parts.auto_register:
            await keeping
            return
        async with asyncio.TaskGroup() as both:
            both.create_task(keeping)
            both.create_task(registrar.run(parts.ledger, parts.publisher, stop, prefix=parts.prefix))


def check_stages(names: Sequence[str]) -> None:
    """Raises ConfigurationError, naming the stages and services there are."""
    unknown = [name for name in names if name not in RUNNABLE]
    if unknown:
        raise ConfigurationError(f"no stage is called {', '.join(unknown)}; there are: {', '.join(RUNNABLE)}")


@asynccontextmanager
async def open_stages(
    names: Sequence[str], settings: Settings
) -> AsyncIterator[tuple[list[TransactionalStage], list[Service]]]:
    """The named stages and services on the real parts of the settings; the parts are closed at the end.

    Raises ConfigurationError, TransientError (broker or database away) and IntegrityError (schema too new).
    """
    check_stages(names)
    async with AsyncExitStack() as opened:
        ledger = await open_ledger(settings)
        opened.push_async_callback(ledger.close)
        publisher = Publisher(
            settings.bootstrap,
            limits=size_limits(settings.topic_prefix),
            max_record_bytes=max(size_limits(settings.topic_prefix).values()),
            timeout_s=settings.broker_timeout_s,
        )
        await publisher.start()
        opened.push_async_callback(publisher.stop)
        source = KafkaLog(settings.bootstrap)
        opened.push_async_callback(source.stop)
        parts = Parts(
            ledger,
            publisher,
            settings.topic_prefix,
            source=source,
            batch_records=settings.batch_records,
            rules=load_rules(settings.conflict_rules),
            auto_register=settings.auto_register,
        )
        if {"resolve", "project"} & set(names):
            parts.embedder = open_embedder(settings)
        if "project" in names:
            parts.vectors = await open_vectors(settings, _present(parts.embedder, "project"))
            opened.push_async_callback(parts.vectors.close)
        services = [Timekeeping(parts)] if timekeeper.NAME in names else []
        yield build_stages([name for name in names if name in BY_NAME], parts), list[Service](services)


async def open_ledger(settings: Settings) -> PostgresLedger:
    """The ledger, its schema brought up to date."""
    ledger = PostgresLedger(
        settings.dsn.get_secret_value(),
        schema=settings.db_schema,
        pool_size=settings.pool_size,
        timeout_s=settings.database_timeout_s,
    )
    await ledger.open()
    return ledger


def open_embedder(settings: Settings) -> Embedder:
    """The embedder that the settings name. Raises ConfigurationError when it is not installed or not intact."""
    if settings.embedder == "stub":
        return StubEmbedder()
    if settings.embedder == "offline":
        return OfflineMiniLM(threads=settings.embedder_threads, batch_size=settings.embedder_batch)
    raise ConfigurationError(
        f"embedder {settings.embedder} is not available; set CLAIMSTREAM_EMBEDDER=offline"
    )


async def open_vectors(settings: Settings, embedder: Embedder) -> "LanceVectors":
    """The index that the settings name. Raises what LanceVectors.open does."""
    # Here: its import takes longer than all others together, and most stages do without.
    from sinks.vectors import LanceVectors

    return await LanceVectors.open(settings.lancedb_uri, embedder.profile)


def _present(part: _Part | None, stage: str) -> _Part:
    if part is None:
        raise ConfigurationError(f"the stage {stage} needs a part that was not opened for it")
    return part
