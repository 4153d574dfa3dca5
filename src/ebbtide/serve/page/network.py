"""A mind as a network: focus in the middle, lines as wide as links are strong, memories as faint as they are faded."""

import asyncio
from functools import partial
from typing import Any

from nicegui import ui

from ebbtide.core.errors import UnknownMemory
from ebbtide.core.memory import STATES, Memory
from ebbtide.mind.surroundings import Surroundings
from ebbtide.serve.page import texts
from ebbtide.serve.page.controls import checkbox, explorer, press, reword, states_of
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.graph import GHOST, Graph, Node, graph
from ebbtide.serve.page.parts import (
    box,
    button,
    card,
    heading,
    icon,
    link,
    meter,
    nothing,
    page_head,
    said_by,
    state_chip,
    text,
)
from ebbtide.serve.page.picture import options

FIRST, STEP, MOST = 120, 90, 300
_FOUND = 8  # memories a search puts in the middle
_TYPED = "event => emit(event.target.value)"
_NODE = "event => { if (event.dataType === 'node') emit(event.data.id); }"

texts.add(
    {
        "net.under": (
            "Lines are as wide as links are strong; what fades is faint; dashed is what was once known.",
            "线越粗，链接越强；越淡，越接近遗忘；虚线是曾经记得的。",
        ),
        "net.find": ("Find in the network", "在网络中查找"),
        "net.hidden": ("also what is hidden", "包括隐藏的"),
        "net.left_out": ("{n} hidden", "{n} 条隐藏"),
        "net.shown": ("{shown} of {total} memories", "{total} 条记忆中的 {shown} 条"),
        "net.more": ("More", "更多"),
        "net.whole": ("The whole picture", "看全图"),
        "net.zoom_in": ("Zoom in", "放大"),
        "net.zoom_out": ("Zoom out", "缩小"),
        "net.back": ("Back to the middle", "回到中心"),
        "net.around": ("Around “{what}”", "“{what}”周围"),
        "net.pick": ("Choose a memory", "选一条记忆"),
        "net.pick_how": (
            "Click one in the picture, or pick it from the list. + and − zoom, arrows move the picture.",
            "点图中的一条，或从列表里选。+ 和 − 缩放，方向键移动。",
        ),
        "net.list": ("In the picture", "图中的记忆"),
        "net.centre": ("Put in the middle", "置于中心"),
        "net.open": ("Open", "打开"),
        "net.links": ("Links", "链接"),
        "net.no_links": ("No links here.", "这里没有链接。"),
        "net.focus": ("in focus", "焦点"),
        "net.ghost": ("once known", "曾记得"),
        "net.ghost_why": ("Forgotten, but something still points to it.", "已遗忘，但还有链接指向它。"),
        "net.ghost_none": ("Not even its name is known any more.", "连名字也不记得了。"),
        "net.nobody": ("Nothing found for “{what}”.", "没有找到“{what}”。"),
        "net.empty": ("Nothing to see yet", "还没有可看的"),
        "net.empty_how": ("Memories and their links appear here.", "记忆和它们的链接会出现在这里。"),
        "net.picture": ("Network of memories", "记忆网络图"),
    }
)


async def build(page: Page) -> None:
    explorer()
    view = _View(page)
    with page_head(page.t("view.network"), page.t("net.under")):
        pass
    await view.start(page.query.get("key"))


