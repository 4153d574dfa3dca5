"""Fading (N6, N7, N9, C8): texts shrink with their importance, memories go when the law says, and leave traces."""

import asyncio
import math
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.changes import Forget, Rewrite, Scan
from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import DAY
from ebbtide.core.metabolism import Network
from ebbtide.mind import Mind
from ebbtide.stores.memory import MemoryStore
from tests.helpers import FakeClock, batch, configured, everything, lives, store_of
from tests.scripted_model import (
    FAILS,
    Answer,
    ScriptedModel,
    Stubborn,
    by_text,
    links,
    network_in_ram,
    network_mind,
    said,
    tell,
    texts,
    well,
)

# A hundred characters without a capital but the first: one entity, and any prefix of it is a compression of it.
HUNDRED = ("Lin " + "takes the early ferry and reads a novel on the upper deck while the harbour wakes " * 2)[:100]


async def topics(mind: Mind, count: int, first: int = 0) -> None:
    """So many further remembers, each about something new."""
    for number in range(first, first + count):
        await tell(mind, f"{topic(number)} came up")


def topic(number: int) -> str:
    letters = ""
    while True:
        number, digit = divmod(number, 26)
        letters = string.ascii_lowercase[digit] + letters
        if not number:
            return f"T{letters.rjust(4, 'o')}"


async def length_of(mind: Mind, memory: int) -> int:
    """How long its text is by now; 0 once it is forgotten."""
    contents = await store_of(mind).contents([memory])
    return len(contents[memory].text) if memory in contents else 0


# ---- the law of N6


async def test_after_k_further_remembers_a_text_is_as_long_as_the_law_says() -> None:
    # With a focus of one, the first new topic lets Lin go: from then on the segment's only link stands at 0.97ᵏ.
    # 97; 94.09; 91.2673; 88.5293; 85.8734; 83.2972; 80.7983; 78.3743; 76.0231; 73.7424; …
    # 100 · 0.97²⁰ = 54.379; 0.97⁵⁰: 21.807; 0.97⁹⁷: 5.2099; 0.97⁹⁸: 5.0536; 0.97⁹⁹: 4.9020 < 5: forgotten
    mind = await network_in_ram(focus_limit=1)
    await tell(mind, HUNDRED)
    memory = (await by_text(mind, HUNDRED)).id
    found = [await length_of(mind, memory)]
    for k in range(99):
        await topics(mind, 1, k)
        found.append(await length_of(mind, memory))
    assert found[:11] == [100, 97, 94, 91, 88, 85, 83, 80, 78, 76, 73]
    assert (found[20], found[50], found[97], found[98], found[99]) == (54, 21, 5, 5, 0)
    assert found == [100, *(math.floor(100 * 0.97**k) for k in range(1, 99)), 0]


async def test_phrase_and_keywords_follow_the_text() -> None:
    mind = await network_in_ram(focus_limit=1, decay_rate=0.5)
    await tell(mind, "Lin carefully repaired harbour lanterns")  # 39 characters
    memory = (await by_text(mind, "Lin carefully")).id
    assert (await store_of(mind).contents([memory]))[memory].keywords == (
        "carefully",
        "repaired",
        "harbour",
        "lanterns",
    )
    await topics(mind, 1)  # 39 · 0.5 = 19.5
    shorter = (await store_of(mind).contents([memory]))[memory]
    assert (shorter.text, shorter.keywords) == ("Lin carefully repai", ("carefully",))
    assert shorter.phrase == "Lin carefully"
    await topics(mind, 1, 1)  # 39 · 0.25 = 9.75: shorter than the phrase
    shortest = (await store_of(mind).contents([memory]))[memory]
    assert (shortest.text, shortest.phrase, shortest.keywords) == ("Lin caref", "Lin caref", ())


async def test_a_memory_goes_when_its_last_link_breaks_however_long_it_was() -> None:
    # 1.0 · 0.5³ = 0.125 is not under 0.125, 0.5⁴ is: gone with the fourth further remember, of 1,000 characters
    mind = await network_in_ram(focus_limit=1, decay_rate=0.5, link_break_threshold=0.125)
    await tell(mind, (HUNDRED * 10).replace("Lin", "lin").replace("lin", "Lin", 1))
    memory = (await by_text(mind, "Lin takes")).id
    lengths = []
    for k in range(4):
        await topics(mind, 1, k)
        lengths.append(await length_of(mind, memory))
    assert lengths == [500, 250, 125, 0]


