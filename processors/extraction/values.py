"""Values as stated: where a value ends, what is trimmed from it, how a list falls into atoms."""

from __future__ import annotations

import re
from typing import Final

from processors.extraction import lexicon
from processors.extraction.text import normal

#: A longer value is a story, not a value.
MAX_WORDS: Final = 11
_I = re.IGNORECASE
_TRAILING: Final = re.compile(
    r"(?:,? (?:right now|now|these days|at the moment|currently|nowadays|too|also|as well"
    r"|a lot|very much|so much|a bit|a little"
    r"|sometimes|often|usually|regularly|daily|weekly|occasionally|though|lately|recently"
    r"|all the time|for a living|at the same time"
    r"|for fun|in (?:my|our|their|his|her) (?:spare|free) time|in general|the most"
    r"|the best|more than anything|most of all|everyday"
    r"|every (?:single )?(?:day|week|month|year|morning|evening|night|weekend|summer"
    r"|winter|\w+day)|on (?:the )?weekends?|at night|in the (?:mornings?|evenings?"
    r"|afternoons?)"
    r"|on (?:mon|tues|wednes|thurs|fri|satur|sun)days?|when i can|from time to time"
    r"|once in a while|soon|earlier|someday|some day|one day|again|together|already|instead"
    r"|before|any ?more|any longer|no more|either|at all|yet|myself|by the way|of course"
    r"|anyway|in particular|especially|after all"
    r"|(?:last|this) (?:week|weekend|month|year|night|summer|winter|fall|spring|\w+day)"
    r"|yesterday|today|tonight|tomorrow|next (?:week|month|year|\w+day)"
    r"|(?:a|an|two|three|four|five|six|few|\d+|a few|a couple of|couple of) (?:day|week"
    r"|month|year|hour|minute)s? (?:ago|back)"
    r"|for (?:about |over |almost |around |more than )?(?:the )?(?:past |last )?(?:\d+"
    r"|\w+) (?:years?|months?|weeks?)"
    r"|in (?:19|20)\d\d|since (?:19|20)\d\d|the other day|for the first time|so far|once"
    r"|twice|for now|until (?:last year|recently|\d{4})|lol|haha|man|dude|guys|btw|tbh))+$",
    _I,
)
_DETERMINER: Final = re.compile(
    r"^(?:(?:a little(?: bit)?(?: of)?(?= (?-i:[A-Z]))|a (?:little )?bit of"
    r"|a|an|the|my|our|some|any|this|that|these|those|his|her|their|its|my own|such"
    r"|both|all|all the|also|really|very|just|quite"
    r"|pretty|mostly|mainly|only|especially|lots of|a lot of|plenty of|many|much|few|several|most|of|to|about) )+",
    _I,
)
_CUT: Final = re.compile(
    r"(?:,? (?:because|so|since|when|while|if|although|though|except|rather than|instead of"
    r"|as well as|as i|as we|more than|just like|whenever|until|for example|etc|mostly"
    r"|mainly|specifically|as much as|which|in which|where"
    r"|hoping|thanks to|due to|even though)\b|, (?:and |but )?not\b|\s*\(|:(?!\d)|, like\b"
    r"|,? like (?=[a-z]+ (?:and|on|or)\b)|\s-+\s?(?!\w)|\s--?\s|(?<=\w) (?:i|we|they|he"
    r"|she) (?=\w)|, (?=(?:you know|and it|so)\b)).*$",
    _I,
)
_JOIN: Final = re.compile(
    r"\s*,\s*(?:and|or|&)\s+|\s*,\s*|\s+(?:and|&|or|as well as|und|y|e)\s+(?:also )?", _I
)
_EXAMPLES: Final = re.compile(r",? (?:especially|particularly|including|such as) ", _I)
_PREPOSITION: Final = re.compile(r"\b(?:with|of|from|in|at|for|to|about|between|on|both|like|by|into)\b", _I)
#: "a class to learn how to cook": the purpose is not part of the thing.
_PURPOSE: Final = re.compile(
    r"^(\S+ \S.*?(?<!want)(?<!like)(?<!love)(?<!how)(?<!need)(?<!able)(?<!trying)"
    r"(?<!place)(?<!way)(?<!time)(?<!hope)) to (?:be|do|get|make|see|help|show|learn"
    r"|take|keep|improve|avoid|build|raise|give|support|honor|enhance|relax|stay|celebrate"
    r"|find|practice|create|share|express|experience|enjoy|simply|my(?=self)"
    r"|better|bring|boost|feel|cope|unwind|escape|go(?= with))\b.*$",
    _I,
)
#: Set phrases that an "and" holds together.
_TOGETHER: Final = re.compile(
    r"\b(?:cookies|mac|rock|salt|fish|peanut butter|bread|black|r|drum|ham|bed|arts?"
    r"|research|trial|country|friends|bow|pros|peace"
    r"|barnes|ben|johnson|town|guns|dungeons|gin|rum|bacon|burger|biscuits|chips|surf|law"
    r"|war|food|health|science|heating|hide|track"
    r"|bath|mom|crime|pride|beauty|romeo|lock|day|back|up|more|again|over|stop|food|oil"
    r"|salt|milk|cut|on|fast|rhythm|parks)"
    r" (?:and|&|n|'n') (?:cream|cheese|roll|pepper|chips|jelly|butter|white|b|bass|eggs"
    r"|breakfast|crafts|development|error|western"
    r"|family|arrow|cons|quiet|noble|jerry|country|roses|dragons|tonic|coke|fries|gravy"
    r"|salsa|turf|order|peace|drinks?|wellness"
    r"|technology|seek|field|beyond|dad|punishment|prejudice|the beast|juliet|key|night"
    r"|forth|down|more|again|go|gas|honey|paste|off|furious|blues|recreation|wine)\b"
    r"|\b(?:movie|film|book|novel|series|show|game|song|album|band|play) [^,]{0,40}\band\b",
    _I,
)

