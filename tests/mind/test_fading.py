"""Fading (N3, N6): texts shrink with their importance, and a memory goes exactly when the law says."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.changes import Forget, Rewrite, Scan
from ebbtide.core.metabolism import Network
from tests.helpers import everything, lives, store_of
from tests.scripted_model import (
    HUNDRED,
    by_text,
    length_of,
    links,
    network_in_ram,
    tell,
    topic,
    topics,
)

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
    # After k scans the first segment has 1.0 · 0.97ᵏ (Lin) and 0.5 · 0.97ᵏ′ (after), k′ one more: the cycle of the
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
