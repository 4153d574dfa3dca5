"""Pictures of the page, taken of demo minds in a browser. From the root: .venv/bin/python -m docs.images.page"""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from ebbtide.app import house
from ebbtide.serve.demo import fill
from ebbtide.settings import Settings
from tests.browser import Tab, chromium, tab
from tests.serve.page.conftest import serving

HERE = Path(__file__).parent


async def main() -> None:
    with TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        async with house(Settings(data=data, embedder="none")) as minds:
            await fill(minds)
        async with serving(data) as home, chromium() as browser:
            async with tab(browser, home, HERE) as light:
                await _memory(light, "page-memory")
            async with tab(browser, home, HERE, dark=True) as dark:
                await (await dark.go("/minds/demo")).picture("page-mind-dark")
            async with tab(browser, home, HERE, dark=True, phone=True, language="zh") as phone:
                await _memory(phone, "page-phone")
            async with tab(browser, home, HERE, language="zh") as chinese:
                await _tidied(chinese, "page-tidy")


async def _memory(seen: Tab, name: str) -> None:
    await seen.go("/minds/demo/memory?key=ferry-time")
    await seen.page.wait_for_timeout(3000)  # the curve since its birth comes when the page is there, and moves in
    await seen.picture(name)


async def _tidied(seen: Tab, name: str) -> None:
    await seen.go("/minds/demo-activity/tidy")
    await seen.page.get_by_role("button", name="合并").first.click()
    await seen.page.get_by_role("button", name="撤销").wait_for()
    await seen.page.mouse.move(0, 0)
    await seen.picture(name)


if __name__ == "__main__":
    asyncio.run(main())