async def test_the_current_length_as_basis_melts_a_text() -> None:
    # 100 · 0.9 = 90;  90 · 0.81 = 72.9 → 72;  72 · 0.729 = 52.488 → 52;  52 · 0.6561 = 34.1172 → 34;
    # 34 · 0.59049 = 20.08 → 20;  20 · 0.531441 = 10.6 → 10;  10 · 0.4782969 = 4.78 < 5: forgotten
    mind = await network_in_ram(focus_limit=1, decay_rate=0.9, basis="current")
    await tell(mind, HUNDRED)
    memory = (await by_text(mind, HUNDRED)).id
    lengths = []
    for k in range(7):
        await topics(mind, 1, k)
        lengths.append(await length_of(mind, memory))
    assert lengths == [90, 72, 52, 34, 20, 10, 0]


async def test_neighbours_hold_each_other_a_while() -> None:
    # After k scans the first segment has 1.0 · 0.97ᵏ (Lin) and 0.5 · 0.97ᵏ′ (下文), k′ one more: the cycle of the
    # very remember that made it scanned that link too, when Lin still held hers.
    # k = 12: 0.69384 + 0.33651 = 1.03035;  k = 13: 0.67303 + 0.32642 = 0.99945 → ⌊99.945⌋ = 99
    mind = await network_in_ram(focus_limit=1)
    await tell(mind, f"{HUNDRED} | it rains")
    memory = (await by_text(mind, HUNDRED)).id
    await topics(mind, 12)
    assert await length_of(mind, memory) == 100
    await topics(mind, 1, 12)
    assert await length_of(mind, memory) == 99


async def test_a_budget_spreads_a_cycle_over_those_scanned_least() -> None:
    mind = await network_in_ram(focus_limit=1, scan_budget=2)
    for number in range(4):
        await tell(mind, f"{topic(number)} came")
    counts = {memory.text: memory.meta.scan_count for memory in await everything(mind) if memory.kind == "segment"}
    # What each cycle finds, by scan count and then by age; the topic in focus is not scanned:
    # 1: first.  2: the first topic (out of focus, three links short of nothing: forgotten), second.
    # 3: the second topic (forgotten), third.  4: the third topic (forgotten), fourth.
    assert list(counts.values()) == [1, 1, 1, 1]
    await mind.fade()
    counts = {memory.text: memory.meta.scan_count for memory in await everything(mind) if memory.kind == "segment"}
    assert list(counts.values()) == [2, 2, 1, 1]


async def test_a_cycle_is_one_scan_entry_and_what_came_of_it() -> None:
    mind = await network_in_ram(focus_limit=1)
    await tell(mind, HUNDRED)
    before = store_of(mind).seq
    await topics(mind, 1)
    changes = [entry.change for entry in await mind.journal(after=before)]
    (scan,) = [change for change in changes if isinstance(change, Scan)]
    (rewrite,) = [change for change in changes if isinstance(change, Rewrite)]
    (forget,) = [change for change in changes if isinstance(change, Forget)]
    assert (rewrite.cause, rewrite.content.text) == ("compressed", HUNDRED[:97])
    assert (forget.key, forget.cause) == ("entity/lin", "faded")  # 3 characters, and no longer held
    assert scan.count == 3  # Lin, her segment, and the new one


# ---- focus


async def test_pinned_links_stand_at_exactly_one_and_decay_goes_on_from_there() -> None:
    mind = await network_in_ram(focus_limit=2)
    await tell(mind, f"Lamma and Cheung {HUNDRED[4:]}")
    name = "Lamma and Cheung"

    async def strengths() -> dict[str, float]:
        return {to: strength for source, _, to, strength in await links(mind) if source.startswith(name)}

    for _ in range(30):
        await tell(mind, "Lamma and Cheung again")
    found = await strengths()
    assert (found["Lamma"], found["Cheung"]) == (1.0, 1.0)  # after 31 scans
    await tell(mind, "Alpha came up")  # Cheung, the stalest, falls out: her links begin to wear at 1.0
    assert (await strengths())["Lamma"] == 1.0
    assert (await strengths())["Cheung"] == 0.97
    await topics(mind, 1)  # and Lamma
    assert await strengths() == {"Lamma": 0.97, "Cheung": pytest.approx(0.9409, abs=1e-15)}


