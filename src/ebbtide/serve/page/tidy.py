"""What may be tidied up, and what is in the trash: accept, dismiss, restore; and everything that was done, undone."""

from collections.abc import Sequence

from nicegui import ui

from ebbtide.core.metabolism import traits_of
from ebbtide.mind.forgetting import Forgotten
from ebbtide.mind.suggestions import Suggestion
from ebbtide.serve.page import parts, reaper, reasons, story
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.parts import box, button, card, heading, link, text
from ebbtide.serve.page.restoring import restore

AT_FIRST = 10  # shown, of either
SUGGESTED = 200  # asked for
MORE = 100  # of the trash, at every wish for more


async def build(page: Page) -> None:
    async with page.mind() as mind:
        suggested = await mind.suggestions(limit=SUGGESTED)
        metabolism = mind.metabolism
    with parts.page_head(page.t("view.tidy"), page.t(f"tidy.under.{metabolism}")):
        pass
    with box("two"):
        with box("stack", "section"):
            heading(page.t("tidy.suggestions"))
            _suggestions(page, suggested)
            if not suggested:
                _nothing_suggested(page, metabolism)
            if traits_of(metabolism).reaps:
                await reaper.show(page)
        with box("stack", "section").props("id=trash"):
            heading(page.t("tidy.trash"))
            with card(classes="flush"):
                await _Trash(page, box("list")).show(AT_FIRST)


# ---- suggestions


def _suggestions(page: Page, suggested: Sequence[Suggestion]) -> None:
    """The first few, and the others when somebody wants to see them."""
    for suggestion in suggested[:AT_FIRST]:
        _suggestion(page, suggestion)
    rest = suggested[AT_FIRST:]
    if not rest:
        return
    with box("stack more") as others:

        def more() -> None:
            others.clear()
            with others:
                for suggestion in rest:
                    _suggestion(page, suggestion)

        button(page.t("tidy.more", n=len(rest)), more)


def _nothing_suggested(page: Page, metabolism: str) -> None:
    with card():
        if traits_of(metabolism).merges:
            parts.nothing("spa", page.t("tidy.none"), page.t("tidy.none_more"))
        else:
            parts.nothing("spa", page.t("tidy.not_here", metabolism=page.t(f"rule.{metabolism}")))


def _suggestion(page: Page, suggestion: Suggestion) -> None:
    merge = suggestion.kind == "merge"
    with card(classes="suggestion"), box("stack").style("gap: 12px"):
        with box("row-of"):
            text(page.t(f"tidy.{suggestion.kind}"), f"chip s-{'cold' if merge else 'bad'}")
            if suggestion.overlap is not None:
                text(page.t("tidy.overlap", n=f"{suggestion.overlap:.0%}"), "chip plain")
            box("grow")
            _choices(page, suggestion)
        with box("pair" if merge else ""):
            for place, (key, says) in enumerate(zip(suggestion.keys, suggestion.texts, strict=True)):
                _said(page, key, says, ("tidy.stays", "tidy.goes")[place] if merge else "")
        text(reasons.told(page, suggestion.why), "soft small", "p")


def _choices(page: Page, suggestion: Suggestion) -> None:
    accept, dismiss = page.t(f"tidy.accept_{suggestion.kind}"), page.t("tidy.dismiss")
    named = ", ".join(parts.preview(key, 60) for key in suggestion.keys)
    button(dismiss, lambda: _dismiss(page, suggestion), classes="slim", label=f"{dismiss}: {named}")
    button(accept, lambda: _accept(page, suggestion), classes="main slim", label=f"{accept}: {named}")


def _said(page: Page, key: str, says: str, part: str) -> None:
    with box("quote tight"):
        with box("row-of"):
            link(page.url("memory", key=key), "strong", parts.preview(key, 60))
            if part:
                text(page.t(part), "faint small")
        text(parts.preview(says, 400), "text", "p")


async def _accept(page: Page, suggestion: Suggestion) -> None:
    with page.attempt():
        gone = suggestion.keys[-1]
        async with page.mind() as mind:
            which = (await mind.explain(gone)).memory.id
            await mind.accept(suggestion.kind, *suggestion.keys)
        await page.refresh()
        first, last = (parts.preview(key, 40) for key in (suggestion.keys[0], gone))
        merge = suggestion.kind == "merge"
        words = page.t("tidy.merged", key=first, other=last) if merge else page.t("tidy.deleted", key=last)
        parts.undo_bar(page, words, lambda: restore(page, gone, which=which, done="tidy.undone"))


async def _dismiss(page: Page, suggestion: Suggestion) -> None:
    with page.attempt(page.t("tidy.dismissed")):
        async with page.mind() as mind:
            await mind.dismiss(suggestion.kind, *suggestion.keys)
        await page.refresh()


# ---- the trash


class _Trash:
    """As much of the trash as somebody wants to see: the page holds what it shows, and not the texts of all others."""

    def __init__(self, page: Page, rows: ui.element) -> None:
        self._page, self._rows = page, rows
        self._shown: set[int] = set()
        self._foot = box()

    async def show(self, many: int) -> None:
        """So many more of those that are not there yet."""
        async with self._page.mind() as mind:
            trash, now = await mind.trash(), mind.now()
        left = [gone for gone in trash if gone.id not in self._shown]
        with self._rows:
            for gone in left[:many]:
                _gone(self._page, gone, now)
                self._shown.add(gone.id)
        self._foot.clear()
        with self._foot:
            self._ending(len(left) - many)

    def _ending(self, left: int) -> None:
        if not self._shown:
            parts.nothing("delete_outline", self._page.t("tidy.trash_none"))
        if left > 0:
            with box("more").style("padding: 12px 18px"):
                button(self._page.t("tidy.more", n=min(left, MORE)), self._more)

    async def _more(self) -> None:
        with self._page.attempt():
            await self.show(MORE)


def _gone(page: Page, gone: Forgotten, now: float) -> None:
    with box("item gone").style("grid-template-columns: minmax(0, 1fr) auto"):
        with box("tight"):
            text(parts.preview(gone.key, 80), "strong")
            text(parts.preview(gone.text), "soft says")
            when, end = parts.ago(page, gone.forgotten_at, now), parts.ago(page, gone.gone_at, now)
            text(page.t("tidy.left", when=when, cause=story.cause(page, gone.cause), end=end), "faint small")
        words = page.t("tidy.restore")
        back = button(words, lambda: restore(page, gone.key, which=gone.id), symbol="restore", classes="slim")
        back.props["aria-label"] = f"{words}: {parts.preview(gone.key, 80)}"
