"""Shapes of verbs: work, home, school, language, music, likes and dislikes, wants, and the habits without
a row."""

from __future__ import annotations

import re
from typing import Final

from processors.extraction.shape import Shape, is_instrument, is_language, likeable, pattern, verbs
from processors.extraction.verbs import DISLIKING, LIKING

_LIST: Final = r"(?P<v>.+)"

BE: Final = verbs("be")

DOING: Final[tuple[Shape, ...]] = (
    # -- work, home, school
    Shape(
        "work-as",
        "I work as a welder",
        verbs("work"),
        pattern(r"(?:\w+ )?as (?:an? )?(?P<v>.+?)(?: (?:at|for|with) (?:an? |the )?.+)?"),
        "job_title",
    ),
    Shape(
        "work-project",
        "Ravi works on project Alder",
        verbs("work"),
        pattern(r"(?:mostly |mainly )?(?:on|in|for) (?P<v>(?:project|team) .+)"),
        "assigned_to",
    ),
    Shape(
        "work-on",
        "I work on a compiler",
        verbs("work"),
        pattern(r"(?:mostly |mainly )?on (?P<v>.+)"),
        "works_on",
    ),
    Shape(
        "assigned", "Ada is assigned to project Alder", BE, pattern(r"assigned to (?P<v>.+)"), "assigned_to"
    ),
    Shape(
        "work-at",
        "I work at Brightwater",
        verbs("work"),
        pattern(r"(?:part[ -]time |full[ -]time |remotely |over |out )?(?:at|for) (?P<v>.+)"),
        "employer",
        one=True,
        check=lambda v: (
            not re.match(r"(?:home|night|day|\d|years|hours|my(?:self)|people|kids|animals|children)", v)
        ),
    ),
    Shape(
        "employed",
        "I am employed by Brightwater",
        BE,
        pattern(r"employed (?:by|at) (?P<v>.+)"),
        "employer",
        one=True,
    ),
    Shape(
        "work-with",
        "I work with children",
        verbs("work"),
        pattern(r"with (?P<v>.+)"),
        "job_involves",
        past="nothing",
    ),
    Shape(
        "work-out", "I work out daily", verbs("work"), pattern(r"(?P<v>out)\b.*"), "does", value="work out"
    ),
    Shape("work-in", "I work in insurance", verbs("work"), pattern(r"in (?P<v>.+)"), "works_in"),
    Shape(
        "work-from",
        "I work from home",
        verbs("work"),
        pattern(r"(?:\w+ )?(?:from|at) (?P<v>home|nights?|days?)"),
        "works_from",
    ),
    Shape(
        "work-hours",
        "I work nights",
        verbs("work"),
        pattern(
            r"(?P<v>nights?|days?|weekends?|part[ -]time|full[ -]time|(?:\d+|too many"
            r"|long) .*hours.*"
            r"|.*shifts?|.* jobs?|hard|remotely)"
        ),
        "works",
    ),
    Shape(
        "live-in",
        "I live in Turku",
        verbs("live"),
        pattern(r"(?:\w+ly )?in (?P<v>.+)"),
        "lives_in",
        one=True,
        whole=False,
    ),
    Shape(
        "live-with", "I live with my aunt", verbs("live"), pattern(rf"with {_LIST}"), "lives_with", atoms=True
    ),
    Shape(
        "live-near",
        "I live close to the sea",
        verbs("live"),
        pattern(
            r"(?:very |quite )?(?:near|close to|next to|not far from|by|across from"
            r"|about .{1,20} from) (?P<v>.+)"
        ),
        "lives_near",
    ),
    Shape(
        "live",
        "I live on a farm",
        verbs("live"),
        pattern(r"(?P<p>on|at|above|under|outside|off) (?P<v>.+)"),
        "lives_{p}",
    ),
    Shape(
        "live-alone",
        "I live alone",
        verbs("live"),
        pattern(
            r"(?P<v>alone|abroad|by (?:my|him|her)self|far away|together|downtown|upstairs"
            r"|next door)"
        ),
        "lives",
    ),
    Shape(
        "grew-up",
        "I grew up in Turku",
        verbs("grow"),
        pattern(r"up (?:in|on|with|near|outside) (?P<v>.+)"),
        "raised_in",
        past="holds",
    ),
    Shape(
        "moved-to",
        "I moved to Turku",
        verbs("move relocate immigrate emigrate"),
        pattern(r"(?:back |over |here )?(?:to|into) (?P<v>.+)"),
        "lives_in",
        one=True,
        past="holds",
    ),
    Shape("study-at", "I study at Abo Akademi", verbs("study"), pattern(r"at (?P<v>.+)"), "studies_at"),
    Shape(
        "study",
        "I study botany",
        verbs("study"),
        pattern(r"(?:(?:to (?:be|become)|for|in) (?:an? )?)?(?P<v>.+)"),
        "studies",
        atoms=True,
        past="holds",
    ),
    Shape(
        "school",
        "I went to a technical college",
        verbs("go attend"),
        pattern(
            r"(?:to )?(?P<v>(?:(?:a|an|the|my) )?(?:[\w'-]+ ){0,5}(?:college|university|school"
            r"|academy|uni"
            r"|institute|kindergarten)\b.*)"
        ),
        "studies_at",
        past="holds",
    ),
    Shape(
        "graduated",
        "I graduated from Abo Akademi",
        verbs("graduate drop"),
        pattern(r"(?:out of|from|in|with) (?P<v>.+)"),
        "education",
        past="holds",
    ),
    Shape("teach", "I teach chemistry", verbs("teach tutor"), pattern(rf"{_LIST}"), "teaches", atoms=True),
    # -- language, music, sport
    Shape(
        "speak",
        "I speak Finnish and Dutch",
        verbs("speak"),
        pattern(rf"(?:fluent |some |a little |a bit of )?{_LIST}"),
        "speaks",
        atoms=True,
        check=is_language,
    ),
    Shape(
        "play-instrument",
        "I play the cello",
        verbs("play practice practise"),
        pattern(rf"(?:the )?{_LIST}"),
        "plays",
        atoms=True,
        check=is_instrument,
    ),
    Shape(
        "play",
        "I play handball",
        verbs("play"),
        pattern(rf"(?P<p>for |in |on )?{_LIST}"),
        "plays_{p}",
        atoms=True,
    ),
    # -- likes and dislikes
    Shape(
        "dislike-stand",
        "I can't stand olives",
        verbs("stand"),
        pattern(rf"(?:the (?:taste|smell|sight) of )?{_LIST}"),
        "likes",
        atoms=True,
        past="nothing",
    ),
    Shape(
        "like",
        "I love to cook",
        LIKING,
        pattern(rf"(?:to )?{_LIST}"),
        "likes",
        atoms=True,
        past="nothing",
        check=likeable,
    ),
    Shape(
        "dislike",
        "I hate olives",
        DISLIKING,
        pattern(rf"(?:to )?{_LIST}"),
        "likes",
        atoms=True,
        negative=True,
        past="nothing",
    ),
    Shape(
        "prefer",
        "I prefer tea to coffee",
        verbs("prefer"),
        pattern(r"(?:to )?(?P<v>.+?)(?: (?:over|to|than|rather than|instead of) .+)?"),
        "prefers",
    ),
    Shape(
        "commute",
        "I take the ferry to work",
        verbs("take ride drive use"),
        pattern(r"(?:my |the |a )?(?P<v>[\w -]{2,30}?) to (?:work|school|the office|campus)\b.*"),
        "commutes_by",
        one=True,
    ),
    Shape(
        "commute-transport",
        "I usually take public transport",
        verbs("take use ride"),
        pattern(r"(?P<v>(?:public (?:transport\w*|transit))|the (?:bus|train|tram|metro|subway|ferry))"),
        "commutes_by",
        one=True,
    ),
    Shape(
        "commute-verb",
        "I cycle to work",
        verbs("cycle bike walk commute drive jog run"),
        pattern(r"(?:to (?:work|school|the office|campus)|by (?P<v>[\w ]+))\b.*"),
        "commutes_by",
        one=True,
        value="{mode}",
    ),
    Shape("eat-only", "I only eat fish", verbs("eat"), pattern(rf"{_LIST}"), "eats_only", one=True),
    Shape(
        "want",
        "I want to visit Oslo",
        verbs("want wish hope plan dream"),
        pattern(r"(?:to |on |of |for |about )?(?P<v>.+)"),
        "wants",
        past="nothing",
        confidence=0.8,
        check=lambda v: (
            not re.match(
                r"(?:for\b|know|see|hear|say|tell|thank|share|make sure|let|ask|be able|do (?:that|this|it)"
                r"|get (?:back|it)|try|help|keep)\b",
                v,
            )
        ),
    ),
    Shape(
        "get-married",
        "I'm getting married in June",
        verbs("get"),
        pattern(r"(?P<v>married)\b.*"),
        "marital_status",
        one=True,
        past="holds",
        value="{v}",
    ),
    Shape("identify", "I identify as nonbinary", verbs("identify"), pattern(r"as (?P<v>.+)"), "is"),
    Shape(
        "suffer",
        "I suffer from migraine",
        verbs("suffer struggle"),
        pattern(rf"(?:from|with) {_LIST}"),
        "health_condition",
        atoms=True,
    ),
    Shape(
        "die",
        "My aunt died",
        verbs("die pass"),
        pattern(r"(?:away )?(?:from .*|of .*|in .*|when .*|last .*|\d.*)?"),
        "deceased",
        who="kn",
        value="yes",
        past="holds",
        one=True,
    ),
    Shape("believe", "I believe in karma", verbs("believe"), pattern(r"in (?P<v>.+)"), "believes_in"),
    Shape(
        "care",
        "I care about privacy",
        verbs("care"),
        pattern(r"(?:a lot |deeply |much )?(?P<p>about|for) (?P<v>.+)"),
        "cares_{p}",
        check=lambda v: v != "people",
    ),
    Shape(
        "wake",
        "I wake up at 6",
        verbs("wake get"),
        pattern(r"up (?:early )?at (?P<v>.+)"),
        "wake_time",
        one=True,
    ),
    Shape(
        "know-about",
        "I know a lot about chess",
        verbs("know"),
        pattern(
            r"(?:a lot |a little |a bit |much |all |something |quite a bit "
            r"|everything )?about (?P<v>.+)"
        ),
        "knows_about",
    ),
    Shape(
        "know-how", "I know how to juggle", verbs("know"), pattern(r"how to (?P<v>.+)"), "can", past="nothing"
    ),
    Shape(
        "know",
        "I know Japanese",
        verbs("know"),
        pattern(rf"(?:some |a little |fluent )?{_LIST}"),
        "speaks",
        atoms=True,
        check=is_language,
    ),
    Shape(
        "look-for",
        "I'm looking for a new flat",
        verbs("look"),
        pattern(r"for (?P<v>(?:an?|new|my|work|love) .+)"),
        "looking_for",
        past="nothing",
    ),
    Shape(
        "look-like",
        "I look like my mother",
        verbs("look"),
        pattern(r"like (?P<v>my .+)"),
        "looks_like",
        past="nothing",
    ),
    Shape(
        "get-own", "I get a pension", verbs("get"), pattern(r"(?P<v>(?:an?|my) .+)"), "gets", past="nothing"
    ),
    Shape("major", "I majored in botany", verbs("major"), pattern(r"in (?P<v>.+)"), "studies", past="holds"),
    Shape(
        "need",
        "I need a therapist",
        verbs("need"),
        pattern(
            r"(?P<v>(?:an? (?!bit|break|lot|little|few|minute|moment)|some (?!time|help)|new "
            r"|to find an? |to buy )\w.*)"
        ),
        "needs",
        past="nothing",
        confidence=0.75,
    ),
)
