"""The table of shapes: what a clause with a given verb and tail states. One row, one shape, with an example of its own.

A row is tried against the *tail* of a clause (what follows the verb); the first row that fits decides. ``who`` says which subjects
it takes: ``s`` the speaker, ``k`` a relative or pet of the speaker, ``n`` a name, ``t`` a thing. All patterns are anchored and
match a tail of at most 320 characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from processors.extraction import lexicon, values
from processors.extraction.verbs import DISLIKING, HABITS, LIKING

#: What the past tense of a shape means: the state ended, it still tells (education, birth), it is an event, or nothing.
Past = Literal["ended", "holds", "event", "nothing"]
ANIMATE: Final = "skn"


@dataclass(frozen=True)
class Shape:
    """One way to state one predicate. ``value`` is a template over the pattern's groups; ``predicate`` likewise, as a slug."""

    name: str
    example: str
    verbs: frozenset[str]
    tail: re.Pattern[str]
    predicate: str
    who: str = "skn"
    value: str = "{v}"
    one: bool = False
    atoms: bool = False
    negative: bool = False
    past: Past = "ended"
    check: Callable[[str], bool] | None = None
    scope: str = ""
    confidence: float = 0.9
    #: Leave the value's determiners ("in the army") where they are part of it.
    whole: bool = False


