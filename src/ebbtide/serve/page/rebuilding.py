"""How a view comes onto its page, and comes again when something was done: made aside, and shown once it is whole."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from ebbtide.core.errors import EbbtideError, InvalidAgent, UnknownMind
from ebbtide.serve.page import parts
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.views import View

log = logging.getLogger("ebbtide")


class _Aside(ui.element):
    """Where a view is made. The browser is told of what is in it, but not that it is there: nothing is shown yet."""

    def _to_dict(self) -> dict[str, Any]:
        return {**super()._to_dict(), "children": []}


def rebuilding(main: ui.element, page: Page, view: View) -> Callable[[], Awaitable[None]]:
    """One at a time: two that were wanted at once would both be drawn."""
    turn = asyncio.Lock()

    async def rebuild() -> None:
        async with turn:
            if main.default_slot.children:
                await _exchange(main, page, view)
            else:  # the first may take its time, and says so where it will stand
                await _fill(main, page, view)

    return rebuild


async def _exchange(main: ui.element, page: Page, view: View) -> None:
    """What is there stays until all that comes in its place is there; and so does the focus, if it has a place."""
    assert main.parent_slot is not None
    with main.parent_slot:
        aside = _Aside("div").style("display: none")
    try:
        await _fill(aside, page, view)
        main.clear()
        for part in list(aside):
            part.move(main)
    finally:
        aside.delete()
    parts.refocus(page)


async def _fill(where: ui.element, page: Page, view: View) -> None:
    with where:
        try:
            if page.agent:
                async with page.mind():
                    pass
            await view.build(page)
        except EbbtideError as error:
            where.clear()
            parts.refused(page, page.refusal(error), there=not isinstance(error, UnknownMind | InvalidAgent))
        except Exception:
            log.exception("the view %r could not be shown", view.path)  # no address: keys of memories are in it
            where.clear()
            parts.refused(page, page.t("view.failed"))
