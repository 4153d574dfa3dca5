"""The embedded store: one SQLite file per mind, in WAL mode, with its hot columns and links mirrored in RAM.

Every batch goes the same way: admitted and folded in the mirror, put into SQL, committed. In `normal`
durability a small commit does not wait for the disk and is made on the spot. Everything else (power-loss
durability, large batches) is committed by a thread, and whoever comes meanwhile shares the next commit.
What only moves hot columns (uses, scans, ticks) is journaled; the tables have it from the next checkpoint on.

If a commit fails, the mirror is ahead of the disk: every batch that was not on disk fails with the same
error, and the mirror is read again before it is used again.
"""

import asyncio
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Literal

from ebbtide.core.changes import HOT, Batch, Receipt
from ebbtide.core.errors import StoreClosed, StoreError
from ebbtide.core.ledger import Ledger, Run
from ebbtide.core.ports import StoreInfo
from ebbtide.core.snapshot import Snapshot, dump
from ebbtide.stores.sqlite import codec, loader
from ebbtide.stores.sqlite.connection import connect, named_errors, shrink, write
from ebbtide.stores.sqlite.indexed import Indexed
from ebbtide.stores.sqlite.lock import MindLock
from ebbtide.stores.sqlite.log import Log
from ebbtide.stores.sqlite.queries import sql
from ebbtide.stores.sqlite.readable import Readable
from ebbtide.stores.sqlite.schema import make, migrate, require_ours
from ebbtide.stores.sqlite.shelf import Shelf
from ebbtide.stores.sqlite.writer import Statement, Writer, joined, rebased

Durability = Literal["normal", "full"]
FILE = "mind.db"

_TURN = 0.001  # seconds of small commits before others get a turn
_SMALL = 64  # rows a commit may write on the event loop's own time
_LAZY_SECONDS = 1.0  # how long statistics may wait for a commit
_CHECKPOINT_EVERY = 20_000  # hot entries between two write-outs of the counters


