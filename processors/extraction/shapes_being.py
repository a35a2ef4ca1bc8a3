"""Shapes of "I am ...": who somebody is, where from, what they are able, afraid, fond of."""

from __future__ import annotations

from typing import Final

from processors.extraction import values
from processors.extraction.shape import (
    Shape,
    is_diet,
    is_job,
    is_nationality,
    is_timezone,
    is_trait,
    pattern,
    verbs,
)

BE: Final = verbs("be")
_ADV: Final = (
    r"(?:very much |much |very |more |really |quite |pretty |so |also |deathly |severely "
    r"|highly |extremely |a big |a huge |a bit |a little |not )*"
)
_LIST: Final = r"(?P<v>.+)"

BEING: Final[tuple[Shape, ...]] = (
    # -- who somebody is
    Shape("called", "I am called Mira", BE, pattern(rf"(?:called|named|known as) {_LIST}"), "name", one=True),
    Shape(
        "age",
        "I am 41 years old",
        BE,
        pattern(r"(?:an? |about |around |only )*(?P<v>\d{1,3}|[a-z]+)[- ](?:years?|yrs?)[- ]olds?\b.*"),
        "age",
        one=True,
        check=lambda v: values.number(v) is not None,
    ),
    Shape("age-bare", "I'm 41", BE, pattern(r"(?P<v>\d{1,3})"), "age", one=True),
    Shape(
        "height",
        "I am 6 feet tall",
        BE,
        pattern(r"(?P<v>\d+(?:[.,]\d+)? ?(?:feet|foot|ft|cm|m|meters|inches)\b.*?)(?: tall)?"),
        "height",
        one=True,
    ),
    Shape(
        "born-in",
        "I was born in Turku",
        BE,
        pattern(r"born (?:and raised )?(?:in|at) (?P<v>.+)"),
        "born_in",
        one=True,
        past="holds",
    ),
    Shape(
        "born-on",
        "I was born on May 2",
        BE,
        pattern(r"born on (?P<v>.+)"),
        "birthday",
        one=True,
        past="holds",
    ),
    Shape(
        "raised-in",
        "I was raised in Turku",
        BE,
        pattern(r"raised (?:in|by|on) (?P<v>.+)"),
        "raised_in",
        past="holds",
    ),
    Shape("from", "I'm from Turku", BE, pattern(r"(?:originally )?from (?P<v>.+)"), "from", one=True),
    Shape(
        "timezone",
        "I'm in CET",
        BE,
        pattern(r"(?:in|on) (?P<v>.+)"),
        "timezone",
        who="sk",
        one=True,
        check=is_timezone,
    ),
    Shape(
        "allergic",
        "I am allergic to pollen",
        BE,
        pattern(rf"{_ADV}(?:allergic|intolerant) to {_LIST}"),
        "allergic_to",
        atoms=True,
    ),
    Shape(
        "diet",
        "I'm a strict vegan",
        BE,
        pattern(
            r"(?:an? |on an? |strictly )*(?:strict |lifelong |committed "
            r"|devout )?(?P<v>\w+)(?: diet)?"
        ),
        "diet",
        one=True,
        check=is_diet,
    ),
    Shape(
        "nationality",
        "I am Finnish",
        BE,
        pattern(r"(?:an? )?(?P<v>\w+)(?: citizen)?"),
        "nationality",
        check=is_nationality,
    ),
    Shape(
        "married-to", "I am married to a baker", BE, pattern(r"(?:happily )?married to (?P<v>.+)"), "spouse"
    ),
    Shape(
        "marital",
        "I am divorced",
        BE,
        pattern(r"(?:happily |recently )?(?P<v>married|single|divorced|engaged|widowed|separated)\b.*"),
        "marital_status",
        one=True,
    ),
    Shape(
        "marital-in",
        "I'm in a relationship",
        BE,
        pattern(r"(?P<v>in an? (?:[\w-]+ ){0,2}(?:relationship|marriage))\b.*"),
        "marital_status",
        one=True,
        whole=True,
    ),
    Shape(
        "employment",
        "I am retired",
        BE,
        pattern(r"(?P<v>unemployed|retired|self-employed|self employed|between jobs|out of work)\b.*"),
        "employment_status",
        one=True,
    ),
    Shape(
        "job-at",
        "Ada is site lead at Brightwater",
        BE,
        pattern(
            r"(?:an? |the |our )?(?P<v>[\w -]{3,40}?) (?:at|for"
            r"|with) (?:the )?(?-i:(?P<o>[^\W\d_a-z][\w&.' -]+))"
        ),
        "job_title",
        who="skn",
        check=is_job,
        scope="org:{o}",
        past="ended",
        one=True,
    ),
    Shape(
        "lead-of",
        "Ada is the lead of design",
        BE,
        pattern(r"(?:the )?(?:lead|head|leader|owner|manager|maintainer) (?:of|for) (?P<v>.+)"),
        "leads",
    ),
    Shape("job", "I am a nurse", BE, pattern(r"(?:an?|the|our) (?P<v>.+)"), "job_title", check=is_job),
    Shape(
        "fan",
        "I'm a fan of chess",
        BE,
        pattern(rf"{_ADV}(?:an? )?(?:\w+ )?fan of {_LIST}"),
        "likes",
        atoms=True,
    ),
    Shape(
        "into",
        "I'm into chess",
        BE,
        pattern(
            rf"{_ADV}(?:into|fond of|keen on|passionate about|crazy about|obsessed with"
            rf"|a sucker for) {_LIST}"
        ),
        "likes",
        atoms=True,
    ),
    Shape(
        "interested",
        "I'm interested in chess",
        BE,
        pattern(rf"{_ADV}interested in {_LIST}"),
        "interested_in",
        atoms=True,
    ),
    Shape(
        "good-at",
        "I am good at chess",
        BE,
        pattern(
            rf"{_ADV}(?:good|great|excellent|skilled|talented|awesome|amazing) (?:at|with"
            rf"|in) {_LIST}"
        ),
        "good_at",
        atoms=True,
    ),
    Shape(
        "bad-at",
        "I am bad at chess",
        BE,
        pattern(rf"{_ADV}(?:bad|terrible|awful|horrible|no good) (?:at|with|in) {_LIST}"),
        "good_at",
        atoms=True,
        negative=True,
    ),
    Shape(
        "afraid",
        "I am afraid of heights",
        BE,
        pattern(rf"{_ADV}(?:afraid|scared|terrified|frightened) (?:of|to) {_LIST}"),
        "afraid_of",
        atoms=True,
    ),
    Shape(
        "be-to",
        "I am addicted to tea",
        BE,
        pattern(rf"{_ADV}(?P<p>addicted|close|attracted|related|devoted|dedicated|used) to {_LIST}"),
        "{p}_to",
    ),
    Shape(
        "close-with",
        "I am close with my aunt",
        BE,
        pattern(r"(?:very |really )?close with (?P<v>.+)"),
        "close_to",
    ),
    Shape(
        "love-with",
        "I am in love with a baker",
        BE,
        pattern(r"in love with (?P<v>.+)"),
        "in_love_with",
        past="nothing",
    ),
    Shape(
        "pregnant",
        "I am pregnant",
        BE,
        pattern(r"(?:\w+ )?(?P<v>pregnant)\b.*"),
        "health_condition",
        past="nothing",
    ),
    Shape(
        "decade",
        "I'm in my forties",
        BE,
        pattern(
            r"in (?:my|his|her) (?P<v>(?:early |mid |late )?(?:twent|thirt|fort|fift|sixt|sevent"
            r"|eight)ies|teens)"
        ),
        "age_range",
        one=True,
    ),
    Shape("been-to", "I have been to Oslo", BE, pattern(r"to (?P<v>.+)"), "been_to"),
    Shape(
        "enrolled",
        "I am enrolled in a cooking class",
        BE,
        pattern(r"enrolled (?:in|at) (?P<v>.+)"),
        "studies_at",
    ),
    Shape(
        "employed-as",
        "I am employed as a welder",
        BE,
        pattern(r"employed as (?:an? )?(?P<v>.+)"),
        "job_title",
    ),
    Shape(
        "in-trade",
        "I was in insurance",
        BE,
        pattern(
            r"in (?P<v>banking|finance|sales|insurance|real estate|tech|it|construction|marketing"
            r"|retail|advertising|business"
            r"|the (?:[\w-]+ )?(?:business|industry|trade|field))"
        ),
        "works_in",
    ),
    Shape(
        "in-place",
        "I am in Oslo",
        BE,
        pattern(r"in (?:the )?(?-i:(?P<v>[^\W\d_a-z].*))"),
        "located_in",
        one=True,
        past="nothing",
    ),
    Shape(
        "against", "I am against tolls", BE, pattern(r"(?:strongly |totally )?against (?P<v>.+)"), "opposes"
    ),
    Shape(
        "willing",
        "I am willing to relocate",
        BE,
        pattern(r"(?P<p>willing) to (?P<v>.+)"),
        "{p}_to",
        past="nothing",
    ),
    Shape(
        "member-be",
        "I am in a choir",
        BE,
        pattern(
            r"(?:a |an active )?(?:in|on|member of|part of|member at) (?:a|an|the|my|our"
            r"|some) (?P<v>.{0,60}?\b(?:band|choir|team|club|group|army|navy"
            r"|military|marines|air force|reserves|orchestra|league|union|society|committee|cast"
            r"|squad|gang|sorority|fraternity|crew)\b.*)"
        ),
        "member_of",
    ),
    Shape(
        "school-be",
        "I'm in college",
        BE,
        pattern(
            r"(?:currently )?(?:in|at) (?:the |my )?(?P<v>(?:\w+ ){0,4}(?:college|school"
            r"|university|uni|grade"
            r"|kindergarten|academy|program)\b.*|school)"
        ),
        "studies_at",
    ),
    Shape(
        "based",
        "I am based in Turku",
        BE,
        pattern(r"(?:based|located|situated|stationed) (?:in|at|on|near) (?P<v>.+)"),
        "lives_in",
        who="skn",
        one=True,
    ),
    Shape(
        "student",
        "I am a student of law",
        BE,
        pattern(
            r"(?:an? )?(?P<v>(?:[\w-]+ ){0,4}(?:student|freshman|sophomore|undergraduate"
            r"|major)\b.*)"
        ),
        "is",
    ),
    Shape(
        "is-a",
        "I am a night owl",
        BE,
        pattern(r"(?:an?|the) (?P<v>.+)"),
        "is",
        who="skN",
        check=lambda v: (
            v.split()[0].casefold()
            not in {
                "bit",
                "lot",
                "few",
                "mess",
                "same",
                "only",
                "best",
                "worst",
                "first",
                "great",
                "good",
                "huge",
                "big",
            }
        ),
    ),
    Shape(
        "is-trait",
        "I am shy",
        BE,
        pattern(
            r"(?:(?:very|really|quite|pretty|extremely|relatively|fairly|rather|too|a bit|always"
            r"|somewhat) )*(?P<v>[a-z-]+"
            r"(?: and [a-z-]+| to \w+| \w+)?)"
        ),
        "is",
        who="skN",
        check=is_trait,
        atoms=True,
        confidence=0.75,
        past="nothing",
    ),
)
