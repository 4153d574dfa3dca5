"""Back from the trash; under another key, if the old one has been taken meanwhile."""

from contextlib import nullcontext

from nicegui import ui

from ebbtide.core.errors import KeyTaken
from ebbtide.serve.page import parts
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.parts import box, button, card, text


async def restore(page: Page, key: str, new_key: str | None = None, done: str = "tidy.restored") -> None:
    """If its key is taken, the reader is asked for another."""
    with page.attempt():
        try:
            async with page.mind() as mind:
                await mind.restore(key, new_key=new_key)
        except KeyTaken:
            _ask(page, key, new_key or key)
            return
        await page.refresh()
        page.note(page.t(done, key=parts.preview(new_key or key, 60)))


def _ask(page: Page, key: str, taken: str) -> None:
    with page.content or nullcontext(), ui.dialog(value=True) as asking, card(page.t("restore.as")), box("form"):
        text(page.t("restore.taken", key=parts.preview(taken, 60)), "soft", "p").props("role=alert")
        field = ui.input(page.t("restore.key"), value=f"{taken}-2").props("outlined dense autofocus maxlength=512")

        async def again() -> None:
            asking.close()
            await restore(page, key, str(field.value or "").strip())

        field.on("keydown.enter", again)
        with box("row-of").style("justify-content: flex-end"):
            button(page.t("cancel"), asking.close)
            button(page.t("tidy.restore"), again, classes="main")
