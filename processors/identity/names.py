"""A name taken apart, by the kind of thing that bears it, and the keys it is filed under."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal

import jellyfish

from processors.identity.letters import plain, script_of, unspaced
from processors.identity.model import Name
from processors.identity.naming import canonical_type, family_of
from processors.values import places
from processors.values.text import clean, form, without_article

Gender = Literal["", "f", "m"]

#: Honorifics before a name (English, German, French, Spanish, Portuguese, Italian), with what they say of the gender.
#: Those that are first names too (Don, Gen, Rev) are left out.
_TITLES: Final[dict[str, Gender]] = {
    **dict.fromkeys("mr mister sir herr monsieur señor senhor signor".split(), "m"),
    **dict.fromkeys("mrs ms miss madam frau mme mlle señora sra srta dona signora".split(), "f"),
    **dict.fromkeys("mx dr dra doctor prof professor judge captain capt reverend".split(), ""),
}
_ONE_TITLE: Final = {"doctor": "dr", "dra": "dr", "professor": "prof", "capt": "captain", "mister": "mr"}
#: Degrees behind a name.
_DEGREES: Final = frozenset("phd md mba msc bsc ma ba jd dds esq cpa".split())
#: What tells father and son apart; part of the name.
_GENERATIONS: Final = {"junior": "jr", "senior": "sr", "2nd": "ii", "3rd": "iii"} | {
    word: word for word in ("jr", "sr", "ii", "iii", "iv")
}
_HONORIFICS_BEHIND: Final = ("さん", "さま", "様", "氏", "くん", "ちゃん", "先生", "女士", "小姐", "씨", "님")
#: Legal forms, by their short form. "Company" and "Group" are words of names and are not here.
_LEGAL: Final = {word: word for word in (
    "inc ltd llc llp lp plc corp co gmbh ag kg ug ev sa sas sarl spa srl bv nv oy oyj ab as asa aps kft pty pte pvt kk "
    "ооо оао зао пао ао"
).split()} | {"incorporated": "inc", "limited": "ltd", "corporation": "corp", "aktiengesellschaft": "ag"}  # fmt: skip
_LEGAL_CJK: Final = ("株式会社", "有限会社", "合同会社", "股份有限公司", "有限公司", "주식회사")
_DOTTED: Final = re.compile(r"(?<!\S)(?:[^\W\d_]\.){2,}(?:[^\W\d_]\.?)?(?!\S)")
#: "Katarina "Kat" Voss": what others call her, between the names.
_CALLED: Final = re.compile(r"""(?<=\s)(?:"[^"]+"|“[^”]+”|'[^']+'|«[^»]+»)(?=\s)""")
_ARTICLE_BEHIND: Final = re.compile(r",\s*the$", re.IGNORECASE)
_BRACKETED: Final = re.compile(r"\s*[(\[（]([^()\[\]（）]+)[)\]）]\s*$")
_PRONOUNS: Final = re.compile(
    r"(?:she|he|they|her|him|them|hers|his|theirs|any)(?:\s*/\s*\w+)*", re.IGNORECASE
)
_ADDRESS: Final = re.compile(r"([^<>]+?)\s*<(?:mailto:)?([^<>\s]+@[^<>\s]+)>")
#: What people put around a name.
_AROUND: Final = '*_~`"“”„«»<> '
_POSSESSIVE: Final = re.compile(r"['’ʼ]s?$")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A name in parts. `exact` decides equality up to marks; `words` are its parts, in forms.

    `title` and `gender` come from an honorific, `generation` is "jr" and the like, `qualifier` is the legal form of an
    organisation or what stands in brackets behind a person ("(Sales)"); empty where nothing was said.
    """

    family: str
    exact: str
    words: tuple[str, ...]
    display: str
    title: str = ""
    gender: Gender = ""
    generation: str = ""
    qualifier: tuple[str, ...] = ()


@lru_cache(maxsize=16384)
def parse(name: Name) -> Parsed:
    """Takes a name apart by the family of its type; every text gives an `exact` that is not empty."""
    family = family_of(name.type)
    text = " ".join(clean(name.text).split())
    if family == "person":
        parsed = _person(text)
    elif family == "org":
        parsed = _org(text)
    elif family in ("country", "place"):
        parsed = _place(text, canonical_type(name.type), family)
    else:
        parsed = _other(text, canonical_type(name.type), family)
    exact = parsed.exact.strip("-") or form(text) or form("-")
    return replace(parsed, exact=exact, words=parsed.words or (exact,), display=parsed.display or text)


def address_of(text: str) -> tuple[str, str]:
    """Name and address of "Ana Ruiz <ana@ruiz.example>"; the address is empty for any other text."""
    found = _ADDRESS.fullmatch(text.strip())
    return (found[1].strip(_AROUND) or text, found[2]) if found else (text, "")


@lru_cache(maxsize=16384)
def keys_of(parsed: Parsed) -> tuple[str, ...]:
    """The keys a name is filed under and looked up by: ``=`` the name without marks, ``w`` first and last word,
    ``s`` its sound, ``a`` its initials. All of one family; what a shared key is worth is judged afterwards."""
    return tuple(dict.fromkeys(_keys(parsed)))


def is_bare(parsed: Parsed) -> bool:
    """Whether it is one part of a person's name: a first name, a family name, an initial with either."""
    if parsed.family != "person" or script_of(parsed.exact) == "CJK":
        return False
    return len(parsed.words) == 1 or any(len(word) == 1 for word in (parsed.words[0], parsed.words[-1]))


