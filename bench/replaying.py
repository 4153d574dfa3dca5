"""One time line under one policy and one budget: who is still there when a question comes, and what a search finds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bench.confirming import Asked, Confirm
from bench.policies import Policy
from bench.timelines import Ask, TimeLine
from ebbtide.core.signals import Column

K = 10
Lift = Callable[[float], Column]  # what a policy adds to the similarity of each item at a moment
Similar = Callable[[Ask, Policy, Column], Column]  # of the items marked as living, in their order, to the question


@dataclass(frozen=True, slots=True)
class Found:
    """One question that counts: the share of its evidence still there, and among the ten best."""

    kept: float
    recall: float  # by similarity alone
    lifted: float  # by similarity and what the policy adds to it


@dataclass(frozen=True, slots=True)
class Budget:
    """How many items may stay: a share of the whole time line's, or of those that have arrived."""

    share: float
    of_arrived: bool = False

    def room(self, arrived: int, total: int) -> int:
        return max(1, round(self.share * (arrived if self.of_arrived else total)))


def replay(
    line: TimeLine,
    asks: Sequence[Ask],
    policy: Policy,
    budget: Budget,
    confirm: Confirm,
    *,
    lift: Lift | None = None,
    at_session_ends: bool = False,
    recall: bool = True,
    similar: Similar | None = None,
) -> list[Found]:
    """Puts in order, after each what must leave; questions when they are due, after each what is confirmed."""
    similar = similar or (lambda ask, _, alive: line.matchers[ask.question.number].similarity(alive))
    alive, put, found = np.zeros(len(line), np.bool_), 0, []
    ends = set(line.session_ends) if at_session_ends else None
    for number, ask in enumerate(asks):
        while put < ask.after:
            now = float(line.at[put])
            policy.put(put, now)
            alive[put] = True
            put += 1
            if ends is None or put in ends:
                _squeeze(policy, alive, budget.room(put, len(line)), now)
        hits, shown, similarity = _search(similar, ask, policy, alive, lift) if recall else (_NO, _NO, _NO)
        if ask.counts:
            share = ask.question.share
            found.append(Found(share(alive), share(_marked(hits, alive)), share(_marked(shown, alive))))
        used = confirm(Asked(line, ask.question, alive, shown, similarity, seed=number * 7919 + len(line)))
        if used:
            policy.use(used, ask.at)
    return found


_NO: Column = np.empty(0, np.int64)


def _squeeze(policy: Policy, alive: Column, room: int, now: float) -> None:
    for _ in range(int(alive.sum()) - room):
        item = policy.victim(now)
        policy.drop(item, now)
        alive[item] = False


def _search(
    similar: Similar, ask: Ask, policy: Policy, alive: Column, lift: Lift | None
) -> tuple[Column, Column, Column]:
    """The ten best by similarity, the ten best with what the policy adds, which are shown, and their similarity."""
    living = np.flatnonzero(alive)
    similarity = similar(ask, policy, alive)
    best = np.argsort(-similarity, kind="stable")[:K]
    if lift is None:
        return living[best], living[best], similarity[best]
    shown = np.argsort(-similarity - lift(ask.at)[living], kind="stable")[:K]
    return living[best], living[shown], similarity[shown]


def _marked(items: Column, like: Column) -> Column:
    marked = np.zeros_like(like)
    marked[items] = True
    return marked
