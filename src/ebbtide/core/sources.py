"""Which messages a segment comes from, who said it, and when.   SPEC C14.

A small model divides a conversation into segments without saying where each begins. Letters and digits tell:
segments repeat what was said, in its order (`answers.segments_fault` checks that), so each is looked for behind the
one before it.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from ebbtide.core.answers import bones
from ebbtide.core.memory import Message


class _Place(NamedTuple):
    """Where a segment stands: its first and last message, and which letters of the whole conversation it has."""

    first: int
    last: int
    start: int
    end: int


def said_at(messages: Sequence[Message], segments: Sequence[str]) -> list[float | None]:
    """For each segment the time of the last message it is made of; None if no message of the conversation has a time.

    A message without a timestamp was said when the one before it was; before the first timestamp, when that one was.
    """
    times = _filled([message.timestamp for message in messages])
    return [times[last] for _, last in sources(messages, segments)]


def said_by(messages: Sequence[Message], segments: Sequence[str]) -> list[str]:
    """For each segment the speaker who said most of its letters; of two who said as much, the one who spoke first."""
    letters = [bones(message.content) for message in messages]
    starts = list(accumulate(map(len, letters), initial=0))
    return [_speaker(messages, starts, place) for place in _places(messages, letters, segments)]


def speaker(message: Message) -> str:
    """The name of the one who said it, or else the role."""
    return message.name.strip() or message.role


def sources(messages: Sequence[Message], segments: Sequence[str]) -> list[tuple[int, int]]:
    """For each segment the first and the last message it comes from, counted from 0."""
    letters = [bones(message.content) for message in messages]
    return [(place.first, place.last) for place in _places(messages, letters, segments)]


def _places(messages: Sequence[Message], letters: Sequence[str], segments: Sequence[str]) -> list[_Place]:
    said, ends = "".join(letters), list(accumulate(map(len, letters)))
    found, at, current = [], 0, 0
    for segment in segments:
        own, start = bones(segment), at
        if own:
            start = max(said.find(own, at), at)
            at = min(start + len(own), len(said))
            first, current = bisect_right(ends, start), bisect_left(ends, at)
        else:
            first = current = _saying(messages, segment, current)
        found.append(_Place(min(first, current), min(current, len(messages) - 1), start, at))
    return found


def _speaker(messages: Sequence[Message], starts: Sequence[int], place: _Place) -> str:
    said: Counter[str] = Counter()
    for number in range(place.first, place.last + 1):
        letters = min(starts[number + 1], place.end) - max(starts[number], place.start)
        said[speaker(messages[number])] += max(letters, 0)
    return max(said, key=said.__getitem__)


def _saying(messages: Sequence[Message], segment: str, start: int) -> int:
    """The first message from there on that has these marks; if none has, where the conversation stands."""
    places = range(start, len(messages))
    return next((place for place in places if segment.strip() in messages[place].content), start)


def _filled(times: Sequence[float | None]) -> list[float | None]:
    known = next((time for time in times if time is not None), None)
    filled = []
    for time in times:
        known = time if time is not None else known
        filled.append(known)
    return filled


def name_of(speaker: str) -> str:
    """The name of who said something; empty where only a part in the conversation is known, or nothing."""
    return "" if speaker.casefold() in _PARTS else speaker


_PARTS = frozenset({"user", "assistant", "system", "human", "ai", "用户", "助手"})
