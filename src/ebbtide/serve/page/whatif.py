"""What if the mind lived by other parameters? Turn them, see who would change, and only then apply, or not."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from nicegui import ui

from ebbtide.mind.upkeep import Progress
from ebbtide.serve.page import knobs, parts, texts
from ebbtide.serve.page.applying import Applying
from ebbtide.serve.page.controls import explorer, reword, states_of, tabs
from ebbtide.serve.page.effect import GONE, Effect, Moved, effect
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.knobs import Knob
from ebbtide.serve.page.parts import box, button, card, heading, link, meter, nothing, page_head, state_chip, text
from ebbtide.serve.page.refusals import refusals
from ebbtide.serve.page.tuning import Tune
from ebbtide.serve.page.work import Work

_LISTED = 40

texts.add({f"param.{name}": meaning for name, meaning in knobs.MEANINGS.items()})
texts.add({f"value.{value}": words for value, words in knobs.VALUES.items()})
texts.add({f"per.{unit}": words for unit, words in knobs.UNITS.items()})
texts.add(
    {
        "whatif.under": (
            "Turn a parameter and see on a copy who would change. The mind stays as it is until you apply.",
            "调一个参数，在副本上看谁会改变。应用之前，心智不变。",
        ),
        "whatif.own": ("How it ages", "怎样老去"),
        "whatif.common": ("Common to every mind", "各种心智共有"),
        "whatif.ranking": ("Ranking of a search", "搜索排序"),
        "whatif.reset": ("As it is now", "恢复现状"),
        "whatif.defaults": ("Defaults", "默认值"),
        "whatif.apply": ("Apply…", "应用…"),
        "whatif.mode": ("From when", "从何时起"),
        "whatif.from_now": ("From now on", "从现在起"),
        "whatif.always": ("As if always so", "假如一直如此"),
        "whatif.from_now_why": ("What applying would do at this moment.", "此刻应用会有的效果。"),
        "whatif.always_why": (
            "The whole journal retold under these parameters. Applying does less: it counts from now on.",
            "用这些参数重演整个日志。应用只从现在起算，影响更小。",
        ),
        "whatif.effect": ("The effect", "效果"),
        "whatif.working": ("Living it through on a copy", "正在副本上重演"),
        "whatif.nothing": ("Nothing turned yet", "还没有调整"),
        "whatif.nothing_how": ("Move a slider, or type a value.", "拖动滑块，或输入数值。"),
        "whatif.no_change": ("No memory would change its state.", "没有记忆会改变状态。"),
        "whatif.moved": ("{n} memories would change", "{n} 条记忆会改变"),
        "whatif.moved_one": ("1 memory would change", "1 条记忆会改变"),
        "whatif.and_more": ("… and {n} more", "……另有 {n} 条"),
        "whatif.states": ("By state: now, and then", "按状态：现在与届时"),
        "whatif.coming": ("To come, if nothing happens", "若什么都不发生，将会"),
        "whatif.now": ("now", "现在"),
        "whatif.then": ("then", "届时"),
        "whatif.history": ("Earlier values are in the journal", "以前的值在日志里"),
        "state.forgotten": ("forgotten", "遗忘"),
    }
)


async def build(page: Page) -> None:
    explorer()
    async with page.mind() as mind:
        view = _View(page, mind.metabolism, mind.params)
    view.start(_asked_for(page, view.metabolism, view.now))


def _asked_for(page: Page, metabolism: str, now: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters that stand in the address, as a link from the journal gives them; those that can be, no others."""
    try:
        given = json.loads(page.query.get("params", "{}"))
    except (ValueError, RecursionError):
        return {}
    return knobs.accepted(metabolism, now, given) if isinstance(given, dict) else {}


