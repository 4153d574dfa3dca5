"""The way into a mind's state, the same for every store: admit a batch, give its changes numbers, fold them."""

from collections.abc import Callable, Sequence
from itertools import groupby

from ebbtide.core.admission import Admission
from ebbtide.core.changes import Batch, Change, Entry, PutMemory, Receipt
from ebbtide.core.replay import NOTHING, Delta, fold, fold_puts
from ebbtide.core.state import MindState

REMEMBERED_BATCHES = 10_000  # how many batches back a repetition is recognised


Witness = Callable[[Entry, Delta], None]


class Ledger:
    def __init__(self, state: MindState, tokens: dict[str, int] | None = None) -> None:
        self.state = state
        self._tokens = tokens or {}

    def accept(self, batch: Batch, witness: Witness) -> Receipt:
        """All of the batch is folded, or an error says why none of it is.

        The witness sees each entry right after it was folded, before the next one is.
        """
        if (seq := self._tokens.get(batch.token)) is not None:
            return Receipt(seq, repeated=True)
        admission = Admission(self.state)
        admitted = admission.admit(batch.changes)
        first = self.state.seq + 1
        self._fold([Entry(first + i, change, batch.token) for i, change in enumerate(admitted)], witness)
        self._remember(batch.token)
        return Receipt(self.state.seq, tuple(admission.stale))

    def _fold(self, entries: Sequence[Entry], witness: Witness) -> None:
        for is_put, run in groupby(entries, key=_is_put):
            group = list(run)
            if is_put and len(group) > 1:
                fold_puts(self.state, [_as_put(entry.change) for entry in group], group[0].seq)
                for entry in group:
                    witness(entry, NOTHING)
                continue
            for entry in group:
                witness(entry, fold(self.state, entry.change, entry.seq))

    def _remember(self, token: str) -> None:
        self._tokens[token] = self.state.seq
        if len(self._tokens) > REMEMBERED_BATCHES:
            del self._tokens[next(iter(self._tokens))]


def _is_put(entry: Entry) -> bool:
    return type(entry.change) is PutMemory


def _as_put(change: Change) -> PutMemory:
    assert isinstance(change, PutMemory)
    return change
