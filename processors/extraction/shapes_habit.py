"""The habits without a row of their own: there the verb names the predicate ("I collect stamps":
``collects`` = stamps)."""

from __future__ import annotations

from typing import Final

from processors.extraction.shape import Shape, pattern, verbs
from processors.extraction.verbs import HABITS

_PREP: Final = (
    r"(?:(?P<p>at|for|in|on|to|with|as|about|from|of|into|by|under|against|out|up|off|over"
    r"|through|around|after) )?"
)
#: Verbs that say too little alone, or that a row of their own reads.
NAMING: Final = HABITS - verbs(
    "stay find hear see afford get want hope wish plan need know dream look stand prefer "
    "believe care start close open struggle miss"
)
#: Habits that stand without an object.
ALONE: Final = verbs(
    "smoke drink jog swim dance sing cook bake knit sew hike run ski surf skate read "
    "write paint draw garden hunt fish vape exercise "
    "meditate workout bowl golf travel bike cycle pray drive sketch blog snowboard sail "
    "climb kayak crochet volunteer gamble"
)
#: What "can" is an ability of.
ABILITIES: Final = ALONE | verbs(
    "play speak juggle ride fly lift type whistle code program fix build jump throw hold "
    "eat afford sleep walk teach see hear "
    "find squat act photograph compose sculpt weave"
)
#: The habits that have no row of their own: the verb names the predicate ("I collect stamps": collects = stamps).
GENERIC: Final = Shape(
    "habit",
    "I collect stamps",
    NAMING,
    pattern(rf"{_PREP}(?:(?:to|a|an|the|my) )?(?P<v>.+)"),
    "{verb}_{p}",
    atoms=True,
    confidence=0.75,
    past="ended",
)
#: A habit with no object: "I smoke", "I don't drink".
BARE: Final = Shape("habit-bare", "I smoke", ALONE, pattern(r""), "does", value="{lemma}", confidence=0.75)
#: "I can swim", "I cannot sing".
CAN: Final = Shape(
    "can",
    "I can juggle",
    ABILITIES,
    pattern(r"(?P<v>.*)"),
    "can",
    value="{lemma} {v}",
    confidence=0.8,
    past="nothing",
)
