"""Which messages a segment comes from, and when it was said.   SPEC C14.

A small model divides a conversation into segments without saying where each begins. Letters and digits tell:
segments repeat what was said, in its order (`answers.segments_fault` checks that), so each is looked for behind the
one before it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from ebbtide.core.answers import bones
from ebbtide.core.memory import Message


def said_at(messages: Sequence[Message], segments: Sequence[str]) -> list[float | None]:
    """For each segment the time of the last message it is made of; None if no message of the conversation has a time.

    A message without a timestamp was said when the one before it was; before the first timestamp, when that one was.
    """
    times = _filled([message.timestamp for message in messages])
    return [times[last] for _, last in sources(messages, segments)]


def sources(messages: Sequence[Message], segments: Sequence[str]) -> list[tuple[int, int]]:
    """For each segment the first and the last message it comes from, counted from 0."""
    letters = [bones(message.content) for message in messages]
    said, ends = "".join(letters), list(accumulate(map(len, letters)))
    found, at, current = [], 0, 0
    for segment in segments:
        own = bones(segment)
        if own:
            start = max(said.find(own, at), at)
            at = min(start + len(own), len(said))
            first, current = bisect_right(ends, start), bisect_left(ends, at)
        else:
            first = current = _saying(messages, segment, current)
        found.append((min(first, current), min(current, len(messages) - 1)))
    return found


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
