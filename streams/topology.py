"""The table to read first: which stages there are, what each reads, what each writes.

The same rows drive the Faust apps, the in-process driver of the tests, replay and the picture in the README.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from topics.declaration import TOPICS


@dataclass(frozen=True, slots=True)
class StageSpec:
    """One stage: its consumer group is ``<prefix>.<name>``; topics are short names of topics/declaration.py."""

    name: str
    reads: str
    writes: tuple[str, ...]
    #: Stores it writes: the ledger (Postgres) or the vectors (LanceDB).
    stores: tuple[str, ...]
    does: str
    #: At most so many records in one transaction. Smaller where a batch is slow, so that progress stays visible.
    max_batch: int
    #: Seconds that a record waits for others to share its transaction, where these are dear; None: the host's choice.
    linger_s: float | None = None


STAGES: tuple[StageSpec, ...] = (
    StageSpec(
        "extract",
        "turns",
        ("facts", "deadletters"),
        ("ledger",),
        "takes the facts out of a turn, with their quotes",
        500,
    ),
    StageSpec(
        "resolve",
        "facts",
        ("inbox", "reviews", "deadletters"),
        ("ledger",),
        "gives each fact its entity, ranked predicates, a typed value and a vector",
        256,
    ),
    StageSpec(
        "adjudicate",
        "inbox",
        ("claims", "disputes", "reviews", "judge", "inbox", "deadletters"),
        ("ledger",),
        "decides, in the order of the entity, what is believed",
        500,
        0.05,
    ),
    StageSpec(
        "judge",
        "judge",
        ("inbox", "deadletters"),
        ("ledger",),
        "says how a statement relates to what is held, where a policy leaves that to a judge",
        16,
    ),
    StageSpec(
        "control",
        "control",
        ("inbox", "deadletters"),
        ("ledger",),
        "makes policies, authority and the registry into versions; merges, splits and names entities",
        100,
    ),
    StageSpec(
        "project",
        "claims",
        ("deadletters",),
        ("vectors",),
        "keeps the vectors in step with the claims",
        500,
        0.15,
    ),
)

BY_NAME: dict[str, StageSpec] = {stage.name: stage for stage in STAGES}


@dataclass(frozen=True, slots=True)
class ServiceSpec:
    """What runs beside the stages and reads no topic; topics are short names of topics/declaration.py."""

    name: str
    writes: tuple[str, ...]
    stores: tuple[str, ...]
    does: str


SERVICES: tuple[ServiceSpec, ...] = (
    ServiceSpec(
        "timekeeper",
        ("inbox",),
        ("ledger",),
        "puts moments that have come, of claims and disputes, into the inboxes",
    ),
)

#: Everything that a worker can run.
RUNNABLE: dict[str, StageSpec | ServiceSpec] = {
    **BY_NAME,
    **{service.name: service for service in SERVICES},
}


def picture() -> str:
    """The stages as a Mermaid flowchart, for the README (``make topology`` writes it, a test keeps it fresh)."""
    lines = [
        "```mermaid",
        "flowchart LR",
        "  producers([producers]) --> turns",
        "  operators([operators]) --> control_log",
    ]
    lines += sorted(set(_topic_nodes()))
    for stage in STAGES:
        lines.append(f'  {stage.name}["{stage.name}"]')
        lines.append(f"  {_topic_id(stage.reads)} --> {stage.name}")
        lines += [
            f"  {stage.name} --> {_topic_id(topic)}" for topic in stage.writes if topic != "deadletters"
        ]
        lines += [f"  {stage.name} --> {store}" for store in stage.stores]
    for service in SERVICES:
        lines.append(f'  {service.name}["{service.name}"]')
        lines += [f"  {store} --> {service.name}" for store in service.stores]
        lines += [f"  {service.name} --> {_topic_id(topic)}" for topic in service.writes]
    lines += ["  ledger[(Postgres: ledger)]", "  vectors[(LanceDB: vectors)]"]
    lines += ["  claims --> consumers([consumers])", "  disputes --> consumers", "```"]
    return "\n".join(lines) + "\n"


def table() -> str:
    """The stages as a Markdown table, for the README."""
    rows = ["| stage | reads | writes | store | what it does |", "|---|---|---|---|---|"]
    for stage in STAGES:
        rows.append(
            f"| `{stage.name}` | {stage.reads} | {', '.join(stage.writes)} | {', '.join(stage.stores)} | {stage.does} |"
        )
    for service in SERVICES:
        rows.append(
            f"| `{service.name}` | the clock | {', '.join(service.writes)} | {', '.join(service.stores)} "
            f"| {service.does} |"
        )
    return "\n".join(rows) + "\n"


def _topic_id(short: str) -> str:
    # A node may not carry the name of a stage: the control topic and the control stage do.
    return f"{short}_log" if short in BY_NAME else short


def _topic_nodes() -> Iterator[str]:
    for stage in STAGES:
        for short in (stage.reads, *stage.writes):
            if short != "deadletters":
                yield f"  {_topic_id(short)}[/{TOPICS[short].full_name()}/]"
