"""Does a mind with a budget stay as quick and as small as it was, however much is put into it?   SPEC T7.

A tide mind of 10,000 memories gets a million, in batches of a thousand and one by one. With each the clock moves on
by ten seconds. Whenever six hours have passed the mind is ticked and its journal compacted, as the scheduler does. The
baseline is the same mind in its second hundred thousand, when its journal, too, had grown to its full length. Times are
those of the processor, with all threads: other load on the machine does not count.
"""

import asyncio
import resource
import tempfile
import time

import ebbtide
from bench.measure import Figure, Goal, options, progress, report
from ebbtide.testing import Clock

BUDGET = 10_000
BATCH = 1_000
SECONDS = 10.0  # of the clock, a put
TICK = 6 * 3600.0
_FLAT = Goal("≤", 1.3)
_SINGLE = 2_000  # puts one by one at each look
_TEXTS = (
    "On {} Lin took the ferry to Lamma at 8:40 and met Bo at the pier; they spoke of the concert.",
    "{} 号渡轮八点四十分从中环四号码头开，林在船上。",
    "Do you remember what we said about {}?",
)


class Life:
    """One mind, what it cost at each look, and how large its files were."""

    def __init__(self, mind: ebbtide.Mind, clock: Clock) -> None:
        self._mind, self._clock = mind, clock
        self._made = 0
        self._ticked = clock.now()
        self.batched: list[float] = []
        self.single: list[float] = []
        self.disk: list[int] = []
        self.journal: list[int] = []
        self.trash: list[int] = []

    def __str__(self) -> str:
        cost = f"{1e6 * self.batched[-1]:.0f} µs in batches, {1e6 * self.single[-1]:.0f} µs alone"
        return f"{cost}; {self.disk[-1] / 2**20:.0f} MiB, {self.journal[-1]:,} entries, {self.trash[-1]:,} in the trash"

    async def go_on(self, count: int) -> None:
        await self._mind.search("the ferry to Lamma")  # so everything put is read and embedded behind the puts
        started, made = time.process_time(), self._made
        while self._made < made + count - _SINGLE:
            await self._mind.put_many([{"text": text} for text in self._texts(BATCH)])
            await self._upkeep()
        self.batched.append((time.process_time() - started) / (self._made - made))
        started = time.process_time()
        for text in self._texts(_SINGLE):
            await self._mind.put(text)
        self.single.append((time.process_time() - started) / _SINGLE)
        await self._upkeep()
        stats = await self._mind.stats()
        assert stats.budget.memories <= BUDGET, stats.budget
        self.disk.append(stats.store.disk_bytes)
        self.journal.append(stats.store.journal_entries)
        self.trash.append(stats.store.trash)

    def _texts(self, count: int) -> list[str]:
        self._clock.advance(seconds=SECONDS * count)
        self._made += count
        return [_TEXTS[number % 3].format(number) for number in range(self._made - count, self._made)]

    async def _upkeep(self) -> None:
        if self._clock.now() - self._ticked >= TICK:
            self._ticked = self._clock.now()
            await self._mind.tick()
            await self._mind.compact()


async def measured(puts: int, step: int) -> tuple[list[Figure], list[str]]:
    clock = Clock(1_700_000_000.0)
    with tempfile.TemporaryDirectory() as folder:
        async with ebbtide.open(data=folder, clock=clock, budget_memories=BUDGET) as mind:
            life = Life(mind, clock)
            await life.go_on(2 * BUDGET)
            for done in range(step, puts + 1, step):
                await life.go_on(step)
                progress(f"{done:,} puts: {life}")
            same = not await mind.check()
    ram = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    middle = len(life.disk) // 2
    figures = [
        Figure("a put in a batch of 1,000, at the end", life.batched[-1], life.batched[2], goal=_FLAT),
        Figure("a put by itself, at the end", life.single[-1], life.single[2], goal=_FLAT),
        Figure("largest files, second half of the puts", max(life.disk[middle:]), max(life.disk[:middle]), "B", _FLAT),
    ]
    notes = [
        f"journal and mind are {'the same' if same else '**different**'} at the end",
        f"at most {max(life.journal):,} journal entries, {max(life.trash):,} in the trash, {ram:,.0f} MiB of RAM",
    ]
    return figures, notes


def main() -> None:
    parser = options("budget", "Putting a million memories into a mind that may hold ten thousand.")
    parser.add_argument("--puts", type=int, default=1_000_000)
    parser.add_argument("--step", type=int, default=100_000, help="puts between two looks")
    given = parser.parse_args()
    report("budget", given, *asyncio.run(measured(given.puts, given.step)))


if __name__ == "__main__":
    main()
