"""All minds at a glance, and one mind at a glance: how much it knows, in which states, what is to come."""

import json
from collections.abc import Mapping

from nicegui import ui

from ebbtide.core.errors import EbbtideError, InvalidInput, StoreError
from ebbtide.core.metabolism import METABOLISMS
from ebbtide.host.timetable import FILE as TIMETABLE
from ebbtide.host.timetable import Timetable
from ebbtide.mind.forecasting import Outlook
from ebbtide.mind.mind import Stats
from ebbtide.serve.page import beginning, budget, parts, weeks
from ebbtide.serve.page.controls import choice, field, form, submit
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.growth import CLOSELY, Growth, growth, options
from ebbtide.serve.page.parts import box, button, card, figure, heading, icon, link, text

AT_ONCE = 24  # minds on one page: each has to be opened


# ---- all minds


async def build_minds(page: Page) -> None:
    agents = page.agents()
    first = parts.whole(page.query, "after") or 0
    with parts.page_head(page.t("view.minds"), page.t("minds.under")):
        button(page.t("minds.new"), lambda: parts.show("new-mind"), symbol="add", classes="main")
    _creation(page)
    if not agents:
        with card():
            parts.nothing("water", page.t("minds.none"), page.t("minds.none_more"))
    due = _due(page)
    with box("grid"):
        for agent in agents[first : first + AT_ONCE]:
            await _mind_card(page, agent, due.get(agent))
    if len(agents) > first + AT_ONCE:
        link(page.url(agent="", after=first + AT_ONCE), "act", page.t("minds.more")).style("margin-top: 18px")


async def _mind_card(page: Page, agent: str, due: float | None) -> None:
    with link(page.url(agent=agent), "card mind-card"):
        try:
            async with page.mind(agent) as mind:
                stats = await mind.stats()
                grown = await growth(mind, stats)
        except EbbtideError as error:  # one that cannot be opened must not hide the others
            text(agent, tag="h2")
            text(page.refusal(error), "soft says", "p")
            return
        with box("row-of"):
            text(agent, "grow", "h2")
            text(page.t(f"rule.{stats.metabolism}"), "chip plain s-tide")
        with box("row-of").style("gap: 28px"):
            figure(f"{stats.store.memories:,}", page.t("memories_count", n=stats.store.memories))
            figure(f"{stats.store.links:,}", page.t("links_count", n=stats.store.links))
        _states(page, stats)
        _spark(page, grown)
        _tick_line(page, due, stats.at)


def _creation(page: Page) -> None:
    """All of it native, and what is refused told inside: whatever else opens or is noted lies behind an open dialog."""
    rules = {rule: f"{page.t(f'rule.{rule}')} — {page.t(f'metabolism.{rule}')}" for rule in METABOLISMS}

    async def create(given: Mapping[str, list[str]]) -> None:
        refusal.clear()
        try:
            await _create(page, given["agent"][0], given["metabolism"][0])
        except EbbtideError as error:
            with refusal:
                text(page.refusal(error), "wrong", "p")

    with parts.dialog("new-mind", page.t("minds.new")), form(create, "form"):
        field(page.t("minds.name"), "agent", more="required autofocus")
        choice(page.t("minds.metabolism"), "metabolism", rules, page.usual)
        refusal = box().props("role=alert")
        with box("row-of").style("justify-content: flex-end"):
            button(page.t("cancel"), lambda: parts.hide("new-mind"))
            submit(page.t("minds.create"), "add")


async def _create(page: Page, agent: str, metabolism: str) -> None:
    if not page.allowed(agent):
        raise InvalidInput(problem=page.t("minds.not_yours"))
    await page.house.create(agent, metabolism)
    page.note(page.t("minds.made", agent=agent))
    page.go(agent=agent)


# ---- one mind


async def build(page: Page) -> None:
    async with page.mind() as mind:
        stats = await mind.stats()
        grown = await growth(mind, stats, CLOSELY)
        outlook = await mind.forecast(limit=8)
        suggested = len(await mind.suggestions(limit=100))
        spent = await budget.found(mind, stats)
    with box("page-head"):
        with box("tight grow"):
            with box("row-of"):
                text(page.agent, tag="h1")
                text(page.t(f"rule.{stats.metabolism}"), "chip plain s-tide")
            text(page.t(f"metabolism.{stats.metabolism}"), "soft", "p")
        with box("actions"):
            _tick_line(page, _due(page).get(page.agent), stats.at)
            button(page.t("tick.run"), lambda: _tick(page), symbol="update")
    with box("stack"):
        if stats.outdated:
            _outdated(page, stats)
        if not stats.store.memories:
            beginning.show(page)
        _figures(page, stats, suggested)
        with box("two"):
            with box("stack"):
                with card(page.t("overview.states")), box("stack"):
                    _states(page, stats, linked=True)
                    if stats.store.memories:
                        await weeks.build(page, stats)
                if grown.steps:
                    with card(grown.title(page)):
                        ui.echart(options(page, grown), renderer="svg").classes("chart").style("height: 250px")
            with box("stack"):
                _outlook(page, outlook)
                if spent is not None:
                    budget.show(page, stats, spent)


