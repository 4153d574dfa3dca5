"""Tuning: a mind's own journal replayed under each candidate, with room for so many memories.   SPEC B3.

What is measured, and by which rules, stands in core/tuning.py. The journal is read once; each candidate lives through
it under each budget (`trials.py`). Nothing is written to the mind.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ebbtide.core import tuning
from ebbtide.core.candidates import EVERYTHING, Candidate, candidates, regime_of
from ebbtide.core.ports import Analyzer, Store
from ebbtide.core.tuning import FEWEST, Budget, Kept, Loss, Outcome, Step, Tuning
from ebbtide.mind import history
from ebbtide.mind.likeness import Likeness
from ebbtide.mind.trials import Answers, Readings, Story, Teller, Trial, read
from ebbtide.mind.upkeep import Progress

_OWN_BUDGET = "budget_memories"
_SAID = 200  # characters of a lost memory

Row = list[Answers]  # of one candidate, by budget


async def tuned(
    store: Store,
    scratch: history.Scratch,
    *,
    budgets: str | int | Sequence[str | int] = (),
    metabolisms: str | Sequence[str] = (),
    params: Mapping[str, Any] | None = None,
    analyzer: Analyzer | None = None,
    likeness: Likeness | None = None,
    progress: Progress | None = None,
) -> Tuning:
    """What `Mind.tune` says. `analyzer` and `likeness`: for regimes that look at what memories say, as in `retold`."""
    began = time.monotonic()
    asked = [budgets] if isinstance(budgets, str | int | float) else list(budgets)
    only = [metabolisms] if isinstance(metabolisms, str) else list(metabolisms)
    own = store.regime.params()
    compared = candidates(store.regime.metabolism.name, own, only, params)
    tuning.budgets(asked, 0, 1)  # what is no budget is refused before the journal is read
    story = await read(store)
    tested, main = tuning.budgets(asked, int(own.get(_OWN_BUDGET, 0)), story.made, story.entries)
    rows = await _Trials(store, scratch, story, analyzer, likeness).of(compared, tested, progress)
    outcomes = _Telling(story, rows[0]).outcomes(compared, rows)
    best = _best(outcomes, main)
    gains = best.results[main]
    starts, place = tuning.steps(np.array(story.at))
    every = tuning.per_step(place, np.ones(len(story.at), np.bool_), len(starts))
    enough = len(story.at) >= FEWEST
    return Tuning(
        metabolism=store.regime.metabolism.name,
        memories=story.made,
        uses=len(story.at),
        steps=tuple(Step(at, uses) for at, uses in zip(starts, every, strict=True)),
        budgets=tuple(tested),
        main=main,
        outcomes=tuple(outcomes),
        best=best.number,
        clear=enough and tuning.is_clear(gains.gained, gains.missed),
        enough=enough,
        decided=story.decided,
        seconds=time.monotonic() - began,
    )


class _Trials:
    def __init__(
        self,
        store: Store,
        scratch: history.Scratch,
        story: Story,
        analyzer: Analyzer | None,
        likeness: Likeness | None,
    ) -> None:
        self._store, self._scratch, self._story, self._likeness = store, scratch, story, likeness
        self._readings = None if analyzer is None else Readings(analyzer)

    async def of(self, compared: Sequence[Candidate], tested: Sequence[Budget], progress: Progress | None) -> list[Row]:
        lived = sum(candidate.rule != EVERYTHING for candidate in compared) * len(tested)
        teller = Teller(self._story.entries * lived, progress)
        return [[await self._one(candidate, budget, teller) for budget in tested] for candidate in compared]

    async def _one(self, candidate: Candidate, budget: Budget, teller: Teller) -> Answers:
        if candidate.rule == EVERYTHING:
            every = np.ones(len(self._story.at), np.bool_)
            return Answers(every, ~every, {})
        old = self._store.regime
        new = regime_of(candidate, old.metabolism.name, old.params())
        appraises = new.metabolism.traits.appraises and not old.metabolism.traits.appraises
        reader, alike = (self._readings, self._likeness) if appraises else (None, None)
        copy, retelling = await history.beginning(self._store, self._scratch, new, self._story.base, reader, alike)
        try:
            return await Trial(candidate, budget.memories, self._story, copy, retelling).live(teller)
        finally:
            await copy.close()


class _Telling:
    """Answers as figures; `first` are those of the mind as it is."""

    def __init__(self, story: Story, first: Row) -> None:
        self._story, self._first = story, first
        self._memory = np.array(story.memory, np.int64)
        starts, self._place = tuning.steps(np.array(story.at))
        self._steps = len(starts)

    def outcomes(self, compared: Sequence[Candidate], rows: Sequence[Row]) -> list[Outcome]:
        numbered = enumerate(zip(compared, rows, strict=True), 1)
        return [Outcome(number, candidate, self._results(row)) for number, (candidate, row) in numbered]

    def _results(self, row: Row) -> tuple[Kept, ...]:
        return tuple(self._figures(each, first.kept) for each, first in zip(row, self._first, strict=True))

    def _figures(self, each: Answers, first: Any) -> Kept:
        kept = each.kept
        return Kept(
            kept=int(kept.sum()),
            lost=int((~kept).sum()),
            hidden=int(each.hidden.sum()),
            gained=int((kept & ~first).sum()),
            missed=int((first & ~kept).sum()),
            steps=tuning.per_step(self._place, kept, self._steps),
            losses=tuple(self._loss(*lost, each.left) for lost in tuning.most_lost(self._memory, kept)),
        )

    def _loss(self, memory: int, uses: int, left: Mapping[int, float]) -> Loss:
        said = self._story.said[memory]
        return Loss(said.key, (said.phrase or said.text)[:_SAID], uses, left.get(memory))


def _best(outcomes: Sequence[Outcome], main: int) -> Outcome:
    """Of the regimes, the one that keeps the most; of equals the first, which is the mind as it is."""
    regimes = [outcome for outcome in outcomes if not outcome.candidate.is_reference]
    return max(regimes, key=lambda outcome: outcome.results[main].kept)
