"""Everything that can happen to a mind, as values. The journal is a list of these; `replay` says what each means.

Whatever was decided by chance, by a model or by a clock is inside the change, so replay needs none of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ebbtide.core.appraisal import Features
from ebbtide.core.links import LinkRow
from ebbtide.core.memory import Content, Message
from ebbtide.core.quick import quick


@dataclass(frozen=True, slots=True)
class Configure:
    """The mind lives by this regime from now on. The first entry of every journal."""

    at: float
    metabolism: str
    params: dict[str, Any]


@quick
@dataclass(frozen=True, slots=True)
class PutMemory:
    """`created_at` differs from `at` only for memories taken over from elsewhere."""

    at: float
    id: int
    content: Content
    created_at: float
    importance: float | None = None
    policy: str | None = None


@dataclass(frozen=True, slots=True)
class Rewrite:
    """The memory says something else now. `cause`: its owner replaced or reverted it, a cycle compressed it, the
    reaper pruned it, a squeeze halved it, or one of these (unfaded, unpruned, unhalved) or a merge (unmerged) was
    undone.
    """

    at: float
    id: int
    content: Content
    cause: str = "replaced"
    run: str = ""  # of the reaper or of the budget, where it was one


@dataclass(frozen=True, slots=True)
class PutLink:
    """A link is made, or made anew with this strength."""

    at: float
    source: int
    target: int
    relation: str
    strength: float


@dataclass(frozen=True, slots=True)
class Unlink:
    """A link is taken away."""

    at: float
    source: int
    target: int
    relation: str


@dataclass(frozen=True, slots=True)
class Access:
    """Read directly, or its use confirmed. `newness`: of each use that says what the mind lives by, see `Touch`."""

    at: float
    ids: tuple[int, ...]
    newness: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class Touch:
    """Its use confirmed. Who was touched less than `spacing` seconds ago is left out; in the journal it is 0.

    `cause`: asked, revived, where it was to come back though it had expired, or cascade, where something that it
    supports was touched. `newness`, found by admission where the metabolism looks at it: for each of these that is
    older than a day, the share of the living of that age that are no newer.
    """

    at: float
    ids: tuple[int, ...]
    spacing: float = 0.0
    cause: str = "asked"
    newness: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class Traverse:
    """Reached by walking a link."""

    at: float
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Pin:
    """The owner pins these, or takes their pins away. A pin protects from the engine and counts in no formula."""

    at: float
    ids: tuple[int, ...]
    pinned: bool


@dataclass(frozen=True, slots=True)
class Forget:
    """Into the trash. `cause`: asked (a person or agent), or what the metabolism decided by itself."""

    at: float
    id: int
    key: str
    cause: str = "asked"
    run: str = ""  # of the reaper or of the budget, where it was one


@dataclass(frozen=True, slots=True)
class Restore:
    """Out of the trash as it went in, under `key`; its share in a merge comes back with it."""

    at: float
    id: int
    key: str


@dataclass(frozen=True, slots=True)
class Merge:
    """`id` goes into `into`, which then says `content`; `before` is what it said, for the way back."""

    at: float
    into: int
    id: int
    key: str
    content: Content
    before: Content


@dataclass(frozen=True, slots=True)
class Discard:
    """Out of the trash for good."""

    at: float
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Recover:
    """Back from an archive, after the trash has let go of it: the same memory with its own links."""

    at: float
    id: int
    content: Content
    row: dict[str, Any]
    links: tuple[LinkRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """A tick found that these say nearly the same, by so much, and that those do no longer.

    A memory changed after entry `seen` is left for the next tick.
    """

    at: float
    seen: int
    found: tuple[tuple[int, int, float], ...] = ()
    lost: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Dismiss:
    """Somebody does not want this suggestion, as long as its facts are these. No facts: it may be made again."""

    at: float
    kind: str  # merge or delete
    ids: tuple[int, ...]
    facts: str


@dataclass(frozen=True, slots=True)
class Appraise:
    """The words of these were read: what can be read off each, from which its content prior follows.   SPEC T3."""

    at: float
    ids: tuple[int, ...]
    features: tuple[Features, ...]


@dataclass(frozen=True, slots=True)
class Supersede:
    """For each (older, newer, share): the newer memory says the same by so much. (older, 0, 0): none does any more.

    A memory changed after entry `seen` is left alone.
    """

    at: float
    seen: int
    found: tuple[tuple[int, int, float], ...]


@dataclass(frozen=True, slots=True)
class WriteDown:
    """A tick's findings. A memory changed after entry `seen` is left for the next tick."""

    at: float
    seen: int
    ids: tuple[int, ...]
    states: tuple[int, ...]
    marks: tuple[int, ...]
    scores: tuple[int, ...] | None = None

    def only(self, places: Sequence[int]) -> "WriteDown":
        """What it says of some of the memories, by their places in `ids`."""
        scores = None if self.scores is None else tuple(self.scores[i] for i in places)
        ids, states, marks = (tuple(column[i] for i in places) for column in (self.ids, self.states, self.marks))
        return WriteDown(self.at, self.seen, ids, states, marks, scores)