def _outdated(page: Page, stats: Stats) -> None:
    """The mind was made by an earlier version and keeps its defaults until its owner changes them."""
    values = ", ".join(f"{name} = {stats.params[name]:g} → {value:g}" for name, value in stats.outdated.items())
    with card(classes="outdated"), box("row-of").props("role=note"):
        icon("tips_and_updates")
        text(page.t("overview.outdated", values=values), "grow", "p")
        link(page.url("whatif", params=json.dumps(stats.outdated)), "act", page.t("overview.outdated_try"))


def _figures(page: Page, stats: Stats, suggested: int) -> None:
    store = stats.store
    with card(), box("figures"):
        figure(f"{store.memories:,}", page.t("memories_count", n=store.memories))
        figure(f"{store.links:,}", page.t("links_count", n=store.links))
        figure(f"{store.traces:,}", page.t("traces_count"))
        if stats.pinned:
            with link(page.url("memories", pinned="1"), "figure-link"):
                figure(f"{stats.pinned:,}", page.t("pinned_count"))
        with link(page.url("tidy"), "figure-link"):
            figure(f"{store.trash:,}", page.t("trash_count"))
        if suggested:
            with link(page.url("tidy"), "figure-link"):
                figure(f"{suggested}{'+' if suggested == 100 else ''}", page.t("tidy.suggestions"))
        figure(f"{store.journal_entries:,}", page.t("journal_count"))
        figure(_size(store.disk_bytes), page.t("disk"))


def _outlook(page: Page, outlook: Outlook) -> None:
    reach = (
        page.t("overview.outlook_scans", scans=outlook.scans)
        if outlook.scans is not None
        else page.t("overview.outlook_days", days=parts.number(outlook.days or 0))
    )
    with card():
        heading(page.t("overview.outlook")).style("margin-bottom: 2px")
        text(reach, "soft small", "p").style("margin-bottom: 14px")
        if not outlook.fates:
            text(page.t("overview.quiet"), "soft", "p")
            return
        with box("legend").style("margin-bottom: 14px"):
            for event, count in outlook.counts.items():
                text(f"{page.t(f'event.{event}')}: {count:,}", f"s-{_state_of(event)}")
        with box("time-line", "ul"):
            for fate in outlook.fates:
                with box(f"s-{_state_of(fate.event)}", "li"):
                    link(page.url("memory", key=fate.key), "strong", parts.preview(fate.key, 60))
                    text(parts.preview(fate.text, 160), "says", "p")
                    with box("soft small"):
                        when = (
                            page.t("after_scans", n=fate.scans)
                            if fate.scans is not None
                            else parts.ago(page, fate.at, outlook.at)
                        )
                        text(f"{page.t(f'event.{fate.event}')} · {when}")


async def _tick(page: Page) -> None:
    with page.attempt():
        async with page.mind() as mind:
            report = await mind.tick()
        await page.refresh()
        page.note(page.t("tick.done", seen=report.seen, changed=report.changed))


# ---- pieces


def _states(page: Page, stats: Stats, *, linked: bool = False) -> None:
    """The share of each state as a bar, and the numbers under it."""
    with box("bar").props("aria-hidden=true"):
        for state, count in stats.states.items():
            box(f"s-{state}").style(f"flex: {count} 0 0")
    with box("row-of" if linked else "legend"):
        for state, count in stats.states.items():
            words = f"{page.t(f'state.{state}')} {count:,}"
            if linked:
                link(page.url("memories", state=state), f"chip s-{state}", words)
            else:
                text(words, f"s-{state}")


def _spark(page: Page, grown: Growth) -> None:
    most = max(grown.new, default=0) or 1
    with box("spark").props("role=img") as spark:
        for count in grown.new:
            box("" if count else "none").style(f"height: {count / most:.0%}")
    spark.props["aria-label"] = f"{grown.title(page)}: {sum(grown.new)}"
    spark.props["title"] = grown.title(page)


def _tick_line(page: Page, due: float | None, now: float) -> None:
    with box("row-of soft small").style("gap: 6px"):
        icon("schedule")
        if due is None:
            text(page.t("no_tick"))
        else:
            text(page.t("next_tick", when=page.t("tick.due") if due <= now else parts.ago(page, due, now)))


def _due(page: Page) -> dict[str, float]:
    """When each mind's next tick is due, as the schedule on disk has it."""
    try:
        table = Timetable.load(page.house.data / TIMETABLE).minds()
    except StoreError:
        return {}
    found = {agent: jobs["tick"].due for agent, jobs in table.items() if "tick" in jobs}
    return {agent: due for agent, due in found.items() if due is not None}


def _state_of(event: str) -> str:
    return {"delete_candidate": "bad", "pruned": "deprecated", "deleted": "bad"}.get(event, event)


def _size(count: float) -> str:
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"
