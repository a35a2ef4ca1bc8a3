"""From a label to a predicate: ranking when a fact is resolved, fixing when it is decided (in inbox order).

The offline embedder cannot tell "office timezone" from "timezone" by itself and no value type can: so a label that
has a word of a predicate and adds a word of its own is another predicate, however near it is and whatever its value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from processors.embedding import EmbedderProfile
from processors.ports import ConflictRule
from processors.registry import Registry, applies, label_of, words_of
from processors.values import STRICT_TYPES, is_typed, type_value
from schemas.control import PredicateSpec
from schemas.facts import Cardinality, Mention
from schemas.inbox import Candidate, Match
from schemas.values import TypedValue

#: What a proposal may carry (schemas.inbox.ProposalContent).
MAX_CANDIDATES: Final = 8
#: What a candidate may carry (schemas.inbox.Candidate).
MAX_EXCLUDES: Final = 32
#: The lead of the best weak candidate over the next, as in the offline embedder's profile (inference/profiles.py,
#: measured by bench/calibrate_embedder.py).
MARGIN: Final = 0.05

#: Words that do not make a label another predicate.
_NEUTRAL: Final = frozenset(
    "a an the is are was has have my your their his her own user users person speaker current currently now "
    "present local main primary actual exact value name information info detail details data field setting of in "
    "at for id".split()
)
#: Words that turn a label into its opposite or into the past.
_TURNING: Final = frozenset(
    "not no non never former formerly previous previously old ex past last prior dislikes dislike hates hate avoids "
    "lost without next future planned desired wants wanted target".split()
)
#: Last words that say from which side a relation is told.
_DIRECTIONS: Final = frozenset("of by to for from with".split())


@dataclass(frozen=True, slots=True)
class Fixed:
    """The predicate that a statement is decided under; `alternatives` are the other weak candidates, best first."""

    predicate: str
    match: Match
    value: TypedValue
    cardinality: Cardinality
    alternatives: tuple[str, ...] = ()


def rank(
    label: str,
    subject_type: str,
    value_text: str,
    *,
    registry: Registry,
    at: datetime,
    bands: EmbedderProfile,
    similar: Mapping[str, float],
    mention: Mention | None = None,
    rules: Sequence[ConflictRule] = (),
) -> tuple[Candidate, ...]:
    """The predicates that `label` may mean, best first, each with the value typed for it.

    A name or synonym is certain and stands alone. Otherwise: predicates by similarity, then the label itself as a new
    predicate. A candidate by similarity applies to the subject's type and either shares its words with the label
    (``current_zone``; from ``bands.band_low``) or shares none (a paraphrase; from ``bands.band_high``).

    Args:
        label: as stated; it may carry the subject's type (``user.timezone``).
        subject_type: the type of the subject's entity (``user``).
        value_text: the value as stated.
        registry: the tenant's registry at the version that the proposal is stamped with.
        at: the event's time, for relative dates.
        bands: the profile of the embedder that `similar` comes from.
        similar: cosine of the label's text with each predicate's text (Registry.texts), by name.
        mention: set when the value names an entity.
        rules: of the domain, beside the registry's ``excludes``.
    """

    def candidate(predicate: str, match: Match, score: float, value_type: str) -> Candidate:
        value = type_value(value_text, value_type, at=at, mention=mention)
        excluded = excluded_by(registry.get(predicate), value, at)
        found = [*excluded, *(key for rule in rules for key in rule.excluded(subject_type, predicate, value))]
        return Candidate(
            predicate=predicate,
            match=match,
            score=min(max(score, 0.0), 1.0),
            value=value,
            excludes=tuple(dict.fromkeys(key for key in found if key != value.key))[:MAX_EXCLUDES],
        )

    hit = registry.lookup(label, subject_type)
    if hit is not None:
        return (candidate(hit.spec.name, hit.match, 1.0, hit.spec.value_type),)
    weak: list[Candidate] = []
    for name, cosine in sorted(similar.items(), key=lambda item: (-item[1], item[0])):
        spec = registry.specs.get(name)
        if spec is None or cosine < bands.band_low or not applies(spec, subject_type):
            continue
        relation = compare_words(label, subject_type, registry.vocabulary(name))
        if relation == "variant":
            break  # nearest to a predicate that it is a variant of: what comes after is even less what it means
        if relation == "within" or cosine >= bands.band_high:
            weak.append(candidate(name, "weak", cosine, spec.value_type))
        if len(weak) == MAX_CANDIDATES - 1:
            break
    own = label_of(label)
    prefix, _, rest = own.partition(".")
    own = rest if rest and prefix == label_of(subject_type) else own
    return (*weak, candidate(own, "new", 0.0, "entity" if mention else _type_by_head(own, registry)))


def excluded_by(spec: PredicateSpec | None, value: TypedValue, at: datetime) -> list[str]:
    """Keys of the values that the registry says cannot hold together with `value`."""
    found: list[str] = []
    if spec is None:
        return found
    for pair in spec.excludes:
        one, other = (type_value(text, spec.value_type, at=at).key for text in pair)
        found += [other] if one == value.key else [one] if other == value.key else []
    return found


def compare_words(
    label: str, subject_type: str, vocabulary: frozenset[str]
) -> Literal["within", "variant", "apart"]:
    """How the words of `label` stand to a predicate's: all among them, some with words of its own, none in common.

    ``variant`` is also what turns a label round: ``former_...``, ``dislikes``, or an ending that changes the direction
    of a relation (``mother_of`` is no ``mother``).
    """
    said = words_of(label_of(label))
    words = set(said) - {label_of(subject_type)}
    if words & _TURNING - vocabulary or said[-1] in _DIRECTIONS:
        return "variant"
    telling = words - _NEUTRAL
    if not telling & vocabulary:
        return "apart"
    return "variant" if telling - vocabulary else "within"


def fix(
    candidates: Sequence[Candidate],
    cardinality_hint: Cardinality | None,
    registry: Registry,
    known: Mapping[str, Cardinality],
    margin: float = MARGIN,
) -> Fixed:
    """Picks one candidate. Pure in its arguments, so that the inbox alone decides.

    First match wins: a name or synonym; the label itself, when it is registered by now or the entity has it already;
    the best weak candidate whose value is of its predicate's type, if it leads the next such one by `margin`; the label
    as a new predicate. Cardinality is the registry's, else what the entity has, else the hint, else ``many``.

    Args:
        candidates: as ranked; at least one.
        cardinality_hint: what the form of the statement said.
        registry: at the version that the entity is decided under.
        known: the cardinality of the predicates that the entity has slots for.
        margin: cosine.
    """
    weak = sorted(
        (one for one in candidates if one.match == "weak"), key=lambda one: (-one.score, one.predicate)
    )
    chosen = _certain(candidates, registry, known) or _weak(weak, registry, margin)
    if chosen is None:
        chosen = next((one for one in candidates if one.match == "new"), candidates[-1])
    match: Match = chosen.match
    if match == "new" and (registry.get(chosen.predicate) is not None or chosen.predicate in known):
        match = "exact"
    spec = registry.get(chosen.predicate)
    cardinality = spec.cardinality if spec else known.get(chosen.predicate) or cardinality_hint or "many"
    alternatives = tuple(one.predicate for one in weak if one.predicate != chosen.predicate)
    return Fixed(chosen.predicate, match, chosen.value, cardinality, alternatives)


def _certain(
    candidates: Sequence[Candidate], registry: Registry, known: Mapping[str, Cardinality]
) -> Candidate | None:
    for match in ("exact", "synonym"):
        for one in candidates:
            if one.match == match:
                return one
    for one in candidates:
        if one.match == "new" and (one.predicate in known or registry.get(one.predicate) is not None):
            return one
    return None


def _weak(weak: Sequence[Candidate], registry: Registry, margin: float) -> Candidate | None:
    fitting = [
        one for one in weak if (spec := registry.get(one.predicate)) and is_typed(one.value, spec.value_type)
    ]
    if not fitting or (len(fitting) > 1 and fitting[0].score - fitting[1].score < margin):
        return None
    return fitting[0]


def _type_by_head(label: str, registry: Registry) -> str:
    """The type of the predicate that the label's last words name: ``office_timezone`` holds time zones too."""
    words = words_of(label)
    for start in range(1, len(words)):
        spec = registry.get("_".join(words[start:]))
        hit = registry.lookup("_".join(words[start:]), "user") if spec is None else None
        found = spec or (hit.spec if hit else None)
        if found is not None and found.value_type in STRICT_TYPES:
            return found.value_type
    return "text"
