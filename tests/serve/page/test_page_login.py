"""Who may see what on the page, where keys are required."""

import time
from pathlib import Path
from unittest.mock import Mock

import httpx
import pytest
from playwright.async_api import Browser
from starlette.requests import Request

from ebbtide.app import SystemClock
from ebbtide.serve.http.auth import COOKIE, Gate
from ebbtide.serve.keys import Keyring
from ebbtide.serve.page import shell
from tests.browser import Tab, tab
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


async def test_leaving_ends_the_visit_in_every_tab(site: Site, browser: Browser, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    agent = Site("", data, site.template).mind("demo-score")
    ring = Keyring(data)
    key = ring.create(time.time(), [agent])[1]
    async with serving(data, EBBTIDE_REQUIRE_KEYS="true") as home, tab(browser, home, tmp_path) as first:
        there = f"/minds/{agent}/memory?key=seat"
        await first.go(there)
        await first.page.get_by_label("Key").fill(key)
        await first.page.get_by_role("button", name="Enter").click()
        await first.page.wait_for_url(f"**{there}")  # where one was going, to the very memory
        kept = await first.page.context.cookies()
        assert not [cookie for cookie in kept if key in str(cookie)]
        second = Tab(await first.page.context.new_page(), home, tmp_path)
        await second.go(there)
        await first.page.get_by_label("Leave").click()
        await first.page.wait_for_url("**/login")
        await second.page.wait_for_url("**/login")


async def test_a_page_that_is_still_open_when_its_visit_has_ended_shows_nothing(tmp_path: Path) -> None:
    gate = Gate(Keyring(tmp_path), SystemClock(), required=True)
    visit = gate.sessions.begin(Keyring(tmp_path).create(time.time(), ["ada"])[1])
    headers = [(b"cookie", f"{COOKIE}={visit}".encode()), (b"host", b"here")]
    request = Request(
        {"type": "http", "method": "GET", "path": "/minds/ada", "query_string": b"x=1", "headers": headers}
    )
    client = Mock(is_deleted=False)
    may = shell._while_visiting(gate, request, client)
    assert gate.key(request) is not None  # known to the request from now on, whatever happens
    assert (may("ada"), may("bob")) == (True, False)
    client.open.assert_not_called()
    gate.sessions.end(visit or "")
    assert not may("ada")
    client.open.assert_called_once_with("/login?then=%2Fminds%2Fada%3Fx%3D1")


async def test_a_visit_by_https_is_not_told_without_it(site: Site, tmp_path: Path) -> None:
    ring = Keyring(tmp_path)
    key = ring.create(time.time(), admin=True)[1]
    async with serving(tmp_path, EBBTIDE_REQUIRE_KEYS="true") as home, httpx.AsyncClient(base_url=home) as visitor:
        for scheme, secure in (("http", False), ("https", True)):
            origin = f"{scheme}://{home.partition('://')[2]}"
            answer = await visitor.post("/login", data={"key": key}, headers={"Origin": origin})
            assert ("secure" in answer.headers["set-cookie"].lower()) is secure
            assert key not in answer.headers["set-cookie"]
