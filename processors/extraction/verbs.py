"""The verbs the shapes know, with their forms: a word is looked up, never guessed from its ending."""

from __future__ import annotations

from typing import Final, NamedTuple


class VerbForm(NamedTuple):
    """One reading of a word as a verb: its base form, and which form it is (``base``, ``s``, ``ing``,
    ``past``)."""

    lemma: str
    form: str


#: Preferences: each pair is (verbs that state a liking, verbs that state the opposite).
LIKING: Final = frozenset("like love enjoy adore cherish".split())
DISLIKING: Final = frozenset("hate dislike despise detest loathe".split())

#: What a person does, has or is, stated in the simple present: "I teach", "I collect stamps".
HABITS: Final = frozenset(
    """act attend avoid babysit bake bike blog bowl breed brew build camp carry chase clean climb coach
    code collect commute compete compose afford find hear see cook crochet cut cycle dance date deliver
    design do donate draw dress drink drive dye earn eat employ exercise film fish fix fly follow foster
    gamble garden get give go golf groom grow help hike hunt identify invest jog juggle jump keep kayak
    knit know lead learn lift listen live make manage meditate mentor need observe operate own paint
    party perform photograph play practice practise pray produce program promote race raise ran read
    rent repair restore ride row run sail save sculpt sell serve sew shop sing skate ski sleep smoke
    snowboard speak specialize specialise spend spin squat stay study suffer support surf swim take
    teach tour train travel try tutor use vacation visit volunteer walk watch wear weave whistle work
    workout write believe belong dream fear care struggle struggled plan hope want wish prefer wake rise
    throw vape donate record wrestle box fence sketch sunbathe bathe host own bring pay post skip stream
    import export miss ship value illustrate deal hang improve enroll major create look trade translate
    volunteer worship attend report handle oversee head start open close""".split()
)

#: Verbs whose past tense states an event worth keeping: "I adopted a cat".
EVENTS: Final = frozenset(
    """adopt approve attend bake become begin break build buy celebrate complete create cut decide discover
    donate drop earn finish fix found get get give go graduate hire host hurt injure join launch lose
    make marry meet move open order organize organise paint pass pay perform plant publish purchase quit
    race raise read receive record repair restore retire run see sell sign sprain start take travel
    twist try upgrade visit volunteer vote watch win write acquire attend explore roast camp hike cook
    design enroll enrol apply arrange hold install release ship deploy merge cancel book reserve
    schedule appoint promote elect rename replace reach score immigrate emigrate relocate film borrow
    rent complete climb swim plan learn play end close redesign renovate teach resign deliver submit interview
    accept reject adopt""".split()
)

#: Verbs of things and of third parties: "the lab opens at 8", "the job runs on node 3".
OF_THINGS: Final = frozenset(
    """run open close start end begin finish cost weigh sleep seat hold contain have use support require
    need depend belong listen live sit stand hang lead own manage report work play deploy renew expire
    serve face store host point connect measure last ship arrive leave depart stay move meet handle
    maintain keep prefer take teach study speak involve include sign pay approve reject hire fire join""".split()
)

_OTHER: Final = frozenset(
    "stop quit give turn switch enable disable remove install add activate deactivate drop".split()
)
_OTHER_PERSONAL: Final = frozenset(
    "die pass divorce bear locate base allergic grow move consider stand mind".split()
)

_IRREGULAR: Final = {
    "become": "became become",
    "begin": "began begun",
    "bear": "bore born",
    "break": "broke broken",
    "bring": "brought",
    "build": "built",
    "buy": "bought",
    "cut": "cut",
    "do": "did done",
    "draw": "drew drawn",
    "drink": "drank drunk",
    "drive": "drove driven",
    "eat": "ate eaten",
    "fly": "flew flown",
    "get": "got gotten",
    "give": "gave given",
    "go": "went gone",
    "grow": "grew grown",
    "have": "had",
    "hold": "held",
    "hurt": "hurt",
    "keep": "kept",
    "know": "knew known",
    "lead": "led",
    "leave": "left",
    "lose": "lost",
    "make": "made",
    "meet": "met",
    "pay": "paid",
    "quit": "quit",
    "read": "read",
    "ride": "rode ridden",
    "rise": "rose risen",
    "run": "ran run",
    "see": "saw seen",
    "sell": "sold",
    "sing": "sang sung",
    "sit": "sat",
    "sleep": "slept",
    "speak": "spoke spoken",
    "spend": "spent",
    "spin": "spun",
    "stand": "stood",
    "swim": "swam swum",
    "take": "took taken",
    "teach": "taught",
    "throw": "threw thrown",
    "wake": "woke woken",
    "wear": "wore worn",
    "weave": "wove woven",
    "win": "won",
    "write": "wrote written",
    "hang": "hung",
    "deal": "dealt",
    "found": "founded",
    "babysit": "babysat",
    "sew": "sewed sewn",
}
_DOUBLED: Final = frozenset(
    """cut get run swim quit win plan shop jog stop drop program begin sit chat hug babysit spin squat step
    trim sip ship tap commit submit""".split()
)
_VOWELS: Final = "aeiou"


def third_person(lemma: str) -> str:
    """``teach`` -> ``teaches``: also the name of the predicate a verb states."""
    if lemma in {"be", "have"}:
        return {"be": "is", "have": "has"}[lemma]
    if lemma.endswith(("s", "sh", "ch", "x", "z", "o")):
        return lemma + "es"
    if lemma.endswith("y") and lemma[-2] not in _VOWELS:
        return lemma[:-1] + "ies"
    return lemma + "s"


def _ing(lemma: str) -> str:
    if lemma in _DOUBLED:
        return lemma + lemma[-1] + "ing"
    if lemma == "die":
        return "dying"
    if lemma.endswith("e") and not lemma.endswith(("ee", "ye")):
        return lemma[:-1] + "ing"
    return lemma + "ing"


def past_forms(lemma: str) -> list[str]:
    if lemma in _IRREGULAR:
        return _IRREGULAR[lemma].split()
    if lemma in _DOUBLED:
        return [lemma + lemma[-1] + "ed"]
    if lemma.endswith("e"):
        return [lemma + "d"]
    if lemma.endswith("y") and lemma[-2] not in _VOWELS:
        return [lemma[:-1] + "ied"]
    return [lemma + "ed"]


def _table() -> dict[str, VerbForm]:
    table: dict[str, VerbForm] = {"have": VerbForm("have", "base"), "has": VerbForm("have", "s")}
    lemmas = LIKING | DISLIKING | HABITS | EVENTS | OF_THINGS | _OTHER | _OTHER_PERSONAL
    for lemma in sorted(lemmas - {"allergic", "ran", "struggled"}):
        table.setdefault(lemma, VerbForm(lemma, "base"))
        table.setdefault(third_person(lemma), VerbForm(lemma, "s"))
        table.setdefault(_ing(lemma), VerbForm(lemma, "ing"))
        for past in past_forms(lemma):
            table.setdefault(past, VerbForm(lemma, "past"))
    table["had"] = VerbForm("have", "past")
    table["having"] = VerbForm("have", "ing")
    table["travelled"] = VerbForm("travel", "past")
    table["travelling"] = VerbForm("travel", "ing")
    return table


#: Every known form of every known verb, lower case.
FORMS: Final[dict[str, VerbForm]] = _table()