class _View:
    """What is in the picture, around what, and which memory was chosen."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.limit, self.everything = FIRST, False
        self.around: list[str] = []
        self.what = ""
        self.seen = Surroundings((), (), (), (), 0)
        self.drawn = Graph((), ())
        self.picked: int | None = None
        self.buttons: dict[int, ui.element] = {}

    async def start(self, key: str | None) -> None:
        with box("net"):
            with card():
                self._bar()
                self._frame()
                self.legend = box("legend").style("margin-top: 12px")
            with box("net-side"):
                self.panel = box("card", "section").props("aria-live=polite")
                with card(self.page.t("net.list")):
                    self.rows = box("net-list")
        if key:
            self.around, self.what = [key], key
        await self.look(pick=bool(key))

    def _bar(self) -> None:
        with box("net-bar"):
            self.field = box("box", "input").props("type=search autocomplete=off maxlength=200")
            self.field.props["placeholder"] = self.field.props["aria-label"] = self.page.t("net.find")
            self.field.on("input", self._point, throttle=0.2, leading_events=False, js_handler=_TYPED)
            self.field.on("keydown.enter", self._find, js_handler=_TYPED)
            checkbox(self.page.t("net.hidden"), self.everything, self._everything)
        with box("net-bar"):
            self.count = text("", "soft small grow")
            self.home = button(self.page.t("net.back"), self._home, symbol="filter_center_focus", classes="slim")
            self.more = button(self.page.t("net.more"), self._more, symbol="add", classes="slim")

    def _frame(self) -> None:
        with box("net-frame").props("tabindex=0 role=group") as frame:
            self.chart = ui.echart(options(self.drawn), renderer="svg").classes("net-chart")
            self.chart.on("componentClick", self._clicked, js_handler=_NODE)
            with box("net-tools"):
                self._tool("add", "net.zoom_in", "zoom", 1.4)
                self._tool("remove", "net.zoom_out", "zoom", 1 / 1.4)
                self._tool("fit_screen", "net.whole", "whole")
        frame.props["aria-label"] = self.page.t("net.picture")
        frame.on("keydown", js_handler=f"event => ebbtide_net.key({self.chart.id}, event)")

    def _legend(self) -> None:
        """What the colours mean, of those that are there."""
        self.legend.clear()
        present = {node.state for node in self.drawn.nodes}
        with self.legend:
            for state in (*STATES, GHOST):
                if state in present:
                    words = self.page.t("net.ghost" if state == GHOST else f"state.{state}")
                    text(words, f"s-{state}")
            if any(node.focus for node in self.drawn.nodes):
                text(self.page.t("net.focus"), "s-tide")

    def _tool(self, symbol: str, words: str, does: str, *args: float) -> None:
        with box("act", "button").props("type=button") as tool:
            icon(symbol)
        tool.props["aria-label"] = tool.props["title"] = self.page.t(words)
        given = ", ".join(str(arg) for arg in (self.chart.id, *args))
        tool.on("click", js_handler=f"() => ebbtide_net.{does}({given})")

    # ---- what is looked at

    async def look(self, *, pick: bool = False) -> None:
        """Look again, and draw what is there now."""
        with self.page.attempt():
            self.seen = await self._surroundings()
        self.drawn = await asyncio.to_thread(graph, self.seen)
        self.chart.options.clear()
        self.chart.options.update(options(self.drawn))
        self.chart.update()
        ui.run_javascript(f"ebbtide_net.begin({self.chart.id})")
        self._legend()
        shown, total = len(self.seen.sights), self.seen.total
        said = self.page.t("net.shown", shown=shown, total=total)
        if hidden := sum(self.seen.left_out.values()):
            said = f"{said} · {self.page.t('net.left_out', n=hidden)}"
        reword(self.count, f"{self.page.t('net.around', what=self.what)} · {said}" if self.around else said)
        self.home.set_visibility(bool(self.around))
        self.more.set_visibility(self.limit < MOST and shown == self.limit < total)
        self._list(self.drawn.nodes)
        self.pick(self.drawn.nodes[0].id if pick and self.drawn.nodes else None)

    async def _surroundings(self) -> Surroundings:
        """Around what was asked for; if that has gone meanwhile, from the middle."""
        async with self.page.mind() as mind:
            try:
                return await mind.surroundings(*self.around, limit=self.limit, everything=self.everything)
            except UnknownMemory as error:
                self.page.note(self.page.refusal(error), "warning")
                self.around, self.what = [], ""
                return await mind.surroundings(limit=self.limit, everything=self.everything)

    async def _home(self) -> None:
        self.around, self.what, self.limit = [], "", FIRST
        await self.look()

    async def _more(self) -> None:
        self.limit = min(self.limit + STEP, MOST)
        await self.look()

    async def _everything(self, wanted: bool) -> None:
        self.everything = wanted
        await self.look()

    async def _centre(self, key: str) -> None:
        self.around, self.what, self.limit = [key], key, FIRST
        await self.look(pick=True)

    async def _find(self, event: Any) -> None:
        """What answers best comes into the middle. Finding is no use."""
        what = str(event.args or "").strip()
        if not what:
            await self._home()
            return
        with self.page.attempt():
            async with self.page.mind() as mind:
                states = states_of(mind.metabolism) if self.everything else None
                found = await mind.search(what, _FOUND, state=states, patience=0.5)
            if found.hits:
                self.around, self.what = [hit.memory.key for hit in found.hits], what
                await self.look(pick=True)
            else:
                self.page.note(self.page.t("net.nobody", what=what), "info")

    def _point(self, event: Any) -> None:
        """While somebody types: light up what has these words in it."""
        words = str(event.args or "").strip().casefold()
        said = {sight.memory.id: _words(sight.memory) for sight in self.seen.sights}
        rows = [
            i for i, node in enumerate(self.drawn.nodes) if words and words in said.get(node.id, node.label.casefold())
        ]
        ui.run_javascript(f"ebbtide_net.point({self.chart.id}, {rows})")
        self._list([self.drawn.nodes[i] for i in rows] if words else self.drawn.nodes)

    # ---- what was chosen

    def _clicked(self, event: Any) -> None:
        self.pick(int(event.args))

    def pick(self, memory: int | None) -> None:
        self._press(self.picked, False)
        self._press(memory, True)
        self.picked = memory
        row = next((i for i, node in enumerate(self.drawn.nodes) if node.id == memory), None)
        ui.run_javascript(f"ebbtide_net.pick({self.chart.id}, {'null' if row is None else row})")
        self.panel.clear()
        with self.panel:
            if row is None:
                self._hint()
            else:
                self._show(self.drawn.nodes[row])

    def _hint(self) -> None:
        if self.drawn.nodes:
            heading(self.page.t("net.pick"))
            text(self.page.t("net.pick_how"), "soft", "p")
        else:
            nothing("hub", self.page.t("net.empty"), self.page.t("net.empty_how"))

    def _show(self, node: Node) -> None:
        with box("stack"):
            if node.ghost:
                self._lost(node)
            else:
                self._memory(node, next(s.memory for s in self.seen.sights if s.memory.id == node.id))
            self._links(node)

    def _lost(self, node: Node) -> None:
        with box("row-of"):
            text(self.page.t("net.ghost"), "chip s-trace")
        if node.line:
            text(node.line, "text ghost", "p")
        text(self.page.t("net.ghost_why" if node.key else "net.ghost_none"), "soft small", "p")

    def _memory(self, node: Node, memory: Memory) -> None:
        page = self.page
        with box("row-of"):
            state_chip(page, memory.state)
            if node.focus:
                text(page.t("net.focus"), "chip s-tide")
        text(memory.text, "text", "p")
        meter(node.alive, memory.state)
        labels = (memory.key, memory.kind, memory.domain, said_by(page, memory), *memory.keywords)
        text(" · ".join(filter(None, labels)), "soft small mono", "p")
        with box("row-of"):
            link(page.url("memory", key=memory.key), "act slim", page.t("net.open"))
            button(page.t("net.centre"), lambda: self._centre(memory.key), symbol="adjust", classes="slim")

    def _links(self, node: Node) -> None:
        """Where one can go from here: by mouse or by keyboard."""
        named = {each.id: each for each in self.drawn.nodes}
        ways = [(link.target, "→", link) for link in self.seen.links if link.source == node.id and link.target in named]
        ways += [
            (link.source, "←", link) for link in self.seen.links if link.target == node.id and link.source in named
        ]
        heading(self.page.t("net.links"))
        if not ways:
            text(self.page.t("net.no_links"), "soft", "p")
        with box("net-list"):
            for other, arrow, way in sorted(ways, key=lambda way: -way[2].strength)[:60]:
                words = f"{arrow} {way.relation} · {self._line(named[other])}"
                with press(partial(self.pick, other), f"pick s-{named[other].state}"):
                    text(words, "grow")
                    text(f"{way.strength:.2f}", "soft small number")

    def _list(self, nodes: Any) -> None:
        self.rows.clear()
        self.buttons = {}
        with self.rows:
            for node in nodes:
                with press(partial(self.pick, node.id), f"pick s-{node.state}") as row:
                    text(self._line(node), "grow")
                row.props["aria-pressed"] = "true" if node.id == self.picked else "false"
                self.buttons[node.id] = row

    def _press(self, memory: int | None, down: bool) -> None:
        if memory is not None and (row := self.buttons.get(memory)) is not None:
            row.props["aria-pressed"] = "true" if down else "false"
            row.update()

    def _line(self, node: Node) -> str:
        return node.line or self.page.t("net.ghost")


def _words(memory: Memory) -> str:
    return " ".join((memory.key, memory.text, memory.phrase, *memory.keywords)).casefold()
