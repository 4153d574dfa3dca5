"""The mind at another moment, past or to come: how many are in each state, and what each memory says then and now."""

from functools import partial
from typing import Any

from nicegui import ui

from ebbtide.core.errors import UnknownMemory
from ebbtide.core.memory import DAY, Memory
from ebbtide.core.metabolism import traits_of
from ebbtide.mind import Mind
from ebbtide.mind.reading import Page as Listed
from ebbtide.mind.upkeep import Progress
from ebbtide.serve.page import parts, texts
from ebbtide.serve.page.controls import press, reword
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.parts import box, button, card, link, nothing, state_chip, text
from ebbtide.serve.page.work import Work

_STEPS = 1000  # of the slider
_LISTED = 60
_AHEAD = (7, 30, 90)  # days
_THEN = "then-and-now"

texts.add(
    {
        "travel.title": ("Time travel", "时间旅行"),
        "travel.under": (
            "Move back to see the mind as it was, or look ahead.",
            "往回拖，看心智当时的样子；也可以向前看。",
        ),
        "travel.ahead": ("Look ahead", "向前看"),
        "travel.days": ("+{n} days", "{n} 天后"),
        "travel.ahead_days": ("The mind in {n} days, if nothing happens", "{n} 天后的心智（若什么都不发生）"),
        "travel.will": (
            "A look ahead: the mind on {when} UTC, if nothing happens until then. Nothing is changed or counted.",
            "这是向前看：{when} UTC 的心智，假定在此之前什么都不发生。不会改动，也不计数。",
        ),
        "travel.by_scans": (
            "This mind fades by scans, not by days: time alone changes nothing in it.",
            "这个心智按扫描次数褪色，不按天数：时间本身不会改变它。",
        ),
        "travel.slider": ("Moment to look at (UTC)", "要看的时刻（UTC）"),
        "travel.moment": ("Moment (UTC)", "时刻（UTC）"),
        "travel.now": ("Back to now", "回到现在"),
        "travel.working": ("Replaying the journal", "正在重放日志"),
        "travel.then": ("The mind on {when} UTC", "{when} UTC 的心智"),
        "travel.is_now": ("Now", "现在"),
        "travel.nobody": ("It knew nothing yet.", "当时还一无所知。"),
        "travel.memories": ("{n} memories", "{n} 条记忆"),
        "travel.memories_one": ("1 memory", "1 条记忆"),
        "travel.more": ("The first {n} of them are shown.", "只显示前 {n} 条。"),
        "travel.params_one": ("1 parameter was different then.", "当时有 1 个参数不同。"),
        "travel.params": ("{n} parameters were different then.", "当时有 {n} 个参数不同。"),
        "travel.said_then": ("Then", "当时"),
        "travel.says_now": ("Now", "现在"),
        "travel.same": ("It says the same today.", "今天说的一样。"),
        "travel.gone": ("It is no longer there.", "它已经不在了。"),
        "travel.open": ("Open the memory", "打开这条记忆"),
    }
)


