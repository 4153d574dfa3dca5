"""Tuning in a real browser: the journal replayed, the table and the curves, and a row applied only when asked."""

from typing import Any

import pytest

import ebbtide
from ebbtide.core.memory import DAY
from ebbtide.core.tuning import Tuning
from tests.helpers import FakeClock, LetterEmbedder
from tests.serve.page.conftest import OpenTab, Site

pytestmark = pytest.mark.asyncio(loop_scope="session")

KEYS = tuple(f"k{number}" for number in range(16))


async def lived(site: Site, agent: str, uses: int = 30, metabolism: str = "score") -> Tuning:
    """A mind of sixteen memories: four are used again and again, and the others never.

    It lived elsewhere, by a clock of its own, and comes to the server in one step.
    """
    clock, elsewhere = FakeClock(), site.data.parent / "lived"
    how: dict[str, Any] = {"clock": clock, "embedder": LetterEmbedder()}
    async with ebbtide.open(agent, data=elsewhere, metabolism=metabolism, **how) as mind:
        for place, key in enumerate(KEYS):
            await mind.put(f"All there is to say of {key}, <b>and</b> no more.", key=key)
            clock.forward(2 * DAY)
            if place >= 4 and uses >= 20:
                await mind.touch(*KEYS[:2])
        for number in range(max(uses - 24, 1)):
            clock.forward(DAY)
            await mind.touch(KEYS[number % 4])
        found = await mind.tune()
    (elsewhere / agent).rename(site.data / agent)
    return found


async def test_the_table_says_what_the_verb_says(site: Site, open_tab: OpenTab) -> None:
    found = await lived(site, "tuned")
    assert found.enough
    tab = await open_tab("/minds/tuned/whatif")
    assert await tab.page.locator("[data-row]").count() == 0  # nothing is replayed unasked
    await tab.page.get_by_role("button", name="Replay the journal").click()
    await tab.page.locator("[data-row]").first.wait_for()
    assert await tab.page.locator("[data-row]").count() == len(found.outcomes)
    for outcome in found.outcomes:
        cells = await tab.page.locator(f"[data-row='{outcome.number}'] td.number").all_inner_texts()
        shares = [f"{100 * result.kept / found.uses:.1f} %" for result in outcome.results]
        assert cells[:3] == shares
        assert cells[3] == str(outcome.results[found.main].lost)
    assert await tab.page.locator(".tune .chart").count() == 2
    await tab.page.locator(".tune .chart svg path").first.wait_for(state="attached")
    assert "keeps most" in await tab.page.locator(f"[data-row='{found.best}']").inner_text()


async def test_what_would_be_lost_is_named_with_its_text_and_leads_to_it(site: Site, open_tab: OpenTab) -> None:
    found = await lived(site, "losing")
    losses = found.outcomes[0].results[found.main].losses
    tab = await open_tab("/minds/losing/whatif")
    await tab.page.get_by_role("button", name="Replay the journal").click()
    lost = tab.page.locator("[data-lost='1'] a.move")
    await lost.first.wait_for()
    assert await lost.count() == len(losses)
    assert "<b>and</b> no more" in await lost.first.inner_text()
    assert f"memory?key={losses[0].key}" in str(await lost.first.get_attribute("href"))
    other = tab.page.locator("[data-lost='2']")
    assert not await other.locator("a.move").first.is_visible()
    await other.locator("summary").click()
    await other.locator("a.move").first.wait_for()


async def test_a_row_is_applied_after_a_question_and_can_be_undone(site: Site, open_tab: OpenTab) -> None:
    await lived(site, "applied")
    tab = await open_tab("/minds/applied/whatif")
    await tab.page.get_by_role("button", name="Replay the journal").click()
    await tab.page.get_by_role("button", name="Apply Score · slower…").click()
    sure = tab.page.locator("dialog[open]")
    assert "daily_factor" in await sure.inner_text()
    async with ebbtide.open("applied", data=site.data) as mind:
        assert mind.params["daily_factor"] == 0.95
    await sure.get_by_role("button", name="Apply").click()
    await tab.shows("lives by 2 other parameters now")
    await tab.page.locator("[data-row]").first.wait_for(state="detached")  # it was about the mind as it was
    async with ebbtide.open("applied", data=site.data) as mind:
        assert (mind.params["daily_factor"], mind.params["structure_gain"]) == (0.99, 0.01)
    await tab.page.get_by_role("button", name="Undo").click()
    await tab.page.get_by_text("lives again as before").wait_for()
    async with ebbtide.open("applied", data=site.data) as mind:
        assert mind.params["daily_factor"] == 0.95


async def test_another_metabolism_cannot_be_applied(site: Site, open_tab: OpenTab) -> None:
    found = await lived(site, "keeping", metabolism="network")  # no links, so the oldest leaves
    best = found.outcomes[found.best - 1].candidate
    assert (found.clear, best.metabolism) == (True, "activity")
    tab = await open_tab("/minds/keeping/whatif")
    await tab.page.get_by_role("button", name="Replay the journal").click()
    await tab.page.locator("[data-row]").first.wait_for()
    others = [one for one in found.outcomes if one.candidate.metabolism not in ("", "network")]
    for one in others:
        row = tab.page.locator(f"[data-row='{one.number}']")
        assert "another metabolism" in await row.inner_text()
        assert await row.locator("button").count() == 0
    command = f"ebbtide --agent NEW init --metabolism {best.metabolism}"
    assert command in await tab.page.locator("[data-elsewhere]").inner_text()


async def test_one_budget_is_tested_where_one_is_chosen(site: Site, open_tab: OpenTab) -> None:
    await lived(site, "choosy")
    tab = await open_tab("/minds/choosy/whatif")
    await tab.page.locator(".tune select").select_option("10%")
    await tab.page.get_by_role("button", name="Replay the journal").click()
    await tab.page.locator("[data-row]").first.wait_for()
    heads = await tab.page.locator(".tune th").all_inner_texts()
    assert heads[:3] == ["regime", "12%", "lost"]  # 2 of 16


@pytest.mark.parametrize(("phone", "dark"), [(False, True), (True, False)])
async def test_it_says_so_in_chinese_where_there_is_too_little_to_judge_by(
    site: Site, open_tab: OpenTab, phone: bool, dark: bool
) -> None:
    agent = f"few-{phone}"
    await lived(site, agent, uses=1)
    tab = await open_tab(f"/minds/{agent}/whatif", language="zh", phone=phone, dark=dark)
    await tab.page.get_by_role("button", name="重演日志").click()
    await tab.shows("少于 20 次使用不足以判断")
    await tab.page.locator("[data-row]").first.wait_for()
    assert "当前参数" in await tab.page.locator("[data-row='1']").inner_text()
    assert await tab.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    await tab.picture(f"tune-{agent}", whole=True)
