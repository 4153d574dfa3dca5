"""A small model behind any OpenAI-compatible chat endpoint: Ollama, vLLM, llama.cpp, LM Studio, OpenAI.   SPEC I6.

One call is one attempt; trying again, and judging the answers, is the mind's business (`mind/asking.py`,
`core/answers.py`). Here answers are only brought into shape: what can be done in code is not left to the model.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from types import TracebackType

import msgspec

from ebbtide.core.answers import MAX_WORD, grounded
from ebbtide.core.language import is_chinese
from ebbtide.core.memory import Message
from ebbtide.core.ports import Distilled
from ebbtide.models.chat import Chat
from ebbtide.models.prompts import (
    SENTENCE_SHOWN,
    compress_question,
    distil_question,
    facts_question,
    overlap_question,
    relation_question,
    segment_question,
)

WINDOW = 4000  # characters shown at once when looking for topics: a small model's context is soon full
WINDOW_SENTENCES = 60


class _Starts(msgspec.Struct):
    starts: list[int]


class _Gist(msgspec.Struct):
    phrase: str
    keywords: list[str]
    entities: list[str]


class _Facts(msgspec.Struct):
    facts: list[str]


class _Relation(msgspec.Struct):
    relation: str


class _Text(msgspec.Struct):
    text: str


class _Overlap(msgspec.Struct):
    overlap: float


class OpenAIModel:
    """A `SmallModel`. Close it, or use it as an async context manager."""

    deterministic = False  # a server may be back, and an answer that was not liked is asked for with some chance

    def __init__(self, base_url: str, model: str, *, api_key: str | None = None, timeout: float = 60.0) -> None:
        """`base_url` like http://localhost:11434/v1; `timeout` in seconds, of a whole answer.

        Raises InvalidInput if one of them cannot be used. Nothing is sent yet.
        """
        self._chat = Chat(base_url, model, api_key, timeout)

    async def segment(self, messages: Sequence[Message]) -> list[str]:
        """The model only says where topics start; the text is put together here, so that nothing can get lost."""
        sentences = split(messages)
        starts, at = {0}, 0
        while at < len(sentences):
            end = _window_end(sentences, at)
            found = await self._starts(sentences[at:end])
            starts |= {at + start for start in found}
            # The last topic of a window goes on in the next one; if it fills most of this one, cut at its end.
            last = at + max(found, default=0)
            at = last if end < len(sentences) and last > (at + end) // 2 else end
            starts.add(at)
        borders = sorted(starts)  # the last of them is the end of all
        return ["".join(sentences[start:end]).strip() for start, end in pairwise(borders)]

    async def distil(self, segment: str) -> Distilled:
        gist = await self._chat.ask(distil_question(segment), _Gist)
        phrase = " ".join(gist.phrase.split())
        return Distilled(phrase, _words_of(segment, gist.keywords), _words_of(segment, gist.entities))

    async def facts(self, segment: str) -> list[str]:
        answer = await self._chat.ask(facts_question(segment), _Facts)
        return [fact for fact in (" ".join(fact.split()) for fact in answer.facts) if fact]

    async def relation(self, segment: str, entity: str) -> str:
        answer = await self._chat.ask(relation_question(segment, entity), _Relation)
        relation = answer.relation.strip(_AROUND)
        named = relation.casefold().endswith(entity.casefold()) and len(relation) > len(entity) > 0
        return relation[: -len(entity)].strip(_AROUND) if named else relation  # "located in Boston"

    async def compress(self, text: str, length: int) -> str:
        answer = await self._chat.ask(compress_question(text, length), _Text)
        return without_torn_end(answer.text.strip(), length)

    async def overlap(self, one: str, two: str) -> float:
        if one.split() == two.split():
            return 1.0
        answer = await self._chat.ask(overlap_question(one, two), _Overlap)
        return answer.overlap / 100.0

    async def aclose(self) -> None:
        await self._chat.aclose()

    async def __aenter__(self) -> "OpenAIModel":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _starts(self, sentences: Sequence[str]) -> set[int]:
        """Where topics start after the first, counted from 0."""
        if len(sentences) < 2:
            return set()
        answer = await self._chat.ask(segment_question(sentences), _Starts)
        found = {start - 1 for start in answer.starts if 1 < start <= len(sentences)}
        # Who sees a topic in nearly every sentence sees none: then every message is one.
        blind = len(found) > max(2, 2 * len(sentences) // 3)
        return {place for place in range(1, len(sentences)) if sentences[place - 1].endswith("\n")} if blind else found


# ---- what code does better

_AROUND = " \t\r\n。.，,；;：:\"'“”「」"


def split(messages: Sequence[Message]) -> list[str]:
    """The sentences of a conversation; put together again they are the messages, one after the other on new lines."""
    sentences: list[str] = []
    for message in messages:
        pieces = _sentences(message.content.strip())
        sentences += pieces[:-1]
        sentences += [f"{piece}\n" for piece in pieces[-1:]]
    return sentences


def _sentences(text: str) -> list[str]:
    import sentencex  # type: ignore[import-not-found, import-untyped, unused-ignore]

    pieces: list[str] = sentencex.segment("zh" if is_chinese(text) else "en", text)
    if "".join(pieces) != text:  # then better no border than a lost word
        return [text] if text else []
    kept: list[str] = []
    for piece in pieces:  # white space alone, or a closing quote, belongs to what is before it
        if kept and not re.search(r"\w", piece):
            kept[-1] += piece
        elif piece:
            kept.append(piece)
    return kept


def _window_end(sentences: Sequence[str], start: int) -> int:
    size, end = 0, start
    while end < len(sentences) and end - start < WINDOW_SENTENCES and size < WINDOW:
        size += min(len(sentences[end]), SENTENCE_SHOWN)
        end += 1
    return end


def _words_of(segment: str, words: Iterable[str]) -> tuple[str, ...]:
    """Each once, and only those that stand in the segment: small models like to add some."""
    kept: dict[str, str] = {}
    for word in (" ".join(word.split()) for word in words):
        if word and len(word) <= MAX_WORD and grounded(word, segment):
            kept.setdefault(word.casefold(), word)
    return tuple(kept.values())


_SENTENCE_END = re.compile(r"[。！？]|(?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bMrs)[.!?](?=\s)")
_CLAUSE_END = re.compile(r"[；，、]|[;,](?=\s)")
_WHOLE = re.compile(r"[。！？.!?…”’\"'）)》]$")


def without_torn_end(text: str, length: int) -> str:
    """A server that holds a string to its length stops in mid-sentence: go back to the last whole sentence or clause.

    An answer that is too long is left as it is: that nobody held it to its length is for the mind to judge.
    """
    if not length - 4 < len(text) <= length or _WHOLE.search(text):
        return text
    sentences = [match.end() for match in _SENTENCE_END.finditer(text)][-1:]
    clauses = [match.start() for match in _CLAUSE_END.finditer(text)][-1:]
    whole = [end for end in sentences if end >= 3 * len(text) // 4]
    ends = (*whole, max(sentences + clauses, default=0), text.rfind(" "))
    return text[: next((end for end in ends if end >= len(text) // 2), len(text))].rstrip()
