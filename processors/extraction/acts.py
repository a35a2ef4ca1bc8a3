"""Whole-sentence shapes: statements about names and about memory itself, switches, moves, and forms with
no plain subject."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

from processors.extraction import act_makers as make
from processors.extraction.draft import Draft
from processors.extraction.subjects import Context
from processors.extraction.text import Sentence

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


def _a(
    name: str,
    example: str,
    states: str,
    pattern: str,
    maker: Callable[[re.Match[str], Sentence, Context], Iterable[Draft]],
    flags: int = _I,
) -> Act:
    return Act(name, example, states, re.compile(pattern, flags), maker)


_SAME: Final = (
    rf"(?P<short>{_NAME}) (?:is|'s) (?:short|another name|a nickname|the nickname|an alias"
    rf"|a short name|the short form) (?:for|of) (?P<whole>{_NAME})\W*$"
)

ACTS: Final[tuple[Act, ...]] = (
    _a("alias", "Lex Moor is short for Alexis Moor", "an alias of a name", _SAME, make.alias, 0),
    _a(
        "alias-known",
        "Alexis Moor is also known as Lex",
        "an alias of a name",
        rf"(?P<whole>{_NAME}),? (?:is |are )?(?:(?:also|better|otherwise) (?:known as|called)"
        rf"|goes by(?: the name)?|aka|a\.k\.a\.) (?P<short>{_NAME})\W*$",
        make.alias,
        0,
    ),
    _a(
        "alias-same",
        "Lex and Alexis Moor are the same person",
        "an alias of a name",
        rf"(?P<short>{_NAME}) and (?P<whole>{_NAME}) are the same (?:person|company|thing|one)\W*$",
        make.alias,
        0,
    ),
    _a(
        "alias-call",
        "Everyone calls Alexis Moor Lex",
        "an alias of a name",
        rf"(?:[Ee]veryone|[Ee]verybody|[Pp]eople|[Ww]e|[Ff]riends|[Tt]hey"
        rf"|[Aa]ll) calls? (?P<whole>{_NAME}) [\"']?(?P<short>{_NAME})[\"']?\W*$",
        make.alias,
        0,
    ),
    _a(
        "nickname",
        "My friends call me Lex",
        "`nickname`",
        r"(?:(?:[Mm]y \w+|[Pp]eople|[Ee]veryone|[Tt]hey|[Ff]riends) calls? me|(?:[Jj]ust "
        r"|[Pp]lease |[Yy]ou can )*[Cc]all me) (?P<v>[^\W\d_a-z][\w'-]+(?: [A-Z][\w'-]+)?)\W*$",
        make.nickname,
        0,
    ),
    _a(
        "not-true",
        "Not true, there is no guest network",
        "a hint to retract what was said of it",
        r"(?:no, )?not (?:true|right|correct|so)\b[\s,:;.-]*(?P<v>.*)$",
        make.not_true,
    ),
    _a(
        "retract-that",
        "Forget that; scratch that; that was wrong",
        "a hint to retract the last statement",
        r"(?:please |actually,? |no,? |sorry,? )*(?:(?:forget|scratch|disregard|strike|delete"
        r"|ignore|erase|drop) (?:that|this|it|what i (?:just )?said)|i take (?:that|it) back"
        r"|(?:that|this)(?:'s| is| was)(?:n't| not)? (?:not |all )?(?:wrong|false|incorrect"
        r"|a mistake|an error|true|right|correct|a lie|a typo)|i was (?:wrong|mistaken)"
        r"|i misspoke)\W*$",
        make.retract_last,
    ),
    _a(
        "retract-topic",
        "Delete the tent note",
        "a hint to retract what was said of the topic",
        r"(?:please |you can |can you )*(?:delete|remove|erase|drop|forget|discard|clear"
        r"|wipe)(?: about)? (?:the |my |all |any |every )*(?P<v>[\w' -]{2,60}?)"
        r" (?:notes?|facts?|entry|entries|memory|memories|records?|info|information|data"
        r"|reminders?)\W*$",
        make.retract_topic,
    ),
    _a(
        "retract-about",
        "Forget about the tent; erase my address",
        "a hint to retract what was said of the topic",
        r"(?:please )?(?:forget|delete|erase|remove|disregard) (?:everything |what i said "
        r"|all |anything )?about (?:the |my )?(?P<v>[\w' -]{2,60})\W*$"
        r"|(?:please )?(?:forget|erase) my (?P<w>[\w' -]{2,60})\W*$"
        r"|(?:please )?(?:forget|erase|delete|remove|clear) (?:the |my )?(?P<x>[\w' -]{2,60}?) from (?:your |the |my )?"
        r"(?:memory|memories|notes|records)\W*$",
        make.retract_topic,
    ),
    _a(
        "moved-from-to",
        "Ravi was moved from project Alder to project Oak",
        "the old value ended, the new one stated",
        r".{1,80}?\b(?P<verb>moved|relocated|transferred|reassigned|switched|migrated|changed"
        r"|upgraded) (?:over )?from (?P<old>.{1,60}?) (?:over )?(?:in)?to (?P<new>.{1,80})$",
        make.moved,
    ),
    _a(
        "switch",
        "We turned on tracing in the gateway; we removed tracing from the gateway",
        "the part's state in the thing; removed: ended",
        r"(?:i|we|they|someone) (?:have |just |recently |also |finally |permanently "
        r"|temporarily |'ve )*(?P<verb>turned on|turned off|switched on|switched off|enabled"
        r"|disabled|activated|deactivated"
        r"|installed|uninstalled|added|removed|dropped|deleted|got rid of|took out"
        r"|ripped out) (?P<what>[\w' -]{2,50}?)(?: (?:in|on|to|from) (?:the "
        r"|our )?(?P<where>[\w' -]{2,50}))?[\s.!]*$",
        make.switch,
    ),
    _a(
        "is-on-in",
        "Debug mode is on in the gateway",
        "the part's state in the thing",
        r"(?P<what>[\w' -]{2,50}?) is (?:now |currently )?(?P<verb>on|off|enabled|disabled"
        r"|active|inactive) (?:in|on|for) (?:the |our )?(?P<where>[\w' -]{2,50})[\s.!]*$",
        make.is_on_in,
    ),
    _a(
        "no-need",
        "No need to water the palms",
        "`needed` of the task, negative",
        r"(?:(?:there(?:'s| is) )?no (?:longer any )?need (?:to|for)|(?:you|we|i|nobody"
        r"|it) (?:don't|do not|no longer|doesn't|does not) (?:need|have) to) (?P<v>.+)$",
        make.no_need,
    ),
    _a(
        "need-task",
        "We need to water the palms",
        "`needed` of the task",
        r"(?:we|someone|somebody) (?:need|needs|have|has) to (?P<v>\w+ the .+)$",
        make.need,
    ),
    _a(
        "favorite-is",
        "Tea is my favorite drink",
        "`favorite_<x>`, `hobby`",
        r"(?P<v>[^,;]{1,80}?(?:, [\w ]{1,30}){0,4}) (?:is|are) (?:also )?(?P<of>(?:one"
        r"|some) of )?(?:my|our) (?:all[- ]time |absolute |main |second |other |two "
        r"|three )*(?:favou?rites?|hobb(?=y|ies))"
        r" ?(?P<x>\w+(?: \w+)?)?\W*$",
        make.favorite,
    ),
    _a(
        "there-is-no",
        "There is no guest network",
        "`exists`, negative",
        r"there(?:'s| is| are|'re) no (?:longer an? )?(?P<v>.+)$",
        make.absent,
    ),
    _a(
        "makes-happy",
        "Rowing makes me happy",
        "`likes`",
        r"(?P<v>[\w' -]{2,40}?) (?:always )?(?:makes?|brings?) me (?:so |very |really |such "
        r"|a lot of |lots of )*(?:happy|joy|happiness)\W*$",
        make.happy,
    ),
    _a(
        "reach-me",
        "You can reach me at mira@example.org",
        "`email`, `phone`",
        r"(?:you can |please )?(?:reach|email|e-mail|call|text|contact|write to|mail) (?:me"
        r"|us) (?:at|on|under) (?P<v>[\w.+-]{1,64}@[\w.-]{1,100}|\+?[\d() -]{6,24})\W*$",
        make.reach,
    ),
    _a(
        "label",
        "Time zone: CET",
        "the labelled attribute",
        r"(?:my )?(?P<k>name|e-?mail|phone(?: number)?|time ?zone|tz|address|birthday"
        r"|allergies|diet|employer|company|job(?: title)?|title|location|hometown|languages"
        r"|hobbies|opening hours)"
        r": (?P<v>[^:;]{1,80}|\d{1,2}(?::\d\d)? ?- ?\d{1,2}(?::\d\d)?)$",
        make.label,
    ),
)
#: Statements the guards would take for orders or denials: they are tried before the guards.
BEFORE_GUARDS: Final = frozenset(
    {"retract-that", "retract-topic", "retract-about", "not-true", "nickname", "reach-me", "no-need"}
)


def try_acts(span: Sentence, context: Context, *, before_guards: bool) -> list[Draft]:
    """What the first fitting sentence pattern states; ``before_guards`` tries those that the guards would
    refuse."""
    for act in ACTS:
        if (act.name in BEFORE_GUARDS) != before_guards:
            continue
        match = act.pattern.match(span.text)
        if match and (found := list(act.make(match, span, context))):
            return [replace(draft, rule=act.name) for draft in found]
    return []
