"""Taking over an older file, in place, in one transaction: afterwards it is a mind, or it is what it was.

The older table stays in the file as `legacy_memories`. Every row becomes a journaled put and every link a
journaled link, by the code that also writes for a living mind; so the journal tells how this mind came to be.

Scores, counts and other signals in the older `meta` or in a `score` column are not taken over: nobody writes
signals (SPEC C4), and the older design itself lets every memory start at 50.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from ebbtide.core.changes import Batch, Change, Configure, PutLink, PutMemory
from ebbtide.core.counted import counted
from ebbtide.core.errors import InvalidInput
from ebbtide.core.ledger import Ledger
from ebbtide.core.memory import CODE_OF
from ebbtide.core.parameters import Regime, regime
from ebbtide.core.state import MindState
from ebbtide.stores.sqlite.connection import named_errors, run, transaction
from ebbtide.stores.sqlite.legacy.former import LEGACY, step_aside
from ebbtide.stores.sqlite.legacy.links import Web
from ebbtide.stores.sqlite.legacy.report import Progress, Report, Takeover
from ebbtide.stores.sqlite.legacy.rows import CHUNK, OldMemory, RawRow, chunks, read
from ebbtide.stores.sqlite.schema import build
from ebbtide.stores.sqlite.writer import Writer

_NAMED_PROBLEMS = 3  # how many bad rows an error lists


def take_over(
    path: Path, at: float, metabolism: str, params: Mapping[str, Any], progress: Progress | None = None
) -> Takeover:
    """Make a mind of the older file at `path`; its memories keep their `created_at` and start to age at `at`.

    Raises InvalidInput, naming the rows, if some cannot be memories (no key or text, a key twice), and
    StoreUnreadable if the file is not an older one; then nothing has changed. `progress` sees two steps a row:
    its text, its links.
    """
    new, fallbacks = regime(metabolism, params)
    report = Report()
    for fallback in fallbacks:
        report.warn(str(fallback))
    with named_errors(path), closing(open_file(path)) as connection, transaction(connection):
        former = step_aside(connection, path)
        build(connection)
        former.keep(connection)
        mover = _Mover(connection, at, report, progress)
        mover.configure(new)
        mover.move_memories()
        mover.move_links()
        mover.look_back()
    return report.takeover(mover.moved, mover.linked)


def open_file(path: Path) -> sqlite3.Connection:
    """The file in its own journal mode. Text that is not UTF-8 is left for the checks to refuse, by row."""
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None)
    connection.text_factory = lambda text: text.decode(errors="surrogateescape")
    return connection


class _Mover:
    """Brings rows over, a chunk at a time, inside a transaction that is already open."""

    def __init__(self, connection: sqlite3.Connection, at: float, report: Report, progress: Progress | None) -> None:
        self._connection = connection
        self._at = at
        self._report = report
        self._progress = progress
        self._ledger = Ledger(MindState())
        self._writer = Writer(self._ledger.state)
        self._web = Web()
        self._problems: list[str] = []
        self._rows = connection.execute(f"SELECT count(*) FROM {LEGACY}").fetchone()[0]
        self.moved = 0
        self.linked = 0

    def configure(self, new: Regime) -> None:
        self._apply([Configure(self._at, new.metabolism.name, new.params())])

    def move_memories(self) -> None:
        for rows in chunks(self._connection, LEGACY):
            found = [self._put(row) for row in rows]
            if not self._problems:
                self._apply([put for put in found if put is not None])
            self._tell(self.moved)
        if self._problems:
            raise InvalidInput(problem=self._complaint())

    def move_links(self) -> None:
        sources = range(1, self.moved + 1)
        for first in sources[::CHUNK]:
            links = [link for source in sources[first - 1 : first - 1 + CHUNK] for link in self._links(source)]
            self._apply(links)
            self.linked += len(links)
            self._tell(self.moved + min(first - 1 + CHUNK, self.moved))

    def look_back(self) -> None:
        """Say so if the metabolism hides what has just come: it counts from `created_at`, and that may be long ago."""
        metabolism = self._ledger.state.regime.metabolism
        states = metabolism.judge(self._ledger.state.signals(), self._at).state
        for state in metabolism.hidden:
            if count := int(np.count_nonzero(states == CODE_OF[state])):
                some = f"{count:,} of {counted(self.moved, 'memory', 'memories')} {'is' if count == 1 else 'are'}"
                self._report.warn(f"{some} {state} from the start, by age")

    def _put(self, row: RawRow) -> PutMemory | None:
        try:
            old = read(row, self._at, self._report)
            self._require_new(row, old)
        except InvalidInput as error:
            self._problems.append(str(error))
            return None
        self.moved += 1
        self._web.add(self.moved, old.content.key, old.links)
        return PutMemory(self._at, self.moved, old.content, old.created_at)

    def _require_new(self, row: RawRow, old: OldMemory) -> None:
        if old.content.key in self._web.ids:
            raise InvalidInput(problem=f"{row.name}: another row before it has the same key")

    def _complaint(self) -> str:
        some = "; ".join(self._problems[:_NAMED_PROBLEMS])
        rest = len(self._problems) - _NAMED_PROBLEMS
        return f"the older table cannot be taken over: {some}" + (f"; and {rest:,} more" if rest > 0 else "")

    def _links(self, source: int) -> list[PutLink]:
        woven = self._web.woven(source, self._report)
        return [PutLink(self._at, source, *end, strength) for end, (strength, _) in woven.items()]

    def _apply(self, changes: Sequence[Change]) -> None:
        if changes:
            token = f"takeover-{self._ledger.state.seq + 1}"
            self._ledger.accept(Batch(tuple(changes), token), self._writer.witness)
            run(self._connection, self._writer.take())

    def _tell(self, done: int) -> None:
        if self._progress:
            self._progress(done, 2 * self._rows)
