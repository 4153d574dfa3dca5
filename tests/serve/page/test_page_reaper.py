"""The reaper on the tidy view, and the note of a mind that has defaults of an earlier version."""

import shutil
import time
from pathlib import Path

import pytest

import ebbtide
from ebbtide.core.memory import DAY
from tests.serve.page.conftest import OpenTab, Site

pytestmark = pytest.mark.asyncio(loop_scope="session")


class Earlier:
    def now(self) -> float:
        return time.time() - 60 * DAY


@pytest.mark.parametrize(
    ("language", "button", "told"),
    [
        ("en", "What would a run do now?", "1 would be deleted by the run after it"),
        ("zh", "现在清理会怎样？", "有 1 条将由下一次清理删除"),
    ],
)
async def test_the_tidy_view_names_what_the_reaper_leaves_to_its_next_run(
    site: Site, open_tab: OpenTab, tmp_path: Path, language: str, button: str, told: str
) -> None:
    agent = f"off-{language}"
    elsewhere = ebbtide.open(agent, data=tmp_path, metabolism="retention", clock=Earlier(), auto_reap=False)
    async with elsewhere as mind:  # the server's folder has the server's clock
        await mind.put("The tram was late.", key="tram", importance=0.1)
        await mind.put("Lin asked for a low floor.", key="room")
    shutil.copytree(tmp_path / agent, site.data / f"_copy-{agent}")
    (site.data / f"_copy-{agent}").rename(site.data / agent)
    tab = await open_tab(f"/minds/{agent}/tidy", language=language)
    await tab.page.get_by_role("button", name=button).click()
    found = tab.page.locator("#reaper")
    await found.get_by_text(told).wait_for()
    assert await found.locator("li", has_text="tram").count() == 1
    assert await found.locator("li", has_text="room").count() == 1


async def test_a_mind_with_earlier_defaults_is_told_so_and_led_to_todays(site: Site, open_tab: OpenTab) -> None:
    opened = ebbtide.open("former", data=site.data, metabolism="activity", theta_active=0.5, theta_delete=-0.5)
    async with opened as mind:
        await mind.put("The tide turns.", key="tide")
    tab = await open_tab("/minds/former")
    note = tab.page.get_by_role("note")
    await note.get_by_text("theta_active = 0.5 → -0.2").wait_for()
    await note.get_by_role("link").click()
    await tab.page.wait_for_url("**/whatif?params=*")
    async with ebbtide.open("former", data=site.data) as mind:
        await mind.configure(theta_active=-0.2, theta_delete=-1.0)
    tab = await open_tab("/minds/former")
    await tab.page.get_by_text("By state").wait_for()
    assert await tab.page.get_by_role("note").count() == 0
