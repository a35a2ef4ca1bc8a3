"""A machine that says, rules, retracts, restores, judges and lets time come due, in any order; laws hold throughout."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from processors.deciding.fold import fold
from processors.deciding.others import fold_alone, is_alone
from tests.property.effort import effort
from tests.property.laws import check_state
from tests.property.statements import AGENTS, NESTED, PLAIN
from tests.unit.deciding.world import World

WEIGHTS = {"a": 0.9, "b": 0.5, "c": 0.5}


class Ledger(RuleBasedStateMachine):
    """One entity, two slots (``office`` holds one value, ``hobby`` many)."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.taken: list[Any] = []
        self.now = 0

    @initialize(strategy=st.sampled_from(("recency", "authority", "consensus", "llm-judge")))
    def start(self, strategy: str) -> None:
        self.world.policy(strategy, WEIGHTS if strategy == "authority" else None)

    def tick(self) -> int:
        self.now += 1
        return self.now

    @rule(
        agent=st.sampled_from(AGENTS),
        text=st.sampled_from((*PLAIN, *NESTED)),
        back=st.integers(0, 12),
        polarity=st.sampled_from("+++-"),
        basis=st.sampled_from(("observed",) * 5 + ("inferred",)),
        match=st.sampled_from(("exact",) * 5 + ("weak",)),
        ended=st.integers(0, 7),
        many=st.booleans(),
    )
    def say(
        self, agent: str, text: str, back: int, polarity: str, basis: str, match: str, ended: int, many: bool
    ) -> None:
        predicate, hint = ("hobby", "many") if many else ("office", "one")
        self.world.say(
            agent,
            text,
            max(0, self.tick() - back),
            polarity="+" if ended == 0 else polarity,
            basis=basis,
            match=match,
            ended=ended == 0,
            predicate=predicate,
            cardinality_hint=hint,
        )

    @precondition(lambda self: self.world.disputes())
    @rule(
        action=st.sampled_from(("accept_challenger", "uphold_incumbent", "dismiss", "both_hold")),
        data=st.data(),
    )
    def decide_dispute(self, action: str, data: st.DataObject) -> None:
        dispute = data.draw(st.sampled_from(sorted(self.world.disputes(), key=lambda row: str(row.id))))
        scopes = {"challenger_scope": "x", "incumbent_scope": "y"} if action == "both_hold" else {}
        self.world.command(
            action,
            self.tick(),
            predicate=dispute.cell.slot.predicate,
            scope_of=dispute.cell.slot.scope,
            dispute_id=dispute.id,
            expected_slot_version=self.world.ws.slots[dispute.cell.slot].version,
            **scopes,
        )

    @rule(text=st.sampled_from((*PLAIN, *NESTED)), many=st.booleans())
    def retract(self, text: str, many: bool) -> None:
        predicate = "hobby" if many else "office"
        self.taken.append(
            (
                predicate,
                self.world.command(
                    "retract", self.tick(), predicate=predicate, value_key=f"text:{text.casefold()}"
                ),
            )
        )

    @precondition(lambda self: self.taken)
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        predicate, decision = self.taken.pop(data.draw(st.integers(0, len(self.taken) - 1)))
        self.world.command("restore", self.tick(), slot_of=predicate, retraction_id=decision.id)

    @precondition(lambda self: any(row.outcome == "PENDING" for row in self.world.ws.decisions))
    @rule(
        relation=st.sampled_from(("contradicts", "undecided", "same")), prevails=st.booleans(), data=st.data()
    )
    def judge(self, relation: str, prevails: bool, data: st.DataObject) -> None:
        asked = self.world.published("judge_request")
        request = data.draw(st.sampled_from(asked))
        self.world.verdict(
            request.proposal_id,
            self.tick(),
            slot_of=request.predicate,
            round=request.round,
            relation=relation,
            prevails=prevails if relation == "contradicts" else None,
        )

    @precondition(lambda self: self.world.claims("candidate", None))
    @rule(data=st.data())
    def confirm(self, data: st.DataObject) -> None:
        claim = data.draw(st.sampled_from(self.world.claims("candidate", None)))
        self.world.command(
            "confirm",
            self.tick(),
            slot_of=claim.cell.slot.predicate,
            scope_of=claim.cell.slot.scope,
            claim_id=claim.id,
        )

    @rule(strategy=st.sampled_from(("recency", "authority", "consensus")))
    def change_policy(self, strategy: str) -> None:
        self.world.policy(strategy, WEIGHTS if strategy == "authority" else None)

    @rule(many=st.booleans())
    def reconsider(self, many: bool) -> None:
        self.world.command("reconsider", self.tick(), slot_of="hobby" if many else "office")

    @precondition(lambda self: self.world.records)
    @rule(data=st.data())
    def redeliver(self, data: st.DataObject) -> None:
        before = len(self.world.ws.decisions), len(self.world.ws.events)
        record = data.draw(st.sampled_from(self.world.records))
        if is_alone(record):
            assert fold_alone(self.world.ws, record, self.world.view, []) == 1
        else:
            assert fold(self.world.ws, [record], self.world.view) == 1
        assert (len(self.world.ws.decisions), len(self.world.ws.events)) == before

    @invariant()
    def laws(self) -> None:
        check_state(self.world)


TestLedger = Ledger.TestCase
TestLedger.settings = effort(150, 25)
