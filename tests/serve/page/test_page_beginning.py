"""The page of a mind without memories, in a real browser: what it tells to do works as it stands."""

import asyncio
import os
import shlex
import sys
from pathlib import Path

import httpx
import pytest

import ebbtide
from ebbtide.core.metabolism import METABOLISMS
from ebbtide.serve.page.beginning import snippets
from tests.browser import Tab
from tests.serve.page.conftest import OpenTab, Site
from tests.serve.shell import PROGRAM

pytestmark = pytest.mark.asyncio(loop_scope="session")

SAYS = {"en": "The ferry to Lamma leaves at 8:40.", "zh": "去南丫岛的渡轮八点四十分开。"}
COPY = {"en": ("Copy", "Copied"), "zh": ("复制", "已复制")}


async def told(tab: Tab, way: str) -> str:
    return str(await tab.page.locator(f".snippet[data-way={way}] pre").text_content())


async def run(site: Site, *words: str, said: str = "") -> None:
    """As its reader would, with the data folder of the server."""
    environ = {**os.environ, "EBBTIDE_DATA": str(site.data), "EBBTIDE_EMBEDDER": "none", "PYTHONUTF8": "1"}
    environ["PATH"] = f"{Path(PROGRAM).parent}{os.pathsep}{environ['PATH']}"
    process = await asyncio.create_subprocess_exec(
        *words, env=environ, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    _, error = await asyncio.wait_for(process.communicate(said.encode()), 120)
    assert process.returncode == 0, error.decode()


async def texts(site: Site, agent: str) -> list[str]:
    async with ebbtide.open(agent, data=site.data) as mind:
        return [memory.text for memory in (await mind.list(limit=100)).memories]


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_what_an_empty_mind_tells_to_do_puts_its_first_memories(
    site: Site, open_tab: OpenTab, language: str
) -> None:
    agent = f"empty-{language}"
    async with ebbtide.open(agent, data=site.data):
        pass
    tab = await open_tab(f"/minds/{agent}", language=language)
    await run(site, *shlex.split(await told(tab, "cli")))
    await run(site, sys.executable, "-", said=await told(tab, "python"))
    [_, address, _, header, _, body] = shlex.split((await told(tab, "http")).replace("\\\n", ""))
    assert header == "Content-Type: application/json"
    async with httpx.AsyncClient(trust_env=False) as asking:
        answer = await asking.post(address, content=body.encode(), headers=dict([header.split(": ")]))
        assert answer.status_code == 201, answer.text
    assert await texts(site, agent) == [SAYS[language]] * 3
    await tab.go(f"/minds/{agent}")
    assert await tab.page.locator(".snippet").count() == 0


@pytest.mark.parametrize("metabolism", METABOLISMS)
async def test_a_mind_can_be_told_a_conversation_first(site: Site, open_tab: OpenTab, metabolism: str) -> None:
    agent = f"empty-talk-{metabolism}"
    async with ebbtide.open(agent, data=site.data, metabolism=metabolism):
        pass
    tab = await open_tab(f"/minds/{agent}")
    await run(site, "sh", "-c", await told(tab, "remember"))
    assert any("ferry to Lamma" in text for text in await texts(site, agent))


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_a_command_is_copied_with_one_click(site: Site, open_tab: OpenTab, language: str) -> None:
    async with ebbtide.open("empty-copied", data=site.data):
        pass
    tab = await open_tab("/minds/empty-copied", language=language)
    await tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    before, after = COPY[language]
    copying = tab.page.locator(".snippet[data-way=cli] button")
    assert await copying.locator(".said").inner_text() == before
    await copying.click()
    await copying.get_by_text(after).wait_for()
    assert await tab.page.evaluate("navigator.clipboard.readText()") == await told(tab, "cli")


async def test_where_keys_are_required_the_request_carries_one() -> None:
    [http] = [one for one in snippets("ada", "http://h", "x", keys=True) if one.name == "first.http"]
    assert '-H "Authorization: Bearer $KEY"' in http.source
    assert http.note == "first.key"
