"""The small pieces views are made of. Whatever a memory says goes into text nodes: it is never read as HTML."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from inspect import isawaitable
from typing import Any, TypeVar

from nicegui import ui

from ebbtide.core.memory import DAY, HOUR, Memory, State
from ebbtide.serve.page.frame import Page

_UNITS = (("year", 365.25 * DAY), ("month", 30.44 * DAY), ("day", DAY), ("hour", HOUR), ("minute", 60.0))


T = TypeVar("T")
_DIGITS = 19  # what a number of the store never has
MOMENT = 0.8  # seconds a reader waits for a page without wondering

# ---- elements


def box(classes: str = "", tag: str = "div") -> ui.element:
    return ui.element(tag).classes(classes)


def text(words: str, classes: str = "", tag: str = "span") -> ui.element:
    """Words as they are."""
    with ui.element(tag).classes(classes) as element:
        element._text = words
    return element


def said_by(page: Page, memory: Memory) -> str:
    """Who said it, in words; nothing where that is not known."""
    return page.t("memory.said_by", name=preview(memory.speaker, 40)) if memory.speaker else ""


def heading(words: str) -> ui.element:
    return text(words, tag="h2")


def link(address: str, classes: str = "", words: str = "") -> ui.element:
    element = text(words, classes, "a")
    element.props["href"] = address
    return element


def icon(name: str) -> ui.element:
    return ui.icon(name).props("aria-hidden=true")


def button(
    words: str, on_click: Callable[[], Any], *, symbol: str = "", classes: str = "", label: str = ""
) -> ui.element:
    """A plain button, deaf while it works. `label` says what it does to whoever cannot see what it stands by."""
    with box(f"act {classes}", "button").props("type=button") as element:
        if symbol:
            icon(symbol)
        if words:
            text(words)
    if label:
        element.props["aria-label"] = label
    return element.on("click", one_at_a_time(element, on_click))


def one_at_a_time(element: ui.element, on_click: Callable[[], Any]) -> Callable[[], Any]:
    """A second click while the first is still at work is none. Not `disabled`: that would take the focus away."""
    working = False

    async def see_through(work: Awaitable[Any]) -> None:
        nonlocal working
        working = True
        _busy(element, True)
        try:
            await work
        finally:
            working = False
            _busy(element, False)

    def clicked() -> Awaitable[None] | None:
        work = None if working else on_click()
        return see_through(work) if isawaitable(work) else None

    return clicked


def _busy(element: ui.element, is_busy: bool) -> None:
    if not element.is_deleted:
        element.props["aria-disabled"] = "true" if is_busy else None
        element.update()


@contextmanager
def card(title: str = "", classes: str = "") -> Iterator[ui.element]:
    with box(f"card {classes}", "section") as element:
        if title:
            heading(title)
        yield element


@contextmanager
def page_head(title: str, under: str = "") -> Iterator[None]:
    """The title of a view; in the block its actions."""
    with box("page-head"):
        with box("tight grow"):
            text(title, tag="h1")
            if under:
                text(under, "soft", "p")
        with box("actions"):
            yield


def state_chip(page: Page, state: State | str) -> ui.element:
    return text(page.t(f"state.{state!s}"), f"chip s-{state!s}")


def pin_chip(page: Page, memory: Memory) -> None:
    """A sign for what is pinned."""
    if memory.meta.pinned:
        with box("chip plain s-tide").props("data-pinned"):
            icon("push_pin")
            text(page.t("pinned"))


def meter(share: float, state: State | str = "tide") -> None:
    with box(f"meter s-{state!s}").props("aria-hidden=true"):
        box().style(f"width: {min(max(share, 0.0), 1.0):.1%}")


def nothing(symbol: str, words: str, more: str = "") -> None:
    with box("empty"):
        icon(symbol)
        text(words, "strong", "p")
        if more:
            text(more, tag="p")


def refused(page: Page, problem: str, *, there: bool = True) -> None:
    """In place of a view that cannot be shown, with ways on. `there`: whether this page's mind is."""
    with card():
        nothing("waves", problem)
        with box("row-of").style("justify-content: center"):
            if page.agent and there:
                link(page.url("memories"), "act", page.t("to_memories"))
            link(page.url(agent=""), "act", page.t("to_minds"))


