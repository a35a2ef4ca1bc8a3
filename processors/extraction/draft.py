"""A fact in the making, and its last step: what the reader hands on becomes a `Fact` with a plain sentence
of its own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from processors.extraction import dates
from processors.extraction.text import Sentence, normal, slug
from schemas.facts import Fact, Mention, Quote

#: A guess is kept below the ledger's default threshold (0.5).
INFERRED_CONFIDENCE: Final = 0.3
_VERBAL: Final = frozenset(
    """likes prefers wants owns has plays speaks studies teaches works uses eats drinks lives knows needs
    plans can does leads hopes collects makes watches reads drives wears grows listens goes runs writes
    sings keeps takes""".split()
)


@dataclass(frozen=True)
class Draft:
    """One statement with its subject and the span of the flat text it was read from."""

    subject: Mention
    predicate: str
    value: str
    span: Sentence
    rule: str
    negative: bool = False
    ended: bool = False
    episodic: bool = False
    one: bool | None = None
    confidence: float = 0.9
    scope: str = ""
    act: Literal["assert", "alias", "retract"] = "assert"
    inferred: bool = False
    value_entity: Mention | None = None


def finish(
    draft: Draft, *, original: str, message: int, ordinal: int, at: datetime, speaker: Mention
) -> Fact:
    """The `Fact` of a draft; ``original`` is the message's text, which the quote is cut from."""
    end = draft.span.start + len(draft.span.text)
    when = dates.period(draft.span.text, at, ended=draft.ended)
    return Fact(
        subject=draft.subject,
        predicate=draft.predicate[:256],
        value=normal(draft.value),
        value_entity=draft.value_entity,
        scope=draft.scope,
        polarity="-" if draft.negative else "+",
        kind="episodic" if draft.episodic else "semantic",
        basis="inferred" if draft.inferred else "observed",
        ended=draft.ended,
        act=draft.act,
        cardinality_hint=None if draft.one is None else "one" if draft.one else "many",
        confidence=INFERRED_CONFIDENCE if draft.inferred else draft.confidence,
        valid_from=when.valid_from,
        valid_to=when.valid_to,
        text=sentence_of(draft, speaker),
        ordinal=ordinal,
        quote=Quote(message=message, start=draft.span.start, end=end, text=original[draft.span.start : end]),
        rule=draft.rule,
    )


def sentence_of(draft: Draft, speaker: Mention) -> str:
    """The plain sentence that is embedded and shown: "The user's timezone is PST", "The user does not like
    olives"."""
    who = "The user" if draft.subject == speaker and speaker.type == "user" else draft.subject.text
    label = draft.predicate.replace("_", " ")
    if draft.act == "alias":
        return f"{draft.value} is another name for {who}"
    if draft.act == "retract" and draft.predicate == "*":
        return f"To be forgotten: {draft.value}"
    if draft.act == "retract":
        return f"To be forgotten: {who}, {label} {draft.value}".strip()
    scope = f" ({draft.scope.rsplit(':', 1)[-1]})" if draft.scope else ""
    verb = label.split()[0]
    if draft.episodic or verb in _VERBAL or ("_" in draft.predicate and verb.endswith("s")):
        deny = "no longer " if draft.ended and not draft.episodic else "does not: " if draft.negative else ""
        return normal(f"{who} {deny}{label} {draft.value}{scope}")
    middle = "was (no longer)" if draft.ended else "is not" if draft.negative else "is"
    return normal(f"{who}'s {label} {middle} {draft.value}{scope}")


def entity_value(value: str) -> Mention | None:
    """The value as a mention where it says its own type: "project Birch"."""
    words = value.split()
    if len(words) > 1 and words[0].casefold() in {"project", "team", "service", "ticket"}:
        return Mention(text=" ".join(words[1:]), type=words[0].casefold())
    return None


def scope_of(kind: str, name: str) -> str:
    """``org:harbor-labs`` from a kind and a name as said."""
    label = slug(name).replace("_", "-")
    return f"{kind}:{label}" if kind else label
