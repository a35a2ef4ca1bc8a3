"""Values without a system of notation: things, food, names, people, organisations, plain text."""

import re
from typing import Final

from processors.values.numbers import Typed
from processors.values.text import clean, digest, form, without_article
from schemas.facts import Mention

_LEGAL: Final = frozenset(
    "inc ltd llc llp gmbh corp corporation co company plc ag sa sas bv nv oy ab kg kk".split()
)
_DISH: Final = re.compile(r"\s+(?:food|foods|cuisine|cooking|dishes)$", re.IGNORECASE)
#: A plural is undone only where no other word can result: English, not a name (no capital), not after s, u, i, e.
_PLURAL: Final = re.compile(r"(?!(?:news|lens)$)[a-z]{2,}(?:[^suie]s|(?:[^aeiouhsxz]|th)es|(?:sh|ch|x)es)")


def plain_text(text: str) -> Typed:
    return f"text:{form(without_article(text))}", ()


def thing(text: str) -> Typed:
    """Without a leading article, one for many: "a cat" and "cats" are ``thing:cat``."""
    return f"thing:{form(_singular(without_article(text)))}", ()


def food(text: str) -> Typed:
    """As a thing; "Japanese food" and "Japanese" are one."""
    bare = without_article(text)
    return f"food:{form(_singular(_DISH.sub('', bare) or bare))}", ()


def name(text: str) -> Typed:
    """A name; a longer one lies within its own beginning: "Sam Porter" is a more precise "Sam"."""
    whole = form(text)
    return f"name:{whole}", tuple(f"name:{shorter}" for shorter in _beginnings(whole))


def entity_key(type_: str, text: str) -> str:
    """``type:slug``; letters of every script are kept, an empty text becomes a digest, never an empty slug."""
    kind = form(type_, "_") or "thing"
    slug = form(without_article(clean(text)))
    # A key has at most 256 characters (schemas.base.KeyPart), a slug so much less that a type fits before it.
    if len(slug) > 200:
        slug = slug[:160] + "~" + digest(slug, 32)
    return f"{kind[:40]}:{slug or form('-')}"


def entity(text: str, type_: str, mention: Mention | None) -> Typed:
    """``entity:person:sam``; a mention that has an id already keeps it."""
    if mention is not None and mention.entity:
        return f"entity:{mention.entity}", ()
    said, kind = text, type_ if type_ != "entity" else "thing"
    if mention is not None:
        said, kind = mention.text, mention.type if mention.type != "thing" else kind
    key = entity_key(kind, said)
    slug = key.split(":", 1)[1]
    if kind == "person":
        return f"entity:{key}", tuple(f"entity:{entity_key(kind, part)}" for part in _beginnings(slug))
    if kind == "org" and "-" in slug and slug.rsplit("-", 1)[1] in _LEGAL:
        return f"entity:{key}", (f"entity:{entity_key(kind, slug.rsplit('-', 1)[0])}",)
    return f"entity:{key}", ()


def _beginnings(slug: str) -> list[str]:
    """The proper beginnings of a slug of at most 6 words, longest first."""
    words = slug.split("-")
    if len(words) > 6 or not all(words):
        return []
    return ["-".join(words[:count]) for count in range(len(words) - 1, 0, -1)]


def _singular(text: str) -> str:
    head, _, last = text.rstrip(" .,!?").rpartition(" ")
    if not _PLURAL.fullmatch(last):
        return text
    bare = last[:-2] if re.search(r"(?:sh|ch|x)es$", last) else last[:-1]
    return f"{head} {bare}".strip()