async def test_a_weak_link_that_focus_took_hold_of_fades_from_one() -> None:
    mind = await network_in_ram(focus_limit=1)
    await tell(mind, "Ada came")
    await mind.put(HUNDRED, key="note")
    await mind.link("note", "entity/ada", "about", 0.3)
    assert (await mind.explain("note")).memory.vitality == 1.0
    await topics(mind, 1)
    assert (await mind.explain("note")).memory.vitality == 0.97
    await topics(mind, 1, 1)
    assert (await mind.explain("note")).memory.vitality == pytest.approx(0.9409)


async def test_back_in_focus_a_link_stands_at_one_again_and_wears_anew_from_there() -> None:
    mind = await network_in_ram(focus_limit=1)
    await tell(mind, "Gabriel walks the northern shore")
    await tell(mind, "Gabriel sings")
    await topics(mind, 10)
    shore = await by_text(mind, "Gabriel walks")
    link = (await store_of(mind).links(shore.id, outgoing=True))[0]
    # 0.97¹⁰ = 0.7374241268949
    assert link.strength == pytest.approx(0.7374241268949, abs=1e-12)
    await tell(mind, "Gabriel again")
    assert (await store_of(mind).links(shore.id, outgoing=True))[0].strength == 1.0
    await topics(mind, 1, 10)
    assert (await store_of(mind).links(shore.id, outgoing=True))[0].strength == 0.97


async def test_what_is_in_focus_is_neither_scanned_nor_shortened_nor_forgotten() -> None:
    mind = await network_in_ram(focus_limit=1)
    await tell(mind, "Ox")
    ox = await store_of(mind).find("entity/ox")
    await mind.fade(200)
    assert await store_of(mind).find("entity/ox") == ox
    found = {memory.text: memory.meta.scan_count for memory in await everything(mind) if memory.kind == "entity"}
    assert found == {"Ox": 0}


async def test_a_link_that_focus_held_comes_back_from_the_trash_as_it_stood() -> None:
    mind = await network_in_ram(focus_limit=1)
    await tell(mind, HUNDRED)
    await mind.fade(20)  # twenty scans that Lin's hold kept from the link
    key = (await by_text(mind, HUNDRED)).key
    await mind.forget(key)
    await topics(mind, 1)  # Lin leaves the focus
    await mind.restore(key)
    assert (await mind.explain(key)).memory.vitality == 1.0
    await topics(mind, 1, 1)
    assert (await mind.explain(key)).memory.vitality == 0.97


async def test_links_that_pass_to_another_memory_keep_the_wear_they_have() -> None:
    mind = await network_in_ram(decay_rate=0.5, link_break_threshold=0.01, delete_threshold=0)
    for key in ("old", "elsewhere"):
        await mind.put(f"{HUNDRED} {key}", key=key)
    await mind.link("elsewhere", "old", "knows", 1.0)
    await mind.link("old", "elsewhere", "knows", 0.8)
    await mind.fade(2)
    await mind.put("the young one", key="young")
    await mind.link("young", "elsewhere", "likes", 1.0)
    await mind.merge("young", "old")
    # young has had no scan, old two: 1.0 of its own and 0.8 · 0.5² = 0.2
    assert (await mind.explain("young")).memory.vitality == 1.2
    await mind.fade()
    assert (await mind.explain("young")).memory.vitality == 0.6
    await mind.restore("old")
    assert (await mind.explain("old")).memory.vitality == 0.2
    assert await mind.check() == []


# ---- forgetting is inevitable


RATES = st.sampled_from((0.3, 0.5, 0.7, 0.9))
BREAKS = st.sampled_from((0.01, 0.1, 0.3))
WORDS = st.sampled_from(("Ada", "Bo", "Cy", "Di", "met", "saw", "the tall ships by the old harbour wall", "|"))


@lives
@given(st.lists(st.lists(WORDS, min_size=1, max_size=8), min_size=1, max_size=6), RATES, BREAKS)
async def test_without_renewed_mention_everything_out_of_focus_goes(
    conversation: list[list[str]], rate: float, threshold: float
) -> None:
    mind = await network_in_ram(focus_limit=2, decay_rate=rate, link_break_threshold=threshold, delete_threshold=0)
    for words in conversation:
        if words.count("|") < len(words):
            await tell(mind, " ".join(words))
    before = {memory.id for memory in await everything(mind)}
    await tell(mind, "Yak met Zed")  # now nothing of before is in focus, nor linked with what is
    await mind.fade(math.ceil(math.log(threshold) / math.log(rate)) + 1)
    assert before.isdisjoint((await store_of(mind).living()).tolist())
    assert await mind.check() == []


