"""The candidates that tuning compares: the mind as it is, each metabolism by default, and a few sets with a purpose."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from ebbtide.core.errors import Conflict, InvalidInput
from ebbtide.core.metabolism import METABOLISMS, traits_of
from ebbtide.core.parameters import Common, Regime, known_metabolism, parameters_of, regime

VITALITY, LRU, RANDOM, EVERYTHING = "vitality", "lru", "random", "everything"
CURRENT, GIVEN, DEFAULT = "current", "given", "default"

# The parameters that decide which memory has the lowest vitality; a set leaves all others as they are.
VITAL: dict[str, tuple[str, ...]] = {
    "activity": ("a", "b", "c", "d", "e", "f", "g", "t_access", "t_link", "t_age"),
    "network": ("decay_rate", "link_initial_strength", "link_break_threshold"),
    "score": ("initial", "daily_factor", "structure_gain", "structure_scale", "usage_gain", "usage_spacing", "decay"),
    "retention": (
        "initial_importance", "initial_strength", "ephemeral_strength", "ephemeral_max", "max_strength", "touch_gain",
    ),
    "tide": (
        "long_use", "long_prior", "long_recent", "short_use", "short_prior", "short_recent", "superseded",
        "long_days", "short_days", "recent_days",
        "prior_length", "prior_idf", "prior_time", "prior_answers", "prior_first", "prior_asks", "prior_second",
        "regime_start", "regime_belief", "regime_from", "regime_width", "regime_most",
    ),
}  # fmt: skip

# What each set is for stands in docs/howto/tune-parameters.md; the page says it in `texts`.
SETS: dict[str, dict[str, dict[str, Any]]] = {
    "activity": {
        "slow": {"t_access": 720.0, "t_link": 720.0, "t_age": 180.0},
        "use": {"a": 0.0, "b": 0.0, "c": 2.4, "d": 0.0, "g": 0.0},
    },
    "network": {"slow": {"decay_rate": 0.99}},
    "score": {"slow": {"daily_factor": 0.99, "structure_gain": 0.01}},
    "retention": {"slow": {"initial_strength": 30.0}},
    "tide": {
        "lasting": {"regime_most": 0.0},
        "new": {"regime_from": 0.0, "regime_width": 0.05},
        "use": {"long_prior": 0.0, "short_prior": 0.0},
    },
}
_NO_BUDGET = ("budget_memories", "budget_characters", "node_pool")  # tuning has a budget of its own
_COMMON = frozenset(f.name for f in fields(Common))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A set of parameters by name. `params`: those that differ from the mind's own, or, in another metabolism, from
    its defaults. `rule`: vitality; or, of a reference that is no regime, lru, random or everything.
    """

    name: str
    metabolism: str
    params: dict[str, Any]
    rule: str = VITALITY

    @property
    def is_reference(self) -> bool:
        return self.rule != VITALITY


REFERENCES = (
    Candidate("everything", "", {}, EVERYTHING),
    Candidate("LRU", "", {}, LRU),
    Candidate("random", "", {}, RANDOM),
)


def candidates(
    metabolism: str, params: Mapping[str, Any], only: Sequence[str] = (), given: Mapping[str, Any] | None = None
) -> list[Candidate]:
    """For a mind that lives so: as it is, with the parameters given, then by metabolism; references come last.

    `only`: of these metabolisms. `given` are parameters of the only one of them, or of the mind's own. The same
    question always gives the same candidates in the same order.
    """
    for name in only:
        known_metabolism(name)
    found = [Candidate(CURRENT, metabolism, {})]
    if given:
        found.append(_given(metabolism, params, only, given))
    known = [regime_of(one, metabolism, params).params() for one in found]
    for candidate in _by_metabolism(metabolism, params, only):
        full = regime_of(candidate, metabolism, params).params()
        if full not in known:
            found.append(candidate)
            known.append(full)
    return [*found, *REFERENCES]


def regime_of(candidate: Candidate, metabolism: str, params: Mapping[str, Any]) -> Regime:
    """The regime a candidate for such a mind lives by, without any budget of its own."""
    if candidate.is_reference:
        return regime("activity", {})[0]
    name = candidate.metabolism
    kept = params if name == metabolism else {key: value for key, value in params.items() if key in _COMMON}
    free = {f.name: 0 for f in parameters_of(name) if f.name in _NO_BUDGET}
    return regime(name, {**kept, **candidate.params, **free})[0]


def _given(metabolism: str, params: Mapping[str, Any], only: Sequence[str], given: Mapping[str, Any]) -> Candidate:
    if len(only) > 1:
        raise InvalidInput(problem="parameters belong to one metabolism: name only that one")
    name = only[0] if only else metabolism
    kept = params if name == metabolism else {}
    _, fallbacks = regime(name, {**kept, **given})
    if fallbacks:
        raise InvalidInput(problem=f"parameter {fallbacks[0].name} = {fallbacks[0].value!r:.80} {fallbacks[0].reason}")
    return Candidate(GIVEN, name, dict(given))


def _by_metabolism(metabolism: str, params: Mapping[str, Any], only: Sequence[str]) -> Iterator[Candidate]:
    """The mind's own metabolism first."""
    for name in sorted(only or METABOLISMS, key=lambda each: each != metabolism):
        defaults = {f.name: f.default for f in parameters_of(name) if f.name in VITAL[name]}
        now = params if name == metabolism else defaults
        sets = SETS[name] if name == metabolism or not traits_of(name).by_scans else {}  # no scans: they are all one
        for called, changed in {DEFAULT: {}, **sets}.items():
            wanted = {**defaults, **changed}
            yield Candidate(called, name, {key: value for key, value in wanted.items() if now[key] != value})


def chosen(found: Sequence[Candidate], number: int, metabolism: str) -> Candidate:
    """The candidate of that number, if a mind that lives by `metabolism` can be given its parameters."""
    if not 1 <= number <= len(found):
        raise InvalidInput(problem=f"there is no row {number}: they go from 1 to {len(found)}")
    one = found[number - 1]
    if one.is_reference:
        raise InvalidInput(problem=f"row {number} ({one.name}) is a reference to compare with: no mind can live by it")
    if one.name == CURRENT:
        raise InvalidInput(problem=f"row {number} is how the mind lives now: there is nothing to apply")
    if one.metabolism != metabolism:
        problem = f"row {number} is another metabolism, and a mind keeps its own: {moving(one)}"
        raise Conflict(problem=problem)
    return one


def moving(candidate: Candidate) -> str:
    """How to have a mind that lives by a candidate of another metabolism."""
    return f"`{making(candidate)}` makes a new mind; put the memories there, where their signals start anew"


def making(candidate: Candidate) -> str:
    """The command that makes a mind that lives so."""
    options = [f" --set {setting}" for setting in settings(candidate.params)]
    return f"ebbtide --agent NEW init --metabolism {candidate.metabolism}{''.join(options)}"


def settings(params: Mapping[str, Any]) -> list[str]:
    """As `ebbtide config` takes them; a value that is true or false in lower case."""
    return [f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in params.items()]
