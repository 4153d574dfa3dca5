"""Plain controls for the views that are played with: they say what they are, and work by keyboard."""

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui

from ebbtide.core.metabolism import METABOLISMS
from ebbtide.serve.page.parts import box, icon, text

_ALL = "event => { event.preventDefault(); emit([...new FormData(event.target).entries()]); }"


def explorer() -> None:
    """The looks and the script of these views."""
    ui.add_head_html('<link rel="stylesheet" href="/_page/explore.css"><script src="/_page/explore.js"></script>')


def states_of(metabolism: str) -> tuple[str, ...]:
    return tuple(state.value for state in METABOLISMS[metabolism].states)


def press(on_click: Callable[[], Any], classes: str) -> ui.element:
    """A button that holds whatever is put into it."""
    return box(classes, "button").props("type=button").on("click", on_click)


def reword(element: ui.element, words: str) -> None:
    """Let an element made by `text` say something else."""
    element._text = words
    element.update()


def checkbox(words: str, value: bool, on_change: Callable[[bool], Any]) -> ui.element:
    with box("check", "label") as label:
        tick = box("", "input").props("type=checkbox")
        tick.props["defaultChecked"] = value
        tick.on("change", lambda event: on_change(bool(event.args)), js_handler="event => emit(event.target.checked)")
        text(words)
    return label


def form(on_submit: Callable[[dict[str, list[str]]], Any], classes: str = "") -> ui.element:
    """Fields that are handed over together, each under its name with all its values."""

    def submitted(event: Any) -> Any:
        given: dict[str, list[str]] = {}
        for name, value in event.args:
            given.setdefault(str(name), []).append(str(value).strip())
        return on_submit(given)

    return box(classes, "form").on("submit", submitted, js_handler=_ALL)


def field(words: str, name: str, value: str = "", *, kind: str = "text", hint: str = "", more: str = "") -> ui.element:
    """A labelled line of a form. `defaultValue`, so that what is typed is never written over."""
    with box(tag="label"):
        text(words)
        line = box("box", "input").props(f"type={kind} name={name} autocomplete=off maxlength=10000 {more}")
    line.props["defaultValue"] = value
    if hint:
        line.props["placeholder"] = hint
    return line


def choice(words: str, name: str, options: Mapping[str, str], value: str = "") -> ui.element:
    """One of several, each under the words it is shown as."""
    with box(tag="label"):
        text(words)
        with box("box", "select").props(f"name={name}") as chooser:
            for given, shown in options.items():
                option = text(shown, tag="option")
                option.props["value"] = given
                option.props["selected"] = given == value
    return chooser


def submit(words: str, symbol: str) -> ui.element:
    with box("act main", "button").props("type=submit") as element:
        icon(symbol)
        text(words)
    return element


def tabs(options: Mapping[str, str], value: str, on_change: Callable[[str], Any], label: str) -> None:
    """A row of buttons of which one is pressed."""
    with box("tabs").props("role=group") as row:
        buttons = {name: text(shown, "act slim", "button").props("type=button") for name, shown in options.items()}
    row.props["aria-label"] = label

    def pressed(chosen: str) -> None:
        for name, one in buttons.items():
            one.props["aria-pressed"] = "true" if name == chosen else "false"
            one.update()

    async def choose(name: str) -> None:
        pressed(name)
        if (waiting := on_change(name)) is not None:
            await waiting

    for name, one in buttons.items():
        one.on("click", lambda name=name: choose(name))
    pressed(value)