async def test_every_memory_that_focus_let_go_is_gone_after_the_scans_the_parameters_imply() -> None:
    # ⌈ln 0.01 / ln 0.97⌉ + 1 = ⌈151.19⌉ + 1 = 153 scans
    mind = await network_in_ram(delete_threshold=0, focus_limit=2)
    for number in range(20):
        await tell(mind, f"{topic(number)} met {topic(number + 3)} by the old harbour wall | and left")
    before = {memory.id for memory in await everything(mind)}
    assert Network().longest_life() == 153
    await topics(mind, 153, 100)
    assert before.isdisjoint((await store_of(mind).living()).tolist())


@pytest.mark.slow
async def test_a_mind_fed_by_changing_topics_stays_bounded() -> None:
    mind = await network_in_ram()
    sizes, characters, traces = [], [], []
    for number in range(640):
        await tell(mind, f"{topic(number)} met {topic(number + 1)} on the pier | and they spoke about the weather")
        if number % 40 == 39:
            info = await store_of(mind).info()
            sizes.append(info.memories)
            traces.append(info.traces)
            characters.append(sum(len(memory.text) for memory in await everything(mind)))
    # From its 200th remember on it neither grows nor shrinks.
    for figures in (sizes, characters, traces):
        level = figures[5:]
        assert max(level) <= 1.1 * min(level), figures
    assert sizes[-1] < 640
    assert await mind.check() == []


# ---- traces (N9)


async def test_links_to_what_was_forgotten_become_traces_that_recall_reports() -> None:
    mind = await network_in_ram(focus_limit=1)
    await tell(mind, "Kim has a red boat")
    await tell(mind, "Kim paints")
    await mind.forget((await by_text(mind, "Kim has")).key)
    # Kim is in focus; her link to the boat now leads nowhere. What is known of it the trash still has.
    assert await mind.recall() == "[记忆] Kim paints\n---\n[记忆] 曾记得：Kim（about）：Kim has"
    (trace,) = await mind.traces()
    assert (trace.source, trace.relation, trace.strength, trace.known) == ("entity/kim", "about", 1.0, "Kim has")


async def test_once_the_trash_is_empty_only_the_trace_itself_is_known() -> None:
    clock = FakeClock()
    mind = await network_in_ram(clock=clock)
    await tell(mind, "Kim has a red boat")
    await mind.forget((await by_text(mind, "Kim has")).key)
    clock.forward(31 * DAY)
    await mind.tick()
    assert await mind.recall() == "[记忆] 曾记得：Kim（about）……"
    (trace,) = await mind.traces()
    assert trace.known == ""


async def test_a_trace_goes_with_its_source() -> None:
    mind = await network_in_ram()
    await tell(mind, "Kim has a red boat")
    await mind.forget((await by_text(mind, "Kim has")).key)
    await mind.forget("entity/kim")
    assert await mind.traces() == []
    assert (await store_of(mind).info()).links == 0


async def test_a_trace_decays_like_any_link_and_is_gone_when_it_breaks() -> None:
    mind = await network_in_ram(decay_rate=0.5, link_break_threshold=0.125, delete_threshold=0)
    await mind.remember(said("one long segment about the harbour | and another one"))
    await mind.idle()
    await mind.forget((await by_text(mind, "and another")).key)
    strengths = [[(trace.relation, trace.strength) for trace in await mind.traces()]]
    for _ in range(3):
        await mind.fade()
        strengths.append([(trace.relation, trace.strength) for trace in await mind.traces()])
    # The cycle the remember called for comes with the first: two scans. 0.5 · 0.5² = 0.125; then it breaks.
    assert strengths == [[("下文", 0.5)], [("下文", 0.125)], [], []]


async def test_a_memory_that_comes_back_makes_its_traces_links_again() -> None:
    mind = await network_in_ram()
    await tell(mind, "Kim has a red boat")
    key = (await by_text(mind, "Kim has")).key
    before = await links(mind)
    await mind.forget(key)
    await mind.restore(key)
    assert await mind.traces() == []
    assert await links(mind) == before


