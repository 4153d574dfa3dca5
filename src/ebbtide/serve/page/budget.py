"""The budget of a mind on its overview: how much is taken, what left for it and the way back, and what leaves next."""

from collections.abc import Sequence
from dataclasses import dataclass

from ebbtide.mind import Mind
from ebbtide.mind.mind import Stats
from ebbtide.mind.squeezing import NEAR, Leaver
from ebbtide.serve.page import parts, texts
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.parts import box, button, card, link, text

SHOWN = 5  # of those that leave next
_LOOKED_THROUGH = 5000  # memories in the trash: with more, the last run is not looked for

texts.add(
    {
        "budget.title": ("Budget", "预算"),
        "budget.of": ("{used} of {limit}", "{used} / {limit}"),
        "budget.memories": ("memories", "记忆条数"),
        "budget.characters": ("characters", "字符数"),
        "budget.room": (
            "Nothing leaves yet: what is needed least leaves when this is full.",
            "尚无记忆离开：满了之后，最不需要的先离开。",
        ),
        "budget.left": ("{n} in the trash", "回收站中 {n} 条"),
        "budget.run_one": ("1 memory left {when}, to make room.", "{when}有 1 条为腾出位置而离开。"),
        "budget.run": ("{n} memories left {when}, to make room.", "{when}有 {n} 条为腾出位置而离开。"),
        "budget.undo": ("Bring back", "取回"),
        "budget.undo_hint": (
            "In a full mind the next to leave go in their place. Raise the budget first to keep both.",
            "心智已满时，接下来要离开的会顶替离开；若都要保留，请先提高预算。",
        ),
        "budget.undone": ("Back from the trash: {n}.", "已从回收站取回 {n} 条。"),
        "budget.undone_full": (
            "Back from the trash: {n}; left in their place: {left}.",
            "从回收站取回 {n} 条；因此离开 {left} 条。",
        ),
        "budget.next": ("Next to leave", "接下来离开"),
        "budget.halved_first": ("halved first", "先减半"),
        "budget.change": ("Try another budget", "试试别的预算"),
    }
)


@dataclass(frozen=True, slots=True)
class Run:
    """The last time memories left for the budget: those of them that are still in the trash."""

    name: str
    at: float
    count: int


@dataclass(frozen=True, slots=True)
class Found:
    """What the card tells beyond the figures. `gone`: in the trash for the budget."""

    gone: int
    last: Run | None
    leavers: tuple[Leaver, ...]


async def found(mind: Mind, stats: Stats) -> Found | None:
    """None where there is no budget."""
    if not (stats.budget.budget_memories or stats.budget.budget_characters):
        return None
    trash = await mind.trash() if 0 < stats.store.trash <= _LOOKED_THROUGH else ()
    gone = [one for one in trash if one.cause == "budget"]
    latest = max(gone, key=lambda one: (one.forgotten_at, one.id), default=None)
    last = None if latest is None else Run(latest.run, latest.forgotten_at, sum(one.run == latest.run for one in gone))
    leavers = (await mind.squeeze(dry_run=True)).leavers if stats.budget.fullness >= NEAR else ()
    return Found(len(gone), last, leavers)


def show(page: Page, stats: Stats, seen: Found) -> None:
    use = stats.budget
    with card(page.t("budget.title")), box("stack").props("id=budget"):
        for name, used, limit in (
            ("memories", use.memories, use.budget_memories),
            ("characters", use.characters, use.budget_characters),
        ):
            if limit:
                _taken(page, name, used, limit)
        if seen.leavers:
            _next(page, seen.leavers)
        elif stats.budget.fullness < NEAR:
            text(page.t("budget.room"), "soft small", "p")
        _left(page, stats, seen)
        with box("row-of small"):
            if seen.gone:
                link(page.url("tidy"), "grow", page.t("budget.left", n=f"{seen.gone:,}"))
            link(page.url("whatif"), "", page.t("budget.change"))


def _taken(page: Page, name: str, used: int, limit: int) -> None:
    with box("tight"):
        with box("row-of"):
            text(page.t(f"budget.{name}"), "soft small grow")
            text(page.t("budget.of", used=f"{used:,}", limit=f"{limit:,}"), "number strong")
        parts.meter(used / limit, "fading" if used >= NEAR * limit else "tide")


def _left(page: Page, stats: Stats, seen: Found) -> None:
    """The last run, and the way back."""
    last = seen.last
    if last is None:
        return
    with box("tight").style("gap: 8px"):
        when = parts.ago(page, last.at, stats.at)
        text(page.t("budget.run", when=when, n=last.count), "small", "p").props["title"] = last.name
        back = button(page.t("budget.undo"), lambda: _undo(page, last.name), symbol="undo", classes="slim")
        back.style("align-self: flex-start").props["title"] = page.t("budget.undo_hint")
        if stats.budget.fullness >= NEAR:
            text(page.t("budget.undo_hint"), "soft small", "p")


def _next(page: Page, leavers: Sequence[Leaver]) -> None:
    with box("tight"):
        text(page.t("budget.next"), "strong small")
        with box("time-line", "ol"):
            for one in leavers[:SHOWN]:
                with box("s-fading", "li"):
                    link(page.url("memory", key=one.key), "strong", parts.preview(one.key, 60))
                    text(parts.preview(one.text, 160), "says", "p")
                    if one.action == "halve":
                        text(page.t("budget.halved_first"), "soft small")
        if len(leavers) > SHOWN:
            text(page.t("reaper.more", n=len(leavers) - SHOWN), "soft small", "p")


async def _undo(page: Page, run: str) -> None:
    with page.attempt():
        async with page.mind() as mind:
            undone = await mind.unsqueeze(run)
        await page.refresh()
        name = "budget.undone_full" if undone.displaced else "budget.undone"
        page.note(page.t(name, n=len(undone.restored), left=undone.displaced))
