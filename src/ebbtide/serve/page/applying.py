"""Before a mind lives by other parameters somebody is asked, and told what that costs; afterwards one can go back."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ebbtide.serve.page import knobs, parts, texts
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.losses import Losses, losses
from ebbtide.serve.page.parts import box, button, text
from ebbtide.serve.page.work import Stopped

_SURE = "sure"

texts.add(
    {
        "apply.sure": ("Live by these from now on?", "从现在起按此生活？"),
        "apply.weighing": ("Looking at what would be lost…", "正在查看会失去什么……"),
        "apply.way_back": (
            "Undo brings these values back, but not what was done by them meanwhile.",
            "“撤销”恢复这些值，但不会撤回其间已经发生的事。",
        ),
        "apply.gone": (
            "In the trash: {n} would be gone for good at the next tick.",
            "回收站：{n} 条会在下次巡检时彻底消失。",
        ),
        "apply.keeps": (
            "What is forgotten, and earlier texts, can be brought back for {days} days only.",
            "被遗忘的记忆与旧文只能在 {days} 天内取回。",
        ),
        "apply.keeps_one": (
            "What is forgotten, and earlier texts, can be brought back for 1 day only.",
            "被遗忘的记忆与旧文只能在 1 天内取回。",
        ),
        "apply.pushed_out_one": (
            "There would be no room for 1: it goes into the trash at once.",
            "容不下 1 条：它会立即进入回收站。",
        ),
        "apply.deleted": (
            "At its next run the reaper would delete {n} more, into the trash.",
            "下次清理会多删除 {n} 条，放入回收站。",
        ),
        "apply.pruned": (
            "At its next run the reaper would prune {n} more, down to a phrase.",
            "下次清理会多修剪 {n} 条，只留一句。",
        ),
        "apply.pushed_out": (
            "There would be no room for {n}: they go into the trash at once.",
            "容不下 {n} 条：它们会立即进入回收站。",
        ),
        "apply.worn": (
            "Coming scans may shorten, break and forget more. Links that break stay broken.",
            "之后的扫描可能缩短、断开、遗忘得更多；断开的链接不会复原。",
        ),
        "apply.do": ("Apply", "应用"),
        "apply.done": ("The mind lives by {n} other parameters now.", "心智已改用 {n} 个新参数。"),
        "apply.done_one": ("The mind lives by another {name} now.", "心智的 {name} 已改变。"),
        "apply.undone": ("It lives again as before.", "已恢复到之前。"),
    }
)


class Applying:
    """`then` is told by what the mind lives once that has changed."""

    def __init__(self, page: Page, then: Callable[[dict[str, Any]], None]) -> None:
        self._page, self._then = page, then
        self._wish = 0  # a later one, or none any more, takes the place of the one before
        with parts.dialog(_SURE, page.t("apply.sure")):
            self._sure = box("stack")

    async def ask(self, now: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
        """What is wanted stands beside what is now; what it costs follows as soon as that is known."""
        self._wish += 1
        self._sure.clear()
        with self._sure:
            rows = [(name, _said(self._page, now[name]), _said(self._page, value)) for name, value in wanted.items()]
            parts.table(("", self._page.t("whatif.now"), self._page.t("whatif.then")), rows, numbers=(1, 2))
            costs = box("stack").props("role=status").style("gap: 6px")
            with costs:
                text(self._page.t("apply.weighing"), "soft small", "p")
            with box("row-of").style("justify-content: flex-end") as choices:
                button(self._page.t("cancel"), self._leave)
        parts.show(_SURE)
        with self._page.attempt():
            found = await self._weighed(wanted)
            if found is None:
                return
            costs.clear()
            with costs:
                self._costs(found)
            before = {name: now[name] for name in wanted}
            with choices:
                do = partial(self._apply, dict(wanted), before)
                button(self._page.t("apply.do"), do, symbol="check", classes="main")

    def _leave(self) -> None:
        self._wish += 1
        parts.hide(_SURE)

    async def _weighed(self, wanted: Mapping[str, Any]) -> Losses | None:
        """None if nobody wants to know any more."""
        mine = self._wish

        def go_on(done: int, total: int) -> None:
            if self._wish != mine:
                raise Stopped

        try:
            async with self._page.mind() as mind:
                found = await losses(mind, wanted, go_on)
        except Stopped:
            return None
        return found if self._wish == mine else None

    def _costs(self, found: Losses) -> None:
        t = self._page.t
        for words, count in (
            ("gone", found.gone),
            ("pushed_out", found.pushed_out),
            ("deleted", found.deleted),
            ("pruned", found.pruned),
        ):
            if count:
                text(t(f"apply.{words}", n=f"{count:,}"), "strong small", "p").props(f"data-cost={words}")
        if found.keeps is not None:
            text(t("apply.keeps", days=f"{found.keeps:g}"), "small", "p").props("data-cost=keeps")
        if found.worn:
            text(t("apply.worn"), "small", "p").props("data-cost=worn")
        text(t("apply.way_back"), "soft small", "p")

    async def _apply(self, wanted: Mapping[str, Any], before: Mapping[str, Any]) -> None:
        parts.hide(_SURE)
        if await self._configure(wanted):
            one = len(wanted) == 1
            said = self._page.t("apply.done_one" if one else "apply.done", n=len(wanted), name=next(iter(wanted)))
            parts.undo_bar(self._page, said, partial(self._go_back, before))

    async def _go_back(self, before: Mapping[str, Any]) -> None:
        if await self._configure(before):
            self._page.note(self._page.t("apply.undone"))

    async def _configure(self, params: Mapping[str, Any]) -> bool:
        """Whether it lives by these now."""
        now: dict[str, Any] = {}
        with self._page.attempt():
            async with self._page.mind() as mind:
                await mind.configure(**params)
                now = mind.params
            self._then(now)
        return bool(now) and not knobs.changed(now, dict(params))


def _said(page: Page, value: Any) -> str:
    if isinstance(value, bool | str):
        return page.t(f"value.{value!s}".lower())
    return f"{value:g}" if isinstance(value, float) else str(value)
