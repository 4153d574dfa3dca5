"""How a view comes onto the page: when it fails, and when it is wanted again while it is still being made."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from nicegui import Client, ui

from ebbtide.serve.page import parts, shell
from ebbtide.serve.page.frame import Page
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
    page.rebuild = shell._rebuilding(main, page, View("x", "", "view.minds", "", build))
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
