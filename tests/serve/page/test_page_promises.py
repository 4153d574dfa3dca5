"""What the page promises is true of the mind it shows."""

import pytest

from ebbtide.serve.page.texts import Language, said
from tests.helpers import METABOLISMS
from tests.serve.page.conftest import OpenTab, Site

pytestmark = pytest.mark.asyncio(loop_scope="session")

DEMOS = {"activity": "demo", **{rule: f"demo-{rule}" for rule in METABOLISMS if rule != "activity"}}
STAYS = {"en": "Nothing leaves by itself", "zh": "不会自动删除"}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("metabolism", METABOLISMS)
async def test_only_a_mind_in_which_nothing_leaves_by_itself_says_so(
    site: Site, open_tab: OpenTab, metabolism: str, language: Language
) -> None:
    tab = await open_tab(f"/minds/{site.mind(DEMOS[metabolism])}/tidy", language=language)
    told = await tab.page.locator(".page-head").inner_text()
    assert said(f"tidy.under.{metabolism}", language) in told
    assert (STAYS[language] in told) == (metabolism in ("activity", "score"))
