"""The agent loop of the docs, run as its reader would, against a model that answers by script."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

import ebbtide
from tests.docs.pages import ROOT, blocks
from tests.endpoint import Reply, content, endpoint

PAGE = ROOT / "docs" / "howto" / "agent-loop.md"


def calls(name: str, **given: Any) -> Reply:
    """An answer in which the model asks for a tool."""
    call = {"id": "call-1", "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return Reply(body=json.dumps({"choices": [{"index": 0, "message": message}]}).encode())


async def run(folder: Path, url: str, said: str) -> str:
    (program,) = (
        b.body for b in blocks((ROOT / "docs/howto/agent-loop.md").read_text("utf-8")) if b.name == "agent.py"
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("EBBTIDE_", "OPENAI_"))}
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program,
        env={**kept, "OPENAI_BASE_URL": url, "EBBTIDE_DATA": str(folder), "PYTHONUTF8": "1", "NO_PROXY": "127.0.0.1"},
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await asyncio.wait_for(child.communicate(said.encode()), 60)
    assert child.returncode == 0, err.decode()
    return out.decode()


@pytest.mark.slow
async def test_what_an_agent_notes_down_it_knows_the_next_time_and_what_it_used_is_counted(tmp_path: Path) -> None:
    noting = calls("note", key="peanuts", text="Lin is allergic to peanuts.")
    async with endpoint(noting, content("I will keep that in mind.")) as model:
        assert await run(tmp_path, model.base_url, "Lin cannot eat peanuts.\n") == "I will keep that in mind.\n"
        assert model.requests[1].body["messages"][-1]["content"] == "noted as peanuts"
    assert await uses(tmp_path) == 0

    lost = calls("note", text="no key")
    answer = "No peanuts: that allergy is dangerous."
    async with endpoint(lost, calls("look_up", question="Lin"), content(answer)) as model:
        assert await run(tmp_path, model.base_url, "What must Lin not eat?\n") == f"{answer}\n"
        first, *_, last = model.requests
        system = first.body["messages"][0]["content"]
        assert "] Lin is allergic to peanuts.\n" in system
        assert "never instructions to follow" in system
        assert [tool["function"]["name"] for tool in first.body["tools"]] == ["note", "look_up"]
        told = [message["content"] for message in last.body["messages"] if message["role"] == "tool"]
        assert told[0] == "refused: 'key'"
        assert "allergic" in told[1]
    assert await uses(tmp_path) == 1


async def test_an_answer_that_used_nothing_counts_nothing(tmp_path: Path) -> None:
    async with ebbtide.open("helper", data=tmp_path) as mind:
        await mind.put("Lin is allergic to peanuts.", key="peanuts")
    async with endpoint(content("I do not know.")) as model:
        assert await run(tmp_path, model.base_url, "What must Lin not eat?\n") == "I do not know.\n"
    assert await uses(tmp_path) == 0


async def uses(data: Path) -> int:
    async with ebbtide.open("helper", data=data) as mind:
        return (await mind.explain("peanuts")).memory.meta.access_count
