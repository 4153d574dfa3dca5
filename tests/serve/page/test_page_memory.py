"""One memory on the page, and tidying up: what is done there, and undone."""

import pytest

from ebbtide.app import house
from ebbtide.settings import Settings
from tests.serve.page.conftest import OpenTab, Site

pytestmark = pytest.mark.asyncio(loop_scope="session")

EVIL = "<img src=x onerror=\"console.error('read as HTML')\"><script>console.error('run')</script> {{ 7*7 }} `${1}`"


async def told(site: Site, agent: str, verb: str, *args: object, **options: object) -> object:
    """A call on the server's mind from this process: it is the same mind."""
    async with house(Settings(data=site.data, embedder="none")) as minds, minds.mind(agent) as mind:
        assert not minds.owner  # the server is
        return await getattr(mind, verb)(*args, **options)


async def keys(site: Site, agent: str) -> set[str]:
    page = await told(site, agent, "list", everything=True, limit=1000)
    return {memory.key for memory in page.memories}  # type: ignore[attr-defined]


@pytest.mark.parametrize("demo", ["demo", "demo-activity", "demo-network", "demo-score", "demo-retention"])
async def test_a_memory_shows_curve_terms_forecast_and_history(site: Site, open_tab: OpenTab, demo: str) -> None:
    agent = site.mind(demo)
    tab = await open_tab(f"/minds/{agent}/memories")
    await tab.page.locator("a.item").first.click()
    await tab.page.wait_for_url("**/memory?key=*")
    await tab.ready()
    for words in ("Forgetting curve", "Where the number comes from", "If nothing happens", "Signals", "History"):
        await tab.shows(words)
    await tab.page.wait_for_selector(".chart svg")
    assert await tab.page.locator(".terms tr").count() >= 3
    assert await tab.page.locator(".time-line li").count() >= 3


