"""What operators set: policies, authority and the registry. Each record becomes a version."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from schemas.base import Event, Frozen, KeyPart, Moment, Unit

StrategyName = Literal["recency", "authority", "consensus", "llm-judge"]
#: A predicate pattern: ``user.timezone``, ``user.schedule.*`` or ``*``; the most specific one wins.
Pattern = Annotated[str, Field(min_length=1, max_length=256, pattern=r"^[^\s\x00-\x1f]+$")]


class PolicyRule(Frozen):
    pattern: Pattern
    strategy: StrategyName
    #: Independent origins that ``consensus`` asks for.
    quorum: int = Field(default=2, ge=1, le=100)


class Weight(Frozen):
    """How much an agent's word weighs on the predicates of a pattern."""

    agent: KeyPart
    pattern: Pattern = "*"
    weight: Unit


class PredicateSpec(Frozen):
    """One registered predicate."""

    name: KeyPart
    description: str = Field(default="", max_length=512)
    synonyms: tuple[KeyPart, ...] = ()
    #: Entity types it applies to; empty means any.
    subjects: tuple[KeyPart, ...] = ()
    value_type: str = "text"
    cardinality: Literal["one", "many"] = "many"
    #: Labels that state the opposite: "dislikes X" is "likes X" with polarity "-".
    opposites: tuple[KeyPart, ...] = ()
    #: The same relation seen from its value; the canonical direction is this one.
    inverse_of: KeyPart | None = None
    #: Pairs of values that cannot hold together in a ``many`` slot: (cancelled, completed).
    excludes: tuple[tuple[KeyPart, KeyPart], ...] = ()
    #: The strategy where no policy names one for it.
    strategy: StrategyName | None = None
    #: Days after which a claim counts half in recall's ranking.
    half_life_days: Annotated[float, Field(gt=0.0)] | None = None
    #: A change of its value raises a review.
    material: bool = False


class ControlEvent(Event):
    tenant: KeyPart
    source: KeyPart = "operator"
    event_id: KeyPart
    actor: KeyPart = "operator"
    at: Moment | None = None
    reason: str = Field(default="", max_length=1024)


class AutoRules(Frozen):
    """What ends a dispute without a person; an unset rule does not apply.

    After ``age_days``: ``origins`` independent origins (more than the incumbent has) let the challenger win, an
    authority gap of ``authority_gap`` rejects it. After ``expiry_days`` the incumbent stays.
    """

    age_days: Annotated[float, Field(gt=0.0, le=3650.0)] | None = None
    authority_gap: Unit | None = None
    origins: Annotated[int, Field(ge=2, le=100)] | None = None
    expiry_days: Annotated[float, Field(gt=0.0, le=3650.0)] | None = None


class Limits(Frozen):
    """How much one agent may say of one entity before the rest waits for a person; counted by event time.

    What is over a limit is kept as a candidate. None: no limit.
    """

    statements_per_hour: Annotated[int, Field(ge=1)] | None = 10_000
    disputes_per_day: Annotated[int, Field(ge=1)] | None = 1_000


class PolicySet(ControlEvent):
    """Replaces the tenant's policy rules as a whole."""

    TYPE: ClassVar[str] = "policy"
    type: Literal["policy"] = "policy"
    rules: tuple[PolicyRule, ...] = Field(max_length=1000)
    min_confidence: Unit = 0.5
    auto: AutoRules = AutoRules()
    limits: Limits = Limits()


class AuthoritySet(ControlEvent):
    """Replaces the tenant's authority weights as a whole."""

    TYPE: ClassVar[str] = "authority"
    type: Literal["authority"] = "authority"
    weights: tuple[Weight, ...] = Field(max_length=10000)


class RegistrySet(ControlEvent):
    """Adds to or replaces entries of the shipped registry for the tenant, by name."""

    TYPE: ClassVar[str] = "registry"
    type: Literal["registry"] = "registry"
    predicates: tuple[PredicateSpec, ...] = Field(max_length=10000)


CONTROL: dict[str, type[PolicySet] | type[AuthoritySet] | type[RegistrySet]] = {
    "policy": PolicySet,
    "authority": AuthoritySet,
    "registry": RegistrySet,
}
