"""Where the focus is after something was done and the view was made again: whoever goes by keyboard goes on there."""

import pytest

from tests.browser import Tab
from tests.serve.page.conftest import OpenTab, Site

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def focus_is_on(tab: Tab, words: str) -> None:
    await tab.page.wait_for_function(
        "words => document.activeElement.innerText?.includes(words) && document.activeElement.tagName === 'BUTTON'",
        arg=words,
    )


async def test_the_same_button_has_the_focus_again(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind()}/memory?key=db")
    button = tab.page.get_by_role("button", name="I used this")
    before = await button.get_attribute("id")
    await button.focus()
    await tab.press("Enter")
    await tab.page.get_by_text("Counted as a use.").wait_for()
    await tab.page.wait_for_function("id => !document.getElementById(id)", arg=before)
    await focus_is_on(tab, "I used this")
    assert await tab.page.locator("h1").count() == 1


async def test_the_way_back_has_the_focus_where_the_button_is_gone(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind()}/memory?key=db")
    await tab.page.get_by_role("button", name="Forget").focus()
    await tab.press("Enter")
    await focus_is_on(tab, "Undo")
    await tab.press("Enter")
    await tab.shows("Forgetting curve")
    await tab.page.wait_for_function("document.activeElement !== document.body")
