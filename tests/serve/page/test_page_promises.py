"""What the page promises is true of the mind it shows."""

import pytest

import ebbtide
from ebbtide.serve.page.texts import Language, said
from tests.helpers import METABOLISMS
from tests.serve.page.conftest import OpenTab, Site

pytestmark = pytest.mark.asyncio(loop_scope="session")

DEMOS = {"tide": "demo", **{rule: f"demo-{rule}" for rule in METABOLISMS if rule != "tide"}}
STAYS = {"en": "Nothing leaves by itself", "zh": "不会自动删除"}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("metabolism", METABOLISMS)
async def test_only_a_mind_in_which_nothing_leaves_by_itself_says_so(
    site: Site, open_tab: OpenTab, metabolism: str, language: Language
) -> None:
    agent = await _mind(site, metabolism, language)
    tab = await open_tab(f"/minds/{agent}/tidy", language=language)
    told = await tab.page.locator(".page-head").inner_text()
    assert said(f"tidy.under.{metabolism}", language) in told
    assert (STAYS[language] in told) == (metabolism in ("activity", "score"))


async def _mind(site: Site, metabolism: str, language: str) -> str:
    """A demo mind, or a new one where there is no demo of its metabolism."""
    if metabolism in DEMOS:
        return site.mind(DEMOS[metabolism])
    async with ebbtide.open(f"promises-{metabolism}-{language}", data=site.data, metabolism=metabolism) as mind:
        return mind.agent
