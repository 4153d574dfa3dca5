"""The journal in a real browser: what happened, and the mind as it was."""

import pytest

import ebbtide
from ebbtide.core.memory import DAY, State
from ebbtide.serve.page.parts import moment
from tests.serve.page.conftest import OpenTab, Site

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_latest_comes_first_and_pages_go_back_to_the_beginning(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind("demo-score")
    before = len(await site.journal(agent))
    tab = await open_tab(f"/minds/{agent}/journal")
    after = len(await site.journal(agent))  # the server ticks it when it likes
    seen: list[int] = []
    while True:
        shown = await tab.page.locator(".entry .seq").all_inner_texts()
        seen += [int(number.replace(",", "")) for number in shown]
        older = tab.page.get_by_role("link", name="Older")
        if not await older.count():
            break
        address = await older.get_attribute("href")
        assert address is not None
        await tab.go(address)
    assert before <= seen[0] <= after
    assert seen == list(range(seen[0], 0, -1))


async def test_entries_are_chosen_by_kind_and_by_memory(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind()}/journal")
    await tab.page.get_by_label("Kind").select_option("forget")
    await tab.page.get_by_role("button", name="Filter").click()
    await tab.page.wait_for_url("**kind=forget*")
    await tab.ready()
    kinds = {await entry.get_attribute("data-kind") for entry in await tab.page.locator(".entry").all()}
    assert kinds == {"forget"}
    await tab.go(f"{tab.path().split('?')[0]}?key=db")
    assert await tab.page.locator(".entry").count() > 1
    assert "“db”" in await tab.page.locator(".entry").first.inner_text()
    await tab.go(f"{tab.path().split('?')[0]}?key=nobody")
    await tab.shows("nobody")


async def test_a_slider_goes_back_in_time_and_back_to_now(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind("demo-score")
    tab = await open_tab(f"/minds/{agent}/journal")
    await tab.page.get_by_label("Moment to look at").focus()
    await tab.press("PageDown", "PageDown", "PageDown")
    then = tab.page.locator("[data-then]")
    await then.wait_for()
    async with ebbtide.open(agent, data=site.data) as mind:
        whole = (await mind.stats()).store.memories
    said = await then.inner_text()
    assert 0 < int(said.split()[0]) <= whole
    await tab.page.get_by_role("button", name="Back to now").click()
    await then.wait_for(state="detached")
    await tab.page.wait_for_function("document.querySelector('.travel input[type=range]').value === '1000'")


async def test_the_mind_of_then_has_the_counts_and_texts_of_then(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind()
    async with ebbtide.open(agent, data=site.data) as mind:
        now, whole = mind.now(), (await mind.stats()).store.memories
        past = await mind.as_of(now - DAY)
        states = (await past.stats()).states
        first = (await past.list(everything=True, limit=1)).memories[0]
        await mind.put("It says something else today.", key=first.key, replace=True)
        await mind.put("Not there yesterday.", key="new-today")
    at = moment(now - DAY).replace(" ", "T")
    tab = await open_tab(f"/minds/{agent}/journal?at={at}")
    said = await tab.page.locator("[data-then]").inner_text()
    assert [f"{state} {count}" in said for state, count in states.items()] == [True] * len(states)
    assert sum(states.values()) <= whole
    await tab.page.locator(".travel .pick").first.click()
    pair = tab.page.locator("dialog[open]")
    await pair.get_by_text(first.text[:20]).wait_for()
    await pair.get_by_text("It says something else today.").wait_for()
    await tab.press("Escape")
    await pair.wait_for(state="hidden")


async def test_an_entry_leads_to_the_mind_right_after_it(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind("demo-score")
    tab = await open_tab(f"/minds/{agent}/journal?kind=put")
    entry = tab.page.locator(".entry").nth(3)
    await entry.get_by_role("button", name="Look at the mind right after").click()
    await tab.page.locator("[data-then]").wait_for()
    await tab.shows("The mind on")


async def test_a_moment_before_the_mind_was_there_is_refused_in_words(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind('demo-score')}/journal?at=1999-01-01T00:00")
    await tab.page.get_by_role("alert").filter(has_text="not there yet").wait_for()


async def test_earlier_parameters_lead_to_what_if(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind("demo-score")
    async with ebbtide.open(agent, data=site.data) as mind:
        await mind.configure(active_from=60.0)
        await mind.configure(active_from=80.0)
    tab = await open_tab(f"/minds/{agent}/journal?kind=configure")
    entry = tab.page.locator(".entry").nth(1)
    await entry.get_by_text("Details").click()
    await entry.get_by_role("link", name="Turn these in What if").click()
    await tab.page.wait_for_url("**/whatif?params=*")
    await tab.ready()
    await tab.page.locator(".knob.turned", has_text="active_from").wait_for()
    assert await tab.page.locator("input[type=number][aria-label='active_from']").input_value() == "60"


async def test_buttons_look_ahead_and_say_that_it_is_a_look_ahead(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind("demo-score")
    tab = await open_tab(f"/minds/{agent}/journal")
    before = await site.deeds(agent)
    await tab.page.get_by_role("button", name="The mind in 90 days").click()
    then = tab.page.locator("[data-then]")
    await then.wait_for()
    await tab.shows("A look ahead")
    async with ebbtide.open(agent, data=site.data) as mind:
        deprecated = (await (await mind.at("+90d")).stats()).states[State.DEPRECATED]
    assert f"deprecated {deprecated}" in await then.inner_text()
    assert await site.deeds(agent) == before
    await tab.page.get_by_role("button", name="Back to now").click()
    await then.wait_for(state="detached")
