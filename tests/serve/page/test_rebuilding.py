"""How a view comes onto the page: when it fails, and when it is wanted again while it is still being made."""

import asyncio
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from nicegui import Client, ui

from ebbtide.core.errors import InvalidAgent, StoreUnreadable, UnknownMind
from ebbtide.serve.page import parts
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.rebuilding import rebuilding
from ebbtide.serve.page.views import Build, View

pytestmark = pytest.mark.asyncio


@contextmanager
def unseen(build: Build) -> Iterator[Page]:
    """A page with this view that no browser has open."""
    client = Client(ui.page("/nowhere"))
    try:
        with client:
            yield page_of(ui.element("main"), build)
    finally:
        client.delete()


def page_of(main: ui.element, build: Build) -> Page:
    page = Page(None, "", "en", content=main)  # type: ignore[arg-type]
    page.rebuild = rebuilding(main, page, View("x", "", "view.minds", "", build))
    return page


def said(page: Page) -> list[str]:
    """All words on it, in order."""
    content: Any = page.content
    return [each._text for each in content.descendants() if each._text]


async def test_a_view_that_fails_is_told_on_the_page_and_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async def build(page: Page) -> None:
        parts.text("half of it")
        raise ZeroDivisionError("at /home/ada/secret")

    with unseen(build) as page:
        await page.refresh()
        assert "This view could not be shown." in said(page)[0]
        assert not [words for words in said(page) if "secret" in words or "half" in words]
    assert "at /home/ada/secret" in caplog.text


async def test_a_view_that_is_wanted_twice_at_once_is_there_once() -> None:
    async def build(page: Page) -> None:
        parts.text("title")
        await asyncio.sleep(0)  # others have their turn meanwhile
        parts.text("rest")

    with unseen(build) as page:
        await asyncio.gather(*[page.refresh() for _ in range(5)])
        assert said(page) == ["title", "rest"]


async def test_what_is_there_stays_until_all_that_replaces_it_is_there() -> None:
    going_on, half, times = asyncio.Event(), asyncio.Event(), itertools.count(1)

    async def build(page: Page) -> None:
        number = next(times)
        parts.text(f"head {number}")
        if number == 2:
            half.set()
            await going_on.wait()
        parts.text(f"foot {number}")

    with unseen(build) as page:
        await page.refresh()
        again = asyncio.create_task(page.refresh())
        await half.wait()
        assert said(page) == ["head 1", "foot 1"]
        assert page.content is not None
        assert page.content.parent_slot is not None
        shown = page.content.parent_slot.children[-1]._to_dict()
        assert shown["children"] == []  # what is made aside is not drawn
        going_on.set()
        await again
        assert said(page) == ["head 2", "foot 2"]
        assert page.content.parent_slot.children == [page.content]


async def test_a_second_click_while_the_first_is_at_work_is_none() -> None:
    done: list[str] = []
    let_go = asyncio.Event()

    async def work() -> None:
        done.append("begun")
        await let_go.wait()

    with unseen(_nothing):
        button = parts.box()
        click = parts.one_at_a_time(button, work)
        first = asyncio.create_task(click())
        await asyncio.sleep(0)
        assert click() is None
        assert button.props["aria-disabled"] == "true"
        let_go.set()
        await first
        assert button.props["aria-disabled"] is None
        await click()
    assert done == ["begun", "begun"]


async def test_of_two_things_done_the_last_one_has_its_way_back() -> None:
    with unseen(_nothing) as page:
        for words in ("first", "second"):
            parts.undo_bar(page, words, page.refresh)
        assert "second" in said(page)
        assert "first" not in said(page)


async def _nothing(page: Page) -> None:
    pass


class _NoHouse:
    """A house in which opening a mind fails like this."""

    data = "/srv"

    def __init__(self, error: Exception) -> None:
        self._error = error

    def mind(self, agent: str) -> Any:
        raise self._error


@pytest.mark.parametrize(
    ("error", "ways"),
    [
        (StoreUnreadable(path="/srv/ada", detail="no"), ["/minds/ada/memories", "/"]),
        (ZeroDivisionError(), ["/minds/ada/memories", "/"]),
        (UnknownMind(agent="ada", data="/srv"), ["/"]),
        (InvalidAgent(agent="ada"), ["/"]),
    ],
)
async def test_from_what_cannot_be_shown_there_is_a_way_on(error: Exception, ways: list[str]) -> None:
    with unseen(_nothing) as page:
        page.agent, page.house = "ada", _NoHouse(error)  # type: ignore[assignment]
        await page.refresh()
        content: Any = page.content
        assert [each.props["href"] for each in content.descendants() if each.tag == "a"] == ways
