"""Whole-sentence shapes: statements about names and about memory itself, switches, moves, and forms with no plain subject."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from processors.extraction import values
from processors.extraction.draft import Draft, entity_value
from processors.extraction.subjects import Context, read_subject, thing_mention
from processors.extraction.text import Sentence, slug
from schemas.facts import Mention

_I: Final = re.IGNORECASE
_NAME: Final = r"[^\W\d_a-z][\w&'.-]*(?: [^\W\d_a-z][\w&'.-]*){0,4}"


@dataclass(frozen=True)
class Act:
    """A named sentence pattern and what it makes of a match."""

    name: str
    example: str
    states: str
    pattern: re.Pattern[str]
    make: Callable[[re.Match[str], Sentence, Context], Iterable[Draft]]


def _alias(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    whole, short = match.group("whole").strip(), match.group("short").strip(" .!\"'")
    type_ = "org" if whole.isupper() and " " not in whole else "person"
    mine = re.match(r"(?:i|my name)$", whole, _I)
    subject = context.speaker if mine else Mention(text=whole, type=type_)
    if short.casefold() not in {"me", "i", "it", "that", "him", "her", whole.casefold()}:
        yield Draft(subject, "alias", short, span, "alias", act="alias", one=False)


def _nickname(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    yield Draft(context.speaker, "nickname", match.group("v"), span, "nickname")


def _retract_last(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    yield Draft(context.speaker, "*", "that", span, "retract-that", act="retract")


def _retract_topic(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    topic = values.clean(match.group("v"))
    if topic and not values.is_vague(topic):
        yield Draft(thing_mention(topic), "*", "", span, "retract-topic", act="retract")


def _not_true(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    topic = re.sub(
        r"^(?:there (?:is|are|was|were)(?:n't| not| no)?(?: a| any)? |the |it's )",
        "",
        match.group("v") or "",
        flags=_I,
    )
    if match.group("v") and topic != match.group("v"):
        noun = re.split(r" (?:is|are|was|were|has|have|does|do|in|on|at)\b", topic, maxsplit=1)[0]
        yield Draft(thing_mention(noun), "*", "", span, "retract-topic", act="retract")
    else:
        yield Draft(context.speaker, "*", "that", span, "retract-that", act="retract")


def _switch(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    verb = match.group("verb").casefold()
    what = values.clean(match.group("what"))
    if (
        match.group("what").casefold().startswith(("some ", "a few ", "lots ", "a lot "))
        or values.is_vague(what)
        or (match.group("where") and values.is_vague(values.clean(match.group("where"))))
    ):
        return
    off = verb.endswith("off") or verb in {"disabled", "deactivated", "switched off", "turned off"}
    gone = verb in {"removed", "uninstalled", "dropped", "deleted", "got rid of", "took out", "ripped out"}
    if match.group("where"):
        subject, predicate = thing_mention(values.clean(match.group("where"))), slug(what)
    else:
        subject, predicate = thing_mention(what), "status"
    value = "" if gone and match.group("where") else "removed" if gone else "off" if off else "on"
    yield Draft(
        subject, predicate, value, span, "switch", ended=gone and bool(match.group("where")), one=True
    )


def _moved(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    subject = read_subject(span.text, context)
    old, new = values.clean(match.group("old")), values.clean(match.group("new"))
    if (
        not subject
        or (values.is_vague(old)
        and not values.number(old))
        or (values.is_vague(new)
        and not values.number(new))
    ):
        return
    verb = match.group("verb").casefold()
    typed = entity_value(old) or entity_value(new)
    assigned = typed is not None and typed.type in {"project", "team"}
    if subject.kind == "mine":
        attribute, _ = values.place(new)
        place = f"_{attribute}" if verb in {"moved", "relocated"} else ""
        predicate = slug(subject.noun) + place
        old, new = (values.place(old)[1], values.place(new)[1]) if place else (old, new)
    elif assigned:
        predicate = "assigned_to"
    elif subject.kind == "thing":
        predicate = "runs_on" if verb in {"migrated", "switched", "upgraded", "moved"} else "status"
    elif verb in {"switched", "migrated", "changed", "upgraded"}:
        predicate = "uses"
    else:
        predicate = "lives_in"
    yield Draft(
        subject.mention, predicate, old, span, "moved-from-to", ended=True, value_entity=entity_value(old)
    )
    yield Draft(subject.mention, predicate, new, span, "moved-from-to", value_entity=entity_value(new))


def _no_need(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    task = values.clean(
        re.split(r"[,;]| (?:it|since|because|as|today|now)\b", match.group("v"), maxsplit=1)[0]
    )
    if (
        task
        and not values.is_vague(task)
        and not re.match(r"(?:worry|thank|apologi|be|panic|say|feel|explain|rush)\w*\b", task, _I)
    ):
        yield Draft(
            Mention(text=task, type="task"), "needed", "yes", span, "no-need", negative=True, one=True
        )


def _need(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    task = values.clean(match.group("v"))
    if not values.is_vague(task):
        yield Draft(Mention(text=task, type="task"), "needed", "yes", span, "need", one=True)


def _favorite(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    value = values.clean(match.group("v"))
    if re.search(r"\b(?:i|we|my|is|are|was)\b", value, _I):
        return
    kind = slug(match.group("x") or "")
    label = (
        "hobby" if kind in {"hobby", "hobbies"} else f"favorite_{kind.removesuffix('s')}" if kind else "likes"
    )
    members = values.atoms(value)
    if label.startswith("favorite_") and (match.group("of") or len(members) > 1):
        # One favorite of several is something liked.
        label = "likes"
    for atom in members:
        cleaned = values.clean(atom)
        if not values.is_vague(cleaned) and cleaned.casefold() not in {"which", "there", "i"}:
            yield Draft(
                context.speaker,
                label,
                cleaned,
                span,
                "favorite-is",
                one=label not in {"hobby", "likes"},
            )


def _absent(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    what = values.clean(
        re.split(r" (?:in|on|at|for|any ?more|that|to|between)\b", match.group("v"), maxsplit=1)[0]
    )
    if not values.is_vague(what) and not re.match(
        r"(?:need|doubt|way|reason|better|point|place|time|shame|rush|other|such|problem|stopping)\b",
        what,
        _I,
    ):
        yield Draft(thing_mention(what), "exists", "yes", span, "there-is-no", negative=True, one=True)


def _happy(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    for atom in values.atoms(values.clean(match.group("v"))):
        value = values.clean(atom)
        if not values.is_vague(value) and len(value.split()) <= 4:
            yield Draft(context.speaker, "likes", value, span, "makes-happy", one=False, confidence=0.75)


def _reach(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    value = match.group("v").strip(" .")
    yield Draft(context.speaker, "email" if "@" in value else "phone", value, span, "reach-me", one=True)


def _label(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    key = slug(match.group("k").removeprefix("my "))
    key = {"e_mail": "email", "tz": "timezone", "time_zone": "timezone", "hometown": "from", "phone_number": "phone", "location": "lives_in",
           "allergies": "allergic_to", "company": "employer", "job": "job_title", "title": "job_title"}.get(key, key)  # fmt: skip
    subject = Mention(text="place", type="place") if key == "opening_hours" else context.speaker
    for value in (
        values.atoms(match.group("v"))
        if key in {"allergic_to", "languages", "hobbies"}
        else [match.group("v")]
    ):
        yield Draft(
            subject,
            key,
            values.clean(value) or value,
            span,
            "label",
            one=key not in {"allergic_to", "languages", "hobbies"},
        )


def _a(
    name: str,
    example: str,
    states: str,
    pattern: str,
    make: Callable[[re.Match[str], Sentence, Context], Iterable[Draft]],
    flags: int = _I,
) -> Act:
    return Act(name, example, states, re.compile(pattern, flags), make)


_SAME: Final = rf"(?P<short>{_NAME}) (?:is|'s) (?:short|another name|a nickname|the nickname|an alias|a short name|the short form) (?:for|of) (?P<whole>{_NAME})\W*$"

ACTS: Final[tuple[Act, ...]] = (
    _a("alias", "Lex Moor is short for Alexis Moor", "an alias of a name", _SAME, _alias, 0),
    _a("alias-known", "Alexis Moor is also known as Lex", "an alias of a name",
       rf"(?P<whole>{_NAME}),? (?:is |are )?(?:(?:also|better|otherwise) (?:known as|called)|goes by(?: the name)?|aka|a\.k\.a\.) (?P<short>{_NAME})\W*$", _alias, 0),
    _a("alias-same", "Lex and Alexis Moor are the same person", "an alias of a name",
       rf"(?P<short>{_NAME}) and (?P<whole>{_NAME}) are the same (?:person|company|thing|one)\W*$", _alias, 0),
    _a("alias-call", "Everyone calls Alexis Moor Lex", "an alias of a name",
       rf"(?:[Ee]veryone|[Ee]verybody|[Pp]eople|[Ww]e|[Ff]riends|[Tt]hey|[Aa]ll) calls? (?P<whole>{_NAME}) [\"']?(?P<short>{_NAME})[\"']?\W*$", _alias, 0),
    _a("nickname", "My friends call me Lex", "`nickname`",
       r"(?:(?:[Mm]y \w+|[Pp]eople|[Ee]veryone|[Tt]hey|[Ff]riends) calls? me|(?:[Jj]ust |[Pp]lease |[Yy]ou can )*[Cc]all me) (?P<v>[^\W\d_a-z][\w'-]+(?: [A-Z][\w'-]+)?)\W*$", _nickname, 0),
    _a("not-true", "Not true, there is no guest network", "a hint to retract what was said of it",
       r"(?:no, )?not (?:true|right|correct|so)\b[\s,:;.-]*(?P<v>.*)$", _not_true),
    _a("retract-that", "Forget that; scratch that; that was wrong", "a hint to retract the last statement",
       r"(?:please |actually,? |no,? |sorry,? )*(?:(?:forget|scratch|disregard|strike|delete|ignore|erase|drop) (?:that|this|it|what i (?:just )?said)|i take (?:that|it) back"
       r"|(?:that|this)(?:'s| is| was)(?:n't| not)? (?:not |all )?(?:wrong|false|incorrect|a mistake|an error|true|right|correct|a lie|a typo)|i was (?:wrong|mistaken)|i misspoke)\W*$", _retract_last),
    _a("retract-topic", "Delete the tent note", "a hint to retract what was said of the topic",
       r"(?:please |you can |can you )*(?:delete|remove|erase|drop|forget|discard|clear|wipe)(?: about)? (?:the |my |all |any |every )*(?P<v>[\w' -]{2,60}?)"
       r" (?:notes?|facts?|entry|entries|memory|memories|records?|info|information|data|reminders?)\W*$", _retract_topic),
    _a("retract-about", "Forget about the tent", "a hint to retract what was said of the topic",
       r"(?:please )?(?:forget|delete|erase|remove|disregard) (?:everything |what i said |all |anything )?about (?:the |my )?(?P<v>[\w' -]{2,60})\W*$", _retract_topic),
    _a("moved-from-to", "Ravi was moved from project Alder to project Oak", "the old value ended, the new one stated",
       r".{1,80}?\b(?P<verb>moved|relocated|transferred|reassigned|switched|migrated|changed|upgraded) (?:over )?from (?P<old>.{1,60}?) (?:over )?(?:in)?to (?P<new>.{1,80})$", _moved),
    _a("switch", "We turned on tracing in the gateway; we removed tracing from the gateway", "the part's state in the thing; removed: ended",
       r"(?:i|we|they|someone) (?:have |just |recently |also |finally |permanently |temporarily |'ve )*(?P<verb>turned on|turned off|switched on|switched off|enabled|disabled|activated|deactivated"
       r"|installed|uninstalled|added|removed|dropped|deleted|got rid of|took out|ripped out) (?P<what>[\w' -]{2,50}?)(?: (?:in|on|to|from) (?:the |our )?(?P<where>[\w' -]{2,50}))?[\s.!]*$", _switch),
    _a("no-need", "No need to water the palms", "`needed` of the task, negative",
       r"(?:(?:there(?:'s| is) )?no (?:longer any )?need (?:to|for)|(?:you|we|i|nobody|it) (?:don't|do not|no longer|doesn't|does not) (?:need|have) to) (?P<v>.+)$", _no_need),
    _a("need", "We need to water the palms", "`needed` of the task", r"(?:we|someone|somebody) (?:need|needs|have|has) to (?P<v>\w+ the .+)$", _need),
    _a("favorite-is", "Tea is my favorite drink", "`favorite_<x>`, `hobby`",
       r"(?P<v>[^,;]{1,80}?(?:, [\w ]{1,30}){0,4}) (?:is|are) (?:also )?(?P<of>(?:one|some) of )?(?:my|our) (?:all[- ]time |absolute |main |second |other |two |three )*(?:favou?rites?|hobb(?=y|ies))"
       r" ?(?P<x>\w+(?: \w+)?)?\W*$", _favorite),
    _a("there-is-no", "There is no guest network", "`exists`, negative", r"there(?:'s| is| are|'re) no (?:longer an? )?(?P<v>.+)$", _absent),
    _a("makes-happy", "Rowing makes me happy", "`likes`", r"(?P<v>[\w' -]{2,40}?) (?:always )?(?:makes?|brings?) me (?:so |very |really |such |a lot of |lots of )*(?:happy|joy|happiness)\W*$", _happy),
    _a("reach-me", "You can reach me at mira@example.org", "`email`, `phone`",
       r"(?:you can |please )?(?:reach|email|e-mail|call|text|contact|write to|mail) (?:me|us) (?:at|on|under) (?P<v>[\w.+-]{1,64}@[\w.-]{1,100}|\+?[\d() -]{6,24})\W*$", _reach),
    _a("label", "Time zone: CET", "the labelled attribute",
       r"(?:my )?(?P<k>name|e-?mail|phone(?: number)?|time ?zone|tz|address|birthday|allergies|diet|employer|company|job(?: title)?|title|location|hometown|languages|hobbies|opening hours)"
       r": (?P<v>[^:;]{1,80}|\d{1,2}(?::\d\d)? ?- ?\d{1,2}(?::\d\d)?)$", _label),
)  # fmt: skip
#: Statements the guards would take for orders or denials: they are tried before the guards.
BEFORE_GUARDS: Final = frozenset(
    {"retract-that", "retract-topic", "retract-about", "not-true", "nickname", "reach-me", "no-need"}
)


def try_acts(span: Sentence, context: Context, *, before_guards: bool) -> list[Draft]:
    """What the first fitting sentence pattern states; ``before_guards`` tries those that the guards would refuse."""
    for act in ACTS:
        if (act.name in BEFORE_GUARDS) != before_guards:
            continue
        match = act.pattern.match(span.text)
        if match and (found := list(act.make(match, span, context))):
            return found
    return []
