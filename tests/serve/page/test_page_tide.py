"""A tide mind on the page: its overview, a memory with its terms and reason, and what tidying says."""

import pytest

from ebbtide.app import house
from ebbtide.settings import Settings
from tests.serve.page.conftest import OpenTab, Site

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def tide_mind(site: Site, agent: str) -> str:
    async with house(Settings(data=site.data, embedder="none")) as minds:
        await minds.create(agent, "tide", {})
        async with minds.mind(agent) as mind:
            await mind.put("I take the ferry at 8:40.", key="ferry")
            await mind.put("Where is the pier?", key="pier")
            await mind.touch("ferry")
            await mind.search("ferry")
    return agent


async def test_a_memory_shows_the_terms_of_its_need_and_why(site: Site, open_tab: OpenTab) -> None:
    agent = await tide_mind(site, "tide-terms")
    tab = await open_tab(f"/minds/{agent}/memory?key=ferry")
    await tab.page.wait_for_selector(".chart svg")
    for words in ("lasting use", "recency", "used once, today", "says when", "History"):
        await tab.shows(words)


async def test_the_reason_is_told_in_chinese(site: Site, open_tab: OpenTab) -> None:
    agent = await tide_mind(site, "tide-chinese")
    tab = await open_tab(f"/minds/{agent}/memory?key=ferry", language="zh")
    await tab.page.wait_for_selector(".chart svg")
    await tab.shows("今天用过一次")


@pytest.mark.parametrize("view", ["", "/memories", "/tidy", "/whatif", "/console", "/network", "/journal"])
async def test_every_view_of_a_tide_mind_opens(site: Site, open_tab: OpenTab, view: str) -> None:
    agent = await tide_mind(site, f"tide-view{view.replace('/', '-')}")
    tab = await open_tab(f"/minds/{agent}{view}")
    await tab.shows(agent)