#: "number 12" is 12: the word only says what the digits are.
_NUMBERED: Final = re.compile(r"^(?:number|nr\.?|no\.) ?(?=\d)|^#(?=\d)", _I)
_NAMED: Final = re.compile(r'"([^"]{1,80})"\W*')


def is_quoted(text: str) -> bool:
    """Whether the whole text stands in quotation marks: a name, taken as it is."""
    return bool(_NAMED.fullmatch(text.strip()))


def clean(text: str) -> str:
    """The value without trailing adverbials, leading determiners and what follows a subordinate word; may
    be empty. A value in quotation marks is a name and stays as it is."""
    named = _NAMED.fullmatch(text.strip())
    if named:
        return normal(named.group(1))
    value = _CUT.sub("", " " + text.strip()).strip(" .,!;:-\"'")
    value = _PURPOSE.sub(r"\1", value.replace('"', ""))
    value = _TRAILING.sub("", " " + value).strip(" .,!;:-\"'")
    trimmed = _NUMBERED.sub("", _DETERMINER.sub("", value))
    return normal(trimmed if trimmed else value).strip(" ,")


def keeps_words(text: str) -> str:
    """The value with its determiners, only the end trimmed."""
    value = _TRAILING.sub("", " " + _CUT.sub("", " " + text.strip()).strip(" .,!;:-\"'"))
    return normal(value).strip(" .,!;:-\"'")


def atoms(text: str) -> list[str]:
    """A stated list as its members: "pizza, pasta and sushi" gives three. Set phrases and titles stay whole."""
    if is_quoted(text) or _TOGETHER.search(text):
        return [text]
    head, _, examples = _EXAMPLES.sub("\0", text, count=1).partition("\0")
    if examples and head.strip():
        return [*atoms(head), *atoms(examples)]
    parts = [part for part in _JOIN.split(text) if part.strip()]
    # "hiking, hate running": what begins with a verb of its own is said of the speaker, not liked by him.
    verb = next((n for n, part in enumerate(parts) if n and _VERB.match(part)), len(parts))
    parts = parts[:verb]
    # "two cats, Miso and Tofu": the names say which.
    if len(parts) > 1 and _COUNTED.fullmatch(parts[0]) and all(part[:1].isupper() for part in parts[1:]):
        return parts[:1]
    if verb < 2:
        return parts
    if len(parts) < 2 or len(parts) > 12 or any(len(part.split()) > 6 for part in parts):
        return [text]
    # "music from Ash and Elm": the "and" joins what the preposition governs, unless the second member
    # is a verb of its own.
    if _PREPOSITION.search(parts[0]) and not re.match(r"(?:\w+ing|to) ?", parts[1], _I):
        return [text]
    return parts