async def test_sweeping_reports_a_trace_once_and_removes_it() -> None:
    mind = await network_in_ram(traces="sweep")
    await tell(mind, "Kim has a red boat | Kim paints")
    await mind.forget((await by_text(mind, "Kim has")).key)
    told = (
        "[记忆] Kim paints\n---\n[记忆] 曾记得：Kim（about）：Kim has\n---\n[记忆] 曾记得：Kim paints（上文）：Kim has"
    )
    assert await mind.recall() == told
    assert await mind.recall() == "[记忆] Kim paints"
    assert await mind.traces() == []
    assert await mind.check() == []


async def test_a_cycle_that_comes_in_between_does_not_make_a_swept_trace_be_told_twice() -> None:
    class Slow(MemoryStore):
        async def trash(self, **asked: Any) -> Any:
            for _ in range(20):  # long enough for a cycle to end, if it may
                await asyncio.sleep(0)
            return await super().trash(**asked)

    store = Slow()
    params = {"traces": "sweep", "decay_rate": 0.5, "link_break_threshold": 0.3, "delete_threshold": 0}
    await store.apply(batch(configured("network", **params)))
    mind = network_mind(store)
    await mind.remember(said("Kim has a red boat | Kim paints"))
    await mind.idle()
    await mind.forget((await by_text(mind, "Kim has")).key)
    recalling = asyncio.create_task(mind.recall())
    for _ in range(5):
        await asyncio.sleep(0)
    await mind.compress()  # breaks 上文, which was 0.5, and not the link from Kim, who is in focus
    assert (await recalling).count("曾记得") == 2
    assert await mind.recall() == "[记忆] Kim paints"


async def test_sweeping_leaves_alone_what_was_not_reported() -> None:
    mind = await network_in_ram(traces="sweep")
    await tell(mind, "Kim has a red boat | Kim paints")
    await mind.forget((await by_text(mind, "Kim has")).key)
    assert await mind.recall(depth=1) == "[记忆] Kim paints\n---\n[记忆] 曾记得：Kim（about）：Kim has"
    assert [trace.relation for trace in await mind.traces()] == ["上文"]


async def test_kept_traces_are_reported_again_and_again() -> None:
    mind = await network_in_ram()
    await tell(mind, "Kim has a red boat")
    await mind.forget((await by_text(mind, "Kim has")).key)
    assert await mind.recall() == await mind.recall() == "[记忆] 曾记得：Kim（about）：Kim has"


# ---- nothing irreversible by itself (C8)


async def test_what_a_cycle_forgot_is_in_the_trash_and_can_come_back() -> None:
    mind = await network_in_ram(focus_limit=1)
    await tell(mind, HUNDRED)
    key = (await by_text(mind, HUNDRED)).key
    await topics(mind, 98)
    last = (await by_text(mind, HUNDRED[:5])).text
    await topics(mind, 1, 98)
    gone = {forgotten.key: forgotten for forgotten in await mind.trash()}
    assert (gone[key].cause, gone[key].text) == ("faded", last)
    assert (await mind.restore(key)).text == last
    assert await mind.check() == []


async def test_a_faded_text_can_be_brought_back_whole() -> None:
    clock = FakeClock()
    mind = await network_in_ram(clock=clock, focus_limit=1)
    await tell(mind, HUNDRED)
    key = (await by_text(mind, HUNDRED)).key
    for k in range(40):
        clock.forward(0.5 * DAY)
        await topics(mind, 1, k)
    assert len((await mind.get(key)).text) == 29  # 100 · 0.97⁴⁰ = 29.57
    back = await mind.revert(key)
    assert (back.text, back.meta.original_length) == (HUNDRED, 100)
    await topics(mind, 1, 40)  # it has not become more important by that: the law goes on
    assert len((await mind.get(key)).text) == 28  # 100 · 0.97⁴¹ = 28.68
    assert await mind.check() == []


async def test_a_text_that_faded_longer_ago_comes_back_as_it_was_when_the_trash_began() -> None:
    clock = FakeClock()
    mind = await network_in_ram(clock=clock, focus_limit=1, trash_days=10.0)
    await tell(mind, HUNDRED)
    key = (await by_text(mind, HUNDRED)).key
    for k in range(20):
        clock.forward(DAY)
        await topics(mind, 1, k)
    # Shortened once a day: the text of day 10 was replaced on day 11, nine days ago; the one before ten days ago.
    back = await mind.revert(key)
    assert len(back.text) == math.floor(100 * 0.97**10) == 73
    assert back.meta.original_length == 100


