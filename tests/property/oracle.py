"""A slow and plain reading of the decision table for statements that come in time, apart from the code under test.

One cell in which at most one of several options can hold: the values of a ``one`` slot, or the two polarities of a
value of a ``many`` slot. Every statement is observed, sure, exact and later than the ones before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Option = tuple[str, str]


@dataclass(frozen=True)
class Voice:
    """An agent's latest word in the cell: what it was taken from, and when it came (a running number)."""

    origins: tuple[str, ...]
    at: int


@dataclass
class Oracle:
    """`say` each statement in order; `active` is what is believed then, `disputed` what waits for a person."""

    strategy: str
    weights: dict[str, float] = field(default_factory=dict)
    quorum: int = 2
    active: Option | None = None
    #: Options whose dispute is open, in the order in which it was opened.
    disputed: list[Option] = field(default_factory=list)
    #: Option to the agents that stand behind it. An agent stands behind one option.
    voices: dict[Option, dict[str, Voice]] = field(default_factory=dict)
    _said: int = 0

    def say(self, agent: str, option: Option, origins: tuple[str, ...], *, echo: bool = False) -> None:
        """An echo is what the agent was told by the memory itself: it confirms nothing."""
        self._said += 1
        voice = Voice(origins, self._said)
        if self.active is None:
            self.active = option
        elif option == self.active:
            if echo:
                return
        elif not self._others(agent):
            self._believe(option)
        elif self._wins(agent, voice, option):
            self._believe(option)
        elif option not in self.disputed:
            self.disputed.append(option)
        self._stand(agent, option, voice)
        self._look_again()

    def _others(self, agent: str) -> dict[str, Voice]:
        assert self.active is not None
        return {name: voice for name, voice in self.voices.get(self.active, {}).items() if name != agent}

    def _wins(self, agent: str, voice: Voice, option: Option) -> bool:
        """Whether this word is enough for the option to take the place of what is believed."""
        against = self._others(agent)
        if self.strategy == "recency":
            return voice.at > max(other.at for other in against.values())
        if self.strategy == "authority":
            if agent not in self.weights and not set(against) & set(self.weights):
                return voice.at > max(other.at for other in against.values())
            return self.weights.get(agent, 0.0) > max(self.weights.get(name, 0.0) for name in against)
        behind = {**self.voices.get(option, {}), agent: voice} if option in self.disputed else {agent: voice}
        mine, theirs = votes(behind), votes(against)
        return mine >= self.quorum and mine > theirs

    def _believe(self, option: Option) -> None:
        """What was believed is history; who stood behind it stands behind nothing that counts."""
        if option in self.disputed:
            self.disputed.remove(option)
        else:
            self.voices[option] = {}
        assert self.active is not None
        self.voices.pop(self.active, None)
        self.active = option

    def _stand(self, agent: str, option: Option, voice: Voice) -> None:
        before = self.voices.setdefault(option, {}).get(agent)
        for others in self.voices.values():
            others.pop(agent, None)
        kept = before.origins if before is not None else ()
        self.voices[option][agent] = Voice(tuple(dict.fromkeys((*kept, *voice.origins))), voice.at)

    def _look_again(self) -> None:
        """Disputes that nobody backs end; the best one that wins now takes the place of what is believed."""
        while True:
            self.disputed = [option for option in self.disputed if self.voices.get(option)]
            winner = next((option for option in self._best_first() if self._wins_now(option)), None)
            if winner is None:
                return
            self._believe(winner)

    def _best_first(self) -> list[Option]:
        def rank(option: Option) -> tuple[float, int]:
            behind = self.voices[option]
            heaviest = max(self.weights.get(agent, 0.0) for agent in behind)
            return (-heaviest, -max(voice.at for voice in behind.values()))

        return sorted(self.disputed, key=rank)

    def _wins_now(self, option: Option) -> bool:
        assert self.active is not None
        against = self.voices.get(self.active, {})
        if not against:
            return True
        if self.strategy == "recency":
            return False
        return any(self._wins(agent, voice, option) for agent, voice in self.voices[option].items())


def votes(behind: dict[str, Voice]) -> int:
    """Independent origins: agents that share one, directly or by way of others, have one vote."""
    groups: list[set[str]] = []
    for agent, voice in behind.items():
        mine = {f"agent {agent}", *voice.origins}
        for group in [group for group in groups if group & mine]:
            mine |= group
            groups.remove(group)
        groups.append(mine)
    return len(groups)
