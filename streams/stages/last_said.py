"""What each conversation said last: "forget that" means it. Kept in the order of the conversation's log."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from processors.forgetting import reach_of
from schemas.facts import Fact, FactsExtracted
from schemas.ids import fact_id
from schemas.inbox import Proposal
from sinks.identity_ports import Conversation, IdentityChanges, Said
from sinks.ports import Transaction


@dataclass(slots=True)
class LastSaid:
    """The conversations of one batch. Nothing is read unless something is to be forgotten."""

    tx: Transaction
    _told: dict[Conversation, Sequence[Proposal]] = field(default_factory=dict)
    _changes: dict[Conversation, Said] = field(default_factory=dict)

    async def before(self, place: Conversation, fact: Fact) -> Sequence[Proposal]:
        """The statements that a fact takes back when it means the last ones; empty for every other fact."""
        if fact.act != "retract" or reach_of(fact) != "last":
            return ()
        if place not in self._told:
            self._told[place] = await self._load(place)
        return self._told[place]

    def said(self, place: Conversation, event: FactsExtracted, statements: Sequence[Proposal]) -> None:
        """An event was resolved. One that only takes back or names leaves the last statement what it was."""
        if statements:
            self._put(place, Said(event.event_id, len(event.content.facts)), statements)

    def unread(self, place: Conversation, event: FactsExtracted) -> None:
        """Somebody spoke and no fact was found: "that" is then none that is known, and nothing older either."""
        self._put(place, Said(event.event_id, 0), ())

    async def write(self) -> None:
        """Keeps it. Called once, at the end of the batch."""
        for tenant in sorted({place.tenant for place in self._changes}):
            mine = {place: said for place, said in self._changes.items() if place.tenant == tenant}
            await self.tx.identity.write(tenant, IdentityChanges(said=mine))

    def _put(self, place: Conversation, said: Said, statements: Sequence[Proposal]) -> None:
        self._told[place] = statements
        self._changes[place] = said

    async def _load(self, place: Conversation) -> Sequence[Proposal]:
        said = (await self.tx.identity.last_said([place])).get(place)
        if said is None:
            return ()
        ids = [fact_id(place.tenant, place.source, said.event_id, n) for n in range(said.facts)]
        rows = await self.tx.resolutions(ids)
        found = [Proposal.from_json(rows[key].body) for key in ids if key in rows]
        return [proposal for proposal in found if proposal.act == "assert"]
