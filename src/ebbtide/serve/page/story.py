"""What happened to one memory, from the journal, in words; what happened many times in a row is told once."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from nicegui import ui

from ebbtide.core.changes import KIND_OF, Entry, Merge, Pin, PutMemory, Recover, Rewrite
from ebbtide.serve.page import parts, texts
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.parts import box, text

_AT_FIRST = 12
_TEXTS = (PutMemory, Rewrite, Merge, Recover)
_COLOURS = {"forget": "bad", "discard": "bad", "restore": "active", "recover": "active", "rewrite": "deprecated"}


def has_earlier_text(told: Sequence[Entry]) -> bool:
    return sum(isinstance(entry.change, _TEXTS) for entry in told) > 1


def show(page: Page, told: Sequence[Entry], now: float) -> None:
    """Latest first."""
    groups = [list(group) for _, group in groupby(reversed(told), key=_told_with)]
    with box("time-line", "ul") as lines:
        for group in groups[:_AT_FIRST]:
            _line(page, group, now)
    if len(groups) > _AT_FIRST:
        _rest(page, lines, groups[_AT_FIRST:], now)


def _rest(page: Page, lines: ui.element, groups: Sequence[list[Entry]], now: float) -> None:
    def more() -> None:
        with lines:
            for group in groups:
                _line(page, group, now)
        button.delete()

    button = parts.button(page.t("memory.earlier"), more, classes="slim").style("margin-top: 12px")


def _told_with(entry: Entry) -> Any:
    """Uses in a row are one story; everything else is a story of its own."""
    kind = KIND_OF[type(entry.change)]
    return kind if kind in ("access", "touch", "traverse") else entry.seq


def _line(page: Page, group: Sequence[Entry], now: float) -> None:
    latest = group[0]
    kind = KIND_OF[type(latest.change)]
    did = _did(page, kind, latest.change)
    with box(f"s-{_COLOURS.get(kind, 'tide')}", "li"):
        text(page.t("did.times", did=did, n=len(group)) if len(group) > 1 else did, "strong")
        when = text(parts.ago(page, latest.change.at, now), "soft small").style("margin-left: 8px")
        when.props["title"] = f"{parts.moment(latest.change.at)} UTC"
        if isinstance(latest.change, _TEXTS):
            text(parts.preview(latest.change.content.text, 160), "says soft small", "p")


def _did(page: Page, kind: str, change: Any) -> str:
    facts = {name: getattr(change, name) for name in ("relation", "key") if hasattr(change, name)}
    if hasattr(change, "cause"):
        facts["cause"] = cause(page, change.cause)
    if isinstance(change, Pin) and not change.pinned:
        kind = "unpin"
    return page.t(f"did.{kind}", **facts) if texts.known(f"did.{kind}") else kind


def cause(page: Page, name: str) -> str:
    return page.t(f"cause.{name}") if texts.known(f"cause.{name}") else name
