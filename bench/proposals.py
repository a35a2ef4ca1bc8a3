"""Made-up proposals as they lie on the inbox: statements of many entities, with the mix of a long-running memory."""

from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from processors.registry import shipped
from schemas.facts import Mention, Quote
from schemas.ids import fact_id
from schemas.inbox import Candidate, Proposal, ProposalContent
from schemas.values import TypedValue

START = datetime(2026, 3, 1, tzinfo=UTC)
VECTOR = b64encode(bytes(range(128)) * 3).decode()
#: (predicate, values): of these one holds one value, the others many.
_PREDICATES = ("employer", "likes", "owns", "lives_in", "speaks", "hobby", "diet", "knows")


def proposals(first: int, entities: int, entity: str = "", fresh: bool = False) -> Iterator[Proposal]:
    """Proposal number ``first``, ``first + 1``, ...

    Half of them say something new, a quarter repeats what was said of the entity, a quarter replaces it, by three
    agents. ``entity`` names one for all; ``fresh``: every value is new.
    """
    n = first
    while True:
        about = entity or f"user:u{(n // 8) % entities}"
        kind = n % 4
        value = f"value number {n if fresh or kind in (0, 2) else n - 8 * entities if kind == 1 else n // 16}"
        yield _proposal(n, about, _PREDICATES[n % 8], value)
        n += 1


def _proposal(n: int, entity: str, predicate: str, value: str) -> Proposal:
    at = START + timedelta(seconds=n)
    spec = shipped().get(predicate)
    typed = TypedValue(type="text", text=value, key=f"text:{value}")
    text = f"The user's {predicate} is {value}, said in a sentence of the usual length"
    return Proposal(
        tenant="t",
        entity=entity,
        id=fact_id("t", "bench", f"event-{n}", 0),
        source="bench",
        event_id=f"event-{n}",
        ordinal=0,
        agent=f"agent-{n % 3}",
        origins=(f"bench:event-{n}",),
        event_time=at,
        received_at=at,
        cardinality_hint=spec.cardinality if spec else "one",
        embedding_model="all-MiniLM-L6-v2-int8",
        extractor="rules/1",
        content=ProposalContent(
            mention=Mention(text="I", type="user", entity=entity),
            label=predicate,
            candidates=(Candidate(predicate=predicate, match="exact", score=1.0, value=typed),),
            text=text,
            quote=Quote(start=0, end=len(text), text=text),
            vector=VECTOR,
        ),
    )
