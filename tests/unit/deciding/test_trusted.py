"""Events made without validation are those that validation would have made."""

from itertools import islice

from bench.adjudicate import Shipped
from bench.proposals import proposals
from processors.deciding.fold import fold
from processors.deciding.working_set import WorkingSet
from schemas.base import Frozen
from schemas.claims import ClaimChanged


def test_what_the_fold_tells_would_have_been_valid() -> None:
    ws = WorkingSet()
    fold(ws, islice(proposals(0, 20), 800), Shipped())
    told = [event for event in ws.events if isinstance(event, ClaimChanged)]
    assert {event.change for event in told} >= {"added", "status"}
    for event in told:
        assert ClaimChanged.model_validate(event.model_dump()) == event
        assert ClaimChanged.from_json(event.to_json()) == event
        assert type(event.claim_id) is type(ClaimChanged.from_json(event.to_json()).claim_id)


def test_fields_left_out_get_their_defaults() -> None:
    class Two(Frozen):
        first: int
        second: str = "b"

    assert Two.trusted(first=1) == Two(first=1)
    assert Two.trusted(first=1).model_dump() == {"first": 1, "second": "b"}
