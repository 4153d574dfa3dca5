"""Every view in a real browser: what it shows, in two languages, by day and night, on a desk and on a phone."""

import httpx
import pytest

from ebbtide.host.agents import agents
from ebbtide.serve.page.overview import AT_ONCE
from ebbtide.serve.page.texts import Language, said
from ebbtide.serve.page.views import VIEWS
from tests.browser import PHONE
from tests.serve.page.conftest import OpenTab, Site

pytestmark = pytest.mark.asyncio(loop_scope="session")

TITLES = {"en": "Memories", "zh": "记忆"}
NIGHT = "rgb(11, 20, 25)"
NAVIGATION = [view for view in VIEWS if view.icon]
# bytes over the wire of whatever the page is made of, 0 for what the browser had; not what goes through the socket
_FETCHED = """() => Object.fromEntries(performance.getEntriesByType("resource")
  .filter(one => !one.name.includes("socket.io/")).map(one => [new URL(one.name).pathname, one.transferSize]))"""


async def test_the_minds_are_there_with_their_states_and_lead_to_each(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind("demo-score")
    page = agents(site.data).index(agent) // AT_ONCE  # other tests have made minds, too
    tab = await open_tab(f"/?after={page * AT_ONCE}")
    card = tab.page.locator("a.mind-card", has_text=agent)
    assert "24" in await card.inner_text()
    for state in ("active", "cold", "deprecated"):
        assert state in await card.inner_text()
    await card.click()
    await tab.page.wait_for_url(f"**/minds/{agent}")
    await tab.shows("By state")


async def test_what_is_shown_first_comes_with_the_page_itself(site: Site) -> None:
    """Nothing is asked for again before it can be painted."""
    async with httpx.AsyncClient(base_url=site.home, trust_env=False, timeout=60.0) as plain:
        answer = await plain.get(f"/minds/{site.mind('demo-score')}")
    assert len(answer.content) < 100_000
    for words in ("By state", "active", "cold", "deprecated"):
        assert words in answer.text


async def test_a_page_fetches_little_and_the_next_one_nothing_again(site: Site, open_tab: OpenTab) -> None:
    """How long a first paint takes is up to the machine; what it has to wait for is not."""
    agent = site.mind()
    tab = await open_tab(f"/minds/{agent}")
    fetched = await tab.page.evaluate(_FETCHED)
    assert len(fetched) < 30
    assert 0 < sum(fetched.values()) < 3_000_000  # not compressed, as it is for users
    await tab.go(f"/minds/{agent}/memories")
    await tab.go(f"/minds/{agent}")
    again = await tab.page.evaluate(_FETCHED)
    known = again.keys() & fetched.keys()
    assert known
    assert [name for name in known if again[name]] == []


async def test_a_mind_is_made_here_once_and_then_there(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab("/")
    for problem in (None, "exists already"):
        await tab.go("/")
        await tab.page.get_by_role("button", name="New mind").click()
        dialog = tab.page.get_by_role("dialog")
        await dialog.get_by_label("Agent id").fill("made-by-hand")
        await dialog.get_by_role("button", name="Create").click()
        if problem is None:
            await tab.page.wait_for_url("**/minds/made-by-hand")
            await tab.shows("knows nothing yet")
        else:
            await dialog.get_by_role("alert").get_by_text(problem).wait_for()
    assert (site.data / "made-by-hand" / "mind.db").exists()


async def test_a_mind_of_any_metabolism_is_made_with_the_dialog_alone(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab("/")
    await tab.page.get_by_role("button", name="New mind").click()
    dialog = tab.page.get_by_role("dialog")
    await dialog.get_by_label("How it ages").select_option("retention")
    await dialog.get_by_label("Agent id").fill("no such name!")
    await tab.press("Enter")
    await dialog.get_by_role("alert").get_by_text("no such name!").wait_for()
    await dialog.get_by_label("Agent id").fill("made-to-expire")
    await tab.press("Enter")
    await tab.page.wait_for_url("**/minds/made-to-expire")
    await tab.page.locator(".page-head .chip", has_text="retention").wait_for()


async def test_lists_are_chosen_by_state_kind_and_domain_and_go_on(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind()
    tab = await open_tab(f"/minds/{agent}/memories")
    assert await tab.page.locator("a.item").count() == 50
    assert await tab.page.locator("#main .chip.s-cold:not(a)").count() == 0
    await tab.page.get_by_role("link", name="Next page").click()
    await tab.page.wait_for_url("**after=*")
    await tab.ready()
    assert 0 < await tab.page.locator("a.item").count() < 50
    await tab.page.locator("a.chip.s-cold").click()
    await tab.page.wait_for_url("**state=cold*")
    await tab.ready()
    assert await tab.page.locator("a.item .chip.s-cold").count() == 50
    await tab.page.get_by_label("Kind").fill("meeting")
    await tab.page.get_by_role("button", name="Filter").click()
    await tab.page.wait_for_url("**kind=meeting*")
    await tab.ready()
    assert 0 < await tab.page.locator("a.item").count() == await tab.page.locator("a.item", has_text="例会").count()


async def test_scores_are_chosen_by_range(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind('demo-score')}/memories?state=all&from=70")
    states = await tab.page.locator("a.item .chip").all_inner_texts()
    assert states
    assert set(states) == {"active"}


async def test_a_search_shows_what_answers_best(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind()}")
    await tab.press("/")
    await tab.page.keyboard.type("PostgreSQL")
    await tab.press("Enter")
    await tab.page.wait_for_url("**q=PostgreSQL")
    await tab.ready()
    assert "PostgreSQL" in await tab.page.locator("a.item").first.inner_text()


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_every_view_says_it_in_this_language(site: Site, open_tab: OpenTab, language: Language) -> None:
    agent = site.mind()
    tab = await open_tab("/", language=language)
    for view in NAVIGATION:
        await tab.go(f"/minds/{agent}/{view.path}")
        assert await tab.page.evaluate("document.documentElement.lang") == language
        here = await tab.page.locator("nav.rail").inner_text()
        assert [TITLES[word] in here for word in ("en", "zh")] == [language == "en", language == "zh"]
        assert said(view.title, language) in await tab.page.title()


async def test_every_view_fits_a_phone_by_night(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind()
    tab = await open_tab("/", phone=True, dark=True, language="zh")
    for path in ("/", *(f"/minds/{agent}/{view.path}" for view in NAVIGATION), f"/minds/{agent}/memory?key=db"):
        await tab.go(path)
        assert await tab.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path
        assert await tab.page.evaluate("getComputedStyle(document.body).backgroundColor") == NIGHT


async def test_language_and_brightness_are_switched_and_kept(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind()}/memories")
    await tab.page.locator("button.language").click()
    await tab.page.locator("h1", has_text="记忆").wait_for()
    await tab.ready()
    await tab.page.locator("button.dark-switch").click()
    await tab.page.wait_for_selector("html.dark body.body--dark")
    await tab.go("/")
    await tab.page.locator("h1", has_text="心智").wait_for()
    await tab.page.wait_for_selector("html.dark body.body--dark")


async def test_by_keyboard_alone_one_gets_everywhere(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind()
    tab = await open_tab(f"/minds/{agent}")
    await tab.chord("g", "m")
    await tab.page.wait_for_url("**/memories")
    await tab.ready()
    await tab.press("j", "j", "k")
    assert await tab.page.evaluate("document.activeElement.matches('a.item:first-child')")
    outline = await tab.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    await tab.press("Enter")
    await tab.page.wait_for_url("**/memory?key=*")
    await tab.ready()
    await tab.press("?")
    await tab.page.wait_for_selector("dialog#help[open]")
    await tab.press("Escape")
    await tab.page.wait_for_selector("dialog#help:not([open])", state="attached")
    await tab.chord("g", "h")
    await tab.page.wait_for_url(f"{site.home}/")


async def test_tab_reaches_the_content_first(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind()}")
    await tab.press("Tab")
    assert await tab.page.evaluate("document.activeElement.textContent") == "Skip to the content"
    await tab.press("Enter")
    assert await tab.page.evaluate("document.activeElement.id") == "main"


async def test_the_chooser_leads_to_the_same_view_of_another_mind(site: Site, open_tab: OpenTab) -> None:
    here, there = site.mind(), site.mind()  # neighbours in the list, of which only what is near is drawn
    tab = await open_tab(f"/minds/{here}/memories")
    await tab.page.locator(".chooser").click()
    await tab.page.locator(".q-menu").get_by_text(there, exact=True).click()
    await tab.page.wait_for_url(f"**/minds/{there}/memories")


@pytest.mark.parametrize("path", ["/minds/nobody", "/minds/nobody/tidy", "/minds/..%2Fx", "/minds/demo%00"])
async def test_a_mind_that_is_not_there_is_told_without_a_path(site: Site, open_tab: OpenTab, path: str) -> None:
    tab = await open_tab(path)
    told = await tab.page.locator("#main").inner_text()
    assert "To all minds" in told
    assert str(site.data) not in told


async def test_a_number_without_end_in_the_address_is_not_read(site: Site, open_tab: OpenTab) -> None:
    endless = "9" * 5000
    tab = await open_tab(f"/?after={endless}")
    await tab.page.get_by_role("heading", name="Minds").wait_for()
    await tab.go(f"/minds/{site.mind('demo-score')}/memories?from={endless}&after={endless}")
    await tab.page.locator("a.item").first.wait_for()
