"""Registered predicates: names, synonyms, the type and number of their values. Version 0 ships in registry.json."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Final, Literal

from processors.embedding import described
from processors.values.text import digest, form
from schemas.control import PredicateSpec, RegistrySet
from schemas.facts import Polarity

#: Entity types that a label may carry as a prefix whatever its subject's type is.
_PREFIXES: Final = frozenset({"user", "person", "speaker", "profile"})
#: Entity types that stand for persons.
_PEOPLE: Final = _PREFIXES | frozenset(
    "guest customer contact employee member client patient lead candidate".split()
)
_SPELLINGS: Final = {"favourite": "favorite", "colour": "color", "neighbour": "neighbor"}
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Hit:
    """A predicate that a label names for certain."""

    spec: PredicateSpec
    match: Literal["exact", "synonym"]


@lru_cache(maxsize=8192)
def label_of(label: str) -> str:
    """A label in the form in which names and synonyms are compared: ``home_city`` for "Home city", ``homeCity``.

    Words of every script are kept and joined by ``_``; dots stay, they are levels (``schedule.standup``).
    """
    levels = [form(_CAMEL.sub(" ", level), "_") for level in label.split(".")]
    words = ".".join("_".join(_SPELLINGS.get(w, w) for w in level.split("_")) for level in levels if level)
    words = words or form(label, "_") or "~" + digest(label)
    return words if len(words) <= 200 else words[:160] + "~" + digest(words, 32)


@dataclass(frozen=True, slots=True)
class Registry:
    """The predicates of one tenant at one version; look-ups are by the normal form of names and labels."""

    specs: Mapping[str, PredicateSpec]
    _synonyms: Mapping[str, tuple[PredicateSpec, ...]] = field(repr=False)
    _opposites: Mapping[str, tuple[PredicateSpec, ...]] = field(repr=False)

    @classmethod
    def of(cls, specs: Iterable[PredicateSpec]) -> "Registry":
        """A registry of `specs`; of two with one name the later holds, of two with one synonym too."""
        by_name: dict[str, PredicateSpec] = {}
        for spec in specs:
            # A replaced entry moves to the end, so that its synonyms come before those of older entries.
            by_name.pop(label_of(spec.name), None)
            by_name[label_of(spec.name)] = spec.model_copy(update={"name": label_of(spec.name)})
        synonyms: dict[str, tuple[PredicateSpec, ...]] = {}
        opposites: dict[str, tuple[PredicateSpec, ...]] = {}
        for spec in reversed(by_name.values()):
            for index, labels in ((synonyms, spec.synonyms), (opposites, spec.opposites)):
                for label in dict.fromkeys(map(label_of, labels)):
                    index[label] = (*index.get(label, ()), spec)
        return cls(by_name, synonyms, opposites)

    def merged(self, with_: RegistrySet) -> "Registry":
        """This registry with a tenant's entries added or replaced by name; its synonyms win over shipped ones."""
        return Registry.of((*self.specs.values(), *with_.predicates))

    def get(self, name: str) -> PredicateSpec | None:
        """The entry of a predicate; a family (``favorite_*``) answers for its members, each under its own name."""
        label = label_of(name)
        found = self.specs.get(label)
        if found is None and "_" in label:
            family = self.specs.get(label_of_family(label))
            found = None if family is None else family.model_copy(update={"name": label})
        return found

    def lookup(self, label: str, subject_type: str) -> Hit | None:
        """What `label` names for certain on a subject of `subject_type`; None for an unknown label.

        The label may carry the subject's type (``user.timezone``). A name or synonym of a predicate that applies to the
        type comes first, one made for the type before one for all; a name holds on other types too, a synonym does not.
        """
        for spelled in _spellings(label, subject_type):
            named = self.get(spelled)
            if named is not None and applies(named, subject_type):
                return Hit(named, "exact")
            if meant := _best(self._synonyms.get(spelled, ()), subject_type):
                return Hit(meant, "synonym")
            if named is not None:
                return Hit(named, "exact")
        return None

    def affirmed(self, label: str, polarity: Polarity, subject_type: str) -> tuple[str, Polarity]:
        """The label and polarity to go on with: (``likes``, ``-``) for (``dislikes``, ``+``), all else unchanged."""
        for spelled in _spellings(label, subject_type):
            if self.get(spelled) is None and (spec := _best(self._opposites.get(spelled, ()), subject_type)):
                return spec.name, "-" if polarity == "+" else "+"
        return label, polarity

    def vocabulary(self, name: str) -> frozenset[str]:
        """The words of a predicate's name and synonyms."""
        spec = self.get(name)
        labels = () if spec is None else (spec.name, *map(label_of, spec.synonyms))
        return frozenset(word for label in labels for word in words_of(label))

    def texts(self, subject_type: str | None = None) -> dict[str, str]:
        """What is embedded for each predicate (that applies to a subject type): its name in words, its description."""
        return {
            name: described(name, spec.description)
            for name, spec in self.specs.items()
            if not name.endswith("*") and (subject_type is None or applies(spec, subject_type))
        }


def applies(spec: PredicateSpec, subject_type: str) -> bool:
    """Whether the predicate is made for subjects of the type; a ``user`` is a ``person``."""
    kinds = {subject_type, "person"} if subject_type in _PEOPLE else {subject_type}
    return not spec.subjects or not kinds.isdisjoint(spec.subjects)


def words_of(label: str) -> list[str]:
    """The words of a label in normal form."""
    return [word for word in re.split(r"[_.]", label) if word]


def label_of_family(label: str) -> str:
    """``favorite_*`` for ``favorite_color``."""
    return label.split("_", 1)[0] + "_*"


@lru_cache(maxsize=1)
def shipped() -> Registry:
    """The registry that ships with the program (version 0)."""
    loaded = json.loads(files("processors").joinpath("registry.json").read_text("utf-8"))
    return Registry.of(PredicateSpec.model_validate(entry) for entry in loaded["predicates"])


def _spellings(label: str, subject_type: str) -> tuple[str, ...]:
    whole = label_of(label)
    prefix, dot, rest = whole.partition(".")
    if dot and (prefix == label_of(subject_type) or prefix in _PREFIXES):
        return (rest,)
    return (whole,)


def _best(specs: tuple[PredicateSpec, ...], subject_type: str) -> PredicateSpec | None:
    fitting = [spec for spec in specs if applies(spec, subject_type)]
    made_for_it = [spec for spec in fitting if spec.subjects]
    return next(iter(made_for_it or fitting), None)
