"""Around every view: the head of the document, the bar on top, the navigation, the keys and the way in."""

from nicegui import ui

from ebbtide.serve.page import parts
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.parts import box, icon, link, text
from ebbtide.serve.page.texts import LANGUAGES
from ebbtide.serve.page.views import VIEWS

_OTHER = {"en": "zh", "zh": "en"}


def head(page: Page, dark: bool | None, title: str) -> None:
    """Brightness and language are set before anything is painted."""
    ui.page_title(" · ".join(part for part in (title, page.agent, "Ebbtide") if part))
    ui.add_head_html('<link rel="stylesheet" href="/_page/page.css"><script src="/_page/page.js"></script>')
    ui.add_head_html(f'<script>document.documentElement.lang = "{page.language}"</script>')
    ui.dark_mode(dark)


def main() -> ui.element:
    return box("view").props("id=main tabindex=-1")


def frame(page: Page, *, may_leave: bool) -> ui.element:
    """The page around its view; returns where the view is to stand."""
    link("#main", "skip", page.t("skip"))
    _top(page, may_leave)
    _help(page)
    with box("body" if page.agent else "body bare"):
        if page.agent:
            _rail(page)
        return main()


def _top(page: Page, may_leave: bool) -> None:
    with box("top", "header"):
        with link("/", "brand").props('data-letter=h aria-label="Ebbtide"'):
            box("logo").props("aria-hidden=true")
            text("Ebbtide", "name")
        if page.agent:
            _chooser(page)
            _find(page)
        with box("tools").style("" if page.agent else "margin-left: auto"):
            _tools(page, may_leave)


def _chooser(page: Page) -> None:
    agents = page.agents()
    known = agents if page.agent in agents else [page.agent, *agents]
    chooser = ui.select(known, value=page.agent, on_change=lambda event: page.go(page.top_view, agent=event.value))
    chooser.classes("chooser").props("dense outlined options-dense hide-bottom-space")
    chooser.props["aria-label"] = page.t("choose_mind")


def _find(page: Page) -> None:
    """A plain form: it works before anything else does."""
    with box("find", "form").props("role=search method=get") as form:
        form.props["action"] = page.url("memories")
        field = ui.element("input").props("name=q type=search autocomplete=off maxlength=1000")
        field.props["placeholder"] = field.props["aria-label"] = page.t("find")
        field.props["value"] = page.query.get("q", "")
        text("/", tag="kbd").props("aria-hidden=true")


def _tools(page: Page, may_leave: bool) -> None:
    other = LANGUAGES["zh" if page.language == "en" else "en"]
    spoken = _OTHER[page.language]
    tool = text(other, "tool language", "button").props(f"type=button lang={spoken}")
    tool.on("click", js_handler=f"() => ebbtide.language('{spoken}')")
    with box("tool dark-switch", "button").props("type=button") as tool:
        icon("contrast")
    tool.props["aria-label"] = tool.props["title"] = page.t("brightness")
    tool.on("click", js_handler="() => ebbtide.dark()")
    with box("tool wide-only", "button").props("type=button") as tool:
        icon("keyboard")
    tool.props["aria-label"] = tool.props["title"] = page.t("help.title")
    tool.on("click", js_handler="() => ebbtide.show('help')")
    if may_leave:
        with (
            box("tools", "form").props("method=post action=/logout"),
            box("tool", "button").props("type=submit") as tool,
        ):
            icon("logout")
        tool.props["aria-label"] = tool.props["title"] = page.t("login.leave")


def _rail(page: Page) -> None:
    with box("rail", "nav") as rail:
        for view in VIEWS:
            if not view.icon:
                continue
            here = view.path == page.top_view
            with link(page.url(view.path), "here" if here else "").props(f"data-letter={view.letter}") as entry:
                icon(view.icon)
                text(page.t(view.title), "name")
            if here:
                entry.props["aria-current"] = "page"
            entry.props["aria-label"] = page.t(view.title)
    rail.props["aria-label"] = page.t("navigation")


def _help(page: Page) -> None:
    with parts.dialog("help", page.t("help.title")), box("keys"):
        rows = [("/", page.t("find")), ("j  k", page.t("help.step")), ("g h", page.t("view.minds"))]
        rows += [(f"g {view.letter}", page.t(view.title)) for view in VIEWS if view.icon and page.agent]
        for keys, words in [*rows, ("Esc", page.t("help.close"))]:
            with box():
                for key in keys.split():
                    text(key, tag="kbd").style("margin-right: 4px")
            text(words)


def login(page: Page, then: str, *, wrong: bool) -> None:
    """A form without a script: the key goes to the server and nowhere else."""
    with box("login", "main"):
        with box("row-of"):
            box("logo")
            text(page.t("login.title"), tag="h1")
        with parts.card(), box("form", "form").props("method=post action=/login"):
            text(page.t("login.why"), "soft", "p")
            if wrong:
                text(page.t("login.wrong"), "chip s-bad", "p").props("role=alert")
            with text(page.t("login.key"), tag="label"):
                ui.element("input").props('name=key type=password class="box" autocomplete=current-password autofocus')
            ui.element("input").props("name=then type=hidden").props["value"] = then
            text(page.t("login.enter"), "act main", "button").props("type=submit")
