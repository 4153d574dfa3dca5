"""Made-up memories with vectors, the same in every run: half English, half Chinese, few words often and many rarely.

A vector lies near the centre of its topic; topics, too, are of very different sizes. A question takes words from one
memory and lies near its vector.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ebbtide.core.signals import Column

DIMENSIONS = 512

_PER_TOPIC = 50
_COMMON, _TOPIC, _OWN = 0.35, 1.0, 0.9  # what a vector shares with all, with its topic, and with nobody
_ASKED = 0.7  # how far a question lies from the memory it is about
_WORDS = 20_000
_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu za ster ling ton ment ic al or ing"
_SMALL = "the of and to in a is that for it was on with as at by from this be had not are but have"
_CHARACTERS = (
    "时间年月日天地人口手水火山石田土木金上下左右前后里外东西南北中大小多少高低长短新旧好坏早晚春夏秋冬风雨雷电"
    "花草树鱼鸟马牛羊车船路桥门窗书笔纸画歌舞茶酒米面菜果红黄蓝白黑学校医院公司银行市场饭店客户项目会议计划"
    "报告合同价格数量质量安全系统网络数据文件消息电话邮件朋友家庭孩子父母老师同事工作生活旅行运动健康音乐电影"
)


@dataclass(frozen=True, slots=True)
class Corpus:
    texts: list[str]
    vectors: Column

    def __len__(self) -> int:
        return len(self.texts)


class Known:
    """An embedder that looks vectors up."""

    name = "known"
    dimensions = DIMENSIONS

    def __init__(self, *parts: Corpus) -> None:
        self._vectors = {text: vector for part in parts for text, vector in zip(part.texts, part.vectors, strict=True)}

    async def embed(self, texts: Sequence[str]) -> Column:
        return np.array([self._vectors[text] for text in texts])

    async def aclose(self) -> None:
        pass


def memories(count: int, seed: int = 1) -> Corpus:
    chance = np.random.default_rng(seed)
    english, chinese = _english(), _chinese()
    lengths = chance.integers(12, 30, count)
    texts = [
        _said(english, " ", chance, length) if number % 2 else _said(chinese, "", chance, length)
        for number, length in enumerate(lengths.tolist())
    ]
    return Corpus([f"{text} {number}" for number, text in enumerate(texts)], _vectors(count, chance))


def questions(about: Corpus, count: int, seed: int = 2) -> Corpus:
    """5 to 12 words of a memory each, and a number that makes no two alike."""
    chance = np.random.default_rng(seed)
    chosen = chance.choice(len(about), count, replace=False)
    texts = [_asked(about.texts[row], chance) for row in chosen.tolist()]
    off = chance.standard_normal((count, DIMENSIONS), np.float32) * np.float32(_ASKED / DIMENSIONS**0.5)
    return Corpus([f"{text} q{number}" for number, text in enumerate(texts)], _unit(about.vectors[chosen] + off))


def _english() -> list[str]:
    chance = np.random.default_rng(3)
    rare = {"".join(chance.choice(_SYLLABLES.split(), chance.integers(2, 5))) for _ in range(2 * _WORDS)}
    return [*_SMALL.split(), *sorted(rare, key=lambda word: (len(word), word))][:_WORDS]


def _chinese() -> list[str]:
    chance = np.random.default_rng(4)
    pairs = chance.choice(list(_CHARACTERS), (2 * _WORDS, 2))
    return ["的", "了", "在", "是", *dict.fromkeys("".join(pair) for pair in pairs)][:_WORDS]


def _said(words: Sequence[str], between: str, chance: np.random.Generator, length: int) -> str:
    ranks = np.minimum(len(words) ** chance.random(length), len(words) - 1).astype(np.int64)  # P(rank) ~ 1 / rank
    return between.join(words[rank] for rank in ranks.tolist())


def _asked(text: str, chance: np.random.Generator) -> str:
    words = int(chance.integers(5, 13))
    if " " not in text.rsplit(" ", 1)[0]:
        start = int(chance.integers(0, max(1, len(text) - 2 * words)))
        return text[start : start + 2 * words]
    return " ".join(chance.choice(text.split(), min(words, 12)))


def _vectors(count: int, chance: np.random.Generator) -> Column:
    topics = chance.standard_normal((max(1, count // _PER_TOPIC), DIMENSIONS), np.float32) / np.float32(DIMENSIONS**0.5)
    common = chance.standard_normal(DIMENSIONS).astype(np.float32) / np.float32(DIMENSIONS**0.5)
    topic = (len(topics) ** chance.random(count) - 1).astype(np.int64)
    own = chance.standard_normal((count, DIMENSIONS), np.float32) * np.float32(_OWN / DIMENSIONS**0.5)
    return _unit(_COMMON * common + _TOPIC * topics[topic] + own)


def _unit(rows: Column) -> Column:
    unit: Column = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit
