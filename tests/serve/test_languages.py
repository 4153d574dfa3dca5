"""Languages are not mixed (C10): an English mind answers in English, a Chinese one in Chinese, whatever asks it."""

import re
from pathlib import Path
from typing import Any

import pytest

import ebbtide
from ebbtide.serve.mcp import shapes, tools
from tests.models.conversations import conversation
from tests.serve.shell import Shell

CJK = re.compile("[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
ENGLISH_MARKS = ("[memory]", "once knew", "related to", "involves", "belongs to")
TALKS = Path(__file__).parents[2] / "docs" / "conversations"


def check(language: str, *answers: Any) -> None:
    for answer in map(str, answers):
        if language == "en":
            assert CJK.findall(answer) == []
        else:
            assert [mark for mark in ENGLISH_MARKS if mark in answer] == []


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_a_mind_speaks_the_language_it_was_told_in(language: str, tmp_path: Path) -> None:
    cue = {"en": "vet", "zh": "豆豆"}[language]
    async with ebbtide.open("ada", data=tmp_path, metabolism="network") as mind:
        await mind.remember(conversation(language))
        await mind.idle()
        check(language, await mind.recall(), await mind.recall([cue]), await mind.focus(), await mind.traces())
        await mind.fade(60)
        faded, traces = await mind.recall(depth=4), await mind.traces()
        check(language, faded, await mind.recall([cue]), await mind.focus(), traces)
        assert {"en": "[memory] once knew: ", "zh": "[记忆] 曾记得："}[language] in faded
        assert traces
        found = await tools.recall(mind, shapes.Recall(keywords=[]))
        check(language, found.text)
        nothing = await tools.recall(mind, shapes.Recall(keywords=["kangaroo"]))
        assert (nothing.text, nothing.advice) == ("", tools.NOTHING_COMES)
        assert found.text.startswith({"en": "[memory] ", "zh": "[记忆] "}[language])


@pytest.mark.parametrize("metabolism", ["activity", "score", "retention"])
async def test_mcp_marks_what_other_minds_recall_in_their_language(metabolism: str, tmp_path: Path) -> None:
    async with ebbtide.open("ada", data=tmp_path, metabolism=metabolism) as mind:
        nothing = await tools.recall(mind, shapes.Recall(keywords=["ferry"]))
        assert (nothing.text, nothing.advice) == ("", "Nothing that may be shown matches.")
        await mind.put("The ferry leaves at 8:40.")
        await mind.put("渡轮8:40开。")
        found = await tools.recall(mind, shapes.Recall(keywords=["ferry", "渡轮"]))
        assert set(found.text.split("\n---\n")) == {"[memory] The ferry leaves at 8:40.", "[记忆] 渡轮8:40开。"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_command_line_speaks_it_too(language: str, ebbtide: Shell) -> None:
    cue = {"en": "vet", "zh": "豆豆"}[language]
    ebbtide.said("init", "--metabolism", "network")
    shown = [
        ebbtide(*line.split()).out
        for line in (
            f"remember {TALKS / language}.jsonl",
            "focus",
            f"recall {cue}",
            "recall",
            "compress --cycles 60",
            "recall --depth 4",
            "traces",
        )
    ]
    assert all(shown)
    check(language, *shown)


def test_no_tool_of_mcp_is_described_in_two_languages() -> None:
    for tool in tools.TOOLS.values():
        assert CJK.findall(f"{tool.title} {tool.about}") == []
