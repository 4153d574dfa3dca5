"""What is said to a server: briefly, completely, and never more at once than it takes."""

import json
from typing import Any

import pytest

import ebbtide
from ebbtide.client import encode
from ebbtide.client.encode import chunks, encoded
from ebbtide.client.line import Line
from ebbtide.client.mind import ServedMind
from ebbtide.settings import Settings

TEXTS = ["渡轮 8:40 开。", "half \ud83d of a pair", "a pair 😀", 'quotes " and \\ud800, spelt out', "\x00\u2028"]


def test_a_chinese_character_takes_three_bytes() -> None:
    assert len(encoded("渡轮")) == 2 * 3 + len('""')


@pytest.mark.parametrize("text", TEXTS)
def test_whatever_is_said_is_read_as_it_was(text: str) -> None:
    assert json.loads(encoded({"text": text, text: 1})) == {"text": text, text: 1}


def test_no_more_than_a_thousand_go_at_once() -> None:
    sizes = [len(chunk) for chunk in chunks({"text": str(number)} for number in range(2001))]
    assert sizes == [1000, 1000, 1]
    assert [*chunks([])] == []


def test_a_request_is_cut_by_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    # {"text": "渡轮"} is 10 + 6 + 1 + 1 = 18 bytes, with what stands between two of them 20
    monkeypatch.setattr(encode, "LARGEST", 40)
    ferry = {"text": "渡轮"}
    assert [*chunks([ferry] * 5)] == [[ferry] * 2, [ferry] * 2, [ferry]]
    long = ebbtide.Draft("渡" * 20, "long")
    assert [len(chunk) for chunk in chunks([ferry, long, ferry])] == [1, 1, 1]


class Counting(Line):
    """Knows how much was said at once, and how many memories that were."""

    def __init__(self) -> None:
        self.sent: list[tuple[int, int]] = []

    async def _ask(self, method: str, path: Any, body: Any = None, *args: Any, **options: Any) -> Any:
        self.sent.append((len(encoded(body)), len(body["memories"])))


async def test_many_long_memories_are_put_and_none_of_it_is_too_large() -> None:
    line, told = Counting(), list[int]()
    mind = ServedMind(line, "ada")
    drafts = [{"text": "渡" * 2000, "key": f"k{number}"} for number in range(1000)]  # six megabytes
    await mind.check_drafts(drafts)
    assert await mind.put_many(iter(drafts), lambda done, _: told.append(done)) == 1000
    # {"text": "…", "key": "k100"} is 6,000 + 27 bytes, with what stands between two 6,029: 4,000,000 / 6,029 = 663.5
    assert [many for _, many in line.sent] == [663, 337] * 2
    assert max(size for size, _ in line.sent) < Settings().body_limit
    assert told == [663, 1000]
