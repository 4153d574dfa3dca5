"""The budget on the overview, in a real browser: what is taken, what leaves next, and bringing back what left."""

from typing import Any

import pytest

import ebbtide
from ebbtide.serve.page.budget import SHOWN
from tests.serve.page.conftest import OpenTab, Site

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def small(site: Site, agent: str, **budget: Any) -> str:
    """A tide mind of a few memories."""
    async with ebbtide.open(agent, data=site.data, metabolism="tide", **budget) as mind:
        for key in ("ferry", "lamma", "pier", "tide"):
            await mind.put(f"{key} says this.", key=key)
    return agent


@pytest.mark.parametrize(
    ("language", "taken", "hint"),
    [("en", "80 of 80", "In a full mind the next to leave go in their place."), ("zh", "80 / 80", "心智已满时")],
)
async def test_a_full_mind_shows_what_is_taken_and_what_leaves_next_with_its_text(
    site: Site, open_tab: OpenTab, language: str, taken: str, hint: str
) -> None:
    agent = site.mind("demo")
    async with ebbtide.open(agent, data=site.data) as mind:
        leavers = (await mind.squeeze(dry_run=True)).leavers
        gone = [one for one in await mind.trash() if one.cause == "budget"]
    tab = await open_tab(f"/minds/{agent}", language=language, phone=language == "zh", dark=True)
    for words in (taken, hint, *(one.text for one in leavers[:SHOWN])):
        await tab.shows(words, within="#budget")
    assert await tab.page.locator("#budget ol li").count() == min(len(leavers), SHOWN)
    assert str(len(gone)) in await tab.page.locator("#budget a[href$='/tidy']").inner_text()
    assert await tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_what_left_is_brought_back_by_keyboard_and_what_left_for_it_is_told(
    site: Site, open_tab: OpenTab
) -> None:
    agent = await small(site, "budget-back", budget_memories=3)
    tab = await open_tab(f"/minds/{agent}")
    await tab.shows("1 memory left", within="#budget")
    await tab.page.locator("#budget").get_by_role("button", name="Bring back").focus()
    await tab.press("Enter")
    await tab.page.get_by_text("Back from the trash: 1; left in their place: 1.").wait_for()
    async with ebbtide.open(agent, data=site.data) as mind:
        assert "ferry" in [one.key for one in (await mind.list()).memories]
        assert (await mind.stats()).budget.memories == 3


async def test_a_mind_with_room_says_that_nothing_leaves(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{await small(site, 'budget-room', budget_characters=1000)}")
    await tab.shows("4 of 20,000", within="#budget")
    await tab.shows("62 of 1,000", within="#budget")  # 4 × " says this.", and 5 + 5 + 4 + 4
    await tab.shows("Nothing leaves yet", within="#budget")


async def test_a_mind_without_a_limit_has_no_budget_card(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind()}")
    await tab.shows("What is to come")
    assert await tab.page.locator("#budget").count() == 0
