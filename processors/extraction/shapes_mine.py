"""Shapes of "I have X", "my X is Y" and "the X is Y": the noun names the predicate."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from processors.extraction import lexicon, values
from processors.extraction.shape import is_job
from processors.extraction.text import slug

_I: Final = re.IGNORECASE


@dataclass(frozen=True)
class Stated:
    """Predicate, value and form of one statement, before it has a subject mention of its own."""

    rule: str
    predicate: str
    value: str
    one: bool = False
    negative: bool = False
    #: About a relative or pet of the subject: the noun.
    about: str = ""
    confidence: float = 0.9
    scope: str = ""


#: Rule name, example, what it states: the part of the table of shapes that code, not a pattern, decides.
ROWS: Final[tuple[tuple[str, str, str], ...]] = (
    (
        "have-kin",
        "I have a brother and two sons",
        "relation predicates (`sibling`, `child`, ...); a number gives a count (`sons` = 2)",
    ),
    ("have-pet", "I have two dogs", "`pet`"),
    ("have-named", "I have a cat named Pixel", "`pet` or relation, and `name` of it"),
    ("have-aged", "I have a 3 year old terrier", "`pet`, and `age` of it"),
    ("have-allergy", "I have a nut allergy", "`allergic_to`"),
    ("have", "I have a kayak", "`has`"),
    ("have-none", "I don't have a car", "`has`, negative"),
    ("my-name", "My name is Mira", "`name`"),
    ("my-favorite", "My favorite drink is tea", "`favorite_<x>`"),
    ("my-goal", "My dream is to open a bakery", "`wants`"),
    ("my-hobby", "My hobbies are chess and rowing", "`hobby`"),
    ("my-job", "My job is teaching", "`job_title`"),
    (
        "my-place",
        "My desk is on floor 2; my gym is on Elm Street",
        "`<x>_floor`, `<x>_street`, `<x>_location`, ...",
    ),
    ("my-with", "My spare key is with Ines", "`<x>_with`"),
    ("my-colour", "My kayak is green", "`<x>_color`"),
    ("my-state", "My bike is broken", "`<x>_status`"),
    ("my-is", "My parcel locker is number 12", "`<x>`, one value"),
    ("my-moved", "My gym moved to Oak Street", "as my-place, the new value"),
    ("my-verb", "My card ends in 00", "`<x>_<verb>`"),
    ("attribute", "Ticket state is open; the meeting room is Oak", "the attribute noun, one value"),
    ("the-place", "The stand is in hall A", "`hall`, `floor`, `street`, `network`, `located_in`, ..."),
    ("the-by", "The renewal is owned by Sam", "`owner`, `lead`, `approved_by`, ..."),
    ("the-state", "The side gate is locked", "`status`, one value"),
    ("the-is", "The balance is 40 credits", '`value`, one value; `is` for "is a ..."'),
)


def have(tail: str, negated: bool, animate: bool) -> list[Stated]:
    """What "have <tail>" states: relatives, pets, allergies, counts, possessions. A list gives one
    statement each."""
    text = tail.strip()
    if re.match(
        r"(?:to|been|no (?:idea|clue|doubt|problem|plans?|time)|got to|a (?:blast|ball"
        r"|question|look|feeling|hard time|great|good|nice|lovely|fun)"
        r"|(?:lots|a lot|plenty|tons) of (?:fun|great|good|amazing|memories|work|time)"
        r"|(?:so )?(?:much|many)\b|something|nothing|everything"
        r"|the (?:best|same|time|chance|opportunity|pleasure)|such|some(?:thing)? (?:great"
        r"|good|amazing|news|time|fun)|fun|time|faith|high hopes|each other|what it takes"
        r"|(?:the right|a (?:positive|good)) attitude"
        r"|never|always|an? (?:idea|dream|few|bit|lot|couple of (?:days|weeks|ideas"
        r"|questions)))\b",
        text,
        _I,
    ):
        return []
    if re.match(r"no ", text, _I):
        negated, text = True, text[3:]
    shared = re.sub(
        r",? (?:which|that|who|who's|and (?:he|she|it|they|i)|but|because|for (?=\d|many|over"
        r"|the)|when|if|since|to (?=\w+ )).*$",
        "",
        text,
        flags=_I,
    )
    if (
        not animate
        and (count := re.fullmatch(r"(\w+) ([\w -]{2,40})", values.clean(shared)))
        and values.number(count.group(1))
    ):
        return [Stated("have-count", slug(count.group(2)), values.number(count.group(1)) or "", one=True)]
    found: list[Stated] = []
    # Only a list whose members carry a determiner or number, or are single nouns, falls into several possessions.
    for part in _members(shared):
        found.extend(_had(part, negated))
    return found


def _members(text: str) -> list[str]:
    if re.search(r"\b(?:named|called)\b", text, _I):
        return re.split(r",? and (?=(?:an?|my|one|two|three|\d+) )", text, flags=_I)
    parts = values.atoms(text)
    determined = re.compile(r"(?:an?|the|my|two|three|four|five|six|\d+|no|some|many)\b|[\w-]+$", _I)
    each = all(determined.match(part.strip()) for part in parts) or all(
        len(part.split()) <= 2 for part in parts
    )
    return parts if each else [text]


#: Roles that "I have a ..." does not make a relation: "I have a teacher's desk", "I have a doctor".
_NOT_OWN: Final = frozenset({"doctor", "teacher", "coach", "baby"})


def _had(part: str, negated: bool) -> list[Stated]:
    if re.match(r"no ", part.strip(), _I):
        negated, part = True, part.strip()[3:]
    part = re.sub(
        r"^(?:more than|over|at least|about|around|almost|only|just|also) (?=\w)", "", part.strip(), flags=_I
    )
    named = re.match(
        r"(?P<np>.+?),? (?:(?:who is |that is )?(?:named|called)|by the name of|whose name is) (?P<name>[\w' .&-]+)$",
        part.strip(),
        _I,
    )
    phrase = named.group("np") if named else part
    value = values.clean(phrase)
    aged = re.match(r"(?P<n>\d{1,2}|[a-z]+)[- ](?P<unit>year|month|week)s?[- ]olds? (?P<rest>.+)", value, _I)
    if aged:
        value = aged.group("rest")
    words = value.casefold().split()
    if _is_vague(value) or not words:
        return []
    if "allergy" in words or "allergies" in words:
        return _allergy(value, negated)
    of_kin = re.match(r"(?P<np>[\w -]+?)(?:,? (?:in|at|from|of|with|on|for|and)\b.*)?$", value)
    head_words = (of_kin.group("np") if of_kin else value).casefold().split()
    count = next((n for word in head_words[:2] if (n := values.number(word))), "")
    kin = head_words[-1] if head_words[-1] in lexicon.KIN.keys() - _NOT_OWN else ""
    pet = next((word for word in head_words if word in lexicon.PETS), "")
    found: list[Stated] = []
    noun = ""
    if kin and kin == head_words[-1]:
        noun = lexicon.KIN[kin]
        relation = lexicon.RELATION.get(noun, noun)
        if count and count != "1":
            found.append(Stated("have-kin", f"number_of_{slug(noun)}", count, one=True, negative=negated))
        else:
            found.append(Stated("have-kin", relation, value, negative=negated))
    elif (pet and head_words[-1] in lexicon.PETS) or (
        pet and head_words[0] in lexicon.PETS and len(head_words) < 3
    ):
        noun = pet
        found.append(Stated("have-pet", "pet", value, negative=negated))
    elif not negated or re.match(r"(?:an?|any|my|the|no)\b", phrase.strip(), _I) or len(words) < 4:
        noun = words[-1] if named else ""
        if words[-1] in {"job"} and negated:
            return [Stated("have-none", "has", value, negative=True)]
        found.append(
            Stated("have-none" if negated else "have", "has", value, negative=negated, confidence=0.8)
        )
    if named and noun and not negated:
        found.append(
            Stated("have-named", "name", values.keeps_words(named.group("name")), one=True, about=noun)
        )
    if aged and noun and values.number(aged.group("n")):
        age = f"{values.number(aged.group('n'))}" + (
            "" if aged.group("unit") == "year" else f" {aged.group('unit')}s"
        )
        found.append(Stated("have-aged", "age", age, one=True, about=noun))
    return found


def _allergy(value: str, negated: bool) -> list[Stated]:
    match = re.match(
        r"(?:(?:severe|bad|terrible|mild|serious) )?(?:(?P<a>[\w -]+?) )?allerg(?:y|ies)(?: to (?P<b>.+))?$",
        value,
        _I,
    )
    what = (match.group("b") or match.group("a") or "") if match else ""
    if not what:
        return [Stated("have-allergy", "has", value, negative=negated)]
    return [
        Stated("have-allergy", "allergic_to", values.clean(atom), negative=negated)
        for atom in values.atoms(what)
    ]


def my_is(noun: str, tail: str, negated: bool) -> list[Stated]:
    """ "my <noun> is <tail>": the noun is the predicate; place, colour and state get one of their own."""
    if noun.casefold().startswith("one of "):
        several = my_is(noun[7:], tail, negated)
        # One favorite of several is something liked; nothing here is the only one.
        return [
            replace(item, one=False, predicate="likes" if item.rule == "my-favorite" else item.predicate)
            for item in several
        ]
    label = slug(noun)
    value = values.clean(tail)
    if label in {"name", "full_name", "first_name"}:
        name = re.match(r"[^\W\d_][\w'.-]*(?: [^\W\d_a-z][\w'.-]*){0,3}", values.keeps_words(tail))
        return [Stated("my-name", "name", name.group(), one=True, negative=negated)] if name else []
    pet_name = re.fullmatch(r"(?:(?:two|three|new|old) )?(\w+?)'?s'? names?", noun.casefold())
    if pet_name:
        return [Stated("my-name", "name", values.keeps_words(tail), one=True, about=pet_name.group(1))]
    if (
        not value
        or (_is_vague(value) and not value.isalnum())
        or re.match(r"(?:that|what|because|when|how|like|so|to be|all|about)\b", tail.strip(), _I)
    ):
        return []
    if label.startswith(("favorite", "favourite", "fav_")) or label in {"favorite", "fave"}:
        label = re.sub(r"^fav(?:ou?rite)?_?", "favorite_", label).rstrip("_").removesuffix("s")
        label = label if label != "favorite" else "likes"
        members = _clean_atoms(value)
        if len(members) > 1:
            # Several favorites are no single favorite: each is something liked.
            return [Stated("my-favorite", "likes", atom, negative=negated) for atom in members]
        return [
            Stated("my-favorite", label, atom, one=label != "likes", negative=negated) for atom in members
        ]
    if label in {
        "hobby",
        "hobbies",
        "main_hobby",
        "main_hobbies",
        "interests",
        "passion",
        "passions",
        "favorite_hobby",
    }:
        return [
            Stated("my-hobby", "hobby", atom, negative=negated)
            for atom in _clean_atoms(re.sub(r"^to ", "", value))
        ]
    if label in {"job", "occupation", "profession", "work", "career", "current_job"}:
        is_noun = (
            re.match(r"(?:an?|the|to|as|being)\b|\w+ing\b|in\b", tail.strip(), _I)
            or is_job(value)
            or " " in value
        )
        if not is_noun or value.split()[0].casefold() in lexicon.JUDGEMENTS:
            return []
        trade = re.match(r"in (.+)", value, _I)
        return [
            Stated(
                "my-job",
                "works_in" if trade else "job_title",
                trade.group(1) if trade else re.sub(r"^(?:as|being) (?:an? )?", "", value),
                negative=negated,
            )
        ]
    if re.search(r"(?:^|_)(?:dream|goal|plan|ambition|aim|wish)s?$", label):
        return [Stated("my-goal", "wants", re.sub(r"^to ", "", value), negative=negated)]
    if label in {"birthday", "bday", "birth_date", "date_of_birth"}:
        return [Stated("my-is", "birthday", re.sub(r"^(?:on|in) ", "", value), one=True, negative=negated)]
    if label in {"time_zone", "timezone", "tz"}:
        return [
            Stated(
                "my-is",
                "timezone",
                values.timezone(re.sub(r"^(?:in|set to|now) ", "", value)) or value,
                one=True,
                negative=negated,
            )
        ]
    if label in {
        "email",
        "e_mail",
        "email_address",
        "mail",
        "phone",
        "phone_number",
        "number",
        "cell",
        "mobile",
        "address",
    }:
        kind = "email" if "mail" in label else "address" if label == "address" else "phone"
        return [Stated("my-is", kind, value, one=True, negative=negated)]
    return _attribute("my", label, value, tail, negated)


def _clean_atoms(value: str) -> list[str]:
    found = (values.clean(atom) for atom in values.atoms(value))
    return [atom for atom in found if atom and not values.is_vague(atom)]


def _attribute(form: str, label: str, value: str, tail: str, negated: bool) -> list[Stated]:
    prefix = f"{label}_" if form == "my" else ""
    where = re.match(
        r"(?:now |currently |located |situated )*(?P<p>in|on|at|near|with|by|under|behind|from)(?: the)? (?P<v>.+)",
        tail.strip(),
        _I,
    )
    if where:
        if where.group("p").casefold() in {"with", "by", "from"}:
            return [
                Stated(
                    f"{form}-with",
                    f"{prefix}{where.group('p').casefold()}",
                    values.clean(where.group("v")),
                    one=True,
                    negative=negated,
                )
            ]
        attribute, at = values.place(where.group("v"))
        if attribute == "location" and form == "the":
            attribute = "located_in"
        if values.is_vague(at) and len(at) > 2:
            return []
        return [Stated(f"{form}-place", f"{prefix}{attribute}", at, one=True, negative=negated)]
    low = value.casefold()
    first = low.split()[0]
    if all(word in lexicon.COLORS | {"and", "dark", "light", "bright"} for word in low.split()):
        label = re.sub(r"_?colou?r$", "", label) if form == "my" else ""
        return [Stated(f"{form}-colour", f"{label}_color".strip("_"), value, one=True, negative=negated)]
    if first in lexicon.STATES:
        return [
            Stated(
                f"{form}-state",
                f"{prefix}status",
                first if first not in {"on", "off"} or low == first else value,
                one=True,
                negative=negated,
            )
        ]
    if (
        re.fullmatch(r"[a-z]+(?:able|ible|ful|ous|less|ish|ive)", value)
        or first in lexicon.JUDGEMENTS
        or (first in lexicon.MOODS and form == "the")
    ):
        return []
    passive = re.match(
        r"(?P<verb>owned|led|managed|maintained|run|headed|approved|hosted) by (?P<v>.+)", tail.strip(), _I
    )
    if passive and form == "the":
        role = _ROLES[passive.group("verb").casefold()]
        return [Stated("the-by", role, values.clean(passive.group("v")), one=True, negative=negated)]
    article = re.match(r"(?:an?|some|one)\b", tail.strip(), _I)
    return [
        Stated(
            f"{form}-is",
            label if form == "my" else "is" if article else "value",
            value,
            one=True,
            negative=negated,
            confidence=0.85,
        )
    ]


_ROLES: Final = {
    "owned": "owner", "led": "lead", "headed": "lead", "managed": "manager", "maintained": "owner", "run": "owner",
    "approved": "approved_by", "hosted": "hosted_by",
}  # fmt: skip


def _is_vague(value: str) -> bool:
    """As `values.is_vague`, but "down", "off", "up" are states here."""
    return value.casefold() not in lexicon.STATES and values.is_vague(value)


def the_is(words: str, tail: str, negated: bool) -> list[Stated]:
    """ "the X is Y" about the thing X: where it is, its colour, its state, else what it is."""
    value = values.clean(tail)
    if (
        not value
        or (_is_vague(value) and not values.number(value))
        or re.match(
            r"(?:that|what|because|when|how|like|so|to|a bit|my|all|about|.* (?:is|are|was"
            r"|were) .*|really|very|super|pretty|just|always|still|quite|too|more|most)\b",
            tail.strip(),
            _I,
        )
    ):
        return []
    return _attribute("the", slug(words), value, tail, negated)