async def test_a_text_that_never_changed_has_no_earlier_one() -> None:
    mind = await network_in_ram()
    await tell(mind, HUNDRED)
    with pytest.raises(InvalidInput, match="has no earlier text"):
        await mind.revert((await by_text(mind, HUNDRED)).key)


# ---- while others are at work


async def planned(mind: Mind) -> None:
    """Let the cycle that is due make its plan, and no more."""
    enough = iter((False, True))
    assert not await mind.compress(lambda: next(enough))


async def test_a_memory_that_has_become_important_meanwhile_is_not_forgotten_by_an_older_plan() -> None:
    mind = await network_in_ram(focus_limit=1)
    await tell(mind, "Ox sleeps")
    await mind.remember(said("Alpha came up"))
    await mind.idle()
    await planned(mind)  # two letters on one link of 0.97: to be forgotten
    await mind.link("entity/ox", "entity/alpha", "knows", 1.0)
    await mind.compress()
    assert await store_of(mind).find("entity/ox") is not None
    assert await mind.check() == []


async def test_nor_is_one_that_was_in_focus_in_between() -> None:
    mind = await network_in_ram(focus_limit=1)
    await tell(mind, "Ox sleeps")
    await mind.remember(said("Alpha came up"))
    await mind.idle()
    await planned(mind)
    for content in ("Ox woke", "Beta came up"):
        await mind.remember(said(content))
    await mind.idle()
    await mind.compress()
    assert await store_of(mind).find("entity/ox") is not None


async def test_a_memory_drawn_into_focus_meanwhile_is_let_be() -> None:
    mind = await network_in_ram(focus_limit=1)
    await tell(mind, "Ox sleeps")
    await mind.remember(said("Alpha came up"))
    await mind.idle()
    await planned(mind)
    await mind.remember(said("Ox woke"))
    await mind.idle()
    await mind.compress()
    found = {memory.text: memory.meta.scan_count for memory in await everything(mind) if memory.kind == "entity"}
    assert found["Ox"] == 0


async def test_a_text_replaced_meanwhile_is_not_overwritten_by_its_shorter_former_self() -> None:
    class Replacing(ScriptedModel):
        async def compress(self, text: str, length: int) -> str:
            await mind.put("Something else altogether", key=key, replace=True)
            return await super().compress(text, length)

    mind = await network_in_ram(Replacing(), focus_limit=1)
    await tell(mind, HUNDRED)
    key = (await by_text(mind, HUNDRED)).key
    await topics(mind, 1)
    assert (await mind.get(key)).text == "Something else altogether"
    assert await mind.check() == []


async def test_a_memory_forgotten_meanwhile_is_no_trouble() -> None:
    mind = await network_in_ram(focus_limit=1)
    await tell(mind, HUNDRED)
    await mind.remember(said("Alpha came up"))
    await mind.idle()
    await planned(mind)
    await mind.forget((await by_text(mind, HUNDRED)).key, "entity/lin")
    await mind.compress()
    assert (await texts(mind), await mind.queue()) == (["Alpha came up"], [])


async def test_a_cycle_dropped_on_its_way_ends_and_the_next_is_a_whole_one() -> None:
    mind = await network_in_ram(focus_limit=1)
    await tell(mind, HUNDRED)
    await mind.remember(said("Alpha came up"))
    await mind.idle()
    await planned(mind)
    await mind.drop((await mind.queue())[0].id)
    assert await mind.compress()
    assert (await texts(mind))[0] == HUNDRED  # nothing was shortened by it
    await topics(mind, 1)
    assert (await texts(mind))[0] == HUNDRED[:97]  # and the next cycle is the first that wears
    assert await mind.check() == []


async def test_two_who_compress_at_once_share_the_work() -> None:
    model = ScriptedModel()
    mind = await network_in_ram(model, focus_limit=1)
    for number in range(6):
        await mind.remember(said(f"{topic(number)} {HUNDRED[4:]}"))
    await mind.idle()
    await asyncio.gather(*(mind.compress() for _ in range(4)))
    # All was told before the first cycle. Cycle n goes up to segment n, and the last is held: 1 + 2 + 3 + 4 + 5 + 5
    # shortenings, none of them done twice; segment i has had the scans of the cycles i to 6.
    assert model.asked.count("compress") == 20
    assert [len(text) for text in await texts(mind)] == [*(math.floor(102 * 0.97**k) for k in (6, 5, 4, 3, 2)), 102]
    assert await mind.check() == []


