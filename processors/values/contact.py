"""Phone numbers, e-mail addresses and web addresses."""

import re
from typing import Final

import phonenumbers
from pydantic import AnyUrl, TypeAdapter, ValidationError

from processors.values.numbers import Typed
from processors.values.text import fold

_EMAIL: Final = re.compile(
    r"[^\s@<>(),;:\"\[\]\\]{1,64}@(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.)+[^\W\d_][\w-]{0,62}"
)
_PHONE: Final = re.compile(r"[+\d(][\d\s().\-/]{3,30}(?:\s*(?:ext\.?|x|#)\s*\d{1,7})?")
_DATE: Final = re.compile(r"\d{4}([/.-])\d{1,2}\1\d{1,2}|\d{1,2}([/.-])\d{1,2}\2\d{4}")
_URL: Final = re.compile(
    r"(?:(https?|ftp)://)?[^\s/?#@:]+\.[^\W\d_][\w-]+(?::\d{1,5})?(?:[/?#]\S*)?", re.IGNORECASE
)
_ANY_URL: Final = TypeAdapter(AnyUrl)


def email(text: str) -> Typed | None:
    """Without case: a provider that tells ``A@x`` from ``a@x`` is not known, people who mix them are."""
    address = fold(text).strip().removeprefix("mailto:").strip("<>. ")
    if not _EMAIL.fullmatch(address) or ".." in address:
        return None
    return f"email:{address}", ()


def phone(text: str) -> Typed | None:
    """``phone:+14155550100`` with its country code, else ``phone:4155550100``, which contains it.

    A number is not checked for being in use: what matters is that two spellings of one number meet.
    """
    said = fold(text).strip().removeprefix("tel:").strip(" .")
    digits = re.sub(r"\D", "", said)
    if not _PHONE.fullmatch(said) or _DATE.fullmatch(said) or not 5 <= len(digits) <= 22:
        return None
    if not said.startswith(("+", "00")):
        return (f"phone:{digits.lstrip('0')}", ()) if digits.strip("0") else None
    try:
        number = phonenumbers.parse(re.sub(r"^00", "+", said), None)
    except phonenumbers.NumberParseException:
        return None
    if not phonenumbers.is_possible_number(number):
        return None
    whole = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
    extension = f";ext={number.extension}" if number.extension else ""
    return f"phone:{whole}{extension}", (f"phone:{number.national_number}",)


def url(text: str) -> Typed | None:
    """Scheme and host without case, no default port, no empty path; ``http`` and ``https`` are one."""
    said = text.strip().rstrip(".,;")
    if len(said) > 2048 or not _URL.fullmatch(said):
        return None
    try:
        parsed = str(_ANY_URL.validate_python(said if "://" in said else f"https://{said}"))
    except ValidationError:
        return None
    return "url:" + re.sub(r"^https?://", "", parsed).rstrip("/"), ()
