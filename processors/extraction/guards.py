"""What keeps a sentence from asserting anything: questions, hypotheses, quotes, reports, sarcasm, orders,
role play.

Precision before recall: a sentence under suspicion gives nothing, or an inferred fact where the speaker
states a guess.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from processors.extraction import lexicon
from processors.extraction.text import Sentence

Verdict = Literal["asserts", "inferred", "nothing"]

_I = re.IGNORECASE
_OPEN_QUESTION: Final = re.compile(
    r"(?:who|whom|whose|what|what's|which|when|where|why|how|how's|is|are|am|was|were|do"
    r"|does|did|have you|has|can|could|will|"
    r"would|should|shall|may|isn't|aren't|don't|doesn't|didn't|haven't|won't|wouldn't|can't)\s+"
    r"(?:i|you|he|she|it|we|they|there|this|that|the|my|your|his|her|our|their|it's|is|are"
    r"|do|does|did|to|many|much|about|long"
    r"|old|kind|else)\b",
    _I,
)
_HYPOTHESIS: Final = re.compile(
    r"\b(?:if|unless|whether|might|maybe|perhaps|may (?:be|have|not)|could"
    r"|would(?! (?:like|love) to)|should|wish|wished|(?:can|you|just) imagine"
    r"|suppose|supposing|supposed to|pretend|pretending|hypothetically|in case|as if"
    r"|as though|what if|wonder|wondering"
    r"|not sure|unsure|almost|nearly|tempted|wouldn't|couldn't|shouldn't|ought|let's say|assuming)\b"
    r"|\bi'd\b(?! (?:like|love) to)",
    _I,
)
_GUESS: Final = re.compile(
    r"^(?:i|we) (?:(?:really|kind of|sort of|would|do|strongly|honestly) )?(?:suspect"
    r"|guess|think|believe(?! in\b)|assume|reckon|suppose"
    r"|figure|imagine|bet|fear|gather|presume|feel like)(?: that)?,? (?=\S+ \S)"
    r"|^(?:my guess is|my hunch is|i have a (?:feeling|hunch)|i'm (?:fairly|pretty|quite"
    r"|almost) (?:sure|certain)|i am (?:fairly|pretty) sure"
    r"|it (?:seems|looks like|appears|sounds like)|looks like|seems like|apparently|presumably|probably|supposedly"
    r"|allegedly|rumou?r has it|word is|chances are|most likely|possibly)(?: that)?,? ",
    _I,
)
_GUESS_INSIDE: Final = re.compile(
    r"\b(?:probably|presumably|apparently|supposedly|allegedly|likely|seems? to"
    r"|appears? to|possibly|must be|i think|i guess)\b",
    _I,
)
_REPORT: Final = re.compile(
    r"\b(?:says?|said|saying|told|tells|claims?|claimed|asked|asks|wrote (?:that|me|to me"
    r"|in)|writes that|mentioned|mentions|heard|hear|hears|thinks|believes"
    r"|according to|quote|quoted|quotes|reads:|reported|insists?|insisted|argues?|argued"
    r"|answered|replied|swears?|joked)\b",
    _I,
)
_DENY: Final = re.compile(
    r"^(?:i|we) (?:don't|do not|dont|didn't|did not|never|can't|cannot) (?:think|believe"
    r"|know (?:if|whether|that|what|how|why|who)"
    r"|remember|say|said|mean|recall|suppose|imagine|expect|guess)\b",
    _I,
)
_FICTION: Final = re.compile(
    r"^(?:say|write|translate|repeat|imagine|pretend|suppose|example|for example"
    r"|for instance|e\.g|let's|lets|let me|let us"
    r"|act as|role ?play|once upon|in the (?:story|book|movie|film|game|novel|play)|the (?:story|joke|character)"
    r"|\[recalled|\[memory|just kidding|kidding|lol|haha)\b|^>|^\[(?:recalled|memory|retrieved)",
    _I,
)
_SARCASM: Final = re.compile(
    r"\byeah,? right\b|\bas if\b|/s(?:\s|$)|\bsaid no ?one ever\b|\boh,? (?:great|joy"
    r"|goody|perfect|wonderful|brilliant|sure|yay)\b"
    r"|\bjust what (?:i|we) (?:need|want)ed\b|\bjust (?:great|perfect|wonderful"
    r"|brilliant)\b|\bsure,? (?:because|cause)\b"
    r"|\bbecause (?:i|we) (?:just )?(?:love|enjoy|adore)\b|\blove it when\b"
    r"|\bnothing (?:like|better than)\b|🙄|\bsarcas"
    r"|\b(?:i|we) (?:just|so|totally|absolutely|really|simply) (?:love|adore|enjoy) (?:how"
    r"|when|being|getting|having to|waiting)\b"
    r"|\bhow (?:i|we) (?:love|adore)\b|\bmy favou?rite thing (?:in the world )?is (?:being|getting|waiting)\b",
    _I,
)
_LOVE: Final = re.compile(r"\b(?:love|adore|enjoy|fan of|favou?rite|can't wait|thrilled|live for)\b", _I)
_ORDER: Final = re.compile(
    r"^(?:please|pls|kindly|ignore|send|call me when|tell|show|give me|remind|help|check"
    r"|look|see|note that you|keep|take care|enjoy|"
    r"have (?:a|fun)|don't|do not|never mind|try|stay|go|come|make sure|be |remember to"
    r"|feel free|good luck|happy|thank|thanks)\b",
    _I,
)
_QUOTED: Final = re.compile(r'"([^"\n]{1,300})"|(?:(?<=\s)|^)\'([^\'\n]{4,300})\'(?=[\s.,!?]|$)')
_STATEMENT_INSIDE: Final = re.compile(
    r"\b(?:i|i'm|i've|we|my|our|you|he|she|they)\b|\b(?:is|are|was|were|am|has|have)\b", _I
)
_BLOCK: Final = re.compile(r"```.*?(?:```|\Z)|^[ \t]*>[^\n]*", re.DOTALL | re.MULTILINE)
_FILL: Final = "\ue000"


def mask_quotes(text: str) -> str:
    """The flat text with quoted statements, code blocks and `>` lines blanked out, same length.

    A short quoted name ("The Alchemist") stays; what is inside quotation marks and reads as a statement goes.
    """

    def fill(match: re.Match[str]) -> str:
        return _FILL * len(match.group())

    def quoted(match: re.Match[str]) -> str:
        inside = match.group(1) or match.group(2) or ""
        return fill(match) if _STATEMENT_INSIDE.search(inside) and inside.count(" ") >= 1 else match.group()

    return _QUOTED.sub(quoted, _BLOCK.sub(fill, text))


def judge(sentence: Sentence) -> Verdict:
    """Whether a sentence may assert facts; ``inferred`` where the speaker guesses."""
    text = sentence.text
    if sentence.mark == "?" or _FILL in text or _OPEN_QUESTION.match(text):
        return "nothing"
    if _FICTION.search(text) or _REPORT.search(text) or _DENY.match(text) or is_sarcastic(sentence):
        return "nothing"
    if _HYPOTHESIS.search(_GUESS.sub("", text, count=1)):
        return "nothing"
    return "inferred" if _GUESS.match(text) or _GUESS_INSIDE.search(text) else "asserts"


def is_sarcastic(sentence: Sentence) -> bool:
    """Set phrases of sarcasm, and a loud liking of what nobody likes ("I just love waiting in traffic!")."""
    text = sentence.text
    if _SARCASM.search(text):
        return True
    loud = sentence.mark == "!" or re.match(r"(?:oh|yeah|yay|great|sure|wow|well)\b", text, _I)
    words = set(re.findall(r"[\w-]+", text.casefold()))
    return bool(loud and _LOVE.search(text) and words & lexicon.UNPLEASANT)


def strip_guess(sentence: Sentence) -> Sentence:
    """The sentence without the words that announce a guess ("I suspect that ...")."""
    match = _GUESS.match(sentence.text)
    rest = sentence.cut(match.end(), len(sentence.text)) if match else sentence
    return rest


def is_order(sentence: Sentence) -> bool:
    """An instruction or a polite formula: it tells somebody to do something and states nothing."""
    return bool(_ORDER.match(sentence.text))
