"""What-if in a real browser: turn a parameter, see the effect, apply it, take it back."""

import json
from contextlib import suppress
from urllib.parse import quote

import pytest
from playwright.async_api import TimeoutError as NotSeen

import ebbtide
from ebbtide.core.memory import State
from ebbtide.serve.page.losses import losses
from tests.browser import Tab
from tests.serve.page.conftest import OpenTab, Site

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def count(tab: Tab, state: str, when: str) -> int:
    row = tab.page.locator(f".change[data-state={state}] .one.{when} .number")
    await row.wait_for()
    return int((await row.inner_text()).replace(",", ""))


async def test_a_slider_turned_by_keyboard_shows_who_would_change(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind("demo-score")
    tab = await open_tab(f"/minds/{agent}/whatif")
    await tab.shows("Nothing turned yet")
    await tab.page.locator("input[type=range][aria-label^='active_from']").focus()
    await tab.press(*["ArrowLeft"] * 40)
    await tab.page.get_by_text("would change").first.wait_for()
    now, then = await count(tab, "active", "before"), await count(tab, "active", "after")
    assert then > now
    wanted = float(await tab.page.locator("input[type=number][aria-label='active_from']").input_value())
    async with ebbtide.open(agent, data=site.data) as mind:
        assert mind.params["active_from"] == 70.0
        other = await mind.replay(params={"active_from": wanted})
        assert (await other.stats()).states[State.ACTIVE] == then
    moved = tab.page.locator("a.move")
    assert await moved.count() == then - now
    assert "memory?key=" in str(await moved.first.get_attribute("href"))


async def test_applying_asks_first_and_can_be_undone(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind("demo-retention")
    tab = await open_tab(f"/minds/{agent}/whatif")
    async with ebbtide.open(agent, data=site.data) as mind:
        before = mind.params["delete_below"]
    apply = tab.page.get_by_role("button", name="Apply…")
    assert await apply.is_disabled()
    await tab.page.locator("input[type=number][aria-label='delete_below']").fill("0.3")
    await tab.page.locator(".change").first.wait_for()
    await apply.click()
    sure = tab.page.locator("dialog[open]")
    assert "0.3" in await sure.inner_text()
    await sure.get_by_role("button", name="Cancel").click()
    await sure.wait_for(state="hidden")
    await apply.click()
    await sure.get_by_role("button", name="Apply").click()
    await tab.shows("another delete_below")
    async with ebbtide.open(agent, data=site.data) as mind:
        assert mind.params["delete_below"] == 0.3
    await tab.page.get_by_role("button", name="Undo").click()
    await tab.page.get_by_text("lives again as before").wait_for()
    async with ebbtide.open(agent, data=site.data) as mind:
        assert mind.params["delete_below"] == before


async def test_what_cannot_be_taken_back_is_told_before_it_is_done(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind("demo-retention")
    async with ebbtide.open(agent, data=site.data) as mind:
        await mind.put("It goes.", key="goes")
        await mind.forget("goes")
        kept = len(await mind.trash())
        told = await losses(mind, {"trash_days": 0.0, "reap_buffer": 0.0})  # attached, as a page may be
    tab = await open_tab(f"/minds/{agent}/whatif?params={quote(json.dumps({'trash_days': 0, 'reap_buffer': 0}))}")
    await tab.page.get_by_role("button", name="Apply…").click()
    sure = tab.page.locator("dialog[open]")
    await sure.get_by_role("button", name="Apply").wait_for()
    assert f"{kept:,} would be gone for good" in await sure.locator("[data-cost=gone]").inner_text()
    assert "0 days only" in await sure.locator("[data-cost=keeps]").inner_text()
    for cost, count in (("deleted", told.deleted), ("pruned", told.pruned)):
        row = sure.locator(f"[data-cost={cost}]")
        assert await row.count() == bool(count)
        assert not count or f"{count:,} more" in await row.inner_text()
    assert "Nothing is deleted" not in await sure.inner_text()
    await sure.get_by_role("button", name="Cancel").click()
    await sure.wait_for(state="hidden")


async def turned(tab: Tab, name: str, value: str) -> None:
    """Until it is marked as turned: a knob that is being drawn anew may be turned in vain."""
    line = tab.page.locator(f"input[type=number][aria-label='{name}']")
    marked = tab.page.locator(".knob.turned", has=line)
    for _ in range(5):
        await line.fill(value)
        with suppress(NotSeen):
            await marked.wait_for(timeout=10_000)
            return
    raise AssertionError(f"{name} cannot be turned")


async def test_two_things_applied_leave_one_way_back_that_can_be_closed(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind('demo-score')}/whatif")
    for name, value in (("active_from", "60"), ("cold_from", "20")):
        await turned(tab, name, value)
        await tab.page.get_by_role("button", name="Apply…").click()
        await tab.page.locator("dialog[open]").get_by_role("button", name="Apply").click()
        await tab.shows(f"another {name}")
    assert await tab.page.locator(".undo").count() == 1
    await tab.page.locator(".undo").get_by_role("button", name="Close").click()
    await tab.page.locator(".undo").wait_for(state="detached")


async def test_what_cannot_be_is_said_and_not_applied(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind('demo-score')}/whatif")
    await tab.page.locator("input[type=number][aria-label='cold_from']").fill("90")
    await tab.page.get_by_role("alert").filter(has_text="cold_from").first.wait_for()
    assert await tab.page.get_by_role("button", name="Apply…").is_disabled()


async def test_as_it_is_now_puts_everything_back(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind()}/whatif")
    line = tab.page.locator("input[type=number][aria-label='theta_active']")
    before = await line.input_value()
    await line.fill("3")
    await tab.page.locator(".change").first.wait_for()
    await tab.page.get_by_role("button", name="As it is now").click()
    await tab.shows("Nothing turned yet")
    await tab.page.locator(".knob.turned").wait_for(state="detached")
    assert await line.input_value() == before


async def test_as_if_always_so_retells_the_journal(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind('demo-score')}/whatif")
    await tab.page.locator("input[type=number][aria-label='initial']").fill("100")
    await tab.shows("No memory would change its state")
    await tab.page.get_by_role("button", name="As if always so").click()
    await tab.page.get_by_text("would change").first.wait_for()


async def test_values_in_the_address_are_turned_to_at_once(site: Site, open_tab: OpenTab) -> None:
    params = quote(json.dumps({"active_from": 40.0, "unknown": 1}))
    tab = await open_tab(f"/minds/{site.mind('demo-score')}/whatif?params={params}")
    await tab.page.locator(".knob.turned", has_text="active_from").wait_for()
    await tab.page.locator(".change").first.wait_for()
    await tab.go(f"/minds/{site.mind('demo-score')}/whatif?params=%5B%7B")
    await tab.shows("Nothing turned yet")


# Presses Cancel as soon as it is seen to get on, and says how far it was: from here it might be over by then.
_LEAVING = """() => {
  window.left_at = new Promise(done => {
    const look = () => {
      const bar = document.querySelector(".running");
      if (!bar?.checkVisibility() || !(bar.querySelector("progress").value > 0)) return;
      watch.disconnect();
      done(bar.querySelector("progress").value);
      bar.querySelector("button").click();
    };
    const watch = new MutationObserver(look);
    watch.observe(document.body, { attributes: true, childList: true, subtree: true });
  });
}"""


async def test_a_long_look_shows_how_far_it_is_and_can_be_left(site: Site, open_tab: OpenTab) -> None:
    many = 30_000
    async with ebbtide.open("long-lived", data=site.data, metabolism="score") as mind:
        await mind.put_many({"text": f"number {number}", "key": f"k{number}"} for number in range(many))
    tab = await open_tab("/minds/long-lived/whatif")
    line = tab.page.locator("input[type=number][aria-label='active_from']")
    await tab.page.evaluate(_LEAVING)
    await line.fill("40")
    assert 0.0 < await tab.page.evaluate("left_at") < 1.0
    await tab.page.locator(".running").wait_for(state="hidden")
    assert await tab.page.locator(".change").count() == 0
    await line.fill("45")
    await tab.page.get_by_text(f"{many:,} memories would change").wait_for()
    await tab.shows(f"and {many - 40:,} more")


@pytest.mark.parametrize("params", ['{"active_from":"x"}', '{"active_from":null}', '{"active_from":1e999}', "null"])
async def test_values_in_the_address_that_cannot_be_are_not_heeded(site: Site, open_tab: OpenTab, params: str) -> None:
    tab = await open_tab(f"/minds/{site.mind('demo-score')}/whatif?params={quote(params)}")
    await tab.shows("Nothing turned yet")
