"""One memory: what it says and said, where its number comes from, its curve and what is to come, links, history.

Looking at it here counts as no use.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from ebbtide.core.errors import UnknownMemory
from ebbtide.core.memory import Mark, Memory, State
from ebbtide.core.metabolism import traits_of
from ebbtide.mind.explain import Coming, Explanation
from ebbtide.mind.forgetting import Forgotten
from ebbtide.mind.surroundings import Surroundings
from ebbtide.serve.page import curve, life, parts, reasons, story, texts
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.parts import box, button, card, link, text
from ebbtide.serve.page.restoring import restore

_LINKED = 200  # memories around it that are looked at for its links
_SHOWN = 30

texts.add(
    {
        "term.lasting use": ("lasting use", "长期使用"),
        "term.recent use": ("recent use", "近期使用"),
        "term.content": ("content", "内容"),
        "term.recency": ("recency", "新近程度"),
        "term.superseded": ("superseded", "被取代"),
        "memory.partial": (
            "This history is partial: of what lies further back, only what happened to this memory alone is told.",
            "这段经历不完整：更早的部分只列出仅与它有关的记录。",
        ),
        "memory.partial_curve": (
            "The history is partial, so the curve begins on {when} (UTC): since then only time has been at work.",
            "历史不完整，曲线从 {when}（UTC）开始：此后只有时间在起作用。",
        ),
    }
)


async def build(page: Page) -> None:
    key = page.query.get("key", "")
    async with page.mind() as mind:
        try:
            explained = await mind.explain(key)
        except UnknownMemory:
            await _absent(page, key, await mind.trash())
            return
        ahead = await life.closely(mind, key, explained.at, curve.horizon(explained))
        told = await life.told(mind, explained.memory)
        past = await life.tail(mind, explained, told.quiet)
        around = await mind.surroundings(key, limit=_LINKED, everything=True)
        params = mind.params
    _head(page, explained)
    with box("two"):
        with box("stack"):
            _says(page, explained.memory, explained.at, story.has_earlier_text(told.entries))
            _curve(page, past, ahead, params, told.quiet)
            _links(page, explained.memory, around)
            _history(page, told, explained.at, explained.memory.id)
        with box("stack"):
            _coming(page, explained)
            _terms(page, explained)
            _signals(page, explained)


def _history(page: Page, told: life.Told, now: float, memory: int) -> None:
    with card(page.t("memory.history")):
        story.show(page, told.entries, now, memory)
        if not told.whole:
            text(page.t("memory.partial"), "soft small", "p").style("margin-top: 12px")


# ---- its curve


def _curve(
    page: Page, past: Sequence[curve.Point], ahead: Explanation, params: Mapping[str, Any], quiet: float
) -> None:
    by_scans = traits_of(ahead.metabolism).by_scans
    with card(page.t("memory.curve_scans" if by_scans else "memory.curve")):
        chart = ui.echart(curve.options(page, past, ahead, params), renderer="svg").classes("chart")
        chart.props["aria-label"] = reasons.told(page, ahead.why)
        partial = text(page.t("memory.partial_curve", when=parts.moment(quiet)), "soft small", "p")
    partial.set_visibility(False)
    if not by_scans:
        ui.timer(0.05, lambda: _whole_life(page, chart, partial, ahead, params), once=True)


async def _whole_life(
    page: Page, chart: ui.echart, partial: ui.element, ahead: Explanation, params: Mapping[str, Any]
) -> None:
    """The curve since it was born takes reading the whole journal: it comes when the page is there already.

    One that does not lead to where the memory is has missed something: then the stretch since the last event stays.
    """
    with page.attempt():
        async with page.mind() as mind:
            past = await life.lived(mind, ahead.memory, ahead.at)
        if chart.is_deleted:
            return
        if life.ends_at(past, ahead.memory.vitality):
            chart.options.update(curve.options(page, past, ahead, params))
            chart.update()
        else:
            partial.set_visibility(ahead.at - ahead.memory.created_at > 60.0)


# ---- its head, and what can be done


def _head(page: Page, explained: Explanation) -> None:
    memory = explained.memory
    with box("page-head"):
        with box("tight grow"):
            with box("row-of"):
                text(memory.key, tag="h1")
                parts.state_chip(page, memory.state)
                parts.pin_chip(page, memory)
                for mark in Mark(memory.marks).names:
                    text(page.t(f"mark.{mark}"), "chip plain s-bad")
            text(reasons.told(page, explained.why), "soft", "p")
        with box("actions"):
            button(page.t("memory.touch"), lambda: _touch(page, memory), symbol="touch_app", classes="main")
            _pin_button(page, memory)
            button(page.t("memory.forget"), lambda: _forget(page, memory), symbol="delete", classes="danger")


def _pin_button(page: Page, memory: Memory) -> None:
    words = page.t("memory.unpin" if memory.meta.pinned else "memory.pin")
    pinning = button(words, lambda: _pin(page, memory), symbol="push_pin")
    pinning.props["title"] = page.t("memory.pin_hint")
    pinning.props["aria-pressed"] = "true" if memory.meta.pinned else "false"


async def _pin(page: Page, memory: Memory) -> None:
    was = memory.meta.pinned
    with page.attempt(page.t("memory.unpinned" if was else "memory.pinned")):
        async with page.mind() as mind:
            await (mind.unpin if was else mind.pin)(memory.key)
        await page.refresh()


async def _touch(page: Page, memory: Memory) -> None:
    with page.attempt():
        async with page.mind() as mind:
            touched = await mind.touch(memory.key, revive=memory.state is State.EXPIRED)
        await page.refresh()
        if touched.counted:
            page.note(page.t("memory.touched"))
        else:
            page.note(page.t("memory.throttled"), "info")


async def _forget(page: Page, memory: Memory) -> None:
    with page.attempt():
        async with page.mind() as mind:
            await mind.forget(memory.key)
        await page.refresh()
        parts.undo_bar(
            page,
            page.t("memory.forgotten", key=parts.preview(memory.key, 60)),
            lambda: restore(page, memory.key, which=memory.id),
        )


# ---- what it says


def _says(page: Page, memory: Memory, now: float, has_earlier: bool) -> None:
    with card(page.t("memory.now")), box("stack"):
        text(memory.text, "text", "p")
        if memory.phrase and memory.phrase != memory.text:
            text(memory.phrase, "soft", "p")
        with box("row-of").style("gap: 6px"):
            for words in (memory.kind, memory.domain, parts.said_by(page, memory), *memory.keywords):
                if words:
                    text(parts.preview(words, 60), "chip plain")
        with box("row-of"):
            moment = ui.element("input").classes("box").style("width: 240px").props("type=datetime-local id=moment")
            moment.props["aria-label"] = moment.props["title"] = page.t("memory.moment")
            moment.props["value"] = parts.moment((memory.created_at + now) / 2).replace(" ", "T")
            text("UTC", "soft small").props("aria-hidden=true")
            then = box("stack")
            back = button(page.t("memory.look_back"), lambda: None, symbol="history")
            back.on("click", lambda event: _look_back(page, memory, then, event.args), js_handler=_TYPED)
            if has_earlier:
                button(page.t("memory.revert"), lambda: _revert(page, memory), symbol="undo")
        then.move(target_index=-1)


# What stands in the field of the moment goes with the click.
_TYPED = "() => emit(document.getElementById('moment').value)"


async def _look_back(page: Page, memory: Memory, where: ui.element, typed: Any) -> None:
    moment = parts.moment_typed(str(typed))
    if moment is None:
        page.note(page.t("memory.no_moment"), "warning")
        return
    where.clear()
    with where, page.attempt():
        async with page.mind() as mind:
            then = await mind.as_of(moment)
            try:
                _as_it_was(page, await then.look(memory.id), moment)
            except UnknownMemory:
                text(page.t("memory.not_then"), "soft", "p")
            finally:
                await then.close()


def _as_it_was(page: Page, was: Memory, moment: float) -> None:
    with box("tight").props("id=as-it-was"):
        text(page.t("memory.past", when=parts.moment(moment)), "strong small")
        text(was.text, "text past", "p")
        state, vitality = page.t(f"state.{was.state}"), f"{was.vitality:.3f}"
        text(page.t("memory.past_state", state=state, vitality=vitality), "soft small", "p")


async def _revert(page: Page, memory: Memory) -> None:
    with page.attempt(page.t("memory.reverted")):
        async with page.mind() as mind:
            await mind.revert(memory.key)
        await page.refresh()


# ---- numbers


def _coming(page: Page, explained: Explanation) -> None:
    with card(page.t("memory.coming")), box("time-line", "ul"):
        for coming in explained.forecast:
            with box(tag="li").style(f"--of: {curve.COLOURS.get(coming.event, 'var(--tide)')}"):
                text(page.t(f"event.{coming.event}"), "strong")
                with box("soft small"):
                    pinned = explained.memory.meta.pinned
                    text(page.t("memory.never_pinned") if pinned else _when(page, coming, explained.at))


def _when(page: Page, coming: Coming, now: float) -> str:
    if coming.scans == 0 or (coming.at is not None and coming.at <= now):
        return page.t("memory.already")
    if coming.scans is not None:
        return page.t("after_scans", n=coming.scans)
    if coming.at is None:
        return page.t("memory.never")
    return f"{parts.ago(page, coming.at, now)} · {parts.moment(coming.at)} UTC"


def _terms(page: Page, explained: Explanation) -> None:
    """What is added up, or in a retention mind multiplied: there each is a part of 1."""
    product = traits_of(explained.metabolism).product
    largest = 1.0 if product else max((abs(value) for value in explained.terms.values()), default=0.0) or 1.0
    with card(page.t("memory.terms")), box("scroll"), box("table terms", "table"), box(tag="tbody"):
        for place, (name, value) in enumerate(explained.terms.items()):
            with box(tag="tr"):
                words = page.t(f"term.{name}") if texts.known(f"term.{name}") else name
                text(f"× {words}" if product and place else words, "mono", "td")
                with box(tag="td").style("width: 34%"):
                    parts.meter(abs(value) / largest, "tide" if value >= 0 else "bad")
                text(f"{value:.3f}", "right number", "td")
        with box("sum", "tr"):
            text(f"= {page.t('vitality')}" if product else page.t("vitality"), tag="td")
            box(tag="td")
            text(f"{explained.memory.vitality:.3f}", "right number", "td")


def _signals(page: Page, explained: Explanation) -> None:
    rows = []
    for name, value in explained.inputs.items():
        said = parts.span(page, value) if name.startswith("seconds_since_") else parts.number(value)
        rows.append((page.t(f"input.{name}"), said))
    with card(page.t("memory.signals")):
        parts.table((), rows, numbers=(1,), classes="small")


# ---- what it is linked with


def _links(page: Page, memory: Memory, around: Surroundings) -> None:
    names = {sight.memory.id: sight.memory for sight in around.sights}
    lost = {ghost.id: ghost for ghost in around.lost}
    own = [one for one in around.links if memory.id in (one.source, one.target)]
    with card(page.t("memory.links")):
        if not own:
            text(page.t("memory.no_links"), "soft", "p")
        with box("list"):
            for one in sorted(own, key=lambda one: -one.strength)[:_SHOWN]:
                there = one.target if one.source == memory.id else one.source
                arrow = "→" if one.source == memory.id else "←"
                with box("row-of").style("padding: 8px 0; flex-wrap: nowrap"):
                    text(f"{arrow} {parts.preview(one.relation, 40)}", "soft small").style("flex: 0 0 26%")
                    with box("tight grow"):
                        _end(page, names.get(there), lost.get(there))
                    with box().style("flex: 0 0 15%"):
                        parts.meter(one.strength, names[there].state if there in names else "expired")
                    text(f"{one.strength:.2f}", "number small soft")


def _end(page: Page, memory: Memory | None, lost: Any) -> None:
    if memory is not None:
        link(page.url("memory", key=memory.key), "says", parts.preview(memory.key, 80))
    else:
        known = page.t("memory.trace", key=parts.preview(lost.key, 60)) if lost and lost.key else page.t("memory.lost")
        text(known, "faint says")


# ---- where there is none


async def _absent(page: Page, key: str, trash: Any) -> None:
    """In the trash it can be brought back from here; else there is nothing to see."""
    gone: Forgotten | None = next((one for one in trash if one.key == key), None)
    if gone is None:
        parts.refused(page, page.t("memory.unknown", key=parts.preview(key, 80)))
        return
    async with page.mind() as mind:
        now = mind.now()
    with parts.page_head(gone.key, page.t("memory.gone", when=parts.ago(page, gone.forgotten_at, now))):
        button(page.t("tidy.restore"), lambda: restore(page, key, which=gone.id), symbol="restore", classes="main")
    with card(), box("stack"):
        text(gone.text, "text ghost", "p")
        text(page.t("memory.gone_until", when=parts.moment(gone.gone_at)), "soft small", "p")
