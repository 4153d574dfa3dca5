"""The network in a real browser: what is in it, how one moves in it, and what becomes of what was clicked."""

from typing import Any

import pytest

import ebbtide
from tests.browser import Tab
from tests.serve.page.conftest import OpenTab, Site

pytestmark = pytest.mark.asyncio(loop_scope="session")

_SERIES = "() => getElement(+document.querySelector('.net-chart').id.slice(1)).chart.getOption().series[0]"


async def series(tab: Tab) -> dict[str, Any]:
    """The picture as ECharts has it, once it is drawn and has taken its first place."""
    await tab.page.locator(".net-chart[data-begun]").wait_for()
    await tab.page.locator(".net-chart svg text").first.wait_for(state="attached")
    found: dict[str, Any] = await tab.page.evaluate(_SERIES)
    return found


async def zoomed(tab: Tab, to: float) -> None:
    """Until it is drawn so large."""
    await series(tab)
    await tab.page.wait_for_function(f"to => Math.abs((({_SERIES})().zoom || 1) - to) < 1e-6", arg=to)


@pytest.mark.parametrize("demo", ["demo", "demo-activity", "demo-network", "demo-score", "demo-retention"])
async def test_every_mind_has_a_picture_of_what_it_knows(site: Site, open_tab: OpenTab, demo: str) -> None:
    agent = site.mind(demo)
    tab = await open_tab(f"/minds/{agent}/network")
    drawn = await series(tab)
    async with ebbtide.open(agent, data=site.data) as mind:
        seen = await mind.surroundings(limit=120)
    assert len(drawn["data"]) == len(seen.sights) + len(seen.lost)
    assert await tab.page.locator(".net-list .pick").count() == len(drawn["data"])


async def test_focus_is_in_the_middle_and_traces_are_ghosts(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind("demo-network")
    tab = await open_tab(f"/minds/{agent}/network")
    async with ebbtide.open(agent, data=site.data) as mind:
        seen = await mind.surroundings(limit=120)
    drawn = {int(node["id"]): node for node in (await series(tab))["data"]}
    reach = max(abs(node["x"]) for node in drawn.values())
    assert all(abs(drawn[point]["x"]) < 0.4 * reach for point in seen.focus)
    assert seen.lost
    assert all(drawn[lost.id]["itemStyle"]["borderType"] == "dashed" for lost in seen.lost)
    await tab.shows("once known")
    await tab.shows("in focus")


async def test_a_click_shows_the_memory_and_leads_on(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind()}/network?key=db")
    panel = tab.page.locator(".net-side .card").first
    await panel.get_by_text("Production runs PostgreSQL 15").first.wait_for()
    await panel.locator(".pick").first.click()
    await panel.get_by_role("button", name="Put in the middle").click()
    await tab.page.locator(".net-bar", has_text="Around").wait_for()
    await panel.get_by_role("link", name="Open").click()
    await tab.page.wait_for_url("**/memory?key=*")


async def test_a_node_of_the_picture_can_be_clicked(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind()}/network?key=db")
    await series(tab)
    frame = await tab.page.locator(".net-chart").bounding_box()
    assert frame is not None
    middle = await tab.page.evaluate(
        """() => {
          const chart = getElement(+document.querySelector('.net-chart').id.slice(1)).chart;
          const view = chart.getModel().getSeriesByIndex(0);
          return view.coordinateSystem.dataToPoint(view.getData().getItemLayout(1));
        }"""
    )
    says = (await series(tab))["data"][1]["says"]
    await tab.page.mouse.click(frame["x"] + middle[0], frame["y"] + middle[1])
    panel = tab.page.locator(".net-side .card").first
    await panel.locator("p.text").get_by_text(says.rstrip("…")[:12]).wait_for()


async def test_it_zooms_by_button_by_key_and_by_wheel_and_back(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind()}/network")
    await zoomed(tab, 1.0)
    await tab.page.get_by_role("button", name="Zoom in").click()
    await zoomed(tab, 1.4)
    await tab.page.locator(".net-frame").focus()
    await tab.press("+", "-", "-", "ArrowLeft")
    await zoomed(tab, 1.12)  # 1.4 · 1.25 · 0.8 · 0.8
    await tab.page.locator(".net-chart").hover()
    await tab.page.mouse.wheel(0, -300)
    await tab.page.wait_for_function(f"({_SERIES})().zoom > 1.13")
    await tab.page.get_by_role("button", name="The whole picture").click()
    await zoomed(tab, 1.0)


async def test_typing_points_out_and_enter_puts_in_the_middle(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind()}/network")
    await series(tab)
    everything = await tab.page.locator(".net-list .pick").count()
    await tab.page.get_by_placeholder("Find in the network").fill("postgresql")
    await tab.page.wait_for_function(f"document.querySelectorAll('.net-list .pick').length < {everything}")
    assert "PostgreSQL" in await tab.page.locator(".net-list .pick").first.inner_text()
    await tab.press("Enter")
    await tab.shows("Around “postgresql”")
    assert "PostgreSQL" in await tab.page.locator(".net-side .card").first.inner_text()
    await tab.page.get_by_role("button", name="Back to the middle").click()
    await tab.page.wait_for_function(f"document.querySelectorAll('.net-list .pick').length == {everything}")


async def test_what_is_hidden_appears_when_asked_for(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind('demo-retention')}/network")
    before = len((await series(tab))["data"])
    await tab.page.get_by_label("also what is hidden").check()
    await tab.page.wait_for_function(f"({_SERIES})().data.length > {before}")
    await tab.page.locator(".legend .s-expired").wait_for()


async def test_more_is_shown_on_demand(site: Site, open_tab: OpenTab) -> None:
    agent = "crowded"
    async with ebbtide.open(agent, data=site.data, metabolism="score") as mind:
        await mind.put_many({"text": f"memory number {number}", "key": f"k{number}"} for number in range(350))
    tab = await open_tab(f"/minds/{agent}/network")
    await tab.shows("120 of 350 memories")
    for shown in (210, 300):
        await tab.page.get_by_role("button", name="More", exact=True).click()
        await tab.shows(f"{shown} of 350 memories")
    await tab.page.get_by_role("button", name="More", exact=True).wait_for(state="hidden")


async def test_looking_and_clicking_around_is_no_use(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind()
    before = await site.deeds(agent)
    tab = await open_tab(f"/minds/{agent}/network")
    await tab.page.locator(".net-list .pick").nth(3).click()
    await tab.page.locator(".net-side .card").first.locator("p.text").wait_for()
    assert await site.deeds(agent) == before


async def test_a_memory_that_is_not_there_leaves_the_whole_picture(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind('demo-score')}/network?key=nobody")
    await tab.page.get_by_text("There is no memory 'nobody'").wait_for()
    assert len((await series(tab))["data"]) > 5


async def test_by_keyboard_alone_one_gets_from_memory_to_memory(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind()}/network?key=db")
    panel = tab.page.locator(".net-side .card").first
    await panel.locator(".pick").first.focus()
    before = await panel.locator("p.text").inner_text()
    await tab.press("Enter")
    await tab.page.wait_for_function("was => document.querySelector('.net-side p.text')?.innerText !== was", arg=before)
    await tab.chord("g", "j")
    assert tab.path().endswith("network?key=db")  # no view has that letter
    await tab.chord("g", "r")
    await tab.page.wait_for_url("**/journal")


async def test_a_mind_without_memories_says_so(site: Site, open_tab: OpenTab) -> None:
    async with ebbtide.open("blank", data=site.data):
        pass
    tab = await open_tab("/minds/blank/network")
    await tab.shows("Nothing to see yet")
