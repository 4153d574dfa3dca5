"""The console in a real browser: asking, why the answer is so, what was declined, and saying what was of use."""

import shutil
import time
from pathlib import Path

import pytest

import ebbtide
from ebbtide.core.memory import DAY, State
from ebbtide.testing import Clock
from tests.serve.page.conftest import OpenTab, Site

pytestmark = pytest.mark.asyncio(loop_scope="session")
EVIL = "<img src=x onerror='window.hacked=1'>{{hacked}}${hacked} evil"


async def test_a_question_is_answered_with_every_component_of_the_rank(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind()
    tab = await open_tab(f"/minds/{agent}/console")
    await tab.page.keyboard.type("backup")  # the field has the focus
    await tab.press("Enter")
    hit = tab.page.locator(".hit").first
    await hit.wait_for()
    said = await hit.inner_text()
    async with ebbtide.open(agent, data=site.data) as mind:
        best = (await mind.search("backup", explain=True)).hits[0]
    assert best.memory.key in said
    assert f"{best.score:.3f}" in said
    for words in ("by words", "by meaning", "similarity", "lift", "vitality", "rank"):
        assert words in said


async def test_filters_are_heeded(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind()}/console")
    await tab.page.get_by_text("Filters").click()
    await tab.page.get_by_label("State").select_option("cold")
    await tab.page.get_by_label("At most").fill("3")
    await tab.page.get_by_label("What do you want to know?").fill("release")
    await tab.page.get_by_label("explain", exact=True).uncheck()
    await tab.page.get_by_role("button", name="Search", exact=True).click()
    await tab.page.locator(".hit").first.wait_for()
    assert set(await tab.page.locator(".hit .chip").all_inner_texts()) == {"cold"}
    assert await tab.page.locator(".hit").count() == 3
    assert await tab.page.locator(".hit .why").count() == 0


async def test_what_was_declined_is_told_with_the_reason_and_can_be_restored(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind()
    async with ebbtide.open(agent, data=site.data) as mind:
        await mind.forget("db")
    tab = await open_tab(f"/minds/{agent}/console?q=PostgreSQL+production+replica")
    declined = tab.page.locator(".card", has_text="Declined")
    row = declined.locator(".move", has_text="db-main-2")
    assert "it can be restored" in await row.inner_text()
    await row.get_by_role("button", name="Restore").click()
    await tab.page.get_by_text("“db” is back").wait_for()
    async with ebbtide.open(agent, data=site.data) as mind:
        assert (await mind.explain("db")).memory.key == "db"


async def test_reasons_are_told_in_the_readers_language(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind()}/console?q=release", language="zh")
    await tab.page.locator(".card .move").first.wait_for()
    reason = await tab.page.locator(".card .move .soft.small").first.inner_text()
    assert reason.startswith("分数")
    assert "similarity" not in await tab.page.locator("main").inner_text()


async def test_what_matches_but_is_hidden_is_counted_and_shown_by_a_click(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind()
    async with ebbtide.open(agent, data=site.data) as mind:
        cold = (await mind.list("cold", limit=1)).memories[0]
        found = await mind.search(cold.text)
    assert found.left_out is not None
    assert found.left_out.best[0].key == cold.key
    tab = await open_tab(f"/minds/{agent}/console")
    await tab.page.get_by_label("What do you want to know?").fill(cold.text)
    await tab.press("Enter")
    line = tab.page.locator(".left-out")
    await line.wait_for()
    assert await line.inner_text() == f"{found.left_out.count} that match are hidden: {found.left_out.count} cold"
    await tab.page.get_by_role("button", name="Show them").click()
    await line.wait_for(state="detached")
    first = tab.page.locator(".hit").filter(has_text=cold.text[:30]).first
    assert "cold" in await first.locator(".chip").inner_text()
    assert "similarity " in await first.locator(".top-line").inner_text()


@pytest.mark.parametrize(
    ("metabolism", "hidden"), [("activity", "cold"), ("score", "deprecated"), ("retention", "expired"), ("network", "")]
)
async def test_ninety_days_later_a_fact_is_found_or_its_place_is_told(
    site: Site, open_tab: OpenTab, tmp_path: Path, metabolism: str, hidden: str
) -> None:
    agent, clock = f"ninety-{metabolism}", Clock(time.time() - 90 * DAY)
    async with ebbtide.open(agent, data=tmp_path, metabolism=metabolism, clock=clock) as mind:
        await mind.put("Lin is allergic to peanuts.", key="allergy")
    half = site.data / f"_copy-{agent}"
    shutil.copytree(tmp_path / agent, half)
    half.rename(site.data / agent)
    tab = await open_tab(f"/minds/{agent}/console?q=peanut+allergy")
    if not hidden:
        await tab.page.locator(".hit").filter(has_text="Lin is allergic to peanuts.").wait_for()
        return
    line = tab.page.locator(".left-out")
    await line.wait_for()
    assert await line.inner_text() == f"1 that matches is hidden: 1 {hidden}"
    assert await tab.page.locator(".hit").count() == 0
    assert await tab.page.get_by_role("button", name="Show them").count() == 1


async def test_a_search_without_a_good_match_says_so_in_both_languages(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind()
    async with ebbtide.open(agent, data=site.data) as mind:
        await mind.configure(match_floor=1.0)
    unknown = [f"zq{one}{two}x" for one in "abcdefghi" for two in "abcdefghi"]
    query = "+".join(["backup", *unknown])  # one word of 82 is known: about 6 / (6 + 82 / 2) = 0.13
    words = {"en": "No good match: the best similarity is 0.", "zh": "没有足够相似的记忆：最高相似度为 0."}
    for language, expected in words.items():
        tab = await open_tab(f"/minds/{agent}/console?q={query}", language=language)
        line = tab.page.locator(".weak-match")
        await line.wait_for()
        assert (await line.inner_text()).startswith(expected)


async def test_being_found_is_no_use_and_saying_so_is(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind("demo-score")
    async with ebbtide.open(agent, data=site.data) as mind:
        key = (await mind.list(limit=1)).memories[0].key
        text = (await mind.explain(key)).memory.text
        before = (await mind.explain(key)).memory.meta.access_count
        tab = await open_tab(f"/minds/{agent}/console")
        await tab.page.get_by_label("What do you want to know?").fill(text)
        await tab.press("Enter")
        hit = tab.page.locator(".hit").filter(has_text=text[:30]).first
        await hit.wait_for()
        assert (await mind.explain(key)).memory.meta.access_count == before
        await hit.get_by_role("button", name="I used this").click()
        await tab.page.get_by_text("Counted as a use").wait_for()
        assert (await mind.explain(key)).memory.meta.access_count == before + 1
        await hit.get_by_role("button", name="I used this").click()
        await tab.page.get_by_text("not counted again").wait_for()


async def test_a_network_mind_recalls_so_many_links_deep(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind('demo-network')}/console")
    await tab.page.get_by_role("button", name="Recall").first.click()
    told: list[int] = []
    for depth in ("1", "2"):
        await tab.page.get_by_label("Links deep").fill(depth)
        await tab.page.locator("button[type=submit]:visible").click()
        await tab.page.wait_for_function(f"document.querySelectorAll('.blocks .quote').length > {sum(told)}")
        told.append(await tab.page.locator(".blocks .quote").count())
    assert told[1] > told[0] > 0


async def test_what_is_not_there_is_not_found(site: Site, open_tab: OpenTab) -> None:
    tab = await open_tab(f"/minds/{site.mind()}/console?q=zzzyqx")
    await tab.shows("Nothing answers that")


@pytest.mark.parametrize("metabolism", ["activity", "network"])
async def test_whatever_a_memory_says_is_text_and_nothing_else(site: Site, open_tab: OpenTab, metabolism: str) -> None:
    agent = f"evil-{metabolism}"
    async with ebbtide.open(agent, data=site.data, metabolism=metabolism) as mind:
        for key in (EVIL, "other"):
            await mind.put(EVIL, key=key, phrase=EVIL, keywords=[EVIL[:60]], domain="</script><b>")
        await mind.link(EVIL, "other", EVIL[:80])
        await mind.link("other", EVIL, "{b}")
    tab = await open_tab(f"/minds/{agent}/network")
    await tab.page.locator(".net-chart svg text").first.wait_for(state="attached")
    await tab.page.locator(".net-list .pick").first.click()
    await tab.page.locator(".net-side p.text").wait_for()
    await tab.page.locator(".net-chart").hover()
    for path in ("journal", f"journal?key={'other'}", "console?q=evil", "whatif"):
        await tab.go(f"/minds/{agent}/{path}")
        await tab.page.locator("main .card").first.wait_for()
    assert await tab.page.evaluate("window.hacked") is None
    assert await tab.page.locator("img[src=x]").count() == 0


async def test_what_had_expired_is_brought_back_and_leaves_the_answer(site: Site, open_tab: OpenTab) -> None:
    agent = site.mind("demo-retention")
    async with ebbtide.open(agent, data=site.data) as mind:
        gone = (await mind.list(state=State.EXPIRED, limit=1)).memories[0]
    tab = await open_tab(f"/minds/{agent}/console")
    await tab.page.get_by_text("Filters").click()
    await tab.page.get_by_label("State").select_option("expired")
    await tab.page.get_by_label("What do you want to know?").fill(gone.text)
    await tab.press("Enter")
    hit = tab.page.locator(".hit").filter(has=tab.page.get_by_role("link", name=gone.key, exact=True))
    await hit.get_by_role("button", name="Bring back").click()
    await tab.page.get_by_text(f"“{gone.key}” is back").wait_for()
    await hit.wait_for(state="detached")
    async with ebbtide.open(agent, data=site.data) as mind:
        assert (await mind.explain(gone.key)).memory.state is State.ACTIVE


async def test_what_is_restored_leaves_what_was_declined_under_another_key_if_need_be(
    site: Site, open_tab: OpenTab
) -> None:
    agent = site.mind()
    async with ebbtide.open(agent, data=site.data) as mind:
        await mind.forget("db")
        await mind.put("Somebody was quicker.", key="db")
    tab = await open_tab(f"/minds/{agent}/console?q=PostgreSQL+production+replica")
    row = tab.page.locator(".card", has_text="Declined").locator(".move", has_text="db-main-2")
    await row.get_by_role("button", name="Restore").click()
    await tab.page.get_by_text("is taken").wait_for()
    await tab.page.get_by_label("New key").fill("another")
    await tab.press("Enter")
    await tab.page.get_by_text("“another” is back").wait_for()
    await row.wait_for(state="detached")
    await tab.page.locator(".hit", has_text="another").first.wait_for()


@pytest.mark.parametrize(("language", "tell", "said", "done"), [
    ("en", ("Tell it something", "Tell"), "What was said", "Remembered: 1 new memory."),
    ("zh", ("讲给它听", "告诉它"), "说了什么", "已记住：新增 1 条记忆。"),
])  # fmt: skip
async def test_a_mind_is_told_a_turn_of_a_conversation(
    site: Site, open_tab: OpenTab, language: str, tell: tuple[str, str], said: str, done: str
) -> None:
    agent = site.mind()
    tab = await open_tab(f"/minds/{agent}/console", language=language)
    await tab.page.get_by_text(tell[0]).click()
    await tab.page.get_by_label(said).fill("Zebras sleep under the bridge.")
    await tab.page.get_by_role("button", name=tell[1], exact=True).click()
    await tab.page.get_by_text(done).wait_for()
    async with ebbtide.open(agent, data=site.data) as mind:
        (found,) = (await mind.search("zebras under the bridge", 1)).hits
        assert (found.memory.kind, found.memory.text) == ("segment", "Zebras sleep under the bridge.")
        assert await mind.queue() == []
