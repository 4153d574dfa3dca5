"""Above the hits of the console: that no hit is a good match, and which memories match but are hidden."""

from collections.abc import Callable
from typing import Any

from ebbtide.mind.left_out import LeftOut, Weak
from ebbtide.mind.search import Found
from ebbtide.serve.page import parts, texts
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.parts import box, button, card, link, state_chip, text

texts.add(
    {
        "hidden.weak": (
            "No good match: the best similarity is {best}, and unrelated memories often reach {floor}.",
            "没有足够相似的记忆：最高相似度为 {best}，不相关的记忆也常达到 {floor}。",
        ),
        "hidden.count": ("{n} that match are hidden: {states}", "另有 {n} 条符合但已隐藏：{states}"),
        "hidden.count_one": ("1 that matches is hidden: {states}", "另有 1 条符合但已隐藏：{states}"),
        "hidden.show": ("Show them", "显示"),
    }
)


Show = Callable[[], Any] | str


def remarks(page: Page, found: Found, show: Show) -> None:
    """`show`: asks again, for every state; or the address that does."""
    if found.weak is not None and found.weak.best is not None:
        _weak(page, found.weak, found.weak.best)
    if found.left_out is not None:
        _left_out(page, found.left_out, show)


def _weak(page: Page, weak: Weak, best: float) -> None:
    text(page.t("hidden.weak", best=f"{best:.2f}", floor=f"{weak.floor:.2f}"), "soft weak-match", "p")


def _left_out(page: Page, out: LeftOut, show: Show) -> None:
    states = ", ".join(f"{count} {page.t(f'state.{state}')}" for state, count in out.states.items())
    with card():
        with box("row-of"):
            text(page.t("hidden.count", n=out.count, states=states), "strong left-out")
            if isinstance(show, str):
                link(show, "act slim", page.t("hidden.show"))
            else:
                button(page.t("hidden.show"), show, symbol="visibility", classes="slim")
        for one in out.best:
            with box("top-line"):
                link(page.url("memory", key=one.key), "strong", parts.preview(one.key, 60))
                state_chip(page, one.state)
                text(f"{one.similarity:.2f}", "number soft small")
                text(parts.preview(one.text, 120), "soft small grow")
