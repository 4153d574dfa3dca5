"""Back from the trash; under another key, if the old one has been taken meanwhile."""

from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass

from nicegui import ui

from ebbtide.core.errors import KeyTaken
from ebbtide.serve.page import parts
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.parts import box, button, card, text

Then = Callable[[], Awaitable[None]]


async def restore(
    page: Page, key: str, *, which: int | None = None, done: str = "tidy.restored", then: Then | None = None
) -> None:
    """Which of all that were forgotten under the key, by id; left out, the last. `then`: instead of a refresh."""
    await _Return(page, key, which, done, then or page.refresh).under(key)


@dataclass(frozen=True, slots=True)
class _Return:
    page: Page
    key: str
    which: int | None
    done: str
    then: Then

    async def under(self, name: str) -> None:
        """If that key is taken, the reader is asked for another."""
        with self.page.attempt():
            try:
                async with self.page.mind() as mind:
                    await mind.restore(self.key, new_key=name, id=self.which)
            except KeyTaken:
                _ask(self, name)
                return
            await self.then()
            self.page.note(self.page.t(self.done, key=parts.preview(name, 60)))


def _ask(back: _Return, taken: str) -> None:
    page = back.page
    with page.content or nullcontext(), ui.dialog(value=True) as asking, card(page.t("restore.as")), box("form"):
        text(page.t("restore.taken", key=parts.preview(taken, 60)), "soft", "p").props("role=alert")
        field = ui.input(page.t("restore.key"), value=f"{taken}-2").props("outlined dense autofocus maxlength=512")

        async def again() -> None:
            asking.close()
            await back.under(str(field.value or "").strip())

        field.on("keydown.enter", again)
        with box("row-of").style("justify-content: flex-end"):
            button(page.t("cancel"), asking.close)
            button(page.t("tidy.restore"), again, classes="main")
