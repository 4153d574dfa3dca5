"""The reaper in the tidy view: on request what a run would do now, and what it would leave to the one after it."""

from collections.abc import Sequence

from nicegui import ui

from ebbtide.mind.reaping import Harvest, ReapReport
from ebbtide.serve.page import parts, reasons, texts
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.parts import box, button, card, heading, link, text

SHOWN = 20  # of each list

texts.add(
    {
        "reaper.title": ("Reaper", "到期清理"),
        "reaper.auto": ("Runs by itself every {hours} hours.", "每 {hours} 小时自动清理一次。"),
        "reaper.by_hand": ("Does not run by itself: auto_reap is off.", "不自动清理：auto_reap 已关闭。"),
        "reaper.last": ("Last run {when}.", "上次清理：{when}。"),
        "reaper.never": ("It has not run yet.", "尚未清理过。"),
        "reaper.look": ("What would a run do now?", "现在清理会怎样？"),
        "reaper.would": (
            "Would delete {deleted}, prune {pruned}, keep {kept} hidden.",
            "将删除 {deleted} 条，修剪 {pruned} 条，隐藏保留 {kept} 条。",
        ),
        "reaper.deferred": (
            "The first run after a pause deletes nothing: {n} would be deleted by the run after it.",
            "停止清理一段时间后的首次清理不删除：有 {n} 条将由下一次清理删除。",
        ),
        "reaper.delete": ("delete", "删除"),
        "reaper.prune": ("prune", "修剪"),
        "reaper.evidence": ("delete as evidence", "作为证据删除"),
        "reaper.later": ("next run: delete", "下次清理时删除"),
        "reaper.more": ("and {n} more", "等 {n} 条"),
    }
)


async def show(page: Page) -> None:
    async with page.mind() as mind:
        params = mind.params
    hours = parts.number(params["reap_every"])
    with box("stack", "section").props("id=reaper"):
        heading(page.t("reaper.title"))
        with card(), box("stack"):
            text(page.t("reaper.auto", hours=hours) if params["auto_reap"] else page.t("reaper.by_hand"), "soft", "p")
            found = box("stack").props("role=status")
            button(page.t("reaper.look"), lambda: _look(page, found), symbol="visibility", classes="slim")


async def _look(page: Page, found: ui.element) -> None:
    with page.attempt():
        async with page.mind() as mind:
            report = await mind.reap(dry_run=True)
        found.clear()
        with found:
            _report(page, report)


def _report(page: Page, report: ReapReport) -> None:
    deleted, last = report.deleted + report.evidence, report.previous
    ran = page.t("reaper.never") if last is None else page.t("reaper.last", when=parts.ago(page, last, report.at))
    text(ran, "soft", "p")
    text(page.t("reaper.would", deleted=deleted, pruned=report.pruned, kept=report.kept), "strong", "p")
    _list(page, report.harvest)
    if report.deferred:
        text(page.t("reaper.deferred", n=report.deferred), "strong", "p")
        _list(page, report.deferrals, later=True)


def _list(page: Page, harvest: Sequence[Harvest], *, later: bool = False) -> None:
    with box("tight", "ul"):
        for one in harvest[:SHOWN]:
            with box("row-of", "li"):
                text(page.t("reaper.later" if later else f"reaper.{one.action}"), "chip plain")
                link(page.url("memory", key=one.key), "strong", parts.preview(one.key, 60))
                text(reasons.told(page, one.why), "soft small")
    if len(harvest) > SHOWN:
        text(page.t("reaper.more", n=len(harvest) - SHOWN), "soft small", "p")
