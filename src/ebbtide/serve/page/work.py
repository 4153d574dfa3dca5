"""Work that takes a while, on behalf of a page: begun a moment after the last wish, shown, and left when asked to."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from nicegui import background_tasks, ui

from ebbtide.core.errors import EbbtideError
from ebbtide.mind.upkeep import Progress
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.parts import box, button, text

_PATIENCE = 0.35  # seconds of quiet before it begins
_EVERY = 0.1  # seconds between two looks at how far it is


class Stopped(Exception):
    """Somebody does not want to wait for it any longer."""


class Work:
    """One thing at a time: a new wish takes the place of the one before. Its result is drawn into `shown`."""

    def __init__(self, page: Page, words: str) -> None:
        self._page = page
        self._task: asyncio.Task[None] | None = None
        self._left = False
        with box("running").props("role=status") as self._bar:
            text(words, "soft")
            self._progress = box("", "progress").props("max=1")
            self._progress.props["aria-label"] = words
            button(page.t("cancel"), self.stop, symbol="close", classes="slim")
        self._bar.set_visibility(False)
        self.shown = box("stack")
        ui.context.client.on_delete(self.stop)

    def begin(self, work: Callable[[Progress], Awaitable[None]], *, at_once: bool = False) -> None:
        """`work` gets a progress to report to, and draws what it finds."""
        self.stop()
        self._left = False
        self._task = background_tasks.create(self._run(work, 0.0 if at_once else _PATIENCE), name="work of a page")

    def stop(self) -> None:
        self._left = True
        if self._task is not None and not self._task.done():
            self._task.cancel()
        self._task = None
        self._bar.set_visibility(False)

    async def _run(self, work: Callable[[Progress], Awaitable[None]], wait: float) -> None:
        await asyncio.sleep(wait)
        self._bar.set_visibility(True)
        with self.shown:
            try:
                await work(self._teller())
            except Stopped:
                return
            except EbbtideError as error:
                self.shown.clear()
                text(self._page.refusal(error), "chip plain s-bad", "p").props("role=alert")
        self._bar.set_visibility(False)

    def _teller(self) -> Progress:
        mine, last = self._task, 0.0

        def tell(done: int, total: int) -> None:
            nonlocal last
            if self._left or self._task is not mine:
                raise Stopped
            if (now := time.monotonic()) - last >= _EVERY:
                last = now
                self._progress.props["value"] = done / max(total, 1)
                self._progress.update()

        return tell