async def test_looking_at_a_memory_is_not_using_it(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind()
    before = await site.deeds(agent)
    tab = await open_tab(f"/minds/{agent}/memory?key=db")
    await tab.page.wait_for_selector(".chart svg")
    await tab.go(f"/minds/{agent}/memory?key=db")
    assert await site.deeds(agent) == before


async def test_a_use_counts_once_and_then_is_too_soon(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind()
    tab = await open_tab(f"/minds/{agent}/memory?key=db")
    await tab.page.get_by_role("button", name="I used this").click()
    await tab.page.get_by_text("Counted as a use.").wait_for()
    await tab.page.get_by_role("button", name="I used this").click()
    await tab.page.get_by_text("not counted again").wait_for()


async def test_a_forgotten_memory_is_brought_back_by_undo_and_from_its_own_page(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind()
    tab = await open_tab(f"/minds/{agent}/memory?key=db")
    await tab.page.get_by_role("button", name="Forget").click()
    await tab.shows("This memory was forgotten")
    assert "db" not in await keys(site, agent)
    await tab.page.get_by_role("button", name="Undo").click()
    await tab.shows("Forgetting curve")
    await tab.page.get_by_role("button", name="Forget").click()
    await tab.shows("This memory was forgotten")
    await tab.go(f"/minds/{agent}/memory?key=db")
    await tab.page.get_by_role("button", name="Restore").click()
    await tab.shows("Forgetting curve")
    assert "db" in await keys(site, agent)


async def test_a_memory_is_looked_at_as_it_was_and_says_so_again(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind("demo-score")
    await told(site, agent, "put", "Now it says this.", key="seat", replace=True)
    tab = await open_tab(f"/minds/{agent}/memory?key=seat")
    await tab.shows("Now it says this.")
    await tab.page.get_by_role("button", name="Look back").click()
    await tab.page.locator("#as-it-was", has_text="She wants an aisle seat").wait_for()
    await tab.page.locator("#moment").fill("2001-01-01T10:00")
    await tab.page.get_by_role("button", name="Look back").click()
    await tab.page.get_by_text("was not there yet").wait_for()
    await tab.page.get_by_role("button", name="Earlier text").click()
    await tab.page.locator("#main .text", has_text="She wants an aisle seat").wait_for()


async def test_whatever_a_memory_says_is_text(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind("demo-score")
    await told(site, agent, "put", EVIL, key=EVIL[:100], keywords=[EVIL], kind=EVIL[:60])
    await told(site, agent, "link", EVIL[:100], "seat", EVIL)
    tab = await open_tab(f"/minds/{agent}/memories?state=all")
    await tab.page.locator("a.item", has_text="onerror").click()
    await tab.page.wait_for_url("**/memory?key=*")
    await tab.ready()
    assert EVIL in await tab.page.locator("#main .text").first.inner_text()
    await tab.page.get_by_role("button", name="Forget").click()
    await tab.shows("This memory was forgotten")
    await tab.go(f"/minds/{agent}/tidy")
    await tab.shows("onerror")
    assert await tab.page.locator("#main img, #main script").count() == 0


@pytest.mark.parametrize(("language", "words"), [("en", "said by Mei <b>"), ("zh", "说话人：Mei <b>")])
async def test_who_said_it_is_shown(site: Site, open_tab: OpenTab, language: str, words: str) -> None:
    agent = site.mind()
    await told(site, agent, "put", "We moved to Lamma.", key=f"moved-{language}", speaker="Mei <b>")
    tab = await open_tab(f"/minds/{agent}/memory?key=moved-{language}", language=language)
    assert words in await tab.page.locator("#main .chip.plain").all_inner_texts()
    await tab.go(f"/minds/{agent}/memory?key=db")
    assert not [chip for chip in await tab.page.locator("#main .chip.plain").all_inner_texts() if words[:3] in chip]


async def test_what_is_not_there_is_told(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind()}/memory?key=nothing")
    await tab.shows("There is no memory called “nothing”.")


# ---- tidying up


async def test_a_merge_is_accepted_and_undone(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind()
    before = await keys(site, agent)
    tab = await open_tab(f"/minds/{agent}/tidy")
    pair = tab.page.locator(".suggestion").filter(has=tab.page.locator(".pair")).first
    names = await pair.locator("a").all_inner_texts()
    await pair.get_by_role("button", name="Merge").click()
    undo = tab.page.get_by_role("button", name="Undo")
    await undo.wait_for()
    assert before - await keys(site, agent) == {names[1]}
    await undo.click()
    await tab.page.get_by_text(f"Undone: “{names[1]}” is back.").wait_for()
    assert await keys(site, agent) == before


async def test_a_deletion_is_accepted_and_restored_from_the_trash(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind()
    before = await keys(site, agent)
    tab = await open_tab(f"/minds/{agent}/tidy")
    await tab.page.get_by_role("button", name="Delete").first.click()
    await tab.page.get_by_role("button", name="Undo").wait_for()
    (gone,) = before - await keys(site, agent)
    await tab.page.get_by_role("button", name=f"Restore: {gone}", exact=True).click()
    await tab.page.get_by_text(f"“{gone}” is back.").wait_for()
    assert await keys(site, agent) == before


async def test_what_is_dismissed_is_not_suggested_again(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind()
    tab = await open_tab(f"/minds/{agent}/tidy")
    named = await tab.page.get_by_role("button", name="Dismiss").first.get_attribute("aria-label")
    await tab.page.get_by_role("button", name=named, exact=True).click()
    await tab.page.get_by_text("not suggested again").wait_for()
    await tab.go(f"/minds/{agent}/tidy")
    assert await tab.page.get_by_role("button", name=named, exact=True).count() == 0


async def test_what_finds_its_key_taken_comes_back_under_another(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind()
    tab = await open_tab(f"/minds/{agent}/tidy")
    button = tab.page.locator("#trash").get_by_role("button", name="Restore").first
    key = (await button.get_attribute("aria-label") or "").removeprefix("Restore: ")
    await told(site, agent, "put", "Somebody was quicker.", key=key)
    await button.click()
    await tab.page.get_by_text("is taken").wait_for()
    assert (await told(site, agent, "get", key)).text == "Somebody was quicker."  # type: ignore[attr-defined]
    await tab.page.get_by_label("New key").fill("another")
    await tab.press("Enter")
    await tab.page.get_by_text("“another” is back.").wait_for()
    assert {key, "another"} <= await keys(site, agent)


async def test_what_the_mind_refuses_is_told(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind()
    tab = await open_tab(f"/minds/{agent}/memory?key=db")
    await told(site, agent, "forget", "db")
    await tab.page.get_by_role("button", name="I used this").click()
    await tab.page.get_by_text("There is no memory 'db' in this mind.").wait_for()


async def test_a_mind_that_makes_no_suggestions_says_so(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind('demo-score')}/tidy", language="zh")
    await tab.shows("按评分老去的心智不提建议。")


async def test_a_memory_is_pinned_and_unpinned_by_a_button(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind()
    tab = await open_tab(f"/minds/{agent}/memory?key=db")
    await tab.page.get_by_role("button", name="Pin", exact=True).click()
    await tab.shows("never: pinned")
    await tab.shows("was pinned")
    assert await tab.page.locator("[data-pinned]").count() == 1
    await tab.go(f"/minds/{agent}/memories?pinned=1")
    assert await tab.page.locator("a.item").count() == await tab.page.locator("a.item [data-pinned]").count() == 1
    await tab.go(f"/minds/{agent}/memory?key=db")
    await tab.page.get_by_role("button", name="Unpin").click()
    await tab.page.get_by_role("button", name="Pin", exact=True).wait_for()
    assert await tab.page.locator("[data-pinned]").count() == 0
    assert "db" in await keys(site, agent)