async def test_a_new_number_of_attempts_counts_from_now_on() -> None:
    model = Stubborn(FAILS)
    mind = await network_in_ram(model, focus_limit=1, max_retries=3)
    await tell(mind, HUNDRED)
    await topics(mind, 1)
    assert model.asked.count("compress") == 3
    await mind.configure(max_retries=5)
    await topics(mind, 1, 1)
    # five attempts each for the same text and for that of the first topic
    assert model.asked.count("compress") == 3 + 5 + 5


# ---- a small model that fails (N7)


async def faded_once(model: ScriptedModel) -> tuple[Mind, str]:
    """A mind in which one text was to be shortened to 97 characters, and one behind it to nothing."""
    mind = await network_in_ram(model, focus_limit=1)
    await tell(mind, HUNDRED)
    await topics(mind, 1)
    return mind, (await by_text(mind, "Lin takes")).text


async def test_a_model_that_fails_fourteen_times_is_asked_once_more() -> None:
    model = Stubborn(*[FAILS] * 14, well)
    _, text = await faded_once(model)
    assert text == HUNDRED[:97]
    assert model.asked.count("compress") == 15


async def test_a_model_that_always_fails_leaves_the_text_and_the_cycle_goes_on() -> None:
    model = Stubborn(FAILS)
    mind, text = await faded_once(model)
    assert text == HUNDRED
    assert model.asked.count("compress") == 15
    assert await mind.queue() == []  # done with this cycle
    assert await store_of(mind).find("entity/lin") is None  # what needed no model was carried out
    # The links have worn all the same: once the model is back, the text is as long as the law says.
    model.script = [well]
    await topics(mind, 4, 1)
    assert len((await by_text(mind, "Lin takes")).text) == math.floor(100 * 0.97**5)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(lambda text, length: text[: length + 1], id="too long"),
        pytest.param(lambda text, length: text, id="not shorter"),
        pytest.param(lambda text, length: "", id="empty"),
        pytest.param(lambda text, length: " \n ", id="blank"),
        pytest.param(lambda text, length: "林坐早班渡轮看小说，港口醒来", id="the wrong language"),
        pytest.param(lambda text, length: "Lin takes the ferry at 840", id="an invented number"),
        pytest.param(lambda text, length: "Lin takes the ferry with Bob", id="an invented name"),
        pytest.param(lambda text, length: "Sorry, I cannot help with that request today", id="something else"),
    ],
)
async def test_a_model_that_answers_badly_leaves_the_text_as_it_is(answer: Answer) -> None:
    model = Stubborn(answer)
    mind, text = await faded_once(model)
    assert text == HUNDRED
    assert model.asked.count("compress") == 15
    assert await mind.queue() == []


async def test_a_good_answer_after_bad_ones_is_taken() -> None:
    model = Stubborn(lambda text, length: text, lambda text, length: "Lin 99", FAILS, well)
    _, text = await faded_once(model)
    assert (text, model.asked.count("compress")) == (HUNDRED[:97], 4)


async def test_a_model_that_breaks_is_one_that_fails() -> None:
    _, text = await faded_once(Stubborn(LookupError("a bug in the model")))
    assert text == HUNDRED


async def test_what_says_the_same_every_time_is_asked_once() -> None:
    model = Stubborn(FAILS, deterministic=True)
    _, text = await faded_once(model)
    assert (text, model.asked.count("compress")) == (HUNDRED, 1)


# ---- recall


@lives
@given(
    st.lists(st.lists(WORDS.filter(lambda word: word != "|"), min_size=1, max_size=6), min_size=1, max_size=5),
    st.lists(WORDS, max_size=2),
    st.sampled_from(((), ("about",), ("下文", "上文"))),
    st.integers(1, 5),
    st.sampled_from(("keep", "sweep")),
)
async def test_recall_never_changes_focus_nor_anything_that_fades(
    conversation: list[list[str]], keywords: list[str], relations: tuple[str, ...], depth: int, traces: str
) -> None:
    mind = await network_in_ram(focus_limit=2, decay_rate=0.5, traces=traces)
    for words in conversation:
        await tell(mind, " ".join(words))
    focus, before = await mind.focus(), {memory.key: memory.text for memory in await everything(mind)}
    await mind.recall(keywords, relations, depth)
    assert await mind.focus() == focus
    assert {memory.key: memory.text for memory in await everything(mind)} == before
    assert await mind.check() == []
