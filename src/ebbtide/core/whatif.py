"""What would I remember under another regime? The journal's facts, without the decisions of the old one.   SPEC C6."""

from dataclasses import replace

from ebbtide.core.changes import (
    Access,
    Appraise,
    Change,
    Configure,
    Dismiss,
    Enqueue,
    Focus,
    Forget,
    Pair,
    PutMemory,
    Reaped,
    Requeue,
    Rewrite,
    Scan,
    SetAside,
    Settle,
    Supersede,
    Sweep,
    Touch,
)
from ebbtide.core.metabolism import traits_of

ASKED = "asked"  # the cause of a forgetting that a person or agent wanted; any other is a metabolism's own
REVIVED = "revived"  # of a touch that was to bring back what had expired
CASCADE = "cascade"  # of a touch that came from another one
COMPRESSED = "compressed"
UNFADED = "unfaded"  # a compressed text brought back
UNMERGED = "unmerged"
PRUNED = "pruned"
UNPRUNED = "unpruned"
HALVED = "halved"  # by the budget, before it leaves
UNHALVED = "unhalved"


def retell(change: Change, *, old: str, new: str) -> Change | None:
    """The change as it would have happened in a mind that lives by `new`; None for what only `old` decided."""
    match change:
        case Configure():
            return None
        case PutMemory() if not traits_of(new).inputs:
            return replace(change, importance=None, policy=None)
        case Rewrite(cause=cause) if cause in (COMPRESSED, PRUNED, HALVED):
            return None
        case Forget(cause=cause) if cause != ASKED:
            return None
        case Touch(cause=cause) if cause == CASCADE:
            return None
        case Focus() if old != new:
            return None
        case Access() | Touch():
            return replace(change, newness=None)  # the copy finds its own
        case Appraise() | Supersede() if old != new:
            return None  # `Retelling` reads the words anew, and looks at the vectors of the original
        case Pair() | Dismiss() | Reaped() | Scan() | Sweep():
            return None
        case Enqueue() | Settle() | SetAside() | Requeue():
            return None
    return change
