"""How a view comes onto the page: when it fails, and when it is wanted again while it is still being made."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from nicegui import Client, ui

from ebbtide.serve.page import parts, shell
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.views import Build, View

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def main() -> AsyncIterator[ui.element]:
    """Where the views of a page stand, on a page that no browser has open."""
    client = Client(ui.page("/nowhere"))
    with client:
        yield ui.element("main")
    client.delete()


def page_of(main: ui.element, build: Build) -> Page:
    page = Page(None, "", "en", content=main)  # type: ignore[arg-type]
    page.rebuild = shell._rebuilding(main, page, View("x", "", "view.minds", "", build))
    return page


def said(element: Any) -> list[str]:
    """All words on it, in order."""
    return [each._text for each in element.descendants(include_self=True) if each._text]


async def test_a_view_that_fails_is_told_on_the_page_and_in_the_log(
    main: ui.element, caplog: pytest.LogCaptureFixture
) -> None:
    async def build(page: Page) -> None:
        parts.text("half of it")
        raise ZeroDivisionError("at /home/ada/secret")

    await page_of(main, build).refresh()
    assert "This view could not be shown." in said(main)[0]
    assert not [words for words in said(main) if "secret" in words or "half" in words]
    assert "at /home/ada/secret" in caplog.text
