"""The overview's weeks in a real browser: bars that say what the timeline counts, their numbers, and what will fade."""

import re

import pytest

import ebbtide
from ebbtide.mind.timeline import Timeline
from ebbtide.serve.page import weeks
from tests.browser import Tab
from tests.serve.page.conftest import OpenTab, Site

pytestmark = pytest.mark.asyncio(loop_scope="session")

DEMOS = ("demo", "demo-activity", "demo-network", "demo-score", "demo-retention")

# For each bar its kind, its title, and the height of each part in percent.
BARS = """() => [...document.querySelectorAll(".weeks-plot svg .week")].map((bar) => [
  bar.classList[1], bar.querySelector("title").textContent,
  [...bar.querySelectorAll("rect")].map((part) => [part.classList[0].slice(2), +part.getAttribute("height")])])"""
# What reaches beyond the card it stands in.
ASTRAY = """() => { const card = document.querySelector(".weeks").closest(".card").getBoundingClientRect();
  return [...document.querySelectorAll(".weeks *")].filter((one) => { const at = one.getBoundingClientRect();
    return at.width && (at.left < card.left - 1 || at.right > card.right + 1); }).map((one) => one.className); }"""


async def counted(site: Site, agent: str) -> Timeline:
    async with ebbtide.open(agent, data=site.data) as mind:
        return await mind.timeline()


async def bars(tab: Tab) -> list[tuple[str, str, list[tuple[str, float]]]]:
    await tab.page.wait_for_selector(".weeks-plot svg")
    return [(kind, title, [(s, h) for s, h in parts]) for kind, title, parts in await tab.page.evaluate(BARS)]


@pytest.mark.parametrize("demo", DEMOS)
async def test_every_bar_is_as_high_as_what_is_counted(site: Site, open_tab: OpenTab, demo: str) -> None:
    agent = site.mind(demo)
    drawn = await bars(await open_tab(f"/minds/{agent}"))
    found = await counted(site, agent)
    assert len(drawn) == len(found.points) == (9 if demo == "demo-network" else 17)
    top = weeks.rounded(max(point.memories for point in found.points))
    for (_, title, parts), point in zip(drawn, found.points, strict=True):
        heights = {str(state): 100.0 * count / top for state, count in point.states.items()}
        assert dict(parts) == pytest.approx(heights, abs=0.01)
        assert all(f"{state} {count}" in title for state, count in point.states.items())
    assert [kind for kind, _, _ in drawn] == ["past"] * 8 + ["now"] + ["ahead"] * (len(drawn) - 9)


async def test_a_mind_that_fades_by_scans_says_that_it_has_no_weeks_ahead(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind("demo-network")
    await (await open_tab(f"/minds/{agent}")).shows("No weeks ahead: this mind fades by scans, not by time.")
    await (await open_tab(f"/minds/{agent}", language="zh")).shows("这个心智按扫描衰减，不按时间，没有未来各周。")


async def test_a_mind_of_a_day_says_that_its_first_week_is_not_over(site: Site, open_tab: OpenTab) -> None:
    async with ebbtide.open("weeks-young", data=site.data, metabolism="tide") as mind:
        await mind.put("The ferry leaves at 8:40.", key="ferry")
    await (await open_tab("/minds/weeks-young")).shows("Its first week is not over yet.")


async def test_the_bars_are_told_to_those_who_cannot_see_them(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind("demo")
    tab = await open_tab(f"/minds/{agent}", language="zh")
    found = await counted(site, agent)
    now = next(point for point in found.points if point.at == found.at)
    said = await tab.page.locator(".weeks-plot svg").get_attribute("aria-label")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d 至 \d{4}-\d\d-\d\d 每周各状态的记忆数；现在 活跃 \d+, 褪色 \d+", said or "")
    assert all(str(count) in (said or "") for count in now.states.values())


async def test_the_numbers_open_by_keyboard_and_a_week_leads_to_the_mind_as_it_was(
    site: Site, open_tab: OpenTab
) -> None:
    agent = site.mind("demo")
    tab = await open_tab(f"/minds/{agent}")
    found = await counted(site, agent)
    await tab.page.locator(".weeks summary").focus()
    await tab.press("Enter")
    rows = tab.page.locator(".weeks tbody tr")
    assert await rows.count() == 17
    cells = (await rows.nth(0).inner_text()).split("\t")
    first = found.points[0]
    assert [int(cell) for cell in cells[1:]] == [*first.states.values(), first.memories]
    await tab.press("Tab", "Enter")
    await tab.page.wait_for_url("**/journal?at=*")
    await tab.ready()
    said = await tab.page.locator("[data-then]").inner_text()
    assert all(f"{state} {count}" in said for state, count in first.states.items())


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_on_a_phone_in_the_dark_everything_stays_in_its_card(
    site: Site, open_tab: OpenTab, language: str
) -> None:
    tab = await open_tab(f"/minds/{site.mind('demo')}", phone=True, dark=True, language=language)
    await bars(tab)
    assert await tab.page.evaluate(ASTRAY) == []
    assert await tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    fill = "getComputedStyle(document.querySelector('.weeks-plot .now .s-fading')).fill"
    assert await tab.page.evaluate(fill) == "rgb(181, 146, 230)"  # --fading of the dark


async def test_a_long_journal_is_read_when_the_page_is_there(site: Site, open_tab: OpenTab) -> None:
    async with ebbtide.open("weeks-long", data=site.data, metabolism="activity") as mind:
        await mind.put_many({"text": f"memory {number}", "key": f"m{number}"} for number in range(weeks.AT_ONCE + 1))
    drawn = await bars(await open_tab("/minds/weeks-long"))
    assert drawn[0][0] == "now"
    assert "active 5,001" in drawn[0][1]


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_what_is_to_come_is_told_with_its_text(site: Site, open_tab: OpenTab, language: str) -> None:
    agent = site.mind("demo")
    async with ebbtide.open(agent, data=site.data) as mind:
        fates = (await mind.forecast(limit=8)).fates
    tab = await open_tab(f"/minds/{agent}", language=language)
    assert fates
    for fate in fates:
        await tab.shows(fate.text)


async def test_the_axis_ends_at_a_round_number() -> None:
    assert [weeks.rounded(most) for most in (0, 1, 2, 3, 95, 100, 101, 156, 601, 1000)] == [
        2, 2, 2, 4, 100, 100, 200, 200, 800, 1000,
    ]  # fmt: skip