def _keys(parsed: Parsed) -> Iterator[str]:
    whole = parsed.exact.split("-")
    for variant in (0, 1):
        yield "=" + "-".join(plain(word)[variant] for word in whole)
    if parsed.family == "person" and parsed.words:
        for word in (parsed.words[0], parsed.words[-1]):
            yield from ("w" + spelled for spelled in plain(word))
    sound = plain(parsed.words[-1])[0].replace("-", "") if parsed.words else ""
    if sound.isascii() and sound.isalpha() and (code := jellyfish.metaphone(sound)):
        yield "s" + code
    if parsed.family in ("org", "team", "project", "product"):
        if len(whole) > 2:
            yield "a" + "".join(word[:1] for word in whole)
        elif len(whole) == 1 and 2 < len(parsed.exact) < 7:
            yield "a" + parsed.exact


def _person(text: str) -> Parsed:
    text = address_of(text)[0]
    qualifier: tuple[str, ...] = ()
    if (found := _BRACKETED.search(text)) and found.start():
        text = text[: found.start()]
        qualifier = () if _PRONOUNS.fullmatch(found[1].strip()) else (form(found[1]),)
    text = " ".join(_CALLED.sub("", text).split()).strip(_AROUND) or text
    text = _POSSESSIVE.sub("", text) or text
    parts = [part.strip() for part in text.split(",") if part.strip()]
    tail = [part for part in parts[1:] if all(_behind(word) for word in part.split())]
    if len(parts) == 2 and not tail:
        parts = [parts[1], parts[0]]
        words = f"{parts[0]} {parts[1]}".split()
    else:
        words = " ".join(parts).split()
    title, generation = "", ""
    gender: Gender = ""
    while len(words) > 1 and (said := form(words[0])) in _TITLES:
        title = title or _ONE_TITLE.get(said, said)
        gender = gender or _TITLES[said]
        words = words[1:]
    while len(words) > 1 and (said := _behind(words[-1])):
        generation = _GENERATIONS.get(said, generation)
        words = words[:-1]
    display = " ".join(words)
    if unspaced(display):
        display = display.replace(" ", "")
        for honorific in _HONORIFICS_BEHIND:
            bare = display.removesuffix(honorific)
            if len(bare) >= 2 and bare != display:
                display = bare
                break
        words = [display]
    forms = tuple(part for word in words if (spelled := form(word)) for part in _initials(spelled))
    exact = form(display) + (f"-{generation}" if generation else "")
    shown = display + (
        f" {generation.upper() if generation[0] == 'i' else generation.title()}" if generation else ""
    )
    return Parsed("person", exact or form(text), forms, shown or text, title, gender, generation, qualifier)


def _initials(word: str) -> list[str]:
    """ "J.R." as two words; "Jean-Luc" is one."""
    parts = word.split("-")
    return parts if all(len(part) == 1 for part in parts) else [word]


def _behind(word: str) -> str:
    """A degree or a generation behind a name, else empty. "Senior" and "MA" can be names: only written so."""
    said = form(word.replace(".", ""))
    if said in _GENERATIONS:
        return said
    return (
        said
        if said in _DEGREES and (word.isupper() or word in ("PhD", "Ph.D.", "MSc", "BSc", "Esq", "Esq."))
        else ""
    )


def _org(text: str) -> Parsed:
    legal: list[str] = []
    core = (
        _undotted(without_article(_ARTICLE_BEHIND.sub("", text))).replace("&", " and ").replace("＆", " and ")
    )
    for form_ in _LEGAL_CJK:
        bare = core.removeprefix(form_).removesuffix(form_).strip()
        if bare and bare != core:
            core, legal = bare, [form_]
            break
    words = [form(part) for part in core.split() if form(part)]
    ended = False
    while len(words) > 1 and (words[-1] in _LEGAL or (ended and words[-1] == "and")):
        ended = words[-1] != "and"
        if ended:
            legal.insert(0, _LEGAL[words[-1]])
        words = words[:-1]
    if len(words) > 1 and words[0] in ("ооо", "оао", "зао", "пао", "ао"):
        legal, words = [*legal, words[0]], words[1:]
    exact = "-".join(words) or form(text)
    return Parsed("org", exact, tuple(words), text, qualifier=tuple(legal))


def _place(text: str, type_: str, family: str) -> Parsed:
    country, place = places.country(text), None if family == "country" else places.place(text)
    if family == "country" or (type_ != "city" and place and place[0].startswith("country:")):
        key = (country or place or (form(without_article(text)), ()))[0]
        return Parsed("country", key, tuple(form(text).split("-")), text)
    if place is None or (type_ == "city" and place[0].startswith("country:")):
        key = f"place:{form(text)}"
    elif type_ == "place" and country is not None:
        key = f"place:either:{form(text)}"  # Luxembourg, Singapore: the city or the country
    else:
        key = place[0]
    return Parsed("place", key, tuple(form(text).split("-")), text)


def _other(text: str, type_: str, family: str) -> Parsed:
    words = [
        word for part in _undotted(without_article(text)).split() for word in form(part).split("-") if word
    ]
    if len(words) > 1 and words[0] == type_:
        words = words[1:]
    elif len(words) > 1 and words[-1] == type_:
        words = words[:-1]
    return Parsed(family, "-".join(words) or form(text), tuple(words), text)


def _undotted(text: str) -> str:
    """ "I.B.X." as "IBX"."""
    return _DOTTED.sub(lambda found: found.group().replace(".", ""), text)
