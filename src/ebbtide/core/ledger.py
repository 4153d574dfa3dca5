"""The way into a mind's state, the same for every store: admit a batch, give its changes numbers, fold them."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple, cast

from ebbtide.core.admission import Admission
from ebbtide.core.budget import fitted
from ebbtide.core.changes import Batch, Change, Entry, PutMemory, Receipt
from ebbtide.core.replay import Delta, fold, fold_puts
from ebbtide.core.state import MindState

REMEMBERED_BATCHES = 10_000  # how many batches back a repetition is recognised


class Run(NamedTuple):
    """What was folded at one stroke: a change of any kind, or many puts in a row.

    `seq` is the first one's number; `token` is the batch's on its first run, else empty.
    """

    seq: int
    changes: Sequence[Change]
    token: str
    delta: Delta

    def entries(self) -> list[Entry]:
        return [Entry(self.seq + i, change, "" if i else self.token) for i, change in enumerate(self.changes)]


Witness = Callable[[Run], None]


class Ledger:
    def __init__(self, state: MindState, tokens: dict[str, int] | None = None) -> None:
        self.state = state
        self._tokens = OrderedDict(tokens or {})

    def applied(self, token: str) -> int | None:
        return self._tokens.get(token)

    def accept(self, batch: Batch, witness: Witness) -> Receipt:
        """All of the batch is folded, or an error says why none of it is.

        The witness sees each run right after it was folded, before the next one is.
        """
        if (seq := self._tokens.get(batch.token)) is not None:
            return Receipt(seq, repeated=True)
        admission = Admission(self.state)
        changes, left = fitted(self.state, batch.changes)
        admitted = admission.admit(changes)
        token = batch.token
        for changes in _runs(admitted):
            seq = self.state.seq + 1
            witness(Run(seq, changes, token, self._fold(changes, seq)))
            token = ""
        self._remember(batch.token)
        return Receipt(self.state.seq, tuple(admission.stale), left=left)

    def _fold(self, changes: Sequence[Change], seq: int) -> Delta:
        if len(changes) == 1:
            return fold(self.state, changes[0], seq)
        return fold_puts(self.state, cast("Sequence[PutMemory]", changes), seq)

    def _remember(self, token: str) -> None:
        self._tokens[token] = self.state.seq
        if len(self._tokens) > REMEMBERED_BATCHES:
            self._tokens.popitem(last=False)


def _runs(changes: Sequence[Change]) -> Iterator[Sequence[Change]]:
    if len(changes) == 1:
        yield changes
        return
    for kind, group in groupby(changes, key=type):
        if kind is PutMemory:
            yield list(group)
        else:
            yield from ([change] for change in group)
