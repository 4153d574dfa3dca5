"""Who may see what on the page, where keys are required."""

import time
from pathlib import Path

import pytest
from playwright.async_api import Browser

from ebbtide.serve.keys import Keyring
from tests.browser import tab
from tests.serve.page.conftest import Site, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_key_opens_its_own_minds_and_no_other(site: Site, browser: Browser, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    locked = Site("", data, site.template)
    mine, theirs = locked.mind("demo-score"), locked.mind("demo-retention")
    _, key = Keyring(data).create(time.time(), [mine])
    async with serving(data, EBBTIDE_REQUIRE_KEYS="true") as home, tab(browser, home, tmp_path) as reader:
        page = reader.page
        await reader.go(f"/minds/{mine}")
        assert reader.path().startswith("/login?")
        await page.get_by_label("Key").fill("ebb_00000000_" + "x" * 43)
        await page.get_by_role("button", name="Enter").click()
        await page.get_by_text("This key opens nothing.").wait_for()
        await page.get_by_label("Key").fill(key)
        await page.get_by_role("button", name="Enter").click()
        await page.wait_for_url(f"**/minds/{mine}")
        await reader.ready()
        assert key not in await page.evaluate("document.cookie")
        await reader.go(f"/minds/{theirs}/memories")
        await reader.shows(f"There is no mind called {theirs}.")
        await reader.go("/")
        assert await page.locator("a.mind-card").count() == 1
        assert theirs not in await page.content()
        await page.get_by_label("Leave").click()
        await page.wait_for_url("**/login")
        await reader.go("/")
        assert reader.path().startswith("/login")
