"""The conversations that retrieval is measured with, their questions, and an embedder that keeps every vector.

One file of the data folder is a list of conversations; an item is one memory. A question is asked when its first
`after` items are in, and sees no more.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from bench.measure import progress
from ebbtide.core.memory import DAY
from ebbtide.core.signals import Column
from ebbtide.models.embedders import BuiltinEmbedder
from ebbtide.models.questions import sentences

K = 10  # memories told
SHORT = {"locomo-dev": "LoCoMo", "realmem-dev": "RealMem", "madial-zh": "MADial zh", "madial-en": "MADial en"}
LONG = {"lme-dev": "LongMemEval"}
FILES = {"locomo-dev": "LoCoMo", "realmem-dev": "RealMem"} | LONG | SHORT  # in the order of the tables

_ROOT = Path(__file__).parent.parent
DATA = _ROOT.parent / "shared" / "data"
CACHE = _ROOT / ".cache" / "retrieval.npz"
_AT_ONCE = 256
_UNSAVED = 4096  # new vectors, after which they are written down


class Cached:
    """The default embedder, asked once for each text it has ever seen: every mind here says the same texts again."""

    def __init__(self, file: Path) -> None:
        self._embedder = BuiltinEmbedder()
        self._file = file
        self.name, self.dimensions = self._embedder.name, self._embedder.dimensions
        self._known: dict[str, Column] = {}
        self._unsaved = 0
        if file.exists():
            kept = np.load(file)
            self._known = dict(zip(kept["keys"].tolist(), kept["vectors"], strict=True))

    async def learn(self, texts: Sequence[str]) -> None:
        """Embed those that are new, and keep them."""
        await self._add(texts, told=True)
        self._save()

    async def embed(self, texts: Sequence[str]) -> Column:
        await self._add(texts)
        if self._unsaved >= _UNSAVED:
            self._save()
        return np.array([self._known[self._key(text)] for text in texts])

    async def aclose(self) -> None:
        self._save()
        await self._embedder.aclose()

    async def _add(self, texts: Sequence[str], *, told: bool = False) -> None:
        new = [text for text in dict.fromkeys(texts) if self._key(text) not in self._known]
        for first in range(0, len(new), _AT_ONCE):
            some = new[first : first + _AT_ONCE]
            self._known |= zip(map(self._key, some), await self._embedder.embed(some), strict=True)
            if told:
                progress(f"embedded {first + len(some):,} of {len(new):,}")
        self._unsaved += len(new)

    def _save(self) -> None:
        if self._unsaved:
            self._file.parent.mkdir(exist_ok=True)
            np.savez(self._file, keys=np.array(list(self._known)), vectors=np.array(list(self._known.values())))
        self._unsaved = 0

    def _key(self, text: str) -> str:
        return blake2b(f"{self.name}\n{text}".encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Score:
    """Of one question: at which place each piece of evidence was told, K if at none; and its age in days."""

    places: tuple[int, ...]
    ages: tuple[float, ...]

    def recall(self, k: int = K) -> float:
        return float(np.mean([place < k for place in self.places]))

    def reciprocal(self) -> float:
        """1 / rank of the first evidence; 0 if none is among the K told."""
        first = min(self.places)
        return 1.0 / (1 + first) if first < K else 0.0


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    at: float
    after: int
    groups: list[frozenset[int]]  # of item numbers: of each, one is to be found
    ages: list[float]  # in days, of each group: its youngest item's when the question is asked

    def score(self, found: Sequence[frozenset[int]]) -> Score:
        """`found`: for each memory told, best first, the items that are found with it."""
        return Score(tuple(self._place(group, found[:K]) for group in self.groups), tuple(self.ages))

    def _place(self, group: frozenset[int], found: Sequence[frozenset[int]]) -> int:
        return next((place for place, items in enumerate(found) if items & group), K)


@dataclass(frozen=True, slots=True)
class Conversation:
    items: list[dict[str, Any]]
    questions: list[Question] = field(default_factory=list)  # in the order they can be asked
    before: list[int | None] = field(default_factory=list)  # of each item, the one before it in its session


def read(file: Path) -> list[Conversation]:
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    found = []
    for row in rows:
        at = {item["id"]: place for place, item in enumerate(row["items"])}
        asked = [_question(each, row["items"], at) for each in row["queries"] if each["any_of"] or each["evidence"]]
        asked.sort(key=lambda question: (question.after, question.at))
        found.append(Conversation(row["items"], asked, before_each([item["session"] for item in row["items"]])))
    return found


def _question(row: Mapping[str, Any], items: Sequence[Mapping[str, Any]], at: Mapping[str, int]) -> Question:
    groups = [frozenset(at[each] for each in group) for group in row["any_of"] or [[one] for one in row["evidence"]]]
    ages = [(row["at"] - max(items[number]["at"] for number in group)) / DAY for group in groups]
    return Question(row["text"], row["at"], row["after"], groups, ages)


def before_each(sessions: Sequence[str]) -> list[int | None]:
    """The item before each in its session, whatever was said in others meanwhile; None: it is the first, or of none."""
    last: dict[str, int] = {}
    found: list[int | None] = []
    for number, session in enumerate(sessions):
        found.append(last.get(session) if session else None)
        last[session] = number
    return found


async def learn(talks: Sequence[Conversation], embedder: Cached) -> None:
    """The vectors of all items, questions and sentences of questions."""
    await embedder.learn([item["text"] for talk in talks for item in talk.items])
    asked = [question.text for talk in talks for question in talk.questions]
    await embedder.learn([*asked, *(part for text in asked for part in sentences(text))])


def missing(data: Path, files: Sequence[str]) -> str | None:
    """What to say where a file is not there."""
    for file in files:
        if not (data / f"{file}.jsonl").exists():
            return f"nothing to measure with: {data} has no {file}.jsonl; name another folder with --data"
    return None
