"""What statements say about names and identifiers: "Kat Voss is short for Katarina Voss", "my e-mail is ..."."""

from collections.abc import Iterable
from dataclasses import dataclass

from processors.identity.commands import InvalidCommand, check_alias
from processors.identity.identifiers import identifier_in, identifier_of
from processors.identity.model import Context, IdentityView
from processors.identity.naming import is_first_person, type_of
from processors.identity.resolve import resolve_mention
from processors.values.text import clean, form
from schemas.facts import Fact, FactsExtracted, Mention
from schemas.identity import AliasSet, MergeEntities
from schemas.inbox import Candidate

#: An alias is believed on one agent's word from this confidence on; the default `min_confidence` of a policy.
MIN_CONFIDENCE = 0.5


@dataclass(frozen=True, slots=True)
class StatedAlias:
    """A stated alias, ready to take effect (``command`` is an AliasSet) or only for review.

    Attributes:
        command: an AliasSet that passed `check_alias`; or a MergeEntities to suggest to a person, when both names
            are entities already: a sentence does not merge what holds evidence.
        refused: why it does not take effect by itself; empty for an AliasSet.
    """

    command: AliasSet | MergeEntities
    refused: str = ""


def alias_names(fact: Fact) -> tuple[str, Mention] | None:
    """(the other name, who bears it) of a fact with ``act="alias"``; None for any other fact.

    With ``value_entity`` the subject is the short name and the value the whole one; without, as the offline extractor
    writes it, the subject is who bears the name and the value the name.
    """
    if fact.act != "alias" or fact.polarity == "-" or fact.ended:
        return None
    short, bearer = clean(fact.value), fact.subject
    if fact.value_entity is not None:
        short, bearer = fact.subject.text, fact.value_entity
    if not form(short) or form(short) == form(bearer.text) or is_first_person(Mention(text=short[:512])):
        return None
    return short[:512], bearer


def stated_alias(
    event: FactsExtracted, fact: Fact, context: Context, view: IdentityView
) -> StatedAlias | None:
    """What a stated alias asks of the id map; None when the fact states none, says nothing new or is unsure.

    The result's event id is that of the fact, so that it is one command however often the facts are read.
    """
    names = alias_names(fact)
    if names is None or fact.confidence < MIN_CONFIDENCE or fact.basis == "inferred":
        return None
    short, bearer = names
    whole = resolve_mention(bearer, context, view)
    if not whole.resolved:
        return None
    kind = bearer.type if bearer.entity is None and bearer.type != "thing" else type_of(whole.entity)
    other = resolve_mention(Mention(text=short, type=kind), Context(), view)
    if other.entity == whole.entity and not other.is_new:
        return None
    head = {
        "tenant": event.tenant,
        "source": event.source,
        "event_id": f"{event.event_id[:220]}#alias-{fact.ordinal}",
        "actor": event.agent,
        "at": event.event_time,
        "reason": (fact.quote.text if fact.quote else fact.text)[:1024],
    }
    alias = AliasSet(**head, alias=short, alias_type=kind, entity=whole.entity)
    try:
        check_alias(alias, view)
    except InvalidCommand as error:
        if not other.resolved or other.is_new:
            return StatedAlias(alias, str(error))
        merge = MergeEntities(**head, entity=other.entity, into=whole.entity)
        return StatedAlias(merge, str(error))
    return StatedAlias(alias)


def identifiers_of_subject(
    facts: Iterable[Fact], subject: Mention, *, trusted: bool, typed: Iterable[Candidate] = ()
) -> tuple[str, ...]:
    """The identifiers for ``Context.identifiers``: what `facts` of one event state of `subject`, and `typed` values.

    Only with `trusted` (a record of a system of record, or the speaker of himself): that somebody has read an address
    somewhere next to a name ties nothing together. Facts count whose value as a whole is an identifier and whose
    label says that it is the subject's: email, phone, id.
    """
    if not trusted:
        return ()
    found = [
        key
        for fact in facts
        if fact.act == "assert" and fact.polarity == "+" and not fact.ended and fact.basis == "observed"
        if fact.subject == subject and _is_identifying(fact.predicate) and (key := identifier_of(fact.value))
    ]
    found += [key for one in typed if (key := identifier_in(one.value))]
    return tuple(dict.fromkeys(found))


def _is_identifying(label: str) -> bool:
    words = form(label.rsplit(".", 1)[-1], "_").split("_")
    return words[-1] in ("email", "mail", "phone", "mobile", "telephone", "id") or words[0] in (
        "email",
        "phone",
    )
