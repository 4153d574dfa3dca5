"""Which regime would have kept what was used? The journal replayed under each, and a choice applied if wanted."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from nicegui import ui

from ebbtide.core.candidates import CURRENT, Candidate, making
from ebbtide.core.tuning import FEWEST, Kept, Outcome, Tuning
from ebbtide.mind.upkeep import Progress
from ebbtide.serve.page import parts, texts, tuning_chart
from ebbtide.serve.page.controls import choice
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.parts import box, button, card, heading, link, text
from ebbtide.serve.page.work import Work

_USUAL = ""
_BUDGETS = ("50%", "25%", "10%", "5%")

texts.add(
    {
        "tune.title": ("Tune", "调优"),
        "tune.under": (
            "Replays the journal under each metabolism and several parameter sets, with room for a share of the "
            "memories. Every confirmed use of a memory older than a day asks: would it still have been there? "
            "Nothing changes until you apply.",
            "用各种衰减规则和几组参数重演日志，只留一部分记忆的容量。每次确认使用一条超过一天的记忆，就问：它还在吗？"
            "应用之前，心智不变。",
        ),
        "tune.room": ("Room for", "容量"),
        "tune.usual": ("the usual shares", "常用比例"),
        "tune.share": ("{n} of all memories", "全部记忆的 {n}"),
        "tune.run": ("Replay the journal", "重演日志"),
        "tune.working": ("Replaying the journal under each regime", "正在用每种规则重演日志"),
        "tune.asked": (
            "Uses of memories older than a day: {uses}. Memories ever made: {memories}.",
            "超过一天的记忆被使用 {uses} 次；共创建过 {memories} 条记忆。",
        ),
        "tune.few": (
            "Too few uses to judge by: at least {n}. The table shows what they say; confirm what is of use, and "
            "ask again later.",
            "少于 {n} 次使用不足以判断。下表仅供参考；请确认有用的记忆，以后再试。",
        ),
        "tune.stay": (
            "No regime keeps more than the mind does by its own parameters.",
            "没有哪种规则比当前参数保留得更多。",
        ),
        "tune.better": (
            "{name} keeps {n} uses more than now ({gained} gained, {missed} missed).",
            "“{name}”比现在多保留 {n} 次使用（多保留 {gained} 次，少保留 {missed} 次）。",
        ),
        "tune.better_one": (
            "{name} keeps 1 use more than now ({gained} gained, {missed} missed).",
            "“{name}”比现在多保留 1 次使用（多保留 {gained} 次，少保留 {missed} 次）。",
        ),
        "tune.chance": ("That is no more than chance explains.", "这一差别可能只是偶然。"),
        "tune.no_formula": (
            "{name} needs no formula and keeps as much as the best regime.",
            "“{name}”不需要任何公式，保留的却不比最好的规则少。",
        ),
        "tune.decided": (
            "This mind has let go of {n} memories by itself; their later use cannot be seen.",
            "心智已自行遗忘 {n} 条记忆，之后对它们的需要无法得知。",
        ),
        "tune.decided_one": (
            "This mind has let go of 1 memory by itself; its later use cannot be seen.",
            "心智已自行遗忘 1 条记忆，之后对它的需要无法得知。",
        ),
        "tune.by_room": ("Uses kept, by room", "不同容量下保留的使用"),
        "tune.by_time": ("Uses kept over time, room for {n}", "各时段保留的使用（容量 {n}）"),
        "tune.regime": ("regime", "规则"),
        "tune.lost": ("lost", "失去"),
        "tune.hidden": ("hidden", "隐藏"),
        "tune.hidden_why": (
            "Hidden: the memory was still there, but in a state that a search leaves out. Lost, hidden and over time: "
            "at a budget of {n}.",
            "隐藏：记忆还在，但处于搜索会略过的状态。“失去”“隐藏”和各时段：容量为 {n} 条时。",
        ),
        "tune.best": ("keeps most", "保留最多"),
        "tune.apply": ("Apply…", "应用…"),
        "tune.apply_one": ("Apply {name}…", "应用 {name}…"),
        "tune.elsewhere": ("another metabolism", "另一种规则"),
        "tune.elsewhere_how": (
            "A mind keeps its metabolism. `{command}` makes a new mind that lives so; put the memories there, where "
            "their signals start anew.",
            "心智的衰减规则不能更换。可用 `{command}` 新建一个心智，再把记忆存进去；各项信号从头开始。",
        ),
        "tune.would_lose": ("What would have been lost", "会失去什么"),
        "tune.loses": ("{name}: {n} uses lost", "{name}：失去 {n} 次使用"),
        "tune.loses_one": ("{name}: 1 use lost", "{name}：失去 1 次使用"),
        "tune.times": ("{n} uses", "{n} 次使用"),
        "tune.times_one": ("1 use", "1 次使用"),
        "tune.left": ("left {when}", "{when} 淘汰"),
        "tune.set.current": ("as it is now", "当前参数"),
        "tune.set.default": ("default", "默认参数"),
        "tune.set.given": ("as given", "给定参数"),
        "tune.set.slow": ("slower", "衰减较慢"),
        "tune.set.use": ("by use alone", "只看使用"),
        "tune.set.lasting": ("by what lasts", "看重长期"),
        "tune.set.new": ("by what is new", "看重新近"),
        "tune.set.everything": ("everything kept", "全部保留"),
        "tune.set.LRU": ("LRU: longest unused leaves", "LRU：最久未用者淘汰"),
        "tune.set.random": ("random", "随机"),
    }
)

Ask = Callable[[dict[str, Any]], Awaitable[None]]


def called(page: Page, candidate: Candidate) -> str:
    name = page.t(f"tune.set.{candidate.name}")
    return name if candidate.is_reference else f"{page.t(f'rule.{candidate.metabolism}')} · {name}"


class Tune:
    """The section of the What-if view. `ask` is given the parameters of a row that is to be applied."""

    def __init__(self, page: Page, ask: Ask) -> None:
        self._page, self._ask = page, ask
        self._budget = _USUAL
        with card(page.t("tune.title"), "tune"), box("stack"):
            text(page.t("tune.under"), "soft small", "p")
            with box("filters"):
                shares = {each: page.t("tune.share", n=each) for each in _BUDGETS}
                chooser = choice(page.t("tune.room"), "budget", {_USUAL: page.t("tune.usual"), **shares})
                chooser.on("change", self._choose, js_handler="event => emit(event.target.value)")
                button(page.t("tune.run"), self._begin, symbol="replay", classes="main")
            self._place = box("stack")
        self._work: Work | None = None

    def clear(self) -> None:
        """What was found is about a mind that lives otherwise by now."""
        if self._work is not None:
            self._work.stop()
            self._work.shown.clear()

    def _choose(self, event: Any) -> None:
        self._budget = event.args if event.args in _BUDGETS else _USUAL

    def _begin(self) -> None:
        if self._work is None:
            with self._place:
                self._work = Work(self._page, self._page.t("tune.working"))
        self._work.begin(partial(self._look, self._work), at_once=True)

    async def _look(self, work: Work, progress: Progress) -> None:
        async with self._page.mind() as mind:
            found = await mind.tune(self._budget or (), progress=progress)
        work.shown.clear()
        self._verdict(found)
        self._charts(found)
        self._table(found)
        self._losses(found)

    # ---- what it comes to

    def _verdict(self, found: Tuning) -> None:
        t = self._page.t
        text(t("tune.asked", uses=f"{found.uses:,}", memories=f"{found.memories:,}"), "", "p")
        with box("tight").props("role=status data-verdict"):
            if not found.enough:
                text(t("tune.few", n=FEWEST), "strong", "p")
                return
            for words in self._comparison(found):
                text(words, "strong", "p")
        if found.decided:
            text(t("tune.decided", n=f"{found.decided:,}"), "soft small", "p")

    def _comparison(self, found: Tuning) -> list[str]:
        t, main, best = self._page.t, found.main, found.outcomes[found.best - 1]
        kept, said = best.results[main], [t("tune.stay")]
        if best.number > 1:
            name = called(self._page, best.candidate)
            more = f"{kept.gained - kept.missed:,}"
            said = [t("tune.better", name=name, n=more, gained=kept.gained, missed=kept.missed)]
            said += [] if found.clear else [t("tune.chance")]
        for one in tuning_chart.references(found):
            if one.results[main].kept >= kept.kept:
                said.append(t("tune.no_formula", name=called(self._page, one.candidate)))
        return said

    def _charts(self, found: Tuning) -> None:
        t, shown = self._page.t, tuning_chart.shown(found)
        names = [called(self._page, one.candidate) for one in shown]
        if len(found.budgets) > 1 and found.uses:
            heading(t("tune.by_room"))
            ui.echart(tuning_chart.by_room(found, shown, names), renderer="svg").classes("chart")
        if len(found.steps) > 1:
            heading(t("tune.by_time", n=f"{found.budgets[found.main].memories:,}"))
            ui.echart(tuning_chart.by_time(found, shown, names), renderer="svg").classes("chart")

    # ---- the table

    def _table(self, found: Tuning) -> None:
        t = self._page.t
        shares = [f"{budget.share:.0%}" for budget in found.budgets]
        with box("scroll"), box("table", "table"):
            with box(tag="thead"), box(tag="tr"):
                text(t("tune.regime"), "", "th")
                for words in (*shares, t("tune.lost"), t("tune.hidden")):
                    text(words, "right", "th")
                text("", "", "th")
            with box(tag="tbody"):
                for outcome in found.outcomes:
                    self._row(found, outcome)
        text(t("tune.hidden_why", n=f"{found.budgets[found.main].memories:,}"), "soft small", "p")
        self._elsewhere(found)

    def _row(self, found: Tuning, outcome: Outcome) -> None:
        main = outcome.results[found.main]
        with box(tag="tr").props(f"data-row={outcome.number}"):
            with box(tag="td"):
                text(called(self._page, outcome.candidate), "soft" if outcome.candidate.is_reference else "")
                if outcome.number == found.best and found.uses:
                    text(self._page.t("tune.best"), "chip s-active")
            shares = [f"{100 * each.kept / found.uses:.1f} %" if found.uses else "–" for each in outcome.results]
            for words in (*shares, f"{main.lost:,}", f"{main.hidden:,}" if main.hidden else ""):
                text(words, "right number", "td")
            with box("right", "td"):
                self._choice(found, outcome.candidate)

    def _choice(self, found: Tuning, candidate: Candidate) -> None:
        """What can be done with a row."""
        t = self._page.t
        if candidate.is_reference or candidate.name == CURRENT:
            return
        if candidate.metabolism != found.metabolism:
            text(t("tune.elsewhere"), "soft small")
            return
        label = t("tune.apply_one", name=called(self._page, candidate))
        button(t("tune.apply"), partial(self._ask, dict(candidate.params)), classes="slim", label=label)

    def _elsewhere(self, found: Tuning) -> None:
        best = found.outcomes[found.best - 1].candidate
        if found.clear and best.metabolism != found.metabolism:
            text(self._page.t("tune.elsewhere_how", command=making(best)), "small", "p").props("data-elsewhere")

    # ---- what would have been lost

    def _losses(self, found: Tuning) -> None:
        losing = [one for one in found.outcomes if one.results[found.main].losses]
        if not losing:
            return
        heading(self._page.t("tune.would_lose"))
        with box("tight"):
            for outcome in losing:
                self._lost(outcome, outcome.results[found.main], opened=outcome.number == 1)

    def _lost(self, outcome: Outcome, kept: Kept, *, opened: bool) -> None:
        t = self._page.t
        with box("lost", "details").props(f"data-lost={outcome.number}") as details:
            details.props["open"] = opened
            text(t("tune.loses", name=called(self._page, outcome.candidate), n=f"{kept.lost:,}"), "", "summary")
            for loss in kept.losses:
                with link(self._page.url("memory", key=loss.key), "move"):
                    text(parts.preview(loss.text or loss.key, 120), "says")
                    left = "" if loss.left_at is None else t("tune.left", when=parts.moment(loss.left_at)[:10])
                    times = t("tune.times", n=f"{loss.uses:,}")
                    text(" · ".join(filter(None, (times, left))), "soft small")
