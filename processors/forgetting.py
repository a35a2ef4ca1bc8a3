"""What "forget that" and "delete the tent note" mean: which statements they are about."""

import re
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from processors.values.text import form
from schemas.facts import Fact
from schemas.ids import derived_id
from schemas.inbox import Candidate, Proposal
from schemas.values import TypedValue

#: The predicate of a retraction that names none.
EVERY: Final = "*"
#: Its value when it is about the last statement of the conversation, not about a topic.
THAT: Final = "that"

#: Words that name nothing by themselves.
_EMPTY: Final = frozenset(
    "a an the my our your his her its their this that these those any all every some what which who i we you me us "
    "it is are was were be been am has have had do does did not no of on in at to for from with by and or about "
    "everything anything something said told note notes fact facts entry entries memory memories record records "
    "info information data thing things user users".split()
)
_NUMBERED: Final = re.compile(r"\d")


def reach_of(fact: Fact) -> Literal["named", "entity", "topic", "last"]:
    """What a fact with ``act="retract"`` is about: the value (or predicate) it names, all that is known of its subject,
    all of the speaker and the conversation that mentions a topic, or the last statement of the conversation."""
    if fact.predicate != EVERY:
        return "named"
    if not fact.value:
        return "entity"
    return "last" if fact.value == THAT else "topic"


def topic_candidate(topic: str) -> Candidate:
    """The candidate of a proposal that takes back what mentions `topic`; empty: everything."""
    return Candidate(
        predicate=EVERY,
        match="exact",
        score=1.0,
        value=TypedValue(type="text", text=topic, key=form(topic)),
    )


def sent_on(
    base: Proposal, fact: Fact, nearby: Iterable[str], before: Sequence[Proposal], last: Sequence[Proposal]
) -> list[Proposal]:
    """Where a retraction goes: to each entity that it may be about, the first with the id of the fact.

    Args:
        base: the fact's proposal, for the speaker.
        nearby: entities that the conversation has named.
        before: what the same event stated before; its last sentence is what "that" means, if there is one.
        last: what the event stated that spoke last in the conversation before this one.
    """
    reach = reach_of(fact)
    if reach == "topic":
        others = sorted(set(nearby) - {base.entity})
        return [base, *(_to(base, entity, f"forget:{entity}") for entity in others)]
    if reach == "last":
        meant = [one for one in before if one.content.quote == before[-1].content.quote] if before else last
        return [
            _like(base if number == 0 else _to(base, one.entity, f"forget:{one.id}"), one)
            for number, one in enumerate(meant)
        ] or [base]
    return [base]


def _to(base: Proposal, entity: str, role: str) -> Proposal:
    return base.model_copy(update={"id": derived_id(base.id, role), "entity": entity})


def _like(base: Proposal, said: Proposal) -> Proposal:
    """Takes back just what was said."""
    content = base.content.model_copy(
        update={
            "candidates": said.content.candidates,
            "label": said.content.label,
            "mention": said.content.mention,
        }
    )
    same = ("entity", "scope", "polarity", "kind", "cardinality_hint", "resolved_as")
    return base.model_copy(update={**{name: getattr(said, name) for name in same}, "content": content})


def topic_of(proposal: Proposal) -> str | None:
    """The topic that a retraction names; None when it names a predicate, empty when it takes back everything."""
    first = proposal.content.candidates[0]
    return first.value.text if first.predicate == EVERY else None


def words_of(*texts: str) -> frozenset[str]:
    """The words of texts that name something, without case, singular where an English plural is plain."""
    words = (word for text in texts for word in form(text.replace("_", " "), " ").split())
    return frozenset(_singular(word) for word in words if word not in _EMPTY)


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")) or _NUMBERED.search(word):
        return word
    return word[:-3] + "y" if word.endswith("ies") and len(word) > 4 else word[:-1]


def mentions(topic: Iterable[str], words: frozenset[str]) -> bool:
    """Whether every word of a topic is among `words`; a topic without words is mentioned by nothing."""
    wanted = frozenset(topic)
    return bool(wanted) and wanted <= words
