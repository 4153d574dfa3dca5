"""A mind's memories by state, kind, domain and score, page by page; or those that answer a search best.

Everything chosen stands in the address, so that a list can be kept, shared and gone back to.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from nicegui import ui

from ebbtide.core.memory import Mark, Memory, State
from ebbtide.core.metabolism import Metabolism
from ebbtide.core.parameters import regime
from ebbtide.mind import Mind
from ebbtide.mind.mind import Stats
from ebbtide.serve.page import parts
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.hidden import remarks
from ebbtide.serve.page.parts import box, card, link, text

PER_PAGE = 50
_FILTERS = ("state", "kind", "domain", "from", "to", "pinned")


async def build(page: Page) -> None:
    async with page.mind() as mind:
        stats = await mind.stats()
        rule = regime(mind.metabolism, mind.params)[0].metabolism
        if page.query.get("q", "").strip():
            await _found(page, mind, stats, rule)
        else:
            await _some(page, mind, stats, rule)


async def _found(page: Page, mind: Mind, stats: Stats, rule: Metabolism) -> None:
    query = page.query["q"].strip()
    _head(page, page.t("list.found", q=parts.preview(query, 60)), stats, rule)
    search = mind.search(query, PER_PAGE, **_where(page, rule, search=True))
    found = await parts.in_time(search, page.t("list.searching"))
    notes = {hit.memory.id: page.t("match", n=f"{hit.similarity:.2f}") for hit in found.hits}
    kept = {name: page.query.get(name) for name in ("kind", "domain")}
    remarks(page, found, page.url("memories", q=query, state="all", **kept))
    _listed(page, [hit.memory for hit in found.hits], rule, stats.at, notes)
    if found.note:
        text(found.note, "soft small", "p").style("margin-top: 12px")


async def _some(page: Page, mind: Mind, stats: Stats, rule: Metabolism) -> None:
    shown = await mind.list(**_where(page, rule), after=_after(page), limit=PER_PAGE)
    _head(page, page.t("view.memories"), stats, rule)
    _listed(page, shown.memories, rule, stats.at)
    _foot(page, shown.next, shown.left_out)


def _head(page: Page, title: str, stats: Stats, rule: Metabolism) -> None:
    with parts.page_head(title, page.t("list.under")):
        pass
    _filters(page, stats, rule)


def _where(page: Page, rule: Metabolism, *, search: bool = False) -> dict[str, Any]:
    """What the address asks for, as `list` and `search` take it; what makes no sense is left out."""
    state = page.query.get("state", "")
    found: dict[str, Any] = {name: value for name in ("kind", "domain") if (value := page.query.get(name))}
    if state in rule.states:
        found["state"] = State(state)
    if state == "all":
        found |= {"state": rule.states} if search else {"everything": True}
    if not search and page.query.get("pinned"):
        found["pinned"] = True
    if not search and rule.traits.scored and ("from" in page.query or "to" in page.query):
        found["score"] = (_bound(page, "from", 0), _bound(page, "to", 100))
    return found


def _bound(page: Page, name: str, otherwise: int) -> int:
    said = parts.whole(page.query, name)
    return otherwise if said is None else min(said, 100)


def _after(page: Page) -> int:
    return parts.whole(page.query, "after") or 0


# ---- filters


def _filters(page: Page, stats: Stats, rule: Metabolism) -> None:
    kept = {name: page.query.get(name) for name in ("q", "kind", "domain", "from", "to", "pinned")}
    chosen = page.query.get("state", "")
    with box("stack").style("gap: 12px; margin-bottom: 16px"):
        with box("row-of", "nav").style("gap: 8px") as states:
            _choice(page, page.t("list.shown"), "tide", "", chosen, kept)
            for state in rule.states:
                words = f"{page.t(f'state.{state}')} {stats.states.get(state, 0):,}"
                _choice(page, words, state, state, chosen, kept)
            _choice(page, f"{page.t('list.all')} {stats.store.memories:,}", "tide", "all", chosen, kept)
            _pinned_choice(page, stats, chosen)
        states.props["aria-label"] = page.t("overview.states")
        _form(page, rule)


def _pinned_choice(page: Page, stats: Stats, chosen: str) -> None:
    """Only what is pinned, in whatever state is chosen; chosen again, everything. A search knows no pins."""
    here = bool(page.query.get("pinned"))
    if page.query.get("q") or not (stats.pinned or here):
        return
    address = page.url("memories", state=chosen, pinned="" if here else "1")
    chip = link(address, f"chip s-tide {'here' if here else ''}", f"{page.t('pinned')} {stats.pinned:,}")
    if here:
        chip.props["aria-current"] = "true"


def _choice(page: Page, words: str, colour: str, state: str, chosen: str, kept: Mapping[str, Any]) -> None:
    here = state == chosen
    chip = link(page.url("memories", state=state, **kept), f"chip s-{colour} {'here' if here else ''}", words)
    if here:
        chip.props["aria-current"] = "true"


def _form(page: Page, rule: Metabolism) -> None:
    with box("row-of filter", "form").props("method=get") as form:
        form.props["action"] = page.url("memories")
        for name in ("q", "state", "pinned"):
            if page.query.get(name):
                ui.element("input").props(f"type=hidden name={name}").props["value"] = page.query[name]
        _field(page, "kind", page.t("list.kind"), 130)
        _field(page, "domain", page.t("list.domain"), 130)
        if rule.traits.scored and not page.query.get("q"):
            _field(page, "from", page.t("list.score_from"), 130, "number")
            _field(page, "to", page.t("list.score_to"), 80, "number")
        text(page.t("list.apply"), "act", "button").props("type=submit")
        if any(page.query.get(name) for name in (*_FILTERS, "q")):
            link(page.url("memories"), "act", page.t("list.clear"))


def _field(page: Page, name: str, words: str, width: int, kind: str = "text") -> None:
    field = ui.element("input").classes("box").style(f"width: {width}px")
    field.props(f"name={name} type={kind} maxlength=256 autocomplete=off")
    field.props["placeholder"] = field.props["aria-label"] = words
    field.props["value"] = page.query.get(name, "")


# ---- the list


def _listed(
    page: Page, memories: Sequence[Memory], rule: Metabolism, now: float, notes: Mapping[int, str] | None = None
) -> None:
    with card(classes="flush"):
        if not memories:
            parts.nothing("search_off", page.t("list.none"))
        with box("list"):
            for memory in memories:
                _item(page, memory, rule, now, (notes or {}).get(memory.id, ""))


def _item(page: Page, memory: Memory, rule: Metabolism, now: float, note: str) -> None:
    with link(page.url("memory", key=memory.key), "item"):
        with box("tight"):
            with box("row-of").style("gap: 8px"):
                text(parts.preview(memory.key, 80), "strong")
                parts.state_chip(page, memory.state)
                parts.pin_chip(page, memory)
                for mark in Mark(memory.marks).names:
                    text(page.t(f"mark.{mark}"), "chip plain s-bad")
            text(parts.preview(memory.phrase or memory.text), "soft says")
        with box("tight small soft"):
            with box("row-of number").style("justify-content: space-between"):
                text(note or page.t("vitality"))
                text(f"{memory.vitality:.2f}", "strong")
            parts.meter(scaled(rule, memory.vitality), memory.state)
            text(page.t("used", when=parts.ago(page, memory.meta.last_accessed_at, now)), "faint")


def scaled(rule: Metabolism, vitality: float) -> float:
    """From 0 to 1, as ranking sees it."""
    return float(rule.scaled(np.array([vitality]))[0])


def _foot(page: Page, following: int | None, left_out: Mapping[State, int]) -> None:
    kept = {name: page.query.get(name) for name in _FILTERS}
    with box("row-of").style("margin-top: 16px"):
        if left_out:
            states = ", ".join(page.t(f"state.{state}") for state in left_out)
            text(page.t("list.hidden", n=sum(left_out.values()), states=states), "soft small")
            link(page.url("memories", **{**kept, "state": "all"}), "act slim", page.t("hidden.show"))
        box("grow")
        if _after(page):
            link(page.url("memories", **kept), "act", page.t("list.first"))
        if following is not None:
            link(page.url("memories", **kept, after=following), "act", page.t("list.next")).props("rel=next")