class SqliteStore(Readable, Indexed):
    def __init__(self, folder: Path, durability: Durability = "normal") -> None:
        """Opens or makes the mind in this folder. Takes the lock; raises MindBusy if another process has it."""
        self._path = folder / FILE
        with named_errors(self._path):
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = MindLock(folder)
        try:
            self._open(durability)
        except BaseException:
            self._lock.release()
            raise

    def _open(self, durability: Durability) -> None:
        with named_errors(self._path), ExitStack() as opened:
            if self._path.exists():
                require_ours(self._path)
            else:
                make(self._path)
            self._connection = opened.enter_context(closing(connect(self._path, durability)))
            migrate(self._connection, self._path)
            self._reader = opened.enter_context(closing(connect(self._path, durability)))
            self._copier = opened.enter_context(closing(connect(self._path, durability)))
            self._load()
            opened.pop_all()
        self._inline = durability == "normal"
        self._threads = ThreadPoolExecutor(2, "ebbtide-disk")  # one to commit, one to copy the log back
        self._log = Log(self._connection, self._copier, self._threads)
        self._shelf = Shelf(self._path, self._settled, self._alive, self._start_flush)
        self._lazy: list[Statement] = []
        self._lazy_timer: asyncio.TimerHandle | None = None
        self._queue: list[tuple[list[Statement], asyncio.Future[None]]] = []
        self._flusher: asyncio.Task[None] | None = None
        self._reserved = 0
        self._hot_entries = 0
        self._breathed = 0.0
        self._closed = False

    def _load(self) -> None:
        self._ledger = loader.load(self._connection)
        self._writer = Writer(self._ledger.state)
        self._checkpointed = loader.checkpoint(self._connection)
        self._ahead = False

    # ---- writing

    async def apply(self, batch: Batch, *, lazy: bool = False) -> Receipt:
        receipt = self._require_open().accept(batch, self._witness)
        statements = self._writer.take()
        if lazy:
            self._postpone(statements)
        elif statements or receipt.repeated:
            await self._commit(statements)
        if self._hot_entries >= _CHECKPOINT_EVERY:
            await self._checkpoint()
        return receipt

    def _witness(self, run: Run) -> None:
        if isinstance(run.changes[0], HOT):
            self._hot_entries += 1
        self._writer.witness(run)
        self._shelf.note(run)

    def _postpone(self, statements: list[Statement]) -> None:
        self._lazy += statements
        if self._lazy_timer is None:
            loop = asyncio.get_running_loop()
            self._lazy_timer = loop.call_later(_LAZY_SECONDS, self._start_flush)

    async def _commit(self, statements: list[Statement]) -> None:
        statements = [*self._take_lazy(), *statements]
        if self._inline and self._flusher is None and (rows := _count_rows(statements)) <= _SMALL:
            self._commit_here(statements, rows)
            await self._breathe()
            return
        done = asyncio.get_running_loop().create_future()
        self._queue.append((statements, done))
        self._start_flush()
        await done

    async def _breathe(self) -> None:
        """Somebody who puts and puts without ever waiting for anything else must not keep others from their turn."""
        now = time.monotonic()
        if now - self._breathed > _TURN:
            await asyncio.sleep(0)
            self._breathed = time.monotonic()

    def _commit_here(self, statements: list[Statement], rows: int) -> None:
        try:
            with named_errors(self._path):
                write(self._connection, statements)
        except BaseException:
            self._start_over()
            raise
        self._log.grew(rows)

    def _start_flush(self) -> None:
        if self._flusher is None and not self._closed:
            self._flusher = asyncio.get_running_loop().create_task(self._flush())

    async def _flush(self) -> None:
        """Commit what has gathered, as one group, until nothing more has come; index rows before it, by themselves."""
        try:
            while self._shelf.unwritten or self._queue or self._lazy:
                self._log.grew(await self._shelf.write(self._connection, self._threads))
                group, self._queue = self._queue, []
                statements = joined([*(s for part, _ in group for s in part), *self._take_lazy()])
                await self._commit_group(statements, [done for _, done in group])
        finally:
            self._flusher = None

    async def _commit_group(self, statements: list[Statement], waiting: list[asyncio.Future[None]]) -> None:
        run = asyncio.get_running_loop().run_in_executor
        try:
            with named_errors(self._path):
                await run(self._threads, partial(write, self._connection, statements))
        except Exception as error:  # noqa: BLE001 — handed to everyone who waits for this group
            waiting += [done for _, done in self._queue]
            self._queue = []
            self._start_over()
            for done in waiting:
                if not done.done():
                    done.set_exception(error)
            return
        self._log.grew(_count_rows(statements))
        for done in waiting:
            if not done.done():
                done.set_result(None)

    def _start_over(self) -> None:
        """The mirror ran ahead of a commit that failed: it is read again before anybody looks at it."""
        self._lazy = []
        self._ahead = True
        self._shelf.throw_away()

    def _take_lazy(self) -> list[Statement]:
        if self._lazy_timer is not None:
            self._lazy_timer.cancel()
            self._lazy_timer = None
        lazy, self._lazy = self._lazy, []
        return lazy

    async def _checkpoint(self) -> None:
        """Write the hot counters of every row that has moved, so that opening need not replay them."""
        self._hot_entries = 0
        seq = self._require_open().state.seq
        await self._commit(self._writer.checkpoint())
        self._checkpointed = seq

    # ---- reading

    async def reserve(self, count: int) -> int:
        first = max(self._state.next_id, self._reserved)
        self._reserved = first + count
        return first

    async def snapshot(self) -> Snapshot:
        while self._lazy or self._flusher is not None:  # until nobody writes: mirror and tables must be of one moment
            await self._settled()
        state = self._state
        with named_errors(self._path):
            rows = self._reader.execute(sql("read_all_contents")).fetchall()
            forgotten = self._reader.execute(sql("read_trash")).fetchall()
            trash = {codec.trashed(row[-1]).id: codec.content(row) for row in forgotten}
            return dump(state, {row[0]: codec.content(row[1:]) for row in rows}, trash)

    async def compact(self, base: Snapshot) -> None:
        """Then the file is written anew without what was dropped; whoever writes meanwhile waits in the queue."""
        await self._checkpoint()
        await self._commit(rebased(base))
        while self._flusher is not None:
            await asyncio.wait([self._flusher])
        self._require_open()
        self._flusher = asyncio.get_running_loop().create_task(self._shrink())
        await asyncio.wait([shrinking := self._flusher])  # which goes on, should nobody wait any longer
        shrinking.result()

    async def _shrink(self) -> None:
        try:
            with named_errors(self._path):
                await asyncio.get_running_loop().run_in_executor(self._threads, shrink, self._connection)
        except StoreError as error:
            problem = f"the journal was compacted, but the room it took up could not be given back: {error}"
            raise StoreError(problem=problem) from error
        finally:
            self._flusher = None
            if self._queue or self._lazy:
                self._start_flush()

    async def info(self) -> StoreInfo:
        self._start_flush()
        await self._settled()
        state = self._state
        with named_errors(self._path):
            entries = self._reader.execute(sql("count_journal")).fetchone()[0]
            base = self._reader.execute(sql("read_meta"), ("base_seq",)).fetchone()
        return StoreInfo(
            memories=len(state.table),
            links=len(state.links),
            traces=state.count_traces(),
            trash=len(state.trash),
            journal_entries=entries,
            journal_from=int(base[0]) if base else 0,
            disk_bytes=sum(file.stat().st_size for file in self._path.parent.glob(f"{FILE}*")),
            ram_bytes=state.nbytes(),
        )

    # ---- the end

    async def close(self) -> None:
        if self._closed:
            return
        try:
            if not self._ahead:  # else all there was to write has failed already
                await self._settle_up()
            self._start_flush()  # index rows, too
            while self._flusher is not None:
                await asyncio.wait([self._flusher])
        finally:
            self._closed = True
            self._threads.shutdown()
            self._copier.close()
            self._reader.close()
            self._connection.close()
            self._lock.release()

    async def _settle_up(self) -> None:
        """Nothing is written to a mind that nothing has happened to."""
        if self._ledger.state.seq != self._checkpointed:
            await self._checkpoint()
        elif self._lazy:
            await self._commit([])

    async def _settled(self) -> None:
        """What was written before now can be read now."""
        self._require_open()
        if self._lazy or self._flusher is not None:
            await self._commit([])

    def _require_open(self) -> Ledger:
        if self._closed:
            raise StoreClosed
        if self._ahead:
            with named_errors(self._path):
                self._load()
        return self._ledger


def _count_rows(statements: Sequence[Statement]) -> int:
    return sum([len(statement.rows) for statement in statements])