def _v(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _p(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def is_job(value: str) -> bool:
    """An occupation by its last word: a known word or a known ending, and none of the words that only look like one."""
    words = re.sub(r"\b(?:in|at|for|with|of|on|by|from|and|who|that)\b.*", "", value.casefold()).split()
    if (
        not words
        or words[-1] in lexicon.NOT_JOBS
        or words[-1] in lexicon.KIN.keys() - {"manager", "boss", "coach", "teacher", "doctor"}
        or words[-1] in lexicon.PETS
    ):
        return False
    known = {"nurse", "chef", "clerk", "pilot", "vet", "cook", "judge", "guard", "maid", "nanny", "intern", "agent", "attorney",
             "host", "dj", "model", "ceo", "cto", "lead", "head", "assistant", "scientist", "engineer", "rep", "representative",
             "coach", "mechanic", "athlete", "diplomat", "monk", "priest", "soldier", "spy", "waitress", "actress"}  # fmt: skip
    return words[-1] in known or (
        len(words[-1]) > 4 and words[-1].endswith(("er", "or", "ist", "ian", "man", "woman", "eer"))
    )


def is_diet(value: str) -> bool:
    return value.casefold() in lexicon.DIETS


def is_nationality(value: str) -> bool:
    return value.casefold() in lexicon.NATIONALITIES


def is_timezone(value: str) -> bool:
    return values.timezone(value) is not None


def is_trait(value: str) -> bool:
    """An adjective that says something lasting: at most three words, no mood, no judgement on something else."""
    words = value.casefold().split()
    known = words[0] not in lexicon.MOODS and not words[0].endswith("ing")
    return bool(words) and len(words) <= 3 and known and words[0] not in {"not", "never"}


def is_language(value: str) -> bool:
    return any(word in lexicon.LANGUAGES for word in value.casefold().split())


def is_instrument(value: str) -> bool:
    return any(word in lexicon.INSTRUMENTS for word in value.casefold().split())


def likeable(value: str) -> bool:
    """Not the look of what the listener just showed, nor a mere way of doing."""
    return value.casefold().split()[0] not in lexicon.OF_A_PICTURE


def _named(value: str) -> bool:
    return value[:1].isupper() or not value[:1].isascii()


BE: Final = _v("be")
_ADV: Final = r"(?:very much |much |very |more |really |quite |pretty |so |also |deathly |severely |highly |extremely |a big |a huge |a bit |a little |not )*"
_LIST: Final = r"(?P<v>.+)"

SHAPES: Final[tuple[Shape, ...]] = (
    # -- who somebody is
    Shape("called", "I am called Mira", BE, _p(rf"(?:called|named|known as) {_LIST}"), "name", one=True),
    Shape("age", "I am 41 years old", BE, _p(r"(?:an? |about |around |only )*(?P<v>\d{1,3}|[a-z]+)[- ](?:years?|yrs?)[- ]olds?\b.*"), "age",
          one=True, check=lambda v: values.number(v) is not None),
    Shape("age-bare", "I'm 41", BE, _p(r"(?P<v>\d{1,3})"), "age", one=True),
    Shape("height", "I am 6 feet tall", BE, _p(r"(?P<v>\d+(?:[.,]\d+)? ?(?:feet|foot|ft|cm|m|meters|inches)\b.*?)(?: tall)?"), "height", one=True),
    Shape("born-in", "I was born in Turku", BE, _p(r"born (?:and raised )?(?:in|at) (?P<v>.+)"), "born_in", one=True, past="holds"),
    Shape("born-on", "I was born on May 2", BE, _p(r"born on (?P<v>.+)"), "birthday", one=True, past="holds"),
    Shape("raised-in", "I was raised in Turku", BE, _p(r"raised (?:in|by|on) (?P<v>.+)"), "raised_in", past="holds"),
    Shape("from", "I'm from Turku", BE, _p(r"(?:originally )?from (?P<v>.+)"), "from", one=True),
    Shape("timezone", "I'm in CET", BE, _p(r"(?:in|on) (?P<v>.+)"), "timezone", who="sk", one=True, check=is_timezone),
    Shape("allergic", "I am allergic to pollen", BE, _p(rf"{_ADV}(?:allergic|intolerant) to {_LIST}"), "allergic_to", atoms=True),
    Shape("diet", "I'm a strict vegan", BE, _p(r"(?:an? |on an? |strictly )*(?:strict |lifelong |committed |devout )?(?P<v>\w+)(?: diet)?"), "diet",
          one=True, check=is_diet),
    Shape("nationality", "I am Finnish", BE, _p(r"(?:an? )?(?P<v>\w+)(?: citizen)?"), "nationality", check=is_nationality),
    Shape("married-to", "I am married to a baker", BE, _p(r"(?:happily )?married to (?P<v>.+)"), "spouse"),
    Shape("marital", "I am divorced", BE, _p(r"(?:happily |recently )?(?P<v>married|single|divorced|engaged|widowed|separated)\b.*"),
          "marital_status", one=True),
    Shape("marital-in", "I'm in a relationship", BE, _p(r"(?P<v>in an? (?:[\w-]+ ){0,2}(?:relationship|marriage))\b.*"), "marital_status", one=True,
          whole=True),
    Shape("employment", "I am retired", BE, _p(r"(?P<v>unemployed|retired|self-employed|self employed|between jobs|out of work)\b.*"),
          "employment_status", one=True),
    Shape("job-at", "Ada is site lead at Brightwater", BE, _p(r"(?:an? |the |our )?(?P<v>[\w -]{3,40}?) (?:at|for|with) (?:the )?(?-i:(?P<o>[^\W\d_a-z][\w&.' -]+))"),
          "job_title", who="skn", check=is_job, scope="org:{o}", past="ended", one=True),
    Shape("lead-of", "Ada is the lead of design", BE, _p(r"(?:the )?(?:lead|head|leader|owner|manager|maintainer) (?:of|for) (?P<v>.+)"), "leads"),
    Shape("job", "I am a nurse", BE, _p(r"(?:an?|the|our) (?P<v>.+)"), "job_title", check=is_job),
    Shape("fan", "I'm a fan of chess", BE, _p(rf"{_ADV}(?:an? )?(?:\w+ )?fan of {_LIST}"), "likes", atoms=True),
    Shape("into", "I'm into chess", BE, _p(rf"{_ADV}(?:into|fond of|keen on|passionate about|crazy about|obsessed with|a sucker for) {_LIST}"), "likes",
          atoms=True),
    Shape("interested", "I'm interested in chess", BE, _p(rf"{_ADV}interested in {_LIST}"), "interested_in", atoms=True),
    Shape("good-at", "I am good at chess", BE, _p(rf"{_ADV}(?:good|great|excellent|skilled|talented|awesome|amazing) (?:at|with|in) {_LIST}"),
          "good_at", atoms=True),
    Shape("bad-at", "I am bad at chess", BE, _p(rf"{_ADV}(?:bad|terrible|awful|horrible|no good) (?:at|with|in) {_LIST}"), "good_at", atoms=True,
          negative=True),
    Shape("afraid", "I am afraid of heights", BE, _p(rf"{_ADV}(?:afraid|scared|terrified|frightened) (?:of|to) {_LIST}"), "afraid_of", atoms=True),
    Shape("be-to", "I am addicted to tea", BE, _p(rf"{_ADV}(?P<p>addicted|close|attracted|related|devoted|dedicated|used) to {_LIST}"), "{p}_to"),
    Shape("close-with", "I am close with my aunt", BE, _p(r"(?:very |really )?close with (?P<v>.+)"), "close_to"),
    Shape("love-with", "I am in love with a baker", BE, _p(r"in love with (?P<v>.+)"), "in_love_with", past="nothing"),
    Shape("pregnant", "I am pregnant", BE, _p(r"(?:\w+ )?(?P<v>pregnant)\b.*"), "health_condition", past="nothing"),
    Shape("decade", "I'm in my forties", BE, _p(r"in (?:my|his|her) (?P<v>(?:early |mid |late )?(?:twent|thirt|fort|fift|sixt|sevent|eight)ies|teens)"), "age_range", one=True),
    Shape("been-to", "I have been to Oslo", BE, _p(r"to (?P<v>.+)"), "been_to"),
    Shape("enrolled", "I am enrolled in a cooking class", BE, _p(r"enrolled (?:in|at) (?P<v>.+)"), "studies_at"),
    Shape("employed-as", "I am employed as a welder", BE, _p(r"employed as (?:an? )?(?P<v>.+)"), "job_title"),
    Shape("in-trade", "I was in insurance", BE, _p(r"in (?P<v>banking|finance|sales|insurance|real estate|tech|it|construction|marketing|retail|advertising|business"
          r"|the (?:[\w-]+ )?(?:business|industry|trade|field))"), "works_in"),
    Shape("in-place", "I am in Oslo", BE, _p(r"in (?:the )?(?-i:(?P<v>[^\W\d_a-z].*))"), "located_in", one=True, past="nothing"),
    Shape("against", "I am against tolls", BE, _p(r"(?:strongly |totally )?against (?P<v>.+)"), "opposes"),
    Shape("willing", "I am willing to relocate", BE, _p(r"(?P<p>willing) to (?P<v>.+)"), "{p}_to", past="nothing"),
    Shape("member-be", "I am in a choir", BE,
          _p(r"(?:a |an active )?(?:in|on|member of|part of|member at) (?:a|an|the|my|our|some) (?P<v>.{0,60}?\b(?:band|choir|team|club|group|army|navy"
             r"|military|marines|air force|reserves|orchestra|league|union|society|committee|cast|squad|gang|sorority|fraternity|crew)\b.*)"),
          "member_of"),
    Shape("school-be", "I'm in college", BE, _p(r"(?:currently )?(?:in|at) (?:the |my )?(?P<v>(?:\w+ ){0,4}(?:college|school|university|uni|grade"
                                            r"|kindergarten|academy|program)\b.*|school)"), "studies_at"),
    Shape("based", "I am based in Turku", BE, _p(r"(?:based|located|situated|stationed) (?:in|at|on|near) (?P<v>.+)"), "lives_in", who="skn", one=True),
    Shape("student", "I am a student of law", BE, _p(r"(?:an? )?(?P<v>(?:[\w-]+ ){0,4}(?:student|freshman|sophomore|undergraduate|major)\b.*)"), "is"),
    Shape("is-a", "I am a night owl", BE, _p(r"(?:an?|the) (?P<v>.+)"), "is", who="skN", check=lambda v: v.split()[0].casefold() not in {"bit", "lot", "few", "mess", "same", "only", "best",
          "worst", "first", "great", "good", "huge", "big"}),
    Shape("is-trait", "I am shy", BE, _p(r"(?:(?:very|really|quite|pretty|extremely|relatively|fairly|rather|too|a bit|always|somewhat) )*(?P<v>[a-z-]+"
                                       r"(?: and [a-z-]+| to \w+| \w+)?)"), "is", who="skN", check=is_trait, atoms=True, confidence=0.75, past="nothing"),
    # -- work, home, school
    Shape("work-as", "I work as a welder", _v("work"), _p(r"(?:\w+ )?as (?:an? )?(?P<v>.+?)(?: (?:at|for|with) (?:an? |the )?.+)?"), "job_title"),
    Shape("work-project", "Ravi works on project Alder", _v("work"), _p(r"(?:mostly |mainly )?(?:on|in|for) (?P<v>(?:project|team) .+)"), "assigned_to"),
    Shape("work-on", "I work on a compiler", _v("work"), _p(r"(?:mostly |mainly )?on (?P<v>.+)"), "works_on"),
    Shape("assigned", "Ada is assigned to project Alder", BE, _p(r"assigned to (?P<v>.+)"), "assigned_to"),
    Shape("work-at", "I work at Brightwater", _v("work"), _p(r"(?:part[ -]time |full[ -]time |remotely |over |out )?(?:at|for) (?P<v>.+)"), "employer",
          one=True, check=lambda v: not re.match(r"(?:home|night|day|\d|years|hours|my(?:self)|people|kids|animals|children)", v)),
    Shape("employed", "I am employed by Brightwater", BE, _p(r"employed (?:by|at) (?P<v>.+)"), "employer", one=True),
    Shape("work-with", "I work with children", _v("work"), _p(r"with (?P<v>.+)"), "job_involves", past="nothing"),
    Shape("work-out", "I work out daily", _v("work"), _p(r"(?P<v>out)\b.*"), "does", value="work out"),
    Shape("work-in", "I work in insurance", _v("work"), _p(r"in (?P<v>.+)"), "works_in"),
    Shape("work-from", "I work from home", _v("work"), _p(r"(?:\w+ )?(?:from|at) (?P<v>home|nights?|days?)"), "works_from"),
    Shape("work-hours", "I work nights", _v("work"), _p(r"(?P<v>nights?|days?|weekends?|part[ -]time|full[ -]time|(?:\d+|too many|long) .*hours.*"
                                                    r"|.*shifts?|.* jobs?|with .+|out.*|hard|remotely)"), "works"),
    Shape("live-in", "I live in Turku", _v("live"), _p(r"(?:\w+ly )?in (?P<v>.+)"), "lives_in", one=True, whole=False),
    Shape("live-with", "I live with my aunt", _v("live"), _p(rf"with {_LIST}"), "lives_with", atoms=True),
    Shape("live-near", "I live close to the sea", _v("live"), _p(r"(?:very |quite )?(?:near|close to|next to|not far from|by|across from|about .{1,20} from) (?P<v>.+)"),
          "lives_near"),
    Shape("live", "I live on a farm", _v("live"), _p(r"(?P<p>on|at|above|under|outside|off) (?P<v>.+)"), "lives_{p}"),
    Shape("live-alone", "I live alone", _v("live"), _p(r"(?P<v>alone|abroad|by (?:my|him|her)self|far away|together|downtown|upstairs|next door)"), "lives"),
    Shape("grew-up", "I grew up in Turku", _v("grow"), _p(r"up (?:in|on|with|near|outside) (?P<v>.+)"), "raised_in", past="holds"),
    Shape("moved-to", "I moved to Turku", _v("move relocate immigrate emigrate"), _p(r"(?:back |over |here )?(?:to|into) (?P<v>.+)"), "lives_in", one=True, past="holds"),
    Shape("study-at", "I study at Abo Akademi", _v("study"), _p(r"(?:\w+ )?at (?P<v>.+)"), "studies_at"),
    Shape("study", "I study botany", _v("study"), _p(r"(?:(?:to (?:be|become)|for|in) (?:an? )?)?(?P<v>.+)"), "studies", atoms=True, past="holds"),
    Shape("school", "I went to Abo Akademi", _v("go attend"), _p(r"(?:to )?(?P<v>(?:(?:a|an|the|my) )?(?:[\w'-]+ ){0,5}(?:college|university|school|academy|uni"
                                                         r"|institute|kindergarten)\b.*)"), "studies_at", past="holds"),
    Shape("graduated", "I graduated from Abo Akademi", _v("graduate drop"), _p(r"(?:out of|from|in|with) (?P<v>.+)"), "education", past="holds"),
    Shape("teach", "I teach chemistry", _v("teach tutor coach"), _p(rf"{_LIST}"), "teaches", atoms=True),
    # -- language, music, sport
    Shape("speak", "I speak Finnish and Dutch", _v("speak"), _p(rf"(?:fluent |some |a little |a bit of )?{_LIST}"), "speaks", atoms=True, check=is_language),
    Shape("play-instrument", "I play the cello", _v("play practice practise"), _p(rf"(?:the )?{_LIST}"), "plays", atoms=True, check=is_instrument),
    Shape("play", "I play handball", _v("play"), _p(rf"(?P<p>for |in |on )?{_LIST}"), "plays_{p}", atoms=True),
    # -- likes and dislikes
    Shape("dislike-stand", "I can't stand olives", _v("stand"), _p(rf"(?:the (?:taste|smell|sight) of )?{_LIST}"), "likes", atoms=True, past="nothing"),
    Shape("like", "I love to cook", LIKING, _p(rf"(?:to )?{_LIST}"), "likes", atoms=True, past="nothing", check=likeable),
    Shape("dislike", "I hate olives", DISLIKING, _p(rf"(?:to )?{_LIST}"), "likes", atoms=True, negative=True, past="nothing"),
    Shape("prefer", "I prefer tea to coffee", _v("prefer"), _p(r"(?:to )?(?P<v>.+?)(?: (?:over|to|than|rather than|instead of) .+)?"), "prefers"),
    Shape("commute", "I take the ferry to work", _v("take ride drive use"), _p(r"(?:my |the |a )?(?P<v>[\w -]{2,30}?) to (?:work|school|the office|campus)\b.*"),
          "commutes_by", one=True),
    Shape("commute-transport", "I usually take public transport", _v("take use ride"), _p(r"(?P<v>(?:public (?:transport\w*|transit))|the (?:bus|train|tram|metro|subway|ferry))"),
          "commutes_by", one=True),
    Shape("commute-verb", "I cycle to work", _v("cycle bike walk commute drive jog run"), _p(r"(?:to (?:work|school|the office|campus)|by (?P<v>[\w ]+))\b.*"),
          "commutes_by", one=True, value="{mode}"),
    Shape("eat-only", "I only eat fish", _v("eat"), _p(rf"{_LIST}"), "eats_only", one=True),
    Shape("want", "I want to visit Oslo", _v("want wish hope plan dream"), _p(r"(?:to |on |of |for |about )?(?P<v>.+)"), "wants", confidence=0.8,
          check=lambda v: not re.match(r"(?:know|see|hear|say|tell|thank|share|make sure|let|ask|be able|do (?:that|this|it)|get (?:back|it)|try|help|keep)\b", v)),
    Shape("get-married", "I'm getting married in June", _v("get"), _p(r"(?P<v>married)\b.*"), "marital_status", one=True, past="holds", value="{v}"),
    Shape("identify", "I identify as nonbinary", _v("identify"), _p(r"as (?P<v>.+)"), "is"),
    Shape("suffer", "I suffer from migraine", _v("suffer struggle"), _p(rf"(?:from|with) {_LIST}"), "health_condition", atoms=True),
    Shape("die", "My aunt died", _v("die pass"), _p(r"(?:away )?(?:from .*|of .*|in .*|when .*|last .*|\d.*)?"), "deceased", who="kn", value="yes", past="holds", one=True),
    Shape("believe", "I believe in karma", _v("believe"), _p(r"in (?P<v>.+)"), "believes_in"),
    Shape("care", "I care about privacy", _v("care"), _p(r"(?:a lot |deeply |much )?(?P<p>about|for) (?P<v>.+)"), "cares_{p}", check=lambda v: v != "people"),
    Shape("wake", "I wake up at 6", _v("wake get"), _p(r"up (?:early )?at (?P<v>.+)"), "wake_time", one=True),
    Shape("know-about", "I know a lot about chess", _v("know"), _p(r"(?:a lot |a little |a bit |much |all |something |quite a bit |everything )?about (?P<v>.+)"), "knows_about"),
    Shape("know-how", "I know how to juggle", _v("know"), _p(r"how to (?P<v>.+)"), "can", past="nothing"),
    Shape("know", "I know Japanese", _v("know"), _p(rf"(?:some |a little |fluent )?{_LIST}"), "speaks", atoms=True, check=is_language),
    Shape("look-for", "I'm looking for a new flat", _v("look"), _p(r"for (?P<v>(?:an?|new|my|work|love) .+)"), "looking_for", past="nothing"),
    Shape("look-like", "I look like my mother", _v("look"), _p(r"like (?P<v>my .+)"), "looks_like", past="nothing"),
    Shape("get-own", "I get a pension", _v("get"), _p(r"(?P<v>(?:an?|my) .+)"), "gets", past="nothing"),
    Shape("major", "I majored in botany", _v("major"), _p(r"in (?P<v>.+)"), "studies", past="holds"),
    Shape("need", "I need a therapist", _v("need"), _p(r"(?P<v>(?:an? (?!bit|break|lot|little|few|minute|moment)|some (?!time|help)|new |to find an? |to buy )\w.*)"), "needs", past="nothing", confidence=0.75),
)  # fmt: skip

_PREP: Final = r"(?:(?P<p>at|for|in|on|to|with|as|about|from|of|into|by|under|against|out|up|off|over|through|around|after) )?"
#: Verbs that say too little alone, or that a row of their own reads.
NAMING: Final = HABITS - _v(
    "stay find hear see afford get want hope wish plan need know dream look stand prefer believe care start close open struggle miss"
)
#: Habits that stand without an object.
ALONE: Final = _v(
    "smoke drink jog swim dance sing cook bake knit sew hike run ski surf skate read write paint draw garden hunt fish vape exercise "
    "meditate workout bowl golf travel bike cycle pray drive sketch blog snowboard sail climb kayak crochet volunteer gamble"
)
#: What "can" is an ability of.
ABILITIES: Final = ALONE | _v(
    "play speak juggle ride fly lift type whistle code program fix build jump throw hold eat afford sleep walk teach see hear "
    "find squat act photograph compose sculpt weave"
)
#: The habits that have no row of their own: the verb names the predicate ("I collect stamps": collects = stamps).
GENERIC: Final = Shape(
    "habit",
    "I collect stamps",
    NAMING,
    _p(rf"{_PREP}(?:(?:to|a|an|the|my) )?(?P<v>.+)"),
    "{verb}_{p}",
    atoms=True,
    confidence=0.75,
    past="ended",
)
#: A habit with no object: "I smoke", "I don't drink".
BARE: Final = Shape("habit-bare", "I smoke", ALONE, _p(r""), "does", value="{lemma}", confidence=0.75)
#: "I can swim", "I cannot sing".
CAN: Final = Shape(
    "can",
    "I can juggle",
    ABILITIES,
    _p(r"(?P<v>.*)"),
    "can",
    value="{lemma} {v}",
    confidence=0.8,
    past="nothing",
)