class Travel:
    """A slider over the life of the mind. The view of the past is kept until another moment is looked at."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.first = self.last = 0.0
        self.past: Mind | None = None
        ui.context.client.on_delete(self._leave)

    async def start(self, at: str) -> None:
        async with self.page.mind() as mind:
            info = (await mind.stats()).store
            begun = await mind.journal(after=info.journal_from, limit=1)
            self.last = mind.now()
        self.first = min(begun[0].change.at if begun else self.last, self.last)
        with card(self.page.t("travel.title"), "travel"), box("stack"):
            self._controls()
            self.work = Work(self.page, self.page.t("travel.working"))
        with parts.dialog(_THEN, self.page.t("travel.title")):
            self.pair = box("stack")
        moment = parts.moment_typed(at)
        if moment is not None:
            self.to(moment)

    def _controls(self) -> None:
        page = self.page
        with box():
            self.slider = box("", "input").props(f"type=range min=0 max={_STEPS} step=1")
            self.slider.props["defaultValue"] = str(_STEPS)
            self.slider.props["aria-label"] = page.t("travel.slider")
            self.slider.on("input", self._slid, js_handler="event => emit(event.target.value)", throttle=0.1)
            with box("ends"):
                text(f"{parts.moment(self.first)} UTC")
                text(page.t("travel.is_now"))
        with box("row-of"):
            self.said = text(page.t("travel.under"), "soft grow")
            moment = box("box", "input").props("type=datetime-local").style("width: 210px")
            moment.props["aria-label"] = moment.props["title"] = page.t("travel.moment")
            moment.on("change", self._typed, js_handler="event => emit(event.target.value)")
            text("UTC", "soft small").props("aria-hidden=true")
            self.back = button(page.t("travel.now"), self._now, symbol="update", classes="slim")
        with box("row-of").props("data-ahead"):
            text(page.t("travel.ahead"), "soft small")
            for days in _AHEAD:
                label = page.t("travel.ahead_days", n=days)
                go = partial(self._days_ahead, days)
                button(page.t("travel.days", n=days), go, symbol="update", classes="slim", label=label)
        self.back.set_visibility(False)

    async def _days_ahead(self, days: int) -> None:
        async with self.page.mind() as mind:
            moment = mind.now() + days * DAY
        self.to(moment)

    # ---- choosing a moment

    async def _slid(self, event: Any) -> None:
        step = int(float(event.args))
        if step >= _STEPS:
            await self._now()
        else:
            self._look(self.first + (self.last - self.first) * step / _STEPS)

    def _typed(self, event: Any) -> None:
        moment = parts.moment_typed(str(event.args))
        if moment is not None:
            self.to(moment)

    def to(self, moment: float) -> None:
        """Go there; the slider follows."""
        span = self.last - self.first
        step = _STEPS * (moment - self.first) / span if span > 0 else _STEPS
        self._slide(round(min(max(step, 0.0), float(_STEPS))))
        self._look(moment, at_once=True)

    def _slide(self, step: int) -> None:
        ui.run_javascript(f"getHtmlElement({self.slider.id}).value = {step}; window.scrollTo({{top: 0}})")

    def _look(self, moment: float, *, at_once: bool = False) -> None:
        words = "travel.will" if moment > self.last else "travel.then"
        reword(self.said, self.page.t(words, when=parts.moment(moment)))
        self.back.set_visibility(True)
        self.work.begin(partial(self._show, moment), at_once=at_once)

    async def _now(self) -> None:
        reword(self.said, self.page.t("travel.under"))
        self.back.set_visibility(False)
        self._slide(_STEPS)
        self.work.stop()
        self.work.shown.clear()
        await self._leave()

    async def _leave(self) -> None:
        past, self.past = self.past, None
        if past is not None:
            await past.close()

    # ---- what was there

    async def _show(self, moment: float, progress: Progress) -> None:
        async with self.page.mind() as mind:  # held meanwhile: a look ahead stands on it
            ahead, view = moment > mind.now(), await mind.at(moment, progress)
            params = mind.params
            await self._leave()
            self.past = view
            states = (await view.stats()).states
            listed = await view.list(everything=True, limit=_LISTED)
        differ = sum(params.get(name) != value for name, value in view.params.items())
        self.work.shown.clear()
        if ahead and traits_of(view.metabolism).by_scans:
            text(self.page.t("travel.by_scans"), "soft small", "p")
        self._figures({state.value: count for state, count in states.items()}, differ)
        self._list(listed)

    def _figures(self, states: dict[str, int], differ: int) -> None:
        with box("row-of").props("data-then"):
            text(self.page.t("travel.memories", n=f"{sum(states.values()):,}"), "strong")
            for state, count in states.items():
                text(f"{self.page.t(f'state.{state}')} {count:,}", f"chip s-{state}")
            if differ:
                text(self.page.t("travel.params", n=differ), "soft small")

    def _list(self, listed: Listed) -> None:
        if not listed.memories:
            nothing("hourglass_empty", self.page.t("travel.nobody"))
            return
        with box("net-list").style("max-height: 360px"):
            for memory in listed.memories:
                with press(partial(self._pair, memory), f"pick s-{memory.state}"):
                    text(parts.preview(memory.text, 160), "grow")
                    text(parts.preview(memory.key, 40), "faint small mono wide-only")
        if listed.next is not None:
            text(self.page.t("travel.more", n=len(listed.memories)), "soft small", "p")

    async def _pair(self, then: Memory) -> None:
        """What it said then beside what it says now."""
        async with self.page.mind() as mind:
            try:
                now: Memory | None = await mind.look(then.id)
            except UnknownMemory:
                now = None
        page = self.page
        self.pair.clear()
        with self.pair:
            self._said(page.t("travel.said_then"), then)
            if now is None:
                text(page.t("travel.gone"), "soft", "p")
            elif now.text == then.text:
                text(page.t("travel.same"), "soft", "p")
            else:
                self._said(page.t("travel.says_now"), now)
            link(page.url("memory", key=(now or then).key), "act slim", page.t("travel.open"))
        parts.show(_THEN)

    def _said(self, words: str, memory: Memory) -> None:
        with box("quote"):
            with box("row-of"):
                text(words, "strong small")
                state_chip(self.page, memory.state)
            text(memory.text, "text", "p")