_VERB: Final = re.compile(
    r"(?:(?:really|absolutely|also|still) )*"
    r"(?:hate|dislike|loathe|despise|detest|adore|enjoy|prefer|can't|cannot|don't|am|"
    r"love(?! (?:song|stor|letter|life|poe|note|affair|birds?))|like)\b",
    _I,
)
_COUNTED: Final = re.compile(r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten) (?:\w+ )?\w+s", _I)
_CLOCK: Final = re.compile(
    r"(?:\d{1,2}[:.]\d\d(?: ?[ap]\.?m\.?)?|\d{1,2} ?[ap]\.?m\.?|noon|midnight)(?: sharp)?", _I
)


def is_clock_time(value: str) -> bool:
    """Whether the value is a time of day as clocks show it."""
    return bool(_CLOCK.fullmatch(value.strip(" .,!")))


_LISTENER: Final = frozenset("you your you're ur".split())
_UNNAMED: Final = frozenset("it them him something anything everything".split())
_FIRST: Final = frozenset("me someone so best that this what how why it's he she they".split())
_LAST: Final = frozenset("that this these those one ones too".split())


def is_vague(value: str) -> bool:
    """Names nothing by itself: pronouns, "a lot", "something", words about the listener; or is too long to
    be a value."""
    words = re.findall(r"[^\W_]+(?:'[a-z]+)?", value.casefold())
    if not words or len(words) > MAX_WORDS or (_LISTENER | _UNNAMED) & set(words):
        return True
    if words[0] in _FIRST or words[-1] in _LAST or (words[0] == "us" and not value.startswith("US")):
        return True
    return all(word in lexicon.VAGUE and not value.startswith("US") for word in words)


def number(text: str) -> str | None:
    """``four`` -> ``4``, ``12`` -> ``12``; None when the text is no whole number."""
    word = text.strip().casefold()
    return word if word.isdecimal() else lexicon.NUMBERS.get(word)


def place(text: str) -> tuple[str, str]:
    """Where something is, as an attribute and its value: ``("floor", "2")``, ``("street", "Elm Street")``,
    ``("location", x)``; ``("time", "9:30")`` when it says not where but when."""
    value = clean(text)
    if is_clock_time(value):
        return "time", value
    ordinal = re.fullmatch(r"(?:the )?(\w+?)(?:st|nd|rd|th)? (floor|level|row|track)", value, _I)
    named = re.fullmatch(r"(?:the )?(\w+) (?:number |no\.? |nr\.? |#)?#?([\w.-]{1,12})", value, _I)
    if named and named.group(1).casefold() in lexicon.PLACE_NOUNS:
        return named.group(1).casefold(), named.group(2)
    if ordinal:
        return ordinal.group(2).casefold(), number(ordinal.group(1)) or ordinal.group(1)
    last = value.split()[-1].casefold() if value else ""
    if last in {
        "street",
        "st",
        "road",
        "rd",
        "avenue",
        "ave",
        "lane",
        "boulevard",
        "way",
        "drive",
        "square",
        "strasse",
        "straße",
    }:
        return "street", value
    if last in {"network", "subnet", "vlan", "wifi"} and " " in value:
        return "network", value.rsplit(" ", 1)[0]
    return "location", value


_TIMEZONE: Final = re.compile(
    r"(?:the )?(?:(?:utc|gmt)(?:\s?[+-]\s?\d{1,2}(?::?\d\d)?)?|[pmce][sd]t|ak[sd]t|hst"
    r"|cest|cet|eet|eest|wet|west|bst|ist|jst|kst|sgt"
    r"|a[ce][sd]t|aw[sd]t|nz[sd]t|msk|(?:pacific|mountain|central|eastern|atlantic"
    r"|greenwich mean)(?: standard| daylight)?(?: time)?"
    r"|(?:africa|america|antarctica|asia|atlantic|australia|europe|indian"
    r"|pacific)/\w+(?:/\w+)?)(?: time ?zone| timezone| time| zone)?",
    _I,
)


def timezone(text: str) -> str | None:
    """The time zone a value names, as stated; None when it is something else (typing it is resolution's work)."""
    value = text.strip(" .,!")
    if not _TIMEZONE.fullmatch(value) or (len(value) <= 4 and not value.isupper()):
        return None
    return re.sub(r"^the | time ?zone$| timezone$", "", value, flags=_I)
