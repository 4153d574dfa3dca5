"""From a part of a mind to a picture of it: where each memory stands, how faded it is, how wide its links are.

Pure arithmetic: the same surroundings give the same picture, so a reader finds things where they were.
"""

import math
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from unicodedata import east_asian_width

import numpy as np
from numpy.typing import NDArray

from ebbtide.mind.surroundings import Lost, Sight, Surroundings

GHOST = "trace"
_LABEL = 26  # columns of a label; a Chinese character takes two
_LINE = 120
_STEPS = 160
_GOLDEN = math.pi * (3.0 - math.sqrt(5.0))

Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Node:
    """A memory in the picture; a ghost is what a trace points to. `x` and `y` lie between −1 and 1.

    `label` is what stands by it, `line` says more.
    """

    id: int
    key: str
    label: str
    line: str
    state: str
    alive: float
    focus: bool
    x: float
    y: float

    @property
    def ghost(self) -> bool:
        return self.state == GHOST


@dataclass(frozen=True, slots=True)
class Edge:
    """One line between two nodes, however many links it stands for; the strongest gives its strength."""

    source: int
    target: int
    relations: tuple[str, ...]
    strength: float
    ghost: bool


@dataclass(frozen=True, slots=True)
class Graph:
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def graph(seen: Surroundings) -> Graph:
    edges = _edges(seen)
    middle = _middle(seen)
    ids = [sight.memory.id for sight in seen.sights] + [lost.id for lost in seen.lost]
    row = {memory: i for i, memory in enumerate(ids)}
    ends = np.array([(row[edge.source], row[edge.target]) for edge in edges], np.int64).reshape(-1, 2)
    weights = np.array([edge.strength for edge in edges])
    at = laid_out(len(ids), ends, weights, [row[memory] for memory in middle])
    known = [_node(sight, sight.memory.id in seen.focus, *at[i]) for i, sight in enumerate(seen.sights)]
    ghosts = [_ghost(lost, *at[len(known) + i]) for i, lost in enumerate(seen.lost)]
    return Graph((*known, *ghosts), edges)


def label(text: str, limit: int = _LABEL) -> str:
    """One short line."""
    line = " ".join(text[: 4 * limit].split())
    ends = list(accumulate(2 if east_asian_width(sign) in "WF" else 1 for sign in line))
    return line if not ends or ends[-1] <= limit else f"{line[: bisect_right(ends, limit - 1)]}…"


def width(strength: float) -> float:
    """Of a line, in pixels: from hardly there to plain to see."""
    return 0.5 + 4.5 * min(max(strength, 0.0), 1.0)


def opacity(alive: float) -> float:
    """What fades stays readable to the end."""
    return 0.25 + 0.75 * min(max(alive, 0.0), 1.0)


def _middle(seen: Surroundings) -> list[int]:
    """What the picture is drawn around: where the look started, or else what is most alive."""
    start = [sight.memory.id for sight in seen.sights if sight.distance == 0]
    return start or [sight.memory.id for sight in seen.sights[:1]]


def _edges(seen: Surroundings) -> tuple[Edge, ...]:
    """Links between the same two, either way, are one line."""
    known = {sight.memory.id for sight in seen.sights}
    shown = known | {lost.id for lost in seen.lost}
    found: dict[frozenset[int], Edge] = {}
    for link in sorted(seen.links, key=lambda link: -link.strength):
        if link.source not in known or link.target not in shown or link.source == link.target:
            continue
        ends = frozenset((link.source, link.target))
        first = found.get(ends)
        if first is None:
            found[ends] = Edge(link.source, link.target, (link.relation,), link.strength, link.target not in known)
        elif link.relation not in first.relations:
            relations = (*first.relations, link.relation)
            found[ends] = Edge(first.source, first.target, relations, first.strength, first.ghost)
    return tuple(found.values())


def _node(sight: Sight, focus: bool, x: float, y: float) -> Node:
    memory = sight.memory
    says = memory.phrase or memory.text or memory.key
    state = memory.state.value
    return Node(memory.id, memory.key, label(says), label(says, _LINE), state, sight.alive, focus, float(x), float(y))


def _ghost(lost: Lost, x: float, y: float) -> Node:
    """One of which not even the name is known has no words."""
    return Node(lost.id, lost.key, label(lost.said), label(lost.said, _LINE), GHOST, 0.0, False, float(x), float(y))


# ---- where things stand


def laid_out(count: int, ends: NDArray[np.int64], weights: Points, middle: list[int]) -> Points:
    """Places for so many nodes: linked ones near each other, all apart, those of the `middle` held there.

    Springs along the links, every node pushing every other, a pull towards the middle; each step shorter than the last.
    """
    if count == 0:
        return np.zeros((0, 2))
    at = _sunflower(count, middle)
    held = np.zeros(count, np.bool_)
    held[middle] = True
    apart = 1.0 / math.sqrt(count)
    for step in range(_STEPS):
        moved = _pushed(at, apart) + _pulled(at, ends, weights, apart) - 0.8 * at
        length = np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-9)
        longest = 0.12 * (1.0 - step / _STEPS)
        moved *= np.minimum(length, longest) / length
        moved[held] = 0.0
        at += moved
    return _fitted(at)


def _sunflower(count: int, middle: list[int]) -> Points:
    """To begin with: the middle in the middle (several on a small ring), the others around it in their order."""
    order = [*middle, *(i for i in range(count) if i not in set(middle))]
    place = np.arange(count)
    radius, angle = np.sqrt(place / count), place * _GOLDEN
    spiral = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    many = len(middle)
    if many > 1:
        turn = 2.0 * math.pi * np.arange(many) / many
        spiral[:many] = 0.22 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    at = np.empty_like(spiral)
    at[order] = spiral
    return at


def _pushed(at: Points, apart: float) -> Points:
    """Every node by every other: Σ (a − b) · apart² / |a − b|², as products of matrices."""
    sizes = (at**2).sum(axis=1)
    force = sizes[:, None] + sizes[None, :] - 2.0 * (at @ at.T)
    np.maximum(force, 1e-4, out=force)
    np.divide(apart**2, force, out=force)
    push: Points = at * force.sum(axis=1)[:, None] - force @ at
    return push


def _pulled(at: Points, ends: NDArray[np.int64], weights: Points, apart: float) -> Points:
    """Along the links, the stronger the more; where many meet each pulls less, or all would end up in one heap."""
    pull = np.zeros_like(at)
    if len(ends):
        between = at[ends[:, 1]] - at[ends[:, 0]]
        length = np.linalg.norm(between, axis=1, keepdims=True)
        links = np.bincount(ends.ravel(), minlength=len(at))
        busy = np.sqrt(np.maximum(links[ends[:, 0]], links[ends[:, 1]]))[:, None]
        force = between * length / apart * (0.3 + 0.7 * weights[:, None]) / busy
        np.add.at(pull, ends[:, 0], force)
        np.add.at(pull, ends[:, 1], -force)
    return pull


def _fitted(at: Points) -> Points:
    """Into the square from −1 to 1, the origin staying where it is."""
    reach = float(np.abs(at).max())
    return at / reach if reach > 1e-9 else at
