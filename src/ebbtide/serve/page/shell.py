"""The page on the server's app: addresses, who may see what, and every view in its frame.

    mount(app, house, settings)

Preferences are cookies (`ebbtide_language`, `ebbtide_dark`). Who typed a good key in is known by another one, which no
script can read: the random name of a visit, until they leave.
"""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response
from nicegui import Client, ui
from nicegui import app as pages

from ebbtide.host.ownership import House
from ebbtide.serve.http import problems
from ebbtide.serve.http.auth import COOKIE, LOGIN, LOGOUT, Gate, way_in
from ebbtide.serve.page import layout, overview, parts
from ebbtide.serve.page.frame import Allowed, Page, everyone
from ebbtide.serve.page.rebuilding import rebuilding
from ebbtide.serve.page.texts import Language
from ebbtide.serve.page.views import VIEWS, View
from ebbtide.settings import Settings

ASSETS = Path(__file__).parent / "assets"
PATIENCE = 30.0  # seconds a view may take to be built
_FORM = "application/x-www-form-urlencoded"

# Nothing on the page may come from, or go to, another host.
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; base-uri 'self'; form-action 'self'; "
    "frame-ancestors 'none'; object-src 'none'"
)


def mount(app: FastAPI, house: House, settings: Settings, gate: Gate | None = None) -> None:
    """Serve the page at /, after every route the app has already. Once in a process: NiceGUI is one for all.

    `gate` knows who asks, and which minds they may see; without it everybody may see all.
    """
    pages.add_static_files("/_page", ASSETS, max_cache_age=3600)
    pages.add_middleware(_Guarded)
    problems.install(pages, bugs=False)  # of a view that fails the reader is told on a page
    door = _Door(house, gate, settings.metabolism)
    ui.page("/", title="Ebbtide", response_timeout=PATIENCE)(door.minds)
    ui.page("/minds/{agent}", response_timeout=PATIENCE)(door.mind)
    ui.page("/minds/{agent}/{view}", response_timeout=PATIENCE)(door.mind)
    ui.page(LOGIN, title="Ebbtide")(door.login)
    pages.post(LOGIN, include_in_schema=False)(door.let_in)
    pages.post(LOGOUT, include_in_schema=False)(door.let_out)  # no link of another site ends a visit
    icon = (ASSETS / "icon.svg").read_text("utf-8")  # inside the page, so that the login needs no file for it
    ui.run_with(
        app, title="Ebbtide", dark=None, favicon=icon, tailwind=False, show_welcome_message=False,
        binding_refresh_interval=None, reconnect_timeout=20.0,
    )  # fmt: skip


class _Door:
    """Every address of the page: who asks, for what, in which language."""

    def __init__(self, house: House, gate: Gate | None, usual: str) -> None:
        self._house, self._gate, self._usual = house, gate, usual

    async def minds(self, request: Request) -> Response | None:
        return await self._show(request, "", View("", "water", "view.minds", "", overview.build_minds))

    async def mind(self, request: Request, agent: str, view: str = "") -> Response | None:
        for known in VIEWS:
            if known.path == view:
                return await self._show(request, agent, known)
        return await self._show(request, agent, View(view, "", "view.nowhere", "", _nowhere))

    async def _show(self, request: Request, agent: str, view: View) -> Response | None:
        if self._gate is not None and self._gate.still(request) is None:
            return RedirectResponse(way_in(request), status_code=303)
        allowed = everyone if self._gate is None else _while_visiting(self._gate, request, ui.context.client)
        page = Page(self._house, agent, _language(request), view.path, dict(request.query_params), allowed)
        page.usual = self._usual
        layout.head(page, _dark(request), page.t(view.title))
        main = layout.frame(page, may_leave=self._gate is not None)
        page.content, page.rebuild = main, rebuilding(main, page, view)
        await page.refresh()
        return None

    def login(self, request: Request, then: str = "/", wrong: bool = False) -> None:
        page = Page(self._house, "", _language(request))
        layout.head(page, _dark(request), page.t("login.title"))
        layout.login(page, _within(then), wrong=wrong)

    async def let_in(self, request: Request) -> Response:
        """Whoever says this is a stranger yet: only a form as small as this one is read, and no file."""
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
            raise problems.NotAForm(f"A key is sent as a form: `Content-Type: {_FORM}`.")
        said = parse_qs((await request.body()).decode("utf-8", "replace"))
        key, then = said.get("key", [""])[0], _within(said.get("then", ["/"])[0])
        answer = RedirectResponse(then, status_code=303)
        if self._gate is None:
            return answer
        visit = self._gate.sessions.begin(key)
        if visit is None:
            return RedirectResponse(f"{LOGIN}?wrong=1&then={quote(then, safe='')}", status_code=303)
        answer.set_cookie(COOKIE, visit, httponly=True, samesite="strict", secure=_is_secure(request))
        return answer

    def let_out(self, request: Request) -> Response:
        """Every page of this visit, in whatever tab it is open, shows nothing from now on, and is left too."""
        visit = request.cookies.get(COOKIE, "")
        if self._gate is not None and self._gate.sessions.key(visit) is not None:
            self._gate.sessions.end(visit)
            _leave(visit)
        answer = RedirectResponse(LOGIN, status_code=303)
        answer.delete_cookie(COOKIE)
        return answer


def _leave(visit: str) -> None:
    for client in list(Client.instances.values()):
        if client.has_socket_connection and client.request.cookies.get(COOKIE) == visit:
            client.open(LOGIN)


def _while_visiting(gate: Gate, request: Request, client: Client) -> Allowed:
    """Which minds this visitor may see, asked again at every look: keys are revoked, and visits end."""

    def may(agent: str) -> bool:
        key = gate.still(request)
        if key is None and not client.is_deleted:
            client.open(way_in(request))
        return key is not None and key.opens(agent)

    return may


async def _nowhere(page: Page) -> None:
    parts.refused(page, page.t("no_view"))


# ---- what a request says


def _is_secure(request: Request) -> bool:
    """Whether the browser came by HTTPS; where something before the server speaks it, only the browser says so."""
    return request.url.scheme == "https" or request.headers.get("origin", "").startswith("https://")


def _language(request: Request) -> Language:
    """As chosen; else as the browser prefers."""
    chosen = request.cookies.get("ebbtide_language") or request.headers.get("accept-language", "")
    return "zh" if chosen.lower().startswith("zh") else "en"


def _dark(request: Request) -> bool | None:
    return {"dark": True, "light": False}.get(request.cookies.get("ebbtide_dark", ""))


def _within(address: str) -> str:
    """An address of this page, whatever was asked for."""
    plain = address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    return address if plain else "/"


class _Guarded:
    """The policy that keeps the browser on this host goes out with every answer."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = [(b"content-security-policy", _POLICY.encode()), (b"referrer-policy", b"same-origin")]
                message["headers"] = [*message["headers"], *headers, (b"x-content-type-options", b"nosniff")]
            await send(message)

        await self._app(scope, receive, guarded)
