"""The values a mind is made of. All frozen; nothing here knows how it is stored."""

from dataclasses import dataclass
from enum import IntFlag, StrEnum
from typing import Literal

from ebbtide.core.quick import quick

HOUR = 3600.0
DAY = 86400.0
DEFAULT_STRENGTH = 0.5  # of a link, unless somebody says otherwise


class State(StrEnum):
    """What follows from a memory's vitality. Which of these occur is the metabolism's business."""

    ACTIVE = "active"
    COLD = "cold"
    DEPRECATED = "deprecated"
    EXPIRED = "expired"
    FADING = "fading"  # network: the text shrinks with the importance
    VANISHING = "vanishing"  # network: the next scan forgets it


STATES = tuple(State)
CODE_OF = {state: code for code, state in enumerate(STATES)}


class Mark(IntFlag):
    """What a tick only points at and never carries out by itself."""

    NONE = 0
    DELETE = 1
    MERGE = 2

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"{mark.name}_candidate".lower() for mark in Mark if mark and mark in self)


class Policy(StrEnum):
    NORMAL = "normal"
    PERSISTENT = "persistent"
    EPHEMERAL = "ephemeral"


POLICIES = tuple(Policy)


@quick
@dataclass(frozen=True, slots=True)
class Content:
    """What a memory says: everything about it that is not a statistic."""

    key: str
    text: str
    phrase: str = ""
    keywords: tuple[str, ...] = ()
    kind: str = "note"
    domain: str = ""
    speaker: str = ""  # who said it; empty: not known


@quick
@dataclass(frozen=True, slots=True)
class Meta:
    """A memory's signals as scalars. Fields another metabolism owns are None."""

    in_degree: int
    out_degree: int
    access_count: int
    traverse_count: int
    last_accessed_at: float
    last_linked_at: float | None
    last_touched_at: float | None
    scan_count: int
    original_length: int
    score: int | None = None
    importance: float | None = None
    strength: float | None = None
    policy: Policy | None = None
    expires_at: float | None = None
    protected: bool | None = None
    pruned_at: float | None = None
    pinned: bool = False


@quick
@dataclass(frozen=True, slots=True)
class Memory:
    """A memory as a reader sees it at one moment: what it says, its signals, and what they amount to."""

    id: int
    key: str
    text: str
    phrase: str
    keywords: tuple[str, ...]
    kind: str
    domain: str
    created_at: float
    state: State
    marks: Mark
    vitality: float
    meta: Meta
    speaker: str = ""  # who said it; empty: not known


@dataclass(frozen=True, slots=True)
class Link:
    """Directed. `target` may be gone; then the link is a trace."""

    source: int
    target: int
    relation: str
    strength: float


@dataclass(frozen=True, slots=True)
class Step:
    """One link as seen from a memory: where it leads, and what is there. Of an expired target only that is told."""

    relation: str
    strength: float
    key: str | None  # None: not even its name is known any more, or it has expired
    memory: Memory | None  # None: a trace, "I once knew this", or it has expired
    expired: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["user", "assistant", "system"]
    content: str
    timestamp: float | None = None
    name: str = ""  # of the speaker, where the role does not say enough
