"""The demo minds have a past to look at, the same for everybody, and are made once."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from ebbtide.app import house
from ebbtide.core.memory import DAY, State
from ebbtide.host.ownership import House
from ebbtide.mind import Mind
from ebbtide.serve import demo
from ebbtide.settings import Settings
from tests.builders import BIRTH
from tests.helpers import FakeClock, everything

NOW = BIRTH + 400 * DAY
AGENTS = [one.agent for one in demo.DEMOS]


@asynccontextmanager
async def lived_in(data: Path) -> AsyncIterator[House]:
    async with house(Settings(data=data), clock=FakeClock(NOW)) as minds:
        yield minds


async def fill(data: Path) -> list[str]:
    async with lived_in(data) as minds:
        return await demo.fill(minds, NOW)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Filled once; the tests only look."""
    folder = tmp_path_factory.mktemp("demo") / "data"
    assert asyncio.run(fill(folder)) == AGENTS
    return folder


@asynccontextmanager
async def opened(data: Path, agent: str) -> AsyncIterator[Mind]:
    async with lived_in(data) as minds, minds.mind(agent) as mind:
        yield mind


async def test_what_a_killed_process_left_half_made_is_tidied_and_what_is_being_made_is_not(
    data: Path, tmp_path: Path
) -> None:
    here = tmp_path / "data"
    shutil.copytree(data, here)
    for name in ("_demo-left", "_demo-busy"):
        (here / name / "demo").mkdir(parents=True)
    with FileLock(here / "_demo-busy" / "_demo.lock"):
        assert await fill(here) == []
    assert [folder.name for folder in here.glob("_demo-*")] == ["_demo-busy"]


async def test_each_metabolism_has_a_demo_mind(data: Path) -> None:
    async with lived_in(data) as minds:
        assert sorted(minds.agents()) == sorted(AGENTS)
    assert sorted(one.metabolism for one in demo.DEMOS) == ["activity", "network", "retention", "score", "tide"]


async def test_what_is_there_is_left_alone(data: Path) -> None:
    async with opened(data, "demo") as mind:
        before = (await mind.stats()).store.journal_entries
    assert await fill(data) == []
    async with opened(data, "demo") as mind:
        assert (await mind.stats()).store.journal_entries == before


def test_nothing_but_minds_is_left_in_the_folder(data: Path) -> None:
    assert [path.name for path in data.iterdir() if path.is_dir() and path.name not in AGENTS] == []


async def test_only_what_is_missing_is_made(tmp_path: Path) -> None:
    async with lived_in(tmp_path) as minds:
        for agent in AGENTS[:3]:
            await minds.create(agent, "activity")
        assert await demo.fill(minds, NOW) == AGENTS[3:]
        async with minds.mind(AGENTS[3]) as mind:
            assert await everything(mind)
        async with minds.mind(AGENTS[0]) as mind:
            assert not await everything(mind)


@pytest.mark.slow
async def test_everybody_gets_the_same_past(data: Path, tmp_path: Path) -> None:
    assert await fill(tmp_path / "again") == AGENTS
    for agent in AGENTS:
        assert await seen(data, agent) == await seen(tmp_path / "again", agent)


async def seen(data: Path, agent: str) -> list[tuple[Any, ...]]:
    async with opened(data, agent) as mind:
        return [(one.key, one.text, one.state, one.vitality, one.meta) for one in await everything(mind)]


@pytest.mark.parametrize("agent", AGENTS)
async def test_the_journal_tells_how_it_came_about_over_months(data: Path, agent: str) -> None:
    async with opened(data, agent) as mind:
        first, *_, last = [entry async for entry in mind.entries()]
        assert last.change.at - first.change.at > 170 * DAY
        assert last.change.at <= NOW
        assert not await mind.check()
        early = await mind.as_of(NOW - 60 * DAY)
        assert 0 < len(await everything(early)) != len(await everything(mind))


@pytest.mark.parametrize("agent", AGENTS)
async def test_both_languages_are_spoken(data: Path, agent: str) -> None:
    async with opened(data, agent) as mind:
        texts = [memory.text for memory in await everything(mind)]
        assert sum(text.isascii() for text in texts) >= 5
        assert sum(not text.isascii() for text in texts) >= 5


async def test_the_team_has_states_marks_suggestions_and_a_trash(data: Path) -> None:
    async with opened(data, "demo-activity") as mind:
        stats = await mind.stats()
        assert stats.store.memories > 150
        assert min(stats.states[State.ACTIVE], stats.states[State.COLD]) > 40
        kinds = [one.kind for one in await mind.suggestions()]
        assert kinds.count("merge") >= 3
        assert kinds.count("delete") >= 10
        assert ("css",) not in [one.keys for one in await mind.suggestions("delete")]  # dismissed
        assert {one.cause for one in await mind.trash()} == {"asked", "merged"}
        assert "1,150" in (await (await mind.as_of(NOW - 60 * DAY)).get("cost")).text
        assert "1,320" in (await mind.explain("cost")).memory.text


async def test_the_assistant_has_uses_superseded_facts_and_states_over_weeks(data: Path) -> None:
    async with opened(data, "demo") as mind:
        why = (await mind.explain("ferry-time")).why
        assert why.startswith("used 15 times, last 57 days ago; says when and where (content rated ")
        assert "; a newer memory, ferry-time-new, says nearly the same; needed more than " in why
        for older in ("rent", "swim-class", "gym-code", "standup", "体检"):
            assert " says nearly the same; " in (await mind.explain(older)).why
        assert (await mind.explain("peanuts")).why.startswith("pinned; without the pin active: used ")
        points = (await mind.timeline()).points
        assert len(points) == 17
        assert all(set(point.states) == {State.ACTIVE, State.FADING} for point in points)
        assert (await mind.forecast()).fates
        use = (await mind.stats()).budget
        assert (use.memories, use.budget_memories) == (80, 80)
        trash = await mind.trash()
        assert {one.cause for one in trash} == {"budget"}
        assert {"q-plant", "q-typhoon", "tea-nice"} <= {one.key for one in trash}  # small talk goes first
        assert (await mind.squeeze(dry_run=True)).leavers


async def test_the_conversation_has_focus_faded_texts_and_traces(data: Path) -> None:
    async with opened(data, "demo-network") as mind:
        assert "Jonas" in await mind.focus()
        assert len(await mind.traces()) > 20
        faded = [one for one in await everything(mind) if len(one.text) < one.meta.original_length]
        assert len(faded) > 10
        assert not await mind.queue()
        assert "Brandt" in await mind.recall()


async def test_the_traveller_has_all_three_states(data: Path) -> None:
    async with opened(data, "demo-score") as mind:
        assert set((await mind.stats()).states) == {State.ACTIVE, State.COLD, State.DEPRECATED}


async def test_the_researchers_have_expired_pruned_and_protected_memories(data: Path) -> None:
    async with opened(data, "demo-retention") as mind:
        memories = {one.key: one for one in await everything(mind)}
        assert [one for one in memories.values() if one.state is State.EXPIRED]
        assert [one for one in memories.values() if one.meta.pruned_at is not None]
        assert memories["core-7"].meta.protected
        assert [one.cause for one in await mind.trash()] == ["reaped"]
        assert max(one.meta.strength or 0.0 for one in memories.values()) > 50.0
