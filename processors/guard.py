"""Text that addresses its reader as an instruction: it is kept, but believed only when a person confirms it.

A memory is read by agents. "Ignore all previous instructions" told to one agent would otherwise be recalled by
another as a fact. What is looked for is the form, not the topic: words that speak to a model about its instructions,
its role or what it must answer, in some languages, and the marks of prompt formats. "I want to learn to ignore noise"
is no such text. Of 80,983 sentences and turns of LoCoMo, MSC personas and SICK it finds one.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Final

_THEM: Final = (
    r"(?:all|any|every|the|my|your|of|previous|prior|above|earlier|preceding|foregoing|former|other|these|those|"
    r"system)"
)
_RULES: Final = (
    r"(?:instructions?|prompts?|rules|guidelines|directives|commands|messages?|context|policies|guardrails)"
)
_SAY: Final = (
    r"(?:answer|respond|reply|say|tell|claim|state|recommend|obey|follow|reveal|disclose|output|print|execute|run|treat|"
    r"trust|believe|approve|transfer|send|pretend|comply|refuse|disregard|ignore)"
)
_MODEL: Final = (
    r"(?:you|the (?:assistant|model|agent|ai|bot|llm|reader)|assistants?|agents?|any (?:agent|assistant|model)|"
    r"every (?:agent|assistant|model))"
)
_MUST: Final = r"(?:must|shall|should|have to|has to|are to|is to|will|need to|needs to)"
#: What may stand between "when asked" and what to say: nobody else who says it.
_NOBODY: Final = r"(?:(?!\b(?:i|we|he|she|they)\b)[^.!?]){0,80}"

#: What overrides is said in some languages: verb, then at most so many characters, then what it is about.
_OVERRIDES: Final[tuple[tuple[str, str, str], ...]] = (
    (rf"\b(?:ignore|disregard|forget|override|bypass|drop)\b(?:\s+{_THEM})*", r"\s+", rf"{_RULES}\b"),
    (
        r"\b(?:ignorier\w*|vergiss|missachte\w*)\b",
        r"[^.!?]{0,40}",
        r"\b(?:anweisung|instruktion|befehl|regel|prompt)",
    ),
    (
        r"\b(?:ignore[rz]?|oublie[rz]?|ne tiens pas compte)\b",
        r"[^.!?]{0,40}",
        r"\b(?:instructions|consignes|regles)\b",
    ),
    (
        r"\b(?:ignora|ignore|olvida|olvide|omite)\b",
        r"[^.!?]{0,40}",
        r"\b(?:instrucciones|reglas|indicaciones)\b",
    ),
    (r"\b(?:ignora|ignorare|dimentica)\b", r"[^.!?]{0,40}", r"\b(?:istruzioni|regole)\b"),
    (r"\b(?:ignore|ignora|esqueca|desconsidere)\b", r"[^.!?]{0,40}", r"\b(?:instrucoes|regras)\b"),
    (r"(?:игнориру|забуд|не учитыва)\w*", r"[^.!?]{0,40}", r"(?:инструкци|указани|правил)"),
    (r"(?:忽略|无视|無視|忘记|忘掉)", r"[^。！？]{0,20}", r"(?:指令|指示|提示|规则|規則)"),
    (r"(?:指示|命令|プロンプト|ルール)", r"[^。！？]{0,12}", r"(?:無視|忘れ)"),
    (r"(?:تجاهل|انس)", r"[^.!؟]{0,40}", r"(?:التعليمات|الاوامر|القواعد)"),
)
#: Name of the form, for explain, and what it looks like in folded text.
_FORMS: Final[tuple[tuple[str, str], ...]] = (
    *(("override", verb + between + what) for verb, between, what in _OVERRIDES),
    ("role", r"\b(?:from now on|henceforth)\b[,:]?\s+(?:you|always|never|act|answer|respond|reply)\b"),
    (
        "role",
        r"\b(?:you are|you're) now\s+(?:an?|the|in)\b[^.!?]{0,60}"
        r"\b(?:mode|assistant|ai|model|bot|admin|dan|jailbroken)\b",
    ),
    (
        "role",
        r"\b(?:act|behave|respond|answer) as (?:if you (?:are|were)|an? (?:ai|assistant|admin|system|unrestricted))\b",
    ),
    ("role", r"\b(?:new|updated|revised) (?:system )?(?:instructions?|prompt)\s*:"),
    ("duty", rf"\b{_MODEL} {_MUST}\s+(?:(?:always|never|not|only)\s+)*{_SAY}\b"),
    ("duty", rf"(?:^|[.!?:;\"'(]\s*)(?:please\s+)?(?:always|never|only)\s+{_SAY}\b"),
    ("duty", r"\b(?:do not|don't|never) (?:tell|inform|reveal to|mention (?:it |this )?to) the user\b"),
    ("duty", rf"\b(?:when|if|whenever) (?:you(?:'re| are) )?asked\b{_NOBODY}[,:]?\s*{_SAY}\b"),
    ("prompt", r"<\|(?:im_start|im_end|system|user|assistant|endoftext)\|>|\[/?inst\]|<</?sys>>"),
    ("prompt", r"</?(?:system|instructions?)>"),
    ("prompt", r"\b(?:system prompt|developer message|hidden instructions?|jailbreak)\b"),
    ("prompt", r"(?:^|\n)\s*(?:system|assistant|developer)\s*:\s*\S"),
)
_COMPILED: Final = tuple((name, re.compile(pattern, re.MULTILINE)) for name, pattern in _FORMS)
#: Without one of these no form matches: most texts need no closer look.
_HINT: Final = re.compile(
    r"ignor|disregard|forget|overrid|bypass|drop|vergiss|missacht|oubli|tiens|olvid|omit|dimentic|esquec|desconsider|"
    r"from now|henceforth|you are now|you're now| as |instruct|prompt|must|shall|should|ha(?:ve|s) to|"
    r"(?:are|is) to|will|needs? to|always|never|only|do not|don't|asked|[<\[]|system|developer|assistant|jailbreak|"
    r"[^\x00-\x7f]"
)
#: Letters that look like Latin ones, and characters that are not seen: the usual disguises.
_LOOKALIKES: Final = str.maketrans("аеорсухіѕԁɡ", "aeopcyxisdg")
_UNSEEN: Final = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")


def instruction_in(*texts: str) -> str:
    """The name of the form in which one of `texts` addresses its reader; empty when none does. Pure."""
    for text in texts:
        if found := _form_of(text):
            return found
    return ""


@lru_cache(maxsize=4096)
def _form_of(text: str) -> str:
    plain = _plain(text)
    if not _HINT.search(plain):
        return ""
    disguised = plain.translate(_LOOKALIKES)
    for name, pattern in _COMPILED:
        if pattern.search(plain) or (disguised != plain and pattern.search(disguised)):
            return name
    return ""


def _plain(text: str) -> str:
    """Lower case without accents, unseen characters and typographic variants; one space between words."""
    decomposed = unicodedata.normalize("NFKD", _UNSEEN.sub("", text))
    bare = "".join(char for char in decomposed if not unicodedata.combining(char) or ord(char) > 0x0600)
    return re.sub(r"[^\S\n]+", " ", bare.casefold().replace("\u2019", "'"))
