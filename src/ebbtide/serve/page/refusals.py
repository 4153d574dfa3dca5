"""Why parameters cannot be applied as they stand, and what to do: one sentence for each thing that is wrong."""

from collections.abc import Mapping
from dataclasses import Field
from typing import Any

from ebbtide.core.metabolism import traits_of
from ebbtide.core.parameters import Fallback, parameters_of, regime
from ebbtide.serve.page import texts
from ebbtide.serve.page.texts import Language, said

texts.add(
    {
        "refusal.crossed": (
            "{low} ({low_value}) must be less than {high} ({high_value}): lower {low}, or raise {high}.",
            "{low}（{low_value}）必须小于 {high}（{high_value}）：请调低 {low}，或调高 {high}。",
        ),
        "refusal.range": (
            "{name} cannot be {value}: it must be {range}. The default is {default}.",
            "{name} 不能是 {value}：必须是{range}。默认值是 {default}。",
        ),
        "refusal.number": ("a number", "数字"),
        "refusal.whole": ("a whole number", "整数"),
        "refusal.low": ("{kind} of at least {low}", "不小于 {low} 的{kind}"),
        "refusal.above": ("{kind} above {above}", "大于 {above} 的{kind}"),
        "refusal.between": ("{kind} from {low} to {high}", "{low} 到 {high} 之间的{kind}"),
        "refusal.up_to": ("{kind} above {above}, at most {high}", "大于 {above} 且不大于 {high} 的{kind}"),
    }
)


def refusals(metabolism: str, wanted: Mapping[str, Any], language: Language) -> list[str]:
    """Empty: a mind with this metabolism could live by these."""
    refused = {one.name: one for one in regime(metabolism, wanted)[1]}
    found = []
    low, high = traits_of(metabolism).ordered or ("", "")
    if (low in refused or high in refused) and wanted[low] >= wanted[high]:
        facts = {"low": low, "low_value": f"{wanted[low]:g}", "high": high, "high_value": f"{wanted[high]:g}"}
        found.append(said("refusal.crossed", language, **facts))
        refused = {name: one for name, one in refused.items() if name not in (low, high)}
    fields = {field.name: field for field in parameters_of(metabolism)}
    return found + [_out_of_range(one, fields[name], language) for name, one in refused.items()]


def _out_of_range(one: Fallback, field: Field[Any], language: Language) -> str:
    kind = said("refusal.whole" if isinstance(field.default, int) else "refusal.number", language)
    limits = {name: f"{limit:g}" for name, limit in field.metadata.items() if name in _LIMITS and limit is not None}
    name = _NAMES.get(frozenset(limits))
    allowed = said(name, language, kind=kind, **limits) if name else kind
    return said("refusal.range", language, name=one.name, value=one.value, range=allowed, default=one.default)


_LIMITS = ("low", "high", "above")
_NAMES = {
    frozenset({"low"}): "refusal.low",
    frozenset({"above"}): "refusal.above",
    frozenset({"low", "high"}): "refusal.between",
    frozenset({"above", "high"}): "refusal.up_to",
}