@dataclass(frozen=True, slots=True)
class Scan:
    """The compression cycle `task` passed over the living memories in these ranges of ids, so many of them."""

    at: float
    ranges: tuple[tuple[int, int], ...]
    task: int = 0
    count: int = 0


@dataclass(frozen=True, slots=True)
class Reaped:
    """The reaper has run to its end where something had expired. The first run after a pause deletes nothing."""

    at: float
    run: str
    deferred: int = 0  # how many memories it left to the next run because of a pause


@dataclass(frozen=True, slots=True)
class Sweep:
    """Links that scans have worn below the breaking point are gone for good."""

    at: float


@dataclass(frozen=True, slots=True)
class Focus:
    """The focus points from now on, least recently mentioned first."""

    at: float
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Enqueue:
    """Work for the mind's own queue; the task is known by the number of this entry."""

    at: float
    kind: str  # remember or compress
    messages: tuple[Message, ...] = ()
    upto: int = 0  # compress: memories with a higher id are not its business


@dataclass(frozen=True, slots=True)
class Settle:
    """The task is no more: done, or dropped by somebody."""

    at: float
    task: int
    outcome: str = "done"


@dataclass(frozen=True, slots=True)
class SetAside:
    """The task failed and waits for somebody to retry or drop it; others go on."""

    at: float
    task: int
    error: str


@dataclass(frozen=True, slots=True)
class Requeue:
    """A task that was set aside is to be tried again, after all that wait now."""

    at: float
    task: int


Change = (
    Configure
    | PutMemory
    | Rewrite
    | PutLink
    | Unlink
    | Access
    | Touch
    | Traverse
    | Pin
    | Forget
    | Restore
    | Merge
    | Discard
    | Recover
    | Pair
    | Dismiss
    | Appraise
    | Supersede
    | WriteDown
    | Reaped
    | Scan
    | Sweep
    | Focus
    | Enqueue
    | Settle
    | SetAside
    | Requeue
)
KINDS: dict[str, type[Change]] = {
    "configure": Configure,
    "put": PutMemory,
    "rewrite": Rewrite,
    "link": PutLink,
    "unlink": Unlink,
    "access": Access,
    "touch": Touch,
    "traverse": Traverse,
    "pin": Pin,
    "forget": Forget,
    "restore": Restore,
    "merge": Merge,
    "discard": Discard,
    "recover": Recover,
    "pair": Pair,
    "dismiss": Dismiss,
    "appraise": Appraise,
    "supersede": Supersede,
    "tick": WriteDown,
    "reaped": Reaped,
    "scan": Scan,
    "sweep": Sweep,
    "focus": Focus,
    "enqueue": Enqueue,
    "settle": Settle,
    "set_aside": SetAside,
    "requeue": Requeue,
}
KIND_OF: dict[type[Change], str] = {change: kind for kind, change in KINDS.items()}

# Entries about what is always on the move, hot columns and the queue: the journal has them at once, the tables
# at the next checkpoint.
HOT = (Access, Touch, Traverse, Scan, Appraise, WriteDown, Enqueue, Settle, SetAside, Requeue)


@dataclass(frozen=True, slots=True)
class Batch:
    """Changes that happen together or not at all.

    The token names the batch and no other: applying a batch of that name again does nothing.
    """

    changes: tuple[Change, ...]
    token: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A change as the journal has it. The first entry of a batch bears its token, the others none."""

    seq: int
    change: Change
    token: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a batch: its last entry, which memories a tick left alone because they had moved on, and which
    have left for the budget."""

    seq: int
    stale: tuple[int, ...] = ()
    repeated: bool = False
    left: tuple[int, ...] = ()


def subject(change: Change) -> int | None:
    """The one memory a change is about, if it is about one."""
    match change:
        case PutMemory() | Rewrite() | Forget() | Restore() | Recover():
            return change.id
        case Merge():
            return change.into
        case PutLink() | Unlink():
            return change.source
        case Access() | Touch() | Traverse() | Pin() | Discard() if len(change.ids) == 1:
            return change.ids[0]
    return None
