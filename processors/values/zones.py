"""Time zones by their IANA ids, their names in CLDR and the abbreviations people use.

Zones that keep the same time share a *metazone* in CLDR ("Pacific Time"). A metazone has one key, that of its
golden zone (``timezone:America/Los_Angeles``), whether it is called PST, PDT, Pacific time or by that zone's id;
another zone of it (``America/Vancouver``) is a more precise value within it. The data is Babel's, so the answer
does not depend on the machine's own time zone files.
"""

import re
from functools import lru_cache
from typing import Final

from babel import Locale
from babel.core import get_global

from processors.values.numbers import Typed
from processors.values.text import fold

#: CLDR's golden zone (territory 001 in metaZones.xml) where Babel's data leaves a choice.
_GOLDEN: Final = {
    "Acre": "America/Rio_Branco",
    "Africa_Central": "Africa/Maputo",
    "Africa_Eastern": "Africa/Nairobi",
    "Africa_Southern": "Africa/Johannesburg",
    "Africa_Western": "Africa/Lagos",
    "Amazon": "America/Manaus",
    "America_Central": "America/Chicago",
    "America_Eastern": "America/New_York",
    "America_Mountain": "America/Denver",
    "America_Pacific": "America/Los_Angeles",
    "Arabian": "Asia/Riyadh",
    "Atlantic": "America/Halifax",
    "Australia_Central": "Australia/Adelaide",
    "Australia_Eastern": "Australia/Sydney",
    "Australia_Western": "Australia/Perth",
    "Brasilia": "America/Sao_Paulo",
    "British": "Europe/London",
    "Chile": "America/Santiago",
    "China": "Asia/Shanghai",
    "Europe_Central": "Europe/Paris",
    "Europe_Eastern": "Europe/Bucharest",
    "Europe_Western": "Atlantic/Canary",
    "India": "Asia/Kolkata",
    "Indonesia_Western": "Asia/Jakarta",
    "Irish": "Europe/Dublin",
    "Kamchatka": "Asia/Kamchatka",
    "Korea": "Asia/Seoul",
    "Krasnoyarsk": "Asia/Krasnoyarsk",
    "Magadan": "Asia/Magadan",
    "Malaysia": "Asia/Kuala_Lumpur",
    "Marshall_Islands": "Pacific/Majuro",
    "Mexico_Pacific": "America/Mazatlan",
    "Moscow": "Europe/Moscow",
    "New_Zealand": "Pacific/Auckland",
    "Samara": "Europe/Samara",
    "Samoa": "Pacific/Pago_Pago",
    "Uzbekistan": "Asia/Tashkent",
    "Vladivostok": "Asia/Vladivostok",
    "Yakutsk": "Asia/Yakutsk",
    "Yukon": "America/Whitehorse",
}
#: Short names that CLDR's locales do not carry. Where several zones share one, CLDR's English reading holds
#: (IST India, CST North America, BST Britain).
_ABBREVIATIONS: Final = {
    "jst": "Japan",
    "kst": "Korea",
    "msk": "Moscow",
    "pkt": "Pakistan",
    "brt": "Brasilia",
}
#: Locales whose names are read; the first to claim a name keeps it.
_LOCALES: Final = (
    "en en_GB en_IN en_ZA en_AU en_NZ en_SG en_HK de es fr it pt nl pl ru uk tr ja zh ko ar hi sv".split()
)
_OFFSET: Final = re.compile(r"(?:utc|gmt|z)?\s*([+\-\u2212])\s*(\d{1,2})(?::?([0-5]\d))?")
_NOISE: Final = re.compile(r"^(?:the|us|u\.s\.)\s+|\s+(?:time ?zone|timezone|tz)$")
_MISSING: Final = "∅∅∅"


def timezone(text: str) -> Typed | None:
    """``timezone:America/Los_Angeles``, ``timezone:UTC+01:00``; None for an unknown name."""
    name = fold(text).strip().strip(".")
    names = [name, _NOISE.sub("", _NOISE.sub("", name))]
    bare = re.sub(r"\s*\(.*?\)\s*", " ", names[-1]).strip()
    names += [bare, bare.split(",", 1)[0].strip()]
    for candidate in names:
        found = _offset(candidate) or _names().get(" ".join(candidate.replace("_", " ").split()))
        if found:
            return found
    return None


def _offset(name: str) -> Typed | None:
    if name in ("utc", "gmt", "z", "zulu", "etc/utc", "etc/gmt", "greenwich mean time"):
        return "timezone:UTC+00:00", ()
    found = _OFFSET.fullmatch(name)
    if not found or int(found[2]) > 14 or not (name[0] in "ugz" or found[3]):
        return None
    sign = "+" if found[1] == "+" or (found[2].strip("0") == "" and not (found[3] or "").strip("0")) else "-"
    return f"timezone:UTC{sign}{int(found[2]):02}:{found[3] or '00'}", ()


@lru_cache(maxsize=1)
def _names() -> dict[str, Typed]:
    """Every known name, folded, spaces for underscores."""
    known: dict[str, Typed] = {}

    def learn(name: str, value: Typed) -> None:
        if name and name != _MISSING:
            known.setdefault(" ".join(fold(name).replace("_", " ").split()), value)

    zones: dict[str, str] = dict(get_global("meta_zones"))
    golden = _golden_zones(zones)
    for abbreviation, metazone in _ABBREVIATIONS.items():
        if metazone in golden:
            learn(abbreviation, (f"timezone:{golden[metazone]}", ()))
    for locale in _LOCALES:
        for metazone, names in Locale.parse(locale).meta_zones.items():
            if metazone not in golden or metazone == "GMT":
                continue
            value: Typed = (f"timezone:{golden[metazone]}", ())
            for width in names:
                for style in names[width]:
                    learn(names[width][style], value)
                    if width == "long" and locale == "en":
                        learn(_shorter(names[width][style]), value)
    aliases: dict[str, str] = dict(get_global("zone_aliases"))
    every = {zone: zone for zone in zones} | aliases
    windows: dict[str, str] = dict(get_global("windows_zone_mapping"))
    for name, zone in sorted(every.items()):
        learn(name, _of_zone(aliases.get(zone, zone), zones, golden))
    for name, zone in sorted(windows.items()):
        learn(name, _of_zone(aliases.get(zone, zone), zones, golden))
    for name, zone in sorted(every.items()):
        if "/" in name and not name.startswith("Etc/"):
            city = name.rsplit("/", 1)[1]
            learn(city, _of_zone(aliases.get(zone, zone), zones, golden))
            learn(f"{city} time", _of_zone(aliases.get(zone, zone), zones, golden))
    return known


def _golden_zones(zones: dict[str, str]) -> dict[str, str]:
    golden: dict[str, str] = {}
    for zone, metazone in sorted(zones.items()):
        golden.setdefault(metazone, _GOLDEN.get(metazone, zone))
    return golden


def _of_zone(zone: str, zones: dict[str, str], golden: dict[str, str]) -> Typed:
    if zone == "Etc/UTC":
        return "timezone:UTC+00:00", ()
    metazone = zones.get(zone)
    if metazone is None or metazone == "GMT" or golden[metazone] == zone:
        return f"timezone:{zone}", ()
    return f"timezone:{zone}", (f"timezone:{golden[metazone]}",)


def _shorter(name: str) -> str:
    """ "Pacific" for "Pacific Standard Time": how it is said in "I'm on Pacific"."""
    return re.sub(r"\s+(?:Standard |Daylight |Summer )?Time$", "", name)
