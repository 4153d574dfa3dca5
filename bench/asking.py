"""Conversations as minds, and what their searches find.

Each conversation becomes a mind of its own in the embedded store, in order, by a clock that shows the items' times:
item by item (`Items`), or session by session through `remember` (`Told`).
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import fields
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal

import ebbtide
from bench.conversations import Conversation, K, Question
from bench.lives import Clock
from ebbtide.core.answers import bones
from ebbtide.core.embedding import Embedder
from ebbtide.core.memory import DEFAULT_STRENGTH, Message
from ebbtide.core.relations import ENGLISH_ORDER
from ebbtide.mind.search import Found

EVER = 600.0  # seconds: nothing is to be found by words only because it was not embedded in time
HALF = 0.5  # of an item's letters, from which on the segments told count for the item
Links = Literal["none", "next", "order"]

_NAMED = "name" in {each.name for each in fields(Message)}
_ROLES = ("user", "assistant")
_PAGE = 1000


class Items:
    """One memory an item. `links` between neighbours of a session: a relation of no meaning, or those of order."""

    def __init__(self, mind: ebbtide.Mind, clock: Clock, talk: Conversation, links: Links = "none") -> None:
        self.mind, self._clock, self._talk, self._links = mind, clock, talk, links
        self._put = 0

    async def until(self, question: Question) -> None:
        """Up to the moment when it is asked; everything can then be found."""
        new = range(self._put, question.after)
        for number in new:
            item, before = self._talk.items[number], self._talk.before[number]
            self._clock.moment = item["at"]
            await self.mind.put(item["text"], key=f"i{number}")
            if before is not None:
                await self._link(f"i{before}", f"i{number}")
        self._put = max(self._put, question.after)
        self._clock.moment = question.at
        if new:
            await self.mind.reembed()

    async def asked(self, question: Question, **options: Any) -> Found:
        """By all defaults, unless `options` say otherwise."""
        return await self.mind.search(question.text, K, patience=EVER, **options)

    def items(self, found: Found) -> list[frozenset[int]]:
        return [frozenset([int(hit.memory.key[1:])]) for hit in found.hits]

    async def _link(self, before: str, after: str) -> None:
        if self._links == "next":
            await self.mind.link(before, after, "next", DEFAULT_STRENGTH)
        elif self._links == "order":  # as `remember` does
            await self.mind.link(before, after, ENGLISH_ORDER.forward, DEFAULT_STRENGTH)
            await self.mind.link(after, before, ENGLISH_ORDER.back, DEFAULT_STRENGTH)


class Told:
    """Each session given to `remember`, which cuts it into segments; of one that a question cuts, the part before."""

    def __init__(self, mind: ebbtide.Mind, clock: Clock, talk: Conversation) -> None:
        self.mind, self._clock, self._talk = mind, clock, talk
        self._told, self._last = 0, 0
        self._shares: dict[str, dict[int, float]] = {}  # by key: of which items, and how much of each

    async def until(self, question: Question) -> None:
        for numbers in _sessions(self._talk.items, range(self._told, question.after)):
            self._clock.moment = self._talk.items[numbers[-1]]["at"]
            await self._remember(numbers)
        self._told = max(self._told, question.after)
        self._clock.moment = question.at

    async def asked(self, question: Question, **options: Any) -> Found:
        return await self.mind.search(question.text, K, patience=EVER, **options)

    def items(self, found: Found) -> list[frozenset[int]]:
        """An item is found with the memory by which half of its letters are told."""
        return found_at([self._shares.get(hit.memory.key, {}) for hit in found.hits])

    async def _remember(self, numbers: Sequence[int]) -> None:
        messages = [message(self._talk.items[number]) for number in numbers]
        await self.mind.remember(messages)
        await self.mind.idle()
        segments = await self._new()
        parts = shares([each.content for each in messages], list(segments.values()))
        for key, part in zip(segments, parts, strict=True):
            self._shares[key] = {numbers[place]: share for place, share in part.items()}

    async def _new(self) -> dict[str, str]:
        """The texts of the memories made since, by key, in order."""
        found: dict[str, str] = {}
        while True:
            page = await self.mind.list(everything=True, after=self._last, limit=_PAGE)
            found |= {memory.key: memory.text for memory in page.memories}
            self._last = max((memory.id for memory in page.memories), default=self._last)
            if page.next is None:
                return found


@asynccontextmanager
async def mind_of(
    data: Path, name: str, metabolism: str, talk: Conversation, embedder: Embedder
) -> AsyncIterator[tuple[ebbtide.Mind, Clock]]:
    clock = Clock(talk.items[0]["at"])
    async with ebbtide.open(name, data=data, metabolism=metabolism, clock=clock, embedder=embedder) as mind:
        yield mind, clock


def _sessions(items: Sequence[Mapping[str, Any]], numbers: Sequence[int]) -> list[list[int]]:
    """These items by session, in the order in which sessions end; an item of no session is one of its own."""
    found: dict[str | int, list[int]] = {}
    for number in numbers:
        found.setdefault(items[number]["session"] or number, []).append(number)
    return sorted(found.values(), key=lambda session: session[-1])


def message(item: Mapping[str, Any]) -> Message:
    """The speaker as role or name, where messages have names and the text begins with this one."""
    speaker, text, at = item["speaker"], item["text"], item["at"]
    role: Any = speaker if speaker in _ROLES else "user"
    if not _NAMED or not speaker or not text.startswith(f"{speaker}: "):
        return Message(role, text, at)
    named: dict[str, Any] = {} if speaker in _ROLES else {"name": speaker}
    return Message(role, text.removeprefix(f"{speaker}: "), at, **named)


def shares(said: Sequence[str], segments: Sequence[str]) -> list[dict[int, float]]:
    """For each segment the share of every message's letters that it has. As in `sources`, each follows the last."""
    letters = [bones(text) for text in said]
    whole, starts = "".join(letters), list(accumulate(map(len, letters), initial=0))
    found, at = [], 0
    for segment in segments:
        own = bones(segment)
        start = max(whole.find(own, at), at)
        at = min(start + len(own), len(whole))
        held = {
            place: min(starts[place + 1], at) - max(starts[place], start)
            for place in range(len(said))
            if letters[place] and starts[place] < at and starts[place + 1] > start
        }
        found.append({place: count / len(letters[place]) for place, count in held.items()})
    return found


def found_at(told: Sequence[Mapping[int, float]]) -> list[frozenset[int]]:
    """For each memory told, the items of which it completes the half."""
    held: dict[int, float] = {}
    found = []
    for part in told:
        new = {item for item, share in part.items() if held.get(item, 0.0) < HALF <= held.get(item, 0.0) + share}
        for item, share in part.items():
            held[item] = held.get(item, 0.0) + share
        found.append(frozenset(new))
    return found
