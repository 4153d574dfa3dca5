"""How the page looks, where that can be measured: what stands in a card stays in it, and nothing covers another."""

import pytest

from tests.serve.page.conftest import OpenTab, Site
from tests.serve.page.test_page_memory import told

pytestmark = pytest.mark.asyncio(loop_scope="session")

# Fields that leave their card or lie over each other, by name.
ASTRAY = """() => {
  const card = document.querySelector(".ask").closest(".card").getBoundingClientRect();
  const fields = [...document.querySelectorAll(".ask .fields .box")].map(
    (field) => [field.name, field.getBoundingClientRect()]);
  const out = fields.filter(([, at]) => at.left < card.left || at.right > card.right).map(([name]) => name);
  const over = fields.flatMap(([name, a], i) => fields.slice(i + 1)
    .filter(([, b]) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
    .map(([other]) => `${name} over ${other}`));
  return [...out, ...over];
}"""


@pytest.mark.parametrize("width", [1280, 800, 375])
async def test_the_fields_of_the_console_stay_in_their_card(site: Site, open_tab: OpenTab, width: int) -> None:
    tab = await open_tab(f"/minds/{site.mind()}/console")
    await tab.page.set_viewport_size({"width": width, "height": 860})
    await tab.page.get_by_text("Filters").click()
    await tab.page.locator(".ask .fields .box").first.wait_for()
    assert await tab.page.evaluate(ASTRAY) == []


# What is asked for a date and a time without saying in which zone.
NO_ZONE = """() => [...document.querySelectorAll("input[type=datetime-local], .travel input[type=range]")]
  .map((field) => [field.ariaLabel, field.closest("label")?.textContent, field.parentElement.textContent])
  .filter((words) => !words.some((said) => said?.includes("UTC")))"""


@pytest.mark.parametrize("view", ["console", "journal", "memory?key=db"])
async def test_every_field_for_a_moment_says_that_it_is_utc(site: Site, open_tab: OpenTab, view: str) -> None:
    tab = await open_tab(f"/minds/{site.mind()}/{view}")
    assert await tab.page.locator("input[type=datetime-local]").count() > 0
    assert await tab.page.evaluate(NO_ZONE) == []


async def test_a_chart_tells_moments_as_the_page_does(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind()
    tab = await open_tab(f"/minds/{agent}/memory?key=db")
    chart = tab.page.locator(".chart")
    await chart.locator("svg").wait_for()
    zone = "() => getElement(+document.querySelector('.chart').id.slice(1)).chart.getOption().useUTC"
    assert await tab.page.evaluate(zone) is True
    await chart.locator("text", has_text="UTC").wait_for()


async def test_the_factors_of_retention_are_told_as_a_product(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind('demo-retention')}/memories?state=all")
    await tab.page.locator("a.item").first.click()
    await tab.page.wait_for_url("**/memory?key=*")
    await tab.ready()
    names = await tab.page.locator(".terms td:first-child").all_inner_texts()
    assert names == ["I", "× exp(−Δt/S)", "= Vitality"]
    numbers = await tab.page.locator(".terms td.number").all_inner_texts()
    importance, left, vitality = map(float, numbers)
    assert vitality == pytest.approx(importance * left, abs=0.001)


async def test_the_list_beside_the_network_shows_what_was_chosen(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind()}/network")
    rows = tab.page.locator(".net-side .card:last-child .pick")
    pressed = tab.page.locator('.net-side .card:last-child .pick[aria-pressed="true"]')
    assert await pressed.count() == 0
    for place in (2, 1):
        await rows.nth(place).click()
        await rows.nth(place).and_(pressed).wait_for()
        assert await pressed.count() == 1


async def test_the_journal_says_which_parameters_were_set(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind()
    await told(site, agent, "configure", c=6.0)
    await told(site, agent, "configure", c=6.0)
    tab = await open_tab(f"/minds/{agent}/journal?kind=configure")
    lines = await tab.page.locator(".entry .what").all_inner_texts()
    assert lines[:2] == ["parameters set to what they were", "parameters set c 1.2 → 6"]


# Tabs whose label is cut, lies over the next one or leaves the screen, by name.
CUT = """() => {
  const tabs = [...document.querySelectorAll(".rail a")];
  return tabs.filter((tab, i) => {
    const name = tab.querySelector(".name"), at = name.getBoundingClientRect();
    const next = tabs[i + 1]?.querySelector(".name").getBoundingClientRect();
    return !at.width || name.scrollWidth > name.clientWidth || at.left < 0 || at.right > innerWidth
      || (next && at.right > next.left);
  }).map((tab) => tab.textContent);
}"""


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_on_a_phone_no_tabs_label_is_cut(site: Site, open_tab: OpenTab, language: str) -> None:
    agent = site.mind()
    for view in ("", "/memories", "/console"):  # the tab one is on is bold, and so the widest
        tab = await open_tab(f"/minds/{agent}{view}", language=language, phone=True)
        for width in (390, 360, 320):
            await tab.page.set_viewport_size({"width": width, "height": 844})
            assert await tab.page.evaluate(CUT) == [], (view, width)
