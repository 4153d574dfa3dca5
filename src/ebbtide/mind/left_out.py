"""What an answer leaves out because of a memory's state, and whether any hit is a good match.   SPEC C11.

A memory is left out if it is among the k best by similarity, whatever its state, and in a state that a search hides. Of
expired memories only the number is told (SPEC R2).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ebbtide.core.finding import Hidden
from ebbtide.core.memory import STATES, State
from ebbtide.core.ports import Store

BEST = 3  # told by name
PREVIEW = 200  # characters of their text


@dataclass(frozen=True, slots=True)
class Declined:
    """Would have matched, and is not told. `state` is trash for what was forgotten."""

    key: str
    text: str
    state: str
    similarity: float
    why: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Memories among the k best by similarity that are no hits because of their state.

    `best`: up to three of them, the text cut to 200 characters; never an expired one. `advice` says how to see them and
    how to revive them, in the names of the library and of HTTP.
    """

    count: int
    states: dict[State, int]
    best: tuple[Declined, ...]
    advice: str


@dataclass(frozen=True, slots=True)
class Weak:
    """No hit reaches the similarity of a good match. `best`: of the best hit; None: there is no hit at all."""

    best: float | None
    floor: float
    advice: str


async def left_out(store: Store, hidden: Hidden | None, now: float, at_least: float) -> LeftOut | None:
    if hidden is None:
        return None
    alike = hidden.similarity >= at_least
    ids, similarity = hidden.ids[alike].tolist(), hidden.similarity[alike].tolist()
    if not ids:
        return None
    metabolism = store.regime.metabolism
    found = [STATES[code] for code in metabolism.judge(await store.signals(ids), now).state.tolist()]
    states = {state: found.count(state) for state in dict.fromkeys(found)}
    named = [row for row, state in enumerate(found) if state is not State.EXPIRED][:BEST]
    why = {row: metabolism.why(await store.signals([ids[row]]), now) for row in named}
    contents = await store.contents([ids[row] for row in named]) if named else {}
    best = [
        Declined(said.key, said.text[:PREVIEW], found[row].value, similarity[row], f"{found[row]}: {why[row]}")
        for row in named
        if (said := contents.get(ids[row])) is not None  # it may have gone meanwhile
    ]
    return LeftOut(len(ids), states, tuple(best), advice(states))


def advice(states: Mapping[State, int]) -> str:
    """The way to memories in these hidden states."""
    ways = []
    if set(states) - {State.EXPIRED}:
        ways.append("`everything` shows them too, and each `get` or `touch` of one raises its vitality")
    if State.EXPIRED in states:
        ways.append("`list` with the state expired shows what has expired, and `touch` with `revive` brings it back")
    return "; ".join(ways)


def counted(states: Mapping[State, int]) -> str:
    """As in "2 cold, 1 expired"."""
    return ", ".join(f"{count} {state}" for state, count in states.items())


def weak(similarities: Sequence[float], floor: float, memories: int, *, words_only: bool) -> Weak | None:
    """None: at least one hit is a good match."""
    least, best = floor_of(floor, memories, words_only=words_only), max(similarities, default=None)
    if best is None:
        return Weak(None, least, "no memory matches")
    if best >= least:
        return None
    said = f"no good match: the best similarity is {best:.2f}, and unrelated memories often reach {least:.2f}"
    return Weak(best, least, said)


_FULL = 1_000  # memories of a mind to which `match_floor` applies as it is
_MOST = 10_000  # above so many it grows no more
_WORDS_ONLY = 0.25  # of the floor: without vectors long questions have few words in common with what answers them


def floor_of(floor: float, memories: int, *, words_only: bool = False) -> float:
    """The similarity from which on a hit counts as a good match in a mind of so many memories.

    Of more memories one is more similar by chance: what the best hit of an unrelated question reaches grows with the
    logarithm of their number (bench.floor).
    """
    count = np.log10(min(max(memories, 1), _MOST))
    return float(floor * (1 + count) / (1 + np.log10(_FULL)) * (_WORDS_ONLY if words_only else 1.0))
