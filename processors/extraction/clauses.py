"""From a sentence to clauses: what stands before a statement is dropped, what is subordinate is cut,
second verbs split off."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from processors.extraction.text import Sentence

_I = re.IGNORECASE
#: Words before a statement that are not part of it: greetings, "actually", "Correction:", a name in address.
_OPENER: Final = re.compile(
    r"(?:(?:hi|hey|hello|dear|yo|thanks|thank you|wow|yeah|yep|yes|yup|no(?=[,!])|nope"
    r"|well|oh|ah|aw|aww|so|and|but|also|plus|actually|anyway"
    r"|anyways|btw|by the way|honestly|frankly|look|ok|okay|sure|definitely|absolutely"
    r"|totally|true|right|cool|nice|great|congrats"
    r"|correction|update|edit|fyi|noted from [a-z ]{3,30}|note|noted|verified|checked|confirmed"
    r"|reminder|news|fact|for the record|in fact|as of now|of course|sorry"
    r"|wait|oops|unfortunately|fortunately|luckily|sadly|currently|nowadays|these days"
    r"|lately|recently|now|today|basically"
    r"|personally|to be honest|tbh|as for me|for me|me too|same here|haha|hah|hmm|mmm|um"
    r"|uh|woohoo|yay|guess what|as you know"
    r"|again|first|finally|overall|in general|sometimes|usually|often|as i (?:said|mentioned)"
    r"|because|since|cause|too|still|then|once|meanwhile|besides|additionally|moreover"
    r"|though|i mean|you know|quick (?:update|note)"
    r"|on (?:mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekends|the weekends)"
    r"|(?:in|at) (?:the )?(?:summer|winter|spring|fall|autumn|mornings?|evenings?|nights?"
    r"|my (?:spare|free) time)|at night|every \w+"
    r"|(?:last|this) (?:week|weekend|month|year|night|summer|winter|\w+day)|yesterday"
    r"|this morning|a few \w+ ago|growing up)\b"
    r"(?: there| all| everyone| again)?"
    r"(?:,? (?!I\b)[A-Z][a-z]+(?=[,!.]))?\s*(?:[,:!]+|-)?\s+"
    r"|[A-Z][a-z]+, (?=(?:i|we|my|i'm|i've|it's)\b)|#+ |[*-] |\(?\d{1,2}[.)] )",
    _I,
)
_SUBORDINATE: Final = re.compile(
    r",? (?:when|whenever|while|whilst|if|unless|until(?! (?:last|yesterday|recently|\d))|till(?! \d)|although|though"
    r"|even though|even if|before(?= \w+ing|\s(?:i|we|he|she|it|they)\b)|after(?= \w+ing"
    r"|\s(?:i|we)\b)"
    r"|so that|in order to|because of|due to|thanks to|as (?=(?:i|we|it|he|she|they|long"
    r"|soon|well as my)\b)|except|than(?= (?:i|he|she|they|we)\b)"
    r"|whereas|which|who(?= )|whose|where|that(?= (?:i|we|is|are|was|has|have|he|she|they"
    r"|it|you|can|will|my|helps?|makes?|lets?)\b)"
    r"|since(?= (?:i|we|he|she|they|the|my|last|\d))|to the point|even (?=on|in|when)|not to mention|but not)\b",
    _I,
)
#: Where a new clause begins inside a sentence.
_BOUNDARY: Final = re.compile(
    r",? (?:and|but|so|or|because|cause|plus|yet|also) (?=(?:i|we|i'm|i've|im|my|our|he"
    r"|she|it|they|he's|she's|it's|they're|we're|we've"
    r"|you|you're|your|his|her|their|this|that|that's|there|the [a-z]+ (?:is|are|was|has))\b)"
    r"|, (?=(?:i|we|i'm|i've|im|my|our|he|she|it|they|he's|she's|it's|you|you're|your"
    r"|that's|this|that|there|the [a-z]+ (?:is|are|was|has))\b)"
    r"|,? but (?!not\b)|; |: (?=(?:i|my|we)\b)|\s-\s|\.\.\.?\s?",
    _I,
)
#: "... and hate vegetables": a second verb with the same subject.
_SECOND_VERB: Final = re.compile(
    r",? (?:and|then|and then|and also|and now|and currently|and am|or) (?=(?:am|is|are"
    r"|was|were|have|has|love|loves|like|likes|hate|hates|enjoy|enjoys|live|lives|work"
    r"|works"
    r"|own|owns|play|plays|drive|drives|speak|speaks|eat|eats|drink|drinks|prefer|prefers"
    r"|want|study|studies|teach|teaches|do|does|don't"
    r"|doesn't|can|can't|cannot|never|used to|would like|moved|went|got|bought|use|uses"
    r"|collect|dislike|go|make|read|write|sing|run|need"
    r"|graduated|lived|worked|had|met|took|started|finished|won|adopted|visited|made"
    r"|joined|sold|quit|roasted|also|recorded|lost|even|"
    r"volunteer|watch|wear|listen|currently|now|just|always|dropped|sell|named|keep|keeps) )",
    _I,
)


def strip_openers(sentence: Sentence) -> Sentence:
    """The sentence without greetings, connectives and names in address before the statement."""
    for _ in range(4):
        match = _OPENER.match(sentence.text)
        if not match or match.end() >= len(sentence.text):
            return sentence
        sentence = sentence.cut(match.end(), len(sentence.text))
    return sentence


def clauses(sentence: Sentence) -> Iterator[tuple[Sentence, bool]]:
    """The clauses in order, each with whether it shares the subject of the one before ("... and hate X")."""
    for part in _cut(sentence, _BOUNDARY):
        part = strip_openers(part)
        match = _SUBORDINATE.search(part.text)
        main = part.cut(0, match.start()) if match and match.start() > 0 else part
        # "like to swim and listen to music" is one list, not two statements.
        listed = re.match(r"\S+ (?:\S+ ){0,3}to \w+", main.text)
        pieces = [main] if listed or re.search(r"\byou\b", main.text, _I) else list(_cut(main, _SECOND_VERB))
        for index, piece in enumerate(pieces):
            if piece.text:
                yield piece, index > 0


def _cut(sentence: Sentence, pattern: re.Pattern[str]) -> Iterator[Sentence]:
    start = 0
    for match in pattern.finditer(sentence.text):
        if match.start() > start:
            yield sentence.cut(start, match.start())
        start = match.end()
    yield sentence.cut(start, len(sentence.text))
