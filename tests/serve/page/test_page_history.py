"""A memory's past on its page: what is told of it, and that what is not whole says so."""

import pytest

from tests.serve.page.conftest import OpenTab, Site
from tests.serve.page.test_page_memory import told

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_an_ordinary_use_revives_nothing(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind("demo-retention")
    page = await told(site, agent, "list", limit=1)
    key = page.memories[0].key  # type: ignore[attr-defined]
    tab = await open_tab(f"/minds/{agent}/memory?key={key}")
    await tab.page.get_by_role("button", name="I used this").click()
    await tab.page.get_by_text("Counted as a use.").wait_for()
    journal = await told(site, agent, "journal", key=key, limit=1000)
    assert journal[-1].change.cause == "asked"  # type: ignore[index]


async def test_a_history_that_is_not_whole_says_so(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind()
    tab = await open_tab(f"/minds/{agent}/memory?key=db")
    await tab.shows("was used")
    assert not await tab.see("history is partial").is_visible()
    stats = await told(site, agent, "stats")
    assert await told(site, agent, "compact", stats.at)  # type: ignore[attr-defined]
    await tab.go(f"/minds/{agent}/memory?key=db")
    await tab.shows("This history is partial")
    await tab.shows("The history is partial, so the curve begins on")
