"""The views of a mind, in the order of the navigation. A view is one function that fills the page it is given.

A new view: a module with `async def build(page: Page) -> None`, a line in VIEWS, and the texts of its title.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from ebbtide.serve.page import console, journal, memories, memory, network, overview, tidy, whatif
from ebbtide.serve.page.frame import Page

Build = Callable[[Page], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class View:
    """`path` comes after /minds/AGENT/; `letter` opens it after a `g`. Without an icon it is not in the navigation."""

    path: str
    icon: str
    title: str  # a key of the texts
    letter: str
    build: Build


VIEWS = (
    View("", "water", "view.overview", "o", overview.build),
    View("memories", "style", "view.memories", "m", memories.build),
    View("memory", "", "view.memory", "", memory.build),
    View("network", "hub", "view.network", "n", network.build),
    View("tidy", "cleaning_services", "view.tidy", "t", tidy.build),
    View("whatif", "tune", "view.whatif", "w", whatif.build),
    View("journal", "history", "view.journal", "r", journal.build),
    View("console", "manage_search", "view.console", "c", console.build),
)
