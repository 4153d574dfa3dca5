"""The built-in model as the port sees it, and what it costs to have it around."""

import subprocess
import sys

import pytest

from ebbtide.core.memory import Message
from ebbtide.core.ports import SmallModel
from ebbtide.models.builtin import BuiltinModel
from tests.models.conversations import conversation

NASTY = [
    "",
    " \n\t\u3000",
    "\ud800\udfff",  # lone surrogates
    "\x00\x07\u200b\ufeff",
    "不" * 500,
    "not " * 300,
    "，。！？" * 200,
    "((((“《「",
    "`" * 301,
    "9" * 400 + "a",
    "👩‍👩‍👧‍👦🎉" * 40,
    "ภาษาไทย 한국어 עברית العربية ひらがな",
    "e\u0301" * 100,
    "a.b@" * 90,
]


async def test_the_model_is_a_small_model() -> None:
    model: SmallModel = BuiltinModel()
    assert await model.segment([Message("user", "Anna signed.")]) == ["Anna signed."]
    assert (await model.distil("Anna signed.")).entities == ("Anna",)
    assert await model.relation("Anna signed.", "Anna") == "about"
    assert await model.compress("Oh yes, Anna signed.", 12) == "Anna signed."
    assert await model.overlap("Anna", "Anna") == 1.0


@pytest.mark.parametrize("text", NASTY)
async def test_no_text_upsets_it(text: str) -> None:
    model = BuiltinModel()
    segments = await model.segment([Message("user", text), Message("assistant", text)])
    assert "".join("".join(segments).split()) == "".join((text + text).split())
    for each in [text, *segments]:
        await model.distil(each)
        await model.relation(each, text[:3])
        assert len(await model.compress(each, 7)) <= max(7, 0)
        assert await model.overlap(each, text) == await model.overlap(text, each)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_conversations_are_thirty_turns_in_order(language: str) -> None:
    talk = conversation(language)
    times = [message.timestamp or 0.0 for message in talk]
    assert [message.role for message in talk] == ["user", "assistant"] * 15
    assert times == sorted(times)
    assert times[0] > 0


def test_nothing_heavy_is_loaded_before_it_is_needed() -> None:
    heavy = "{'rjieba', 'sentencex', 'snowballstemmer'}"
    code = f"import sys, ebbtide.models, ebbtide.models.builtin; sys.exit(len({heavy} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


async def test_texts_far_longer_than_a_segment_are_shortened_too() -> None:
    text = "我们团队下周五之前必须把3个漏洞修好，张伟负责后端。Anna did not sign the lease in Leeds. " * 300
    short = await BuiltinModel().compress(text, 1000)
    assert 900 < len(short) <= 1000
