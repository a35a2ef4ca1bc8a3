"""Plain statements in Spanish, German and Japanese: the same predicates, negation kept, the value is the
thing and not the marker."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from processors.extraction import values
from processors.extraction.draft import Draft
from processors.extraction.subjects import Context
from processors.extraction.text import Sentence, normal

_I: Final = re.IGNORECASE


@dataclass(frozen=True)
class Foreign:
    """A whole-sentence pattern; the groups ``neg`` and ``ended`` say so when they matched something."""

    name: str
    example: str
    pattern: re.Pattern[str]
    predicate: str
    one: bool = False
    negative: bool = False
    ended: bool = False
    convert: Callable[[str], str] | None = None


_KANJI: Final = {c: i for i, c in enumerate("〇一二三四五六七八九")}
_NUMBER_JA: Final = r"[0-9０-９〇一二三四五六七八九十]{1,4}"


def japanese_number(text: str) -> int:
    """``十二`` -> 12, ``６`` -> 6. Numbers up to 99."""
    plain = normal(text)
    if plain.isdecimal():
        return int(plain)
    tens, ten, ones = plain.rpartition("十")
    if not ten:
        return int("".join(str(_KANJI[c]) for c in plain if c in _KANJI) or 0)
    return (_KANJI.get(tens, 1) if tens else 1) * 10 + (_KANJI.get(ones, 0) if ones else 0)


def _clock(text: str) -> str:
    match = re.fullmatch(rf"(午前|午後|朝|夜)?({_NUMBER_JA})時(?:({_NUMBER_JA})分|(半))?", text)
    if not match:
        return text
    hour = japanese_number(match.group(2)) + (12 if match.group(1) in {"午後", "夜"} else 0)
    minute = japanese_number(match.group(3)) if match.group(3) else 30 if match.group(4) else 0
    return f"{hour % 24:02d}:{minute:02d}"


def _evening(text: str) -> str:
    """A bedtime without 午前 or 午後: seven to twelve is in the evening."""
    clock = _clock(text)
    hour, _, minute = clock.partition(":")
    if not minute or text.startswith(("午前", "午後", "夜")):
        return clock
    return f"{int(hour) + 12:02d}:{minute}" if 7 <= int(hour) <= 11 else f"{int(hour) % 12:02d}:{minute}"


def _age(text: str) -> str:
    return str(japanese_number(text))


def _f(name: str, example: str, pattern: str, predicate: str, **more: object) -> Foreign:
    return Foreign(name, example, re.compile(pattern, _I), predicate, **more)  # type: ignore[arg-type]


_NO: Final = r"(?P<neg>no |nunca |ya no |jamás )?"
_YO: Final = r"(?:yo |nosotros |nosotras )?"
_NICHT: Final = r"(?P<neg> nicht| gar nicht| nie| niemals)?"
_ICH: Final = r"(?:ich|wir) "
_WA: Final = r"(?:私(?:たち)?は|僕は|俺は|わたしは)?"

FOREIGN: Final[tuple[Foreign, ...]] = (
    # Spanish
    _f("es-name", "Me llamo Inés", r"(?:me llamo|mi nombre es) (?P<v>.+)", "name", one=True),
    _f("es-from", "Soy de Lugo", rf"{_YO}{_NO}(?:soy|somos) de (?P<v>.+)", "from", one=True),
    _f("es-age", "Tengo 30 años", rf"{_YO}tengo (?P<v>\d{{1,3}}) años", "age", one=True),
    _f(
        "es-allergy",
        "Soy alérgica al polen",
        rf"{_YO}{_NO}(?:soy alérgic[oa] (?:al?|a la|a los|a las)|tengo alergia (?:al?|a la"
        rf"|a los|a las)) (?P<v>.+)",
        "allergic_to",
    ),
    _f(
        "es-diet",
        "Soy vegetariana",
        rf"{_YO}{_NO}(?:soy|somos) (?P<v>vegan[oa]s?|vegetarian[oa]s?)",
        "diet",
        one=True,
    ),
    _f(
        "es-job",
        "Soy enfermera",
        rf"{_YO}{_NO}(?:soy|trabajo (?:como|de)) (?:una? )?(?P<v>(?!muy\b|tan\b|el\b|la\b"
        rf"|un\b)[\w ]+)",
        "job_title",
    ),
    _f("es-lives", "Vivo en Lugo", rf"{_YO}{_NO}(?:vivo|vivimos) en (?P<v>.+)", "lives_in", one=True),
    _f(
        "es-works",
        "Trabajo en Brightwater",
        rf"{_YO}{_NO}(?:trabajo|trabajamos) (?:en|para) (?P<v>.+)",
        "employer",
        one=True,
    ),
    _f(
        "es-likes",
        "No me gusta el ajo",
        r"(?:a mí )?(?P<neg>no |nunca |ya no )?(?:me|nos) (?:gustan?|encantan?) (?:mucho "
        r"|muchísimo )?(?P<v>.+)",
        "likes",
    ),
    _f("es-hates", "Odio el ajo", rf"{_YO}(?:odio|detesto|odiamos) (?P<v>.+)", "likes", negative=True),
    _f(
        "es-uses",
        "Nunca usamos el servidor norte",
        rf"{_YO}{_NO}(?:uso|usamos|utilizo|utilizamos) (?P<v>.+)",
        "uses",
    ),
    _f(
        "es-has",
        "Tengo dos gatos",
        rf"{_YO}{_NO}(?:tengo|tenemos) (?P<v>(?!que\b|ganas|hambre|sed|frío|calor|sueño|miedo"
        rf"|razón)[\w ]+)",
        "has",
    ),
    _f("es-eats", "No como carne", rf"{_YO}{_NO}(?:como|comemos) (?P<v>[\w ]+)", "eats"),
    _f("es-drinks", "Nunca bebo vino", rf"{_YO}{_NO}(?:bebo|bebemos|tomo|tomamos) (?P<v>[\w ]+)", "drinks"),
    _f("es-speaks", "Hablo gallego", rf"{_YO}{_NO}(?:hablo|hablamos) (?P<v>\w+(?: (?:y|e) \w+)?)", "speaks"),
    _f("es-plays", "Toco la gaita", rf"{_YO}{_NO}(?:toco|juego al?|practico) (?P<v>.+)", "plays"),
    _f(
        "es-my",
        "Mi oficina es la 214",
        r"mi (?P<k>\w+(?: de \w+)?) (?P<neg>no )?(?:es|está en) (?P<v>.+)",
        "{k}",
        one=True,
    ),
    # German
    _f("de-name", "Ich heiße Jule", rf"(?:{_ICH}heiß?(?:ss)?en?|mein name ist) (?P<v>.+)", "name", one=True),
    _f("de-from", "Ich komme aus Trier", rf"{_ICH}komme(?:n)?{_NICHT} aus (?P<v>.+)", "from", one=True),
    _f("de-age", "Ich bin 30 Jahre alt", r"ich bin (?P<v>\d{1,3}) jahre alt", "age", one=True),
    _f(
        "de-allergy",
        "Ich bin allergisch gegen Pollen",
        r"ich (?:bin|reagiere)(?P<neg> nicht)? allergisch (?:gegen|auf) (?P<v>.+)",
        "allergic_to",
    ),
    _f(
        "de-diet",
        "Ich bin Veganerin",
        r"ich (?:bin|lebe|ernähre mich)(?P<neg> nicht| kein| keine)? (?P<v>vegan|vegetarisch"
        r"|veganer(?:in)?|vegetarier(?:in)?)",
        "diet",
        one=True,
    ),
    _f(
        "de-lives",
        "Ich wohne in Trier",
        rf"{_ICH}(?:wohne|lebe)n?{_NICHT}(?P<ended> nicht mehr)? in (?P<v>.+)",
        "lives_in",
        one=True,
    ),
    _f(
        "de-works",
        "Ich arbeite bei Hellbach",
        rf"{_ICH}arbeiten?{_NICHT} (?:bei|für) (?P<v>.+)",
        "employer",
        one=True,
    ),
    _f(
        "de-job",
        "Ich arbeite als Pflegerin",
        rf"{_ICH}(?:arbeite|bin){_NICHT} (?:als|von beruf) (?P<v>.+)",
        "job_title",
    ),
    _f(
        "de-likes-not",
        "Ich mag keinen Lauch",
        rf"{_ICH}(?:mag|mögen|liebe) kein(?:e|en|er)? (?P<v>.+)",
        "likes",
        negative=True,
    ),
    _f(
        "de-eats-not",
        "Ich esse keinen Fisch",
        rf"{_ICH}(?:esse|essen) kein(?:e|en|er)? (?P<v>.+)",
        "eats",
        negative=True,
    ),
    _f(
        "de-drinks-not",
        "Ich trinke keinen Wein",
        rf"{_ICH}(?:trinke|trinken) kein(?:e|en|er)? (?P<v>.+)",
        "drinks",
        negative=True,
    ),
    _f(
        "de-likes",
        "Ich mag Lauch nicht",
        rf"{_ICH}(?:mag|mögen|liebe|lieben)(?: sehr)? (?:gerne? )?(?P<v>.+?)(?: (?:sehr|gern"
        rf"|gerne))?(?P<ended> nicht mehr)?{_NICHT}(?: (?:sehr|gern|gerne))?",
        "likes",
    ),
    _f(
        "de-hates",
        "Ich hasse Lauch",
        rf"{_ICH}(?:hasse|hassen|verabscheue) (?P<v>.+)",
        "likes",
        negative=True,
    ),
    _f(
        "de-uses",
        "Ich verwende den alten Drucker nicht",
        rf"{_ICH}(?:verwende|benutze|nutze|gebrauche)n? (?P<v>.+?)(?P<ended> nicht mehr)?{_NICHT}(?: mehr)?",
        "uses",
    ),
    _f(
        "de-has-not",
        "Ich habe kein Auto",
        rf"{_ICH}haben? kein(?:e|en)? (?P<v>(?!ahnung|lust|zeit|hunger)[\w -]+)",
        "has",
        negative=True,
    ),
    _f(
        "de-has",
        "Ich habe zwei Katzen",
        rf"{_ICH}haben? (?P<v>(?:ein(?:e|en)?|zwei|drei|vier|fünf|\d+) [\w -]+)",
        "has",
    ),
    _f("de-speaks", "Ich spreche Dänisch", rf"{_ICH}spreche(?:n)? (?P<neg>kein )?(?P<v>[\w ,]+)", "speaks"),
    _f("de-plays", "Ich spiele Geige", rf"{_ICH}spielen? (?P<v>.+?){_NICHT}", "plays"),
    _f(
        "de-my",
        "Mein Büro ist 214",
        r"mein(?:e)? (?P<k>\w+) ist(?P<neg> nicht)? (?:in |im |auf )?(?P<v>.+)",
        "{k}",
        one=True,
    ),
    # Japanese
    _f(
        "ja-name",
        "私の名前はユナです",
        r"(?:私|僕)の名前は(?P<v>.+?)(?:です|と申します|といいます)?",
        "name",
        one=True,
    ),
    _f(
        "ja-favorite",
        "好きな食べ物はうどんです",
        r"(?:私の)?好きな(?P<k>[^は]{1,12})は(?P<v>.+?)です",
        "favorite_{k}",
        one=True,
    ),
    _f(
        "ja-dislikes",
        "うどんは好きではありません",
        rf"{_WA}(?P<v>.+?)(?:が|は)(?:(?:あまり)?好き(?:では|じゃ)(?:ありません|ない(?:です)?)|嫌い(?:です|だ)?|苦手(?:です"
        rf"|だ)?)",
        "likes",
        negative=True,
    ),
    _f("ja-likes", "うどんが好きです", rf"{_WA}(?P<v>.+?)(?:が|は)(?:大)?好き(?:です|だ|なんです)?", "likes"),
    _f(
        "ja-wakes",
        "毎朝七時に起きます",
        rf"{_WA}(?:毎朝|毎日|いつも|朝は?)?、?(?P<v>(?:午前|午後|朝)?{_NUMBER_JA}時(?:{_NUMBER_JA}分"
        rf"|半)?)に起き(?:ます|る|ています)",
        "wake_time",
        one=True,
        convert=_clock,
    ),
    _f(
        "ja-sleeps",
        "毎晩十時に寝ます",
        rf"{_WA}(?:毎晩|毎日|いつも|夜は?)?、?(?P<v>(?:午前|午後|夜)?{_NUMBER_JA}時(?:{_NUMBER_JA}分|半)?)に寝(?:ます"
        rf"|る)",
        "sleep_time",
        one=True,
        convert=_evening,
    ),
    _f(
        "ja-lives",
        "神戸に住んでいます",
        rf"{_WA}(?P<v>.+?)に住んで(?:い(?:ます|る)|(?P<neg>いません|いない))",
        "lives_in",
        one=True,
    ),
    _f(
        "ja-works",
        "銀行で働いています",
        rf"{_WA}(?P<v>.+?)(?:で働いて|に勤めて)(?:い(?:ます|る)|(?P<neg>いません))",
        "employer",
        one=True,
    ),
    _f("ja-from", "神戸出身です", rf"{_WA}(?P<v>.+?)(?:の)?出身です", "from", one=True),
    _f("ja-age", "私は三十歳です", rf"{_WA}(?P<v>{_NUMBER_JA})歳です", "age", one=True, convert=_age),
    _f(
        "ja-allergy",
        "卵アレルギーがあります",
        rf"{_WA}(?P<v>.+?)(?:の)?アレルギー(?:が(?:あります|ある)|です)",
        "allergic_to",
    ),
    _f(
        "ja-uses",
        "古い印刷機は使いません",
        rf"{_WA}(?P<v>.+?)(?:を|は)(?:使って(?:い(?:ます|る)|(?P<neg>いません|いない))|使い(?:ます|(?P<neg2>ません))"
        rf"|使(?:う|(?P<neg3>わない)))",
        "uses",
    ),
    _f("ja-has-pet", "猫を飼っています", rf"{_WA}(?P<v>.+?)を飼って(?:います|いる)", "pet"),
    _f(
        "ja-not",
        "私は肉を食べません",
        rf"{_WA}(?P<v>.+?)(?:を|は)(?:食べ(?:ます|(?P<neg>ません|ない))|飲み(?:ます|(?P<neg2>ません)))",
        "eats",
    ),
    _f("ja-my", "私の車は白です", r"(?:私|僕)の(?P<k>[^はの]{1,10})は(?P<v>.+?)(?:です|だ)", "{k}", one=True),
)
_START: Final = re.compile(
    r"(?:yo|no|nunca|ya no|jamás|me|nos|a mí|mi|soy|somos|vivo|vivimos|trabajo|trabajamos"
    r"|tengo|tenemos|odio|odiamos|detesto|uso|usamos|utilizo"
    r"|utilizamos|como|comemos|bebo|bebemos|tomo|tomamos|hablo|hablamos|toco|juego|practico|nosotr[oa]s"
    r"|ich|wir|meine?)\b|[\u3040-\u30ff\u3400-\u9fff]",
    _I,
)
_ARTICLE: Final = re.compile(
    r"^(?:el|la|los|las|un|una|unos|unas|al|der|die|das|den|dem|des|ein|eine|einen|einem"
    r"|einer|sehr|mucho|mucha) (?=\S)",
    _I,
)
_TAIL_WORDS: Final = re.compile(
    r"(?:,? (?:mucho|también|ahora|actualmente|todos los días|sehr|auch|jetzt|jeden tag|gern|gerne|mehr|nada))+$",
    _I,
)


def read_foreign(span: Sentence, context: Context) -> list[Draft]:
    """The facts of a plain Spanish, German or Japanese sentence; empty when none of the shapes fits the
    whole of it."""
    if not _START.match(span.text):
        return []
    for shape in FOREIGN:
        match = shape.pattern.fullmatch(span.text)
        if not match:
            continue
        groups = match.groupdict()
        ended = (
            shape.ended
            or bool(groups.get("ended"))
            or (groups.get("neg") or "").strip().casefold() == "ya no"
        )
        negative = shape.negative or any(groups.get(name) for name in ("neg", "neg2", "neg3"))
        value = _TAIL_WORDS.sub("", groups["v"].strip(" ,"))
        predicate = shape.predicate.format(k=groups.get("k") or "").casefold().replace(" ", "_")
        parts = values.atoms(value) if not shape.one and value.isascii() is not None else [value]
        found = [_ARTICLE.sub("", normal(part)).strip() for part in parts]
        return [
            Draft(
                context.speaker,
                predicate,
                shape.convert(part) if shape.convert else part,
                span,
                shape.name,
                negative=negative and not ended,
                ended=ended,
                one=shape.one,
            )
            for part in found
            if part and len(part.split()) <= values.MAX_WORDS
        ]
    return []
