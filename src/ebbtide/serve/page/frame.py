"""What every view is given: whose mind it shows, in which language, and the few things all views do alike."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote, urlencode

from nicegui import ui

from ebbtide.core.errors import EbbtideError, OwnerSilent, StoreError, UnknownMind
from ebbtide.host.ownership import House
from ebbtide.mind import Mind
from ebbtide.serve.page.texts import Language, said
from ebbtide.settings import Settings

log = logging.getLogger("ebbtide")

Allowed = Callable[[str], bool]


def everyone(agent: str) -> bool:
    return True


@dataclass
class Page:
    """One open page. `query` is what stands behind the `?` of its address; `allowed` says which minds it may show."""

    house: House
    agent: str
    language: Language
    view: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    allowed: Allowed = everyone
    usual: str = field(default_factory=lambda: Settings().metabolism)  # what is offered first for a new mind
    content: ui.element | None = None  # what a view fills; it outlives every rebuilding
    rebuild: Callable[[], Awaitable[None]] | None = None
    undo: ui.element | None = None  # the bar that offers the way back from what was done last

    def t(self, name: str, /, **facts: object) -> str:
        """The text of that name in this page's language, its {names} filled in."""
        return said(name, self.language, **facts)

    @asynccontextmanager
    async def mind(self, agent: str | None = None) -> AsyncIterator[Mind]:
        """This page's mind, or another one, for as long as the block lasts. One it may not show is not there."""
        name = self.agent if agent is None else agent
        if not self.allowed(name):
            raise UnknownMind(agent=name, data=self.house.data)
        async with self.house.mind(name) as mind:
            yield mind

    @property
    def top_view(self) -> str:
        """The view of the navigation this page belongs to."""
        return "memories" if self.view == "memory" else self.view

    def agents(self) -> list[str]:
        return [agent for agent in self.house.agents() if self.allowed(agent)]

    def url(self, view: str = "", *, agent: str | None = None, **query: object) -> str:
        """The address of a view of this mind; of another with `agent`, of the list of minds with an empty one."""
        name = self.agent if agent is None else agent
        path = f"/minds/{quote(name, safe='')}/{view}".rstrip("/") if name else "/"
        given = {key: value for key, value in query.items() if value not in (None, "")}
        return f"{path}?{urlencode(given)}" if given else path

    def go(self, view: str = "", *, agent: str | None = None, **query: object) -> None:
        ui.navigate.to(self.url(view, agent=agent, **query))

    async def refresh(self) -> None:
        """Build the view again with what is true now."""
        if self.rebuild is not None:
            await self.rebuild()

    @contextmanager
    def attempt(self, done: str = "") -> Iterator[None]:
        """What the mind refuses is told in a note, and so is what was done: `with page.attempt(page.t("done")):`."""
        try:
            yield
        except EbbtideError as error:
            self.note(self.refusal(error), "negative")
        else:
            if done:
                self.note(done)

    def refusal(self, error: EbbtideError) -> str:
        """What the mind's error says to a reader. Folders of the server are named in its log only.

        A mind that is not there, and one that is none of this visitor's business, look alike.
        """
        if isinstance(error, UnknownMind):
            return self.t("no_mind", agent=error.facts["agent"])
        if isinstance(error, StoreError | OwnerSilent):
            log.error("a page was refused: %s", error)
            return self.t("no_store")
        return str(error)

    def note(self, words: str, kind: Literal["positive", "negative", "warning", "info"] = "positive") -> None:
        """Say it at the foot of the page. Also after a refresh, when the button that was pressed is gone."""
        with self.content or nullcontext():
            ui.notify(words, type=kind, position="bottom", multi_line=kind == "negative")