class _View:
    """How the mind lives now, and what was turned."""

    def __init__(self, page: Page, metabolism: str, params: dict[str, Any]) -> None:
        self.page, self.metabolism = page, metabolism
        self.now = params
        self.wanted = dict(params)
        self.always = False

    def start(self, wanted: Mapping[str, Any]) -> None:
        page = self.page
        with page_head(page.t("view.whatif"), page.t("whatif.under")):
            button(page.t("whatif.defaults"), self._defaults, symbol="restart_alt")
            button(page.t("whatif.reset"), self._reset, symbol="undo")
            self.apply = button(page.t("whatif.apply"), self._ask, symbol="check", classes="main")
        with box("two"):
            self.board = box("stack")
            with card(page.t("whatif.effect"), "sticky-side"), box("stack"):
                modes = {"now": page.t("whatif.from_now"), "always": page.t("whatif.always")}
                tabs(modes, "now", self._mode, page.t("whatif.mode"))
                self.why = text(page.t("whatif.from_now_why"), "soft small", "p")
                self.work = Work(page, page.t("whatif.working"))
        self.tune = Tune(page, self._ask_for)
        self.applying = Applying(page, self._applied)
        self._set(wanted)

    # ---- turning

    def _set(self, wanted: Mapping[str, Any]) -> None:
        """All knobs anew."""
        self.wanted = self.now | dict(wanted)
        self.marks: dict[str, ui.element] = {}
        self.board.clear()
        own = knobs.knobs(self.metabolism, self.wanted)
        with self.board:
            for group in knobs.GROUPS:
                with card(self.page.t(f"whatif.{group}")):
                    for knob in own:
                        if knob.group == group:
                            self._knob(knob)
            link(self.page.url("journal", kind="configure"), "small", self.page.t("whatif.history"))
        self._turned()

    def _knob(self, knob: Knob) -> None:
        with box("knob") as row:
            with box("tight"):
                text(self.page.t(f"param.{knob.name}"), "does")
                text(knob.name, "name")
            if knob.options or knob.switch:
                self._options(knob)
            else:
                self._number(knob)
        self.marks[knob.name] = row

    def _options(self, knob: Knob) -> None:
        now = self.wanted[knob.name]
        choices = {"true": True, "false": False} if knob.switch else {name: name for name in knob.options}
        page = self.page
        with box("box", "select") as chooser:
            for said, value in choices.items():
                option = text(page.t(f"value.{said}"), tag="option").props(f"value={said}")
                option.props["selected"] = value == now
        chooser.props["aria-label"] = knob.name
        chooser.on("change", lambda event: self._turn(knob, choices[event.args]), js_handler=_CHOSEN)

    def _number(self, knob: Knob) -> None:
        value = self.wanted[knob.name]
        with box("tight"):
            line = box("box", "input").props("type=number step=any")
            text(self.page.t(f"per.{knob.unit}"), "unit")
        slider = box("", "input").props(f"type=range min={knob.low:g} max={knob.high:g} step={knob.step:g}")
        slider.style("grid-column: 1 / -1")
        for each, label in ((line, knob.name), (slider, f"{knob.name}: {self.page.t(f'param.{knob.name}')}")):
            each.props["defaultValue"] = f"{value:.12g}"
            each.props["aria-label"] = label
            each.on("input", partial(self._typed, knob), js_handler=_BOTH, throttle=0.1)

    def _typed(self, knob: Knob, event: Any) -> None:
        try:
            value = float(event.args)
        except (TypeError, ValueError):
            return
        self._turn(knob, int(value) if knob.whole and value.is_integer() else value)

    def _turn(self, knob: Knob, value: Any) -> None:
        self.wanted[knob.name] = value
        self._turned()

    def _reset(self) -> None:
        self._set({})

    def _defaults(self) -> None:
        self._set({knob.name: knob.default for knob in knobs.knobs(self.metabolism, self.now)})

    def _mode(self, name: str) -> None:
        self.always = name == "always"
        reword(self.why, self.page.t("whatif.always_why" if self.always else "whatif.from_now_why"))
        self._turned()

    def _turned(self) -> None:
        """What differs is marked; and the effect is worked out once the hand rests."""
        differs = self.changed
        for name, row in self.marks.items():
            row.classes(add="turned" if name in differs else "", remove="" if name in differs else "turned")
        refused = self._refused()
        self.apply.props["disabled"] = not differs or bool(refused)
        self.apply.update()
        if differs and not refused:
            self.work.begin(self._look)
            return
        self.work.stop()
        self.work.shown.clear()
        with self.work.shown:
            for said in refused:
                text(said, "soft", "p").props("role=alert")
            if not refused:
                nothing("tune", self.page.t("whatif.nothing"), self.page.t("whatif.nothing_how"))

    @property
    def changed(self) -> dict[str, Any]:
        return knobs.changed(self.now, self.wanted)

    def _refused(self) -> list[str]:
        return refusals(self.metabolism, self.wanted, self.page.language)

    # ---- the effect

    async def _look(self, progress: Progress) -> None:
        async with self.page.mind() as mind:
            found = await effect(mind, self.changed, always=self.always, progress=progress)
        self.work.shown.clear()
        self._states(found)
        self._coming(found)
        self._moved(found)

    def _states(self, found: Effect) -> None:
        states = [state for state in (*states_of(self.metabolism), GONE) if state in found.now or state in found.then]
        most = max((*found.now.values(), *found.then.values()), default=1)
        heading(self.page.t("whatif.states"))
        with box("tight").style("gap: 12px"):
            for state in states:
                now, then = found.now.get(state, 0), found.then.get(state, 0)
                with box("change").props(f"data-state={state}"):
                    state_chip(self.page, state)
                    with box("bars"):
                        self._bar(self.page.t("whatif.now"), now, now / most, state, "before")
                        self._bar(self.page.t("whatif.then"), then, then / most, state, "after")

    def _bar(self, words: str, count: int, share: float, state: str, classes: str) -> None:
        with box(f"one {classes}").props("role=img") as row:
            meter(share, state)
            text(f"{count:,}", "number")
        row.props["aria-label"] = f"{words}: {count}"

    def _coming(self, found: Effect) -> None:
        now, then = found.coming_now, found.coming_then
        if now or then:
            heading(self.page.t("whatif.coming"))
            rows = [
                (self.page.t(f"event.{event}"), f"{now.get(event, 0):,}", f"{then.get(event, 0):,}")
                for event in dict.fromkeys((*now, *then))
            ]
            parts.table(("", self.page.t("whatif.now"), self.page.t("whatif.then")), rows, numbers=(1, 2))

    def _moved(self, found: Effect) -> None:
        count = len(found.moved)
        if not count:
            text(self.page.t("whatif.no_change"), "soft", "p")
            return
        heading(self.page.t("whatif.moved_one" if count == 1 else "whatif.moved", n=f"{count:,}"))
        with box():
            for moved in found.moved[:_LISTED]:
                self._one(moved)
        if count > _LISTED:
            text(self.page.t("whatif.and_more", n=f"{count - _LISTED:,}"), "soft", "p")

    def _one(self, moved: Moved) -> None:
        with link(self.page.url("memory", key=moved.key), "move"):
            text(parts.preview(moved.says or moved.key, 90), "says")
            with box("row-of").style("gap: 4px"):
                state_chip(self.page, moved.now)
                text("→", "soft")
                state_chip(self.page, moved.then)

    # ---- applying

    async def _ask(self) -> None:
        differs = self.changed
        if differs and not self._refused():
            await self.applying.ask(self.now, differs)

    async def _ask_for(self, params: dict[str, Any]) -> None:
        """Those of a row of the tuning, as far as they differ."""
        if differs := knobs.changed(self.now, self.now | params):
            await self.applying.ask(self.now, differs)

    def _applied(self, params: dict[str, Any]) -> None:
        self.now = params
        self.tune.clear()
        self._set({})


_CHOSEN = "event => emit(event.target.value)"
# Slider and number move together.
_BOTH = """event => {
  for (const other of event.target.closest('.knob').querySelectorAll('input')) {
    if (other !== event.target) other.value = event.target.value;
  }
  emit(event.target.value);
}"""
