"""What the whole-sentence patterns of `acts` make of a match: one function a kind."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from processors.extraction import values
from processors.extraction.draft import Draft, entity_value
from processors.extraction.subjects import Context, read_subject, thing_mention
from processors.extraction.text import Sentence, slug
from schemas.facts import Mention

_I: Final = re.IGNORECASE


def alias(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    whole, short = match.group("whole").strip(), match.group("short").strip(" .!\"'")
    type_ = "org" if whole.isupper() and " " not in whole else "person"
    mine = re.match(r"(?:i|my name)$", whole, _I)
    subject = context.speaker if mine else Mention(text=whole, type=type_)
    if short.casefold() not in {"me", "i", "it", "that", "him", "her", whole.casefold()}:
        yield Draft(subject, "alias", short, span, "alias", act="alias", one=False)


def nickname(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    yield Draft(context.speaker, "nickname", match.group("v"), span, "nickname")


def retract_last(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    yield Draft(context.speaker, "*", "that", span, "retract-that", act="retract")


def retract_topic(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    topic = values.clean(next(found for name in "vwx" if (found := match.groupdict().get(name))))
    if topic and not values.is_vague(topic):
        yield Draft(context.speaker, "*", topic, span, "retract-topic", act="retract")


def not_true(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    topic = re.sub(
        r"^(?:there (?:is|are|was|were)(?:n't| not| no)?(?: a| any)? |the |it's )",
        "",
        match.group("v") or "",
        flags=_I,
    )
    if match.group("v") and topic != match.group("v"):
        noun = re.split(r" (?:is|are|was|were|has|have|does|do|in|on|at)\b", topic, maxsplit=1)[0]
        yield Draft(context.speaker, "*", values.clean(noun) or noun, span, "retract-topic", act="retract")
    else:
        yield Draft(context.speaker, "*", "that", span, "retract-that", act="retract")


def switch(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    verb = match.group("verb").casefold()
    what = values.clean(match.group("what"))
    if (
        match.group("what")
        .casefold()
        .startswith(("some ", "a few ", "lots ", "a lot ", "out ", "off ", "by ", "in "))
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


def is_on_in(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    what, where = values.clean(match.group("what")), values.clean(match.group("where"))
    value = "off" if match.group("verb").casefold() in {"off", "disabled", "inactive"} else "on"
    if not values.is_vague(what) and not values.is_vague(where):
        yield Draft(thing_mention(where), slug(what), value, span, "is-on-in", one=True)


def moved(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    subject = read_subject(span.text, context)
    old, new = values.clean(match.group("old")), values.clean(match.group("new"))
    if (
        not subject
        or (values.is_vague(old) and not values.number(old))
        or (values.is_vague(new) and not values.number(new))
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
    elif subject.kind == "thing" and (values.is_clock_time(old) or values.is_clock_time(new)):
        predicate = "start_time"
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


def no_need(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
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


def need(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    task = values.clean(match.group("v"))
    if not values.is_vague(task):
        yield Draft(Mention(text=task, type="task"), "needed", "yes", span, "need", one=True)


def favorite(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
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


def absent(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    what = values.clean(
        re.split(r" (?:in|on|at|for|any ?more|that|to|between)\b", match.group("v"), maxsplit=1)[0]
    )
    if not values.is_vague(what) and not re.match(
        r"(?:need|doubt|way|reason|better|point|place|time|shame|rush|other|such|problem|stopping)\b",
        what,
        _I,
    ):
        yield Draft(thing_mention(what), "exists", "yes", span, "there-is-no", negative=True, one=True)


def happy(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    for atom in values.atoms(values.clean(match.group("v"))):
        value = values.clean(atom)
        if not values.is_vague(value) and len(value.split()) <= 4:
            yield Draft(context.speaker, "likes", value, span, "makes-happy", one=False, confidence=0.75)


def reach(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    value = match.group("v").strip(" .")
    yield Draft(context.speaker, "email" if "@" in value else "phone", value, span, "reach-me", one=True)


def label(match: re.Match[str], span: Sentence, context: Context) -> Iterable[Draft]:
    key = slug(match.group("k").removeprefix("my "))
    key = {
        "e_mail": "email",
        "tz": "timezone",
        "time_zone": "timezone",
        "hometown": "from",
        "phone_number": "phone",
        "location": "lives_in",
        "allergies": "allergic_to",
        "company": "employer",
        "job": "job_title",
        "title": "job_title",
    }.get(key, key)
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
