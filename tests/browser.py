"""A browser for the tests of the page, driven by Playwright, that notices what should not happen.

A `Tab` fails its test on any error in the console, on any exception of a script, and on any request to another host.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Browser, ConsoleMessage, Locator, Page, Request, async_playwright
from playwright.async_api import Error as PlaywrightError

from tests.browsers import Machine, find

ARGS = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run",
)  # fmt: skip
DESK = {"width": 1280, "height": 860}
PHONE = {"width": 390, "height": 844}
_CHORD = """keys => {
  for (const key of keys) {
    const down = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
    (document.activeElement ?? document.body).dispatchEvent(down);
  }
}"""
PATIENCE = 60_000  # milliseconds; a slow machine is no failure


class NoBrowser(Exception):
    """There is none here, or it does not start; the message says why."""


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    found = find(Machine())
    if found.path is None:
        raise NoBrowser(found.reason)
    async with async_playwright() as playwright:
        try:
            browser = await playwright.chromium.launch(executable_path=found.path, args=list(ARGS))
        except PlaywrightError as error:  # a library is missing, or there is no room for it
            raise NoBrowser(f"{found.path} does not start: {error.message.splitlines()[0]}") from None
        yield browser
        await browser.close()


class Tab:
    """One page of the server at `home`, as a reader has it open, and everything that went wrong on it."""

    def __init__(self, page: Page, home: str, pictures: Path) -> None:
        self.page, self._home, self._pictures = page, home, pictures
        self.troubles: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.troubles.append(f"script: {error}"))
        page.on("request", self._asked)

    async def go(self, path: str) -> "Tab":
        """Open it, and wait until it can be used."""
        answer = await self.page.goto(self._home + path)
        assert answer is not None
        assert answer.status < 400, f"{path} answers {answer.status}"
        await self.ready()
        return self

    async def ready(self) -> None:
        """Shown, and connected with the server: they have shaken hands."""
        await self.page.wait_for_selector("main")
        await self.page.wait_for_function(
            "window.socket && window.socket.connected && window.did_handshake && !!document.querySelector('main')"
        )

    def see(self, words: str, *, within: str = "main") -> Locator:
        return self.page.locator(within).get_by_text(words).first

    async def shows(self, words: str, *, within: str = "main") -> None:
        await self.see(words, within=within).wait_for()

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.page.keyboard.press(key)

    async def chord(self, first: str, second: str) -> None:
        """One key right after the other, as fast as the page wants it, however slow the machine is."""
        await self.page.evaluate(_CHORD, [first, second])

    async def picture(self, name: str, *, whole: bool = False) -> Path:
        """What it looks like now, once charts have come to rest."""
        await self.page.wait_for_timeout(700)
        path = self._pictures / f"{name}.png"
        await self.page.screenshot(path=path, full_page=whole)
        return path

    def path(self) -> str:
        """Where it is: the address without the host."""
        parts = urlsplit(self.page.url)
        return parts.path + (f"?{parts.query}" if parts.query else "")

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.troubles.append(f"{message.type}: {message.text}")

    def _asked(self, request: Request) -> None:
        there, here = urlsplit(request.url), urlsplit(self._home)
        if there.scheme in ("http", "https", "ws", "wss") and there.netloc != here.netloc:
            self.troubles.append(f"left the host: {request.url}")


@asynccontextmanager
async def tab(
    browser: Browser, home: str, pictures: Path, *, language: str = "en", phone: bool = False, dark: bool = False
) -> AsyncIterator[Tab]:
    """A reader of this language, at a desk or with a phone, by day or by night."""
    options: dict[str, Any] = {"viewport": PHONE if phone else DESK, "has_touch": phone, "is_mobile": phone}
    locale = {"en": "en-GB", "zh": "zh-CN"}[language]
    context = await browser.new_context(locale=locale, color_scheme="dark" if dark else "light", **options)
    opened = Tab(await context.new_page(), home, pictures)
    try:
        yield opened
        assert not opened.troubles, "\n".join(opened.troubles)
    finally:
        await context.close()