def table(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int] = (), classes: str = "") -> None:
    """Plain cells; the columns named in `numbers` stand to the right."""
    with box("scroll"), box(f"table {classes}", "table"):
        if any(head):
            with box(tag="thead"), box(tag="tr"):
                for place, words in enumerate(head):
                    text(words, "right" if place in numbers else "", "th")
        with box(tag="tbody"):
            for row in rows:
                with box(tag="tr"):
                    for place, words in enumerate(row):
                        text(words, "right number" if place in numbers else "", "td")


@contextmanager
def dialog(name: str, title: str) -> Iterator[ui.element]:
    """Opened by `show(name)`; Escape closes it."""
    with box(tag="dialog").props(f"id={name} aria-labelledby={name}-title") as element:
        heading(title).props(f"id={name}-title")
        yield element


def show(name: str) -> None:
    ui.run_javascript(f"ebbtide.show({name!r})")


def hide(name: str) -> None:
    ui.run_javascript(f"ebbtide.hide({name!r})")


async def in_time(work: Coroutine[Any, Any, T], words: str) -> T:
    """What comes of it. If that takes longer than a moment, the page is shown meanwhile, and says what it waits for."""
    task = asyncio.create_task(work)
    try:
        if not (await asyncio.wait([task], timeout=MOMENT))[0]:
            with box("empty").props("role=status") as waiting:
                ui.spinner("dots", size="42px", color=None)
                text(words, tag="p")
            await ui.context.client.connected()
            await asyncio.wait([task])
            waiting.delete()
        return await task
    finally:
        task.cancel()


def undo_bar(page: Page, words: str, undo: Callable[[], Awaitable[None]]) -> None:
    """What was done, and the way back; until something else is done, the next look at the page, or it is closed."""
    if page.undo is not None and not page.undo.is_deleted:
        page.undo.delete()
    with page.content or nullcontext(), box("undo").props("role=status") as bar:
        text(words, "says")

        async def back() -> None:
            bar.delete()
            await undo()

        button(page.t("undo"), back, symbol="undo", classes="slim way-back")
        button("", bar.delete, symbol="close", classes="slim", label=page.t("close"))
    page.undo = bar
    refocus(page)


def refocus(page: Page) -> None:
    """Whoever goes by keyboard goes on where they were, or at the way back: what had the focus may be gone."""
    if page.content is not None and page.content.client.has_socket_connection:
        page.content.client.run_javascript("ebbtide.refocus()")


# ---- numbers and moments


def whole(query: Mapping[str, str], name: str) -> int | None:
    """A whole number that stands in the address. One without end is none: it would take long to read."""
    said = query.get(name, "")
    return int(said) if said.isdecimal() and len(said) < _DIGITS else None


def figure(value: str, words: str) -> None:
    with box("figure-of"):
        text(value, "number", "b")
        text(words)


def number(value: float) -> str:
    """As few digits as say it."""
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 1000 else f"{value:.3g}"


def span(page: Page, seconds: float) -> str:
    """How people say a span: the largest unit that fits."""
    size = abs(seconds)
    for unit, length in _UNITS:
        if size >= length:
            count = size / length
            shown = f"{count:.0f}" if count >= 10 else f"{count:.1f}".removesuffix(".0")
            return page.t(f"unit.{unit}" if shown == "1" else f"unit.{unit}s", n=shown)
    return page.t("unit.moment")


def ago(page: Page, then: float | None, now: float) -> str:
    if then is None:
        return page.t("never")
    if abs(then - now) < 60.0:
        return page.t("now")
    return page.t("in_span" if then > now else "ago", span=span(page, then - now))


def moment(seconds: float) -> str:
    """A date and a time of day, UTC."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return f"{seconds:.0f} s"


def moment_typed(words: str) -> float | None:
    """What a field for date and time holds, as UTC; None if it is no moment."""
    try:
        return datetime.fromisoformat(words).replace(tzinfo=UTC).timestamp()
    except (ValueError, OverflowError):
        return None


def preview(words: str, length: int = 240) -> str:
    flat = " ".join(words.split())
    return flat if len(flat) <= length else f"{flat[: length - 1]}…"
