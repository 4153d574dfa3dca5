"""Tenants under one roof (SPEC R6): what is reaped in one mind leaves every byte of the others as it was."""

from pathlib import Path

import pytest

from ebbtide.app import running, scheduler
from ebbtide.core.errors import NotFound
from ebbtide.core.memory import DAY, HOUR
from ebbtide.host import Host
from ebbtide.host.timetable import FILE, Timetable
from ebbtide.settings import Settings
from tests.helpers import FakeClock
from tests.reapers import LONG, NO_PAUSE, reaped_before


def lying_in(folder: Path) -> dict[str, bytes]:
    """Every file there, byte for byte."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


async def settled(data: Path, clock: FakeClock) -> dict[str, bytes]:
    """Two tenants of which one has much to lose. Returns the other's files, as a tick has left them."""
    async with running(Settings(data=data), clock) as host:
        for agent, importance in (("ada", 0.1), ("bob", 1.0)):
            await host.create(agent, "retention", NO_PAUSE)
            async with host.mind(agent) as mind:
                await reaped_before(mind, clock)
                for number in range(20):
                    await mind.put(f"{number} {LONG}", key=f"k{number}", importance=importance, policy=_policy(agent))
                await mind.link("k0", "k1", "about")
                await mind.search("ferry")
                await mind.tick()
    return lying_in(data / "bob")


def _policy(agent: str) -> str:
    return "normal" if agent == "ada" else "persistent"


async def reap_all(host: Host) -> dict[str, tuple[int, int]]:
    figures = {}
    for agent in host.agents():
        async with host.mind(agent) as mind:
            report = await mind.reap()
            figures[report.agent] = (report.seen, report.deleted)
    return figures


async def test_the_others_file_is_untouched_byte_for_byte(tmp_path: Path) -> None:
    clock = FakeClock()
    before = await settled(tmp_path, clock)
    hers = lying_in(tmp_path / "ada")
    clock.forward(3 * DAY)
    async with running(Settings(data=tmp_path), clock) as host:
        assert await reap_all(host) == {"ada": (20, 20), "bob": (20, 0)}
    assert lying_in(tmp_path / "bob") == before
    assert lying_in(tmp_path / "ada") != hers
    assert not [name for name in before if name.endswith(("-wal", "-shm"))]


@pytest.mark.parametrize("searched", [False, True])
async def test_looking_after_a_mind_that_nothing_happens_to_writes_nothing(tmp_path: Path, searched: bool) -> None:
    clock = FakeClock()
    before = await settled(tmp_path, clock)
    clock.forward(40 * DAY)
    async with running(Settings(data=tmp_path), clock) as host, host.mind("bob") as mind:
        await mind.tick()
        await mind.reap()
        await mind.reap(dry_run=True)
        await mind.list(everything=True)
        await mind.forecast(days=30)
        if searched:
            await mind.search("ferry")
    assert lying_in(tmp_path / "bob") == before


async def test_the_scheduler_reaps_each_tenant_and_tells_them_apart(tmp_path: Path) -> None:
    clock = FakeClock()
    settings = Settings(data=tmp_path)
    before = await settled(tmp_path, clock)
    clock.forward(3 * DAY)
    async with running(settings, clock) as host:
        rounds = scheduler(host, settings, clock)
        for agent in ("ada", "bob"):
            await rounds.trigger(agent)
    found = Timetable.load(tmp_path / FILE).minds()
    told = {agent: jobs["reap"].last for agent, jobs in found.items()}
    assert {agent: (last.seen, last.changed, last.skipped) for agent, last in told.items() if last} == {
        "ada": (20, 20, 0),
        "bob": (20, 0, 0),
    }
    assert {agent: jobs["reap"].due for agent, jobs in found.items()} == dict.fromkeys(
        ("ada", "bob"), clock.now() + 24 * HOUR
    )
    assert lying_in(tmp_path / "bob") == before


async def test_a_run_is_the_tenants_own(tmp_path: Path) -> None:
    clock = FakeClock()
    archive = tmp_path / "archive"
    settings = Settings(data=tmp_path / "minds", archive=str(archive))
    async with running(settings, clock) as host:
        for agent in ("ada", "bob"):
            await host.create(agent, "retention", NO_PAUSE)
            async with host.mind(agent) as mind:
                await reaped_before(mind, clock)
                await mind.put(f"{agent}'s words", key="k", importance=0.1)
        clock.forward(3 * DAY)
        async with host.mind("ada") as ada, host.mind("bob") as bob:
            run = (await ada.reap()).run
            assert [one.run for one in await ada.archived()] == [run]
            assert await bob.archived() == []
            clock.forward(31 * DAY)
            with pytest.raises(NotFound, match="nothing left of a run"):
                await bob.unreap(run)
            assert (await ada.unreap(run)).recovered == ("k",)
            assert [m.text for m in (await ada.list(everything=True)).memories] == ["ada's words"]
