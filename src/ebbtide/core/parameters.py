"""Parameters of a mind: which there are, what is allowed, what happens to a bad one.   SPEC C9.

A bad *value* of a decay parameter falls back to its default; the check returns what it did, the edge logs it.
An unknown *name* is a typo and an error.
"""

import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import Field, dataclass, fields
from typing import Any, NamedTuple

from ebbtide.core.errors import InvalidInput
from ebbtide.core.metabolism import METABOLISMS, Metabolism, traits_of
from ebbtide.core.metabolism.base import Budgeted, choice, param
from ebbtide.core.weights import Weights


class Fallback(NamedTuple):
    """A parameter that was refused, and the default that stands in."""

    name: str
    value: Any
    default: Any
    reason: str

    def __str__(self) -> str:
        return f"parameter {self.name} = {self.value!r:.80} {self.reason}; using the default {self.default!r}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Common(Weights):
    """Parameters every mind has."""

    trash_days: float = param(30.0, 0.0, unit="days")
    touch_spacing: float = param(1.0, 0.0, unit="hours")
    count_hits: bool = param(False)
    candidates: int = param(200, 1, unit="memories")
    spread: float = param(1.0, 0.0, 1.0)
    match_floor: float = param(0.35, 0.0, 1.0)
    max_retries: int = param(15, 0)
    distil: str = choice("segments", ("segments", "facts"))
    credit_threshold: float = param(0.35, 0.0, 1.0)
    journal_entries: int = param(200_000, 0, unit="entries")


@dataclass(frozen=True, slots=True)
class Regime:
    """How one mind lives: its metabolism and what is common to all."""

    metabolism: Metabolism
    common: Common

    def params(self) -> dict[str, Any]:
        parts = (self.metabolism, self.common)
        return {f.name: getattr(part, f.name) for part in parts for f in own_parameters(part)}


def parameters_of(metabolism: str) -> list[Field[Any]]:
    return [*own_parameters(METABOLISMS[known_metabolism(metabolism)]), *own_parameters(Common)]


def known_metabolism(name: str) -> str:
    if name not in METABOLISMS:
        raise InvalidInput(problem=f"{name!r} is not a metabolism: {_suggest(name, METABOLISMS)}")
    return name


def regime(metabolism: str, given: Mapping[str, Any]) -> tuple[Regime, list[Fallback]]:
    """The regime these parameters make, and every fallback that was needed.

    Of two thresholds that crossed, one that is its default already has not fallen back: only the other is named.
    """
    known = {f.name: f for f in parameters_of(metabolism)}
    for name in given:
        if name not in known:
            problem = f"{name!r} is not a parameter of {metabolism}: {_suggest(name, known)}"
            raise InvalidInput(problem=problem)
    reasons = {name: reason for name, value in given.items() if (reason := _refusal(known[name], value))}
    crossed = _crossed(metabolism, {**_defaults(known), **_without(given, reasons)})
    reasons = crossed | reasons
    good = {name: _typed(known[name], value) for name, value in given.items() if name not in reasons}
    fallbacks = [
        Fallback(name, given.get(name), known[name].default, reason)
        for name, reason in reasons.items()
        if name in given and not (name in crossed and given[name] == known[name].default)
    ]
    return _build(metabolism, good), fallbacks


# What a regime lacks that was written down before there was such a parameter: nothing leaves a mind, and nothing is
# folded away, that its owner did not know of.
_BEFORE: dict[str, Any] = {"budget_memories": 0, "budget_characters": 0, "journal_entries": 0}


def require_bounds(fallbacks: Iterable[Fallback]) -> None:
    """A bad value of a limit is refused: to fall back to the default could let memories leave, or entries be folded."""
    for refused in fallbacks:
        if refused.name in _BEFORE:
            problem = f"{refused.name} = {refused.value!r:.80} {refused.reason}: nothing was changed; 0 is no limit"
            raise InvalidInput(problem=problem)


def written_regime(metabolism: str, params: Mapping[str, Any]) -> Regime:
    """The regime that a journal tells of. It names every parameter there was at that time."""
    return regime(metabolism, _BEFORE | dict(params))[0]


def _build(metabolism: str, good: Mapping[str, Any]) -> Regime:
    common = {f.name: good[f.name] for f in fields(Common) if f.name in good}
    own = {name: value for name, value in good.items() if name not in common}
    return Regime(METABOLISMS[metabolism](**own), Common(**common))


def _refusal(known: Field[Any], value: Any) -> str:
    """Why this value cannot be taken; empty if it can."""
    options = known.metadata.get("options")
    if options:
        return "" if value in options else f"is not one of {', '.join(options)}"
    if isinstance(known.default, bool):
        return "" if isinstance(value, bool) else "is not true or false"
    if not _is_finite(value):
        return "is not a finite number"
    if isinstance(known.default, int) and value != int(value):
        return "is not a whole number"
    return _out_of_range(known.metadata, value)


def _is_finite(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number no float can hold
        return False


def _out_of_range(limits: Mapping[str, Any], value: float) -> str:
    low, high, above = limits.get("low"), limits.get("high"), limits.get("above")
    if low is not None and value < low:
        return f"is below {low:g}"
    if above is not None and value <= above:
        return f"is not above {above:g}"
    if high is not None and value > high:
        return f"is above {high:g}"
    return ""


def _crossed(metabolism: str, values: Mapping[str, Any]) -> dict[str, str]:
    """Two thresholds that must stand in order, and do not."""
    ordered = traits_of(metabolism).ordered
    if ordered is None or values[ordered[0]] < values[ordered[1]]:
        return {}
    low, high = ordered
    return {low: f"is not below {high}", high: f"is not above {low}"}


def _typed(known: Field[Any], value: Any) -> Any:
    as_declared: type[Any] = type(known.default)
    return as_declared(value)


def _defaults(known: Mapping[str, Field[Any]]) -> dict[str, Any]:
    return {name: f.default for name, f in known.items()}


def _without(given: Mapping[str, Any], dropped: Mapping[str, str]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name not in dropped}


def own_parameters(part: Any) -> list[Field[Any]]:
    """What every metabolism has comes after what is its own, and the weights of a rank after what else is common."""
    return sorted(fields(part), key=lambda f: f.name in _SHARED)


_SHARED = frozenset(f.name for shared in (Budgeted, Weights) for f in fields(shared))


def _suggest(name: str, known: Iterable[str]) -> str:
    names = sorted(known)
    close = difflib.get_close_matches(name, names, 1)
    return f"did you mean {close[0]!r}?" if close else f"there are {', '.join(names)}"
