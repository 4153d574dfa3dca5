"""What happened to one memory, from the journal, in words; what happened many times in a row is told once."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from nicegui import ui

from ebbtide.core.changes import KIND_OF, Entry, Merge, Pin, PutMemory, Recover, Rewrite, Supersede
from ebbtide.serve.page import parts, texts
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.parts import box, text

_AT_FIRST = 12
_TEXTS = (PutMemory, Rewrite, Merge, Recover)
_COLOURS = {"forget": "bad", "discard": "bad", "restore": "active", "recover": "active", "rewrite": "deprecated"}

texts.add(
    {
        "did.appraise": ("its words were read", "分析了文字"),
        "did.superseded": ("a newer memory was found that says nearly the same", "发现更新的记忆说的几乎相同"),
        "did.superseding": ("was found to say nearly the same as an older memory", "发现与一条旧记忆几乎相同"),
        "did.not_superseded": ("no newer memory says the same any more", "不再有更新的记忆说同样的事"),
    }
)


def has_earlier_text(told: Sequence[Entry]) -> bool:
    return sum(isinstance(entry.change, _TEXTS) for entry in told) > 1


def show(page: Page, told: Sequence[Entry], now: float, memory: int) -> None:
    """Latest first. `memory`: the id of the one this is about."""
    groups = [list(group) for _, group in groupby(reversed(told), key=_told_with)]
    with box("time-line", "ul") as lines:
        for group in groups[:_AT_FIRST]:
            _line(page, group, now, memory)
    if len(groups) > _AT_FIRST:
        _rest(page, lines, groups[_AT_FIRST:], now, memory)


def _rest(page: Page, lines: ui.element, groups: Sequence[list[Entry]], now: float, memory: int) -> None:
    def more() -> None:
        with lines:
            for group in groups:
                _line(page, group, now, memory)
        button.delete()

    button = parts.button(page.t("memory.earlier"), more, classes="slim").style("margin-top: 12px")


def _told_with(entry: Entry) -> Any:
    """Uses in a row are one story; everything else is a story of its own."""
    kind = KIND_OF[type(entry.change)]
    return kind if kind in ("access", "touch", "traverse") else entry.seq


def _line(page: Page, group: Sequence[Entry], now: float, memory: int) -> None:
    latest = group[0]
    kind = KIND_OF[type(latest.change)]
    did = _did(page, kind, latest.change, memory)
    with box(f"s-{_COLOURS.get(kind, 'tide')}", "li"):
        text(page.t("did.times", did=did, n=len(group)) if len(group) > 1 else did, "strong")
        when = text(parts.ago(page, latest.change.at, now), "soft small").style("margin-left: 8px")
        when.props["title"] = f"{parts.moment(latest.change.at)} UTC"
        if isinstance(latest.change, _TEXTS):
            text(parts.preview(latest.change.content.text, 160), "says soft small", "p")


def _did(page: Page, kind: str, change: Any, memory: int) -> str:
    facts = {name: getattr(change, name) for name in ("relation", "key") if hasattr(change, name)}
    if hasattr(change, "cause"):
        facts["cause"] = cause(page, change.cause)
    if isinstance(change, Pin) and not change.pinned:
        kind = "unpin"
    if isinstance(change, Supersede):
        kind = _superseding(change, memory)
    return page.t(f"did.{kind}", **facts) if texts.known(f"did.{kind}") else kind


def _superseding(change: Supersede, memory: int) -> str:
    """Which of the two it is, or that this is over."""
    share = next((share for older, _, share in change.found if older == memory), None)
    return "superseding" if share is None else "superseded" if share else "not_superseded"


def cause(page: Page, name: str) -> str:
    return page.t(f"cause.{name}") if texts.known(f"cause.{name}") else name
