"""How the page looks, where that can be measured: what stands in a card stays in it, and nothing covers another."""

import pytest

from tests.serve.page.conftest import OpenTab, Site

pytestmark = pytest.mark.asyncio(loop_scope="session")

# Fields that leave their card or lie over each other, by name.
ASTRAY = """() => {
  const card = document.querySelector(".ask").closest(".card").getBoundingClientRect();
  const fields = [...document.querySelectorAll(".ask .fields .box")].map(
    (field) => [field.name, field.getBoundingClientRect()]);
  const out = fields.filter(([, at]) => at.left < card.left || at.right > card.right).map(([name]) => name);
  const over = fields.flatMap(([name, a], i) => fields.slice(i + 1)
    .filter(([, b]) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
    .map(([other]) => `${name} over ${other}`));
  return [...out, ...over];
}"""


@pytest.mark.parametrize("width", [1280, 800, 375])
async def test_the_fields_of_the_console_stay_in_their_card(site: Site, open_tab: OpenTab, width: int) -> None:
    tab = await open_tab(f"/minds/{site.mind()}/console")
    await tab.page.set_viewport_size({"width": width, "height": 860})
    await tab.page.get_by_text("Filters").click()
    await tab.page.locator(".ask .fields .box").first.wait_for()
    assert await tab.page.evaluate(ASTRAY) == []
