"""The trash on the page: the very one comes back that was meant, and all of it can be reached."""

import pytest

import ebbtide
from tests.serve.page.conftest import OpenTab, Site

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_of_two_that_were_forgotten_under_one_key_the_one_that_is_meant_comes_back(
    site: Site, open_tab: OpenTab
) -> None:
    agent = site.mind("demo-score")
    async with ebbtide.open(agent, data=site.data) as mind:
        for text in ("It was so at first.", "It was so later."):
            await mind.put(text, key="twice")
            await mind.forget("twice")
    tab = await open_tab(f"/minds/{agent}/tidy")
    row = tab.page.locator("#trash .gone", has_text="It was so at first.")
    await row.get_by_role("button", name="Restore").click()
    await tab.page.get_by_text("“twice” is back.").wait_for()
    async with ebbtide.open(agent, data=site.data) as mind:
        assert (await mind.explain("twice")).memory.text == "It was so at first."


async def test_undo_brings_back_what_was_forgotten_here_and_not_what_was_forgotten_since(
    site: Site, open_tab: OpenTab
) -> None:
    agent = site.mind("demo-score")
    async with ebbtide.open(agent, data=site.data) as mind:
        await mind.put("It was so at first.", key="twice")
        tab = await open_tab(f"/minds/{agent}/memory?key=twice")
        await tab.page.get_by_role("button", name="Forget").click()
        undo = tab.page.get_by_role("button", name="Undo")
        await undo.wait_for()
        await mind.put("It was so later.", key="twice")
        await mind.forget("twice")
        await undo.click()
        await tab.page.get_by_text("“twice” is back.").wait_for()
        assert (await mind.explain("twice")).memory.text == "It was so at first."


async def test_everything_in_the_trash_can_be_reached(site: Site, open_tab: OpenTab) -> None:
    agent, many = "wasteful", 235
    async with ebbtide.open(agent, data=site.data, metabolism="score") as mind:
        await mind.put_many({"text": f"number {number}", "key": f"k{number}"} for number in range(many))
        await mind.forget(*(f"k{number}" for number in range(many)))
    tab = await open_tab(f"/minds/{agent}/tidy")
    rows = tab.page.locator("#trash .gone")
    for shown, more in ((10, "Show 100 more"), (110, "Show 100 more"), (210, "Show 25 more")):
        assert await rows.count() == shown
        await tab.page.get_by_role("button", name=more).click()
        await rows.nth(min(shown + 100, many) - 1).wait_for()
    assert await rows.count() == many
    assert len(set(await rows.locator(".strong").all_inner_texts())) == many
    assert await tab.page.locator("#trash").get_by_role("button", name="Show").count() == 0
