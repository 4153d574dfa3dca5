"""The console in a real browser: asking, why the answer is so, what was declined, and saying what was of use."""

import shutil
import time
from pathlib import Path
from typing import Any

import pytest

import ebbtide
from ebbtide.core.memory import DAY, State
from ebbtide.mind.search import Hit
from ebbtide.serve.page import texts
from ebbtide.serve.page.rank_bar import FAMILIES, Scale
from ebbtide.serve.score_parts import score_parts
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
    assert f"rank {best.score:.3f}" in said
    for words in ("by words +0.", "coverage +0.", "vitality +0.", "similarity 0.", "BM25 ", "no vector"):
        assert words in said


# Of each hit: the pieces of its bar with what they say, and as shares of the bar where they, axis and score line lie.
BARS = """() => [...document.querySelectorAll(".hit .rank-bar")].map((bar) => {
  const whole = bar.getBoundingClientRect();
  const at = (one) => { const box = one.getBoundingClientRect();
    return [(box.left - whole.left) / whole.width, (box.right - whole.left) / whole.width]; };
  const middle = (name) => at(bar.querySelector(name)).reduce((a, b) => a + b) / 2;
  return { label: bar.ariaLabel, axis: middle(".axis"), score: middle(".score"),
    pieces: [...bar.querySelectorAll(".piece")].map((one) => [one.dataset.part, one.title, ...at(one)]),
    listed: [...bar.parentElement.querySelectorAll("li")].map((one) => one.innerText.replace(/\\s+/g, " ")),
    looks: new Set([...bar.querySelectorAll(".piece")].map((one) => getComputedStyle(one).background)).size };
})"""


@pytest.mark.parametrize(("language", "dark"), [("en", False), ("zh", True)])
async def test_a_rank_is_drawn_as_a_bar_of_its_parts(
    site: Site, open_tab: OpenTab, language: texts.Language, dark: bool
) -> None:
    agent, query = site.mind("demo"), "What did I ask about Kyoto?"
    async with ebbtide.open(agent, data=site.data) as mind:
        await mind.put("Is Kyoto too crowded in April?", key="asks")
        hits = (await mind.search(query, explain=True)).hits
    scale = Scale.of(hits)
    tab = await open_tab(f"/minds/{agent}/console?q={query}", language=language, dark=dark)
    await tab.page.locator(".hit .rank-bar").first.wait_for()
    bars = await tab.page.evaluate(BARS)
    assert len(bars) == len(hits)
    for hit, bar in zip(hits, bars, strict=True):
        _is_drawn(hit, bar, scale, language)
    (asks,) = (bar for hit, bar in zip(hits, bars, strict=True) if hit.memory.key == "asks")
    (question,) = (piece for piece in asks["pieces"] if piece[0] == "question")
    assert question[3] == pytest.approx(asks["axis"], abs=0.01)  # it ends at the axis: it takes away


def _is_drawn(hit: Hit, bar: Any, scale: Scale, language: texts.Language) -> None:
    """On the scale of all hits, each piece as wide as it has points, the score line where they end, all in words."""
    found = score_parts(hit)
    told = [
        f"{texts.said(f'rank.{one.name}', language)} {'−' if one.points < 0 else '+'}{abs(one.points):.3f}"
        for one in found
    ]
    assert bar["label"] == texts.said("rank.bar", language, score=f"{hit.score:.3f}")
    assert [name for name, *_ in bar["pieces"]] == [one.name for one in found]
    assert [title for _, title, *_ in bar["pieces"]] == told == bar["listed"]
    widths = [right - left for *_, left, right in bar["pieces"]]
    assert widths == pytest.approx([scale.share(one.points) for one in found], abs=0.005)
    assert (bar["axis"], bar["score"]) == pytest.approx((scale.place(0.0), scale.place(hit.score)), abs=0.005)
    assert bar["looks"] == len(found)  # no two pieces look the same


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_the_legend_of_the_bars_names_every_part(site: Site, open_tab: OpenTab, language: texts.Language) -> None:
    tab = await open_tab(f"/minds/{site.mind('demo')}/console?q=Kyoto", language=language, phone=True)
    await tab.page.locator(".rank-legend summary").click()
    said = await tab.page.locator(".rank-legend").inner_text()
    for _, names in FAMILIES.values():
        for name in names:
            words = f"{texts.said(f'rank.{name}', language)} — {texts.said(f'rank.{name}.is', language)}"
            assert words in said
    wide = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert await tab.page.evaluate(wide) == 0
    formula = {
        "en": "rank = similarity + lift + terms + 0.2 × vitality",
        "zh": "排序分 = 相似度 + 链接提升 + 各项 + 0.2 × 活力",
    }
    assert await tab.page.locator(".formula").inner_text() == formula[language]


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
