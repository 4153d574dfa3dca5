"""Every error Ebbtide raises on purpose, in one tree. The docstring is the message; its {names} are facts.

EbbtideError
├── InvalidInput            the caller can mend it by asking differently
│   ├── InvalidAgent
│   └── SignalRefused
├── NotFound
│   ├── UnknownMind
│   ├── UnknownMemory
│   ├── UnknownLink
│   ├── Expired
│   ├── UnknownTask
│   └── NotInTrash
├── Conflict                true of the request, refused by the present state
│   ├── KeyTaken
│   ├── BudgetFull
│   ├── MindExists
│   └── MindBusy
├── ModelFailed             the small model gave no usable answer
├── EmbedderFailed          the embedder gave no usable answer
├── ServerError             another process, not the request
│   ├── ServerUnreachable
│   └── NotAllowed
└── StoreError              the disk, not the request
    ├── StoreFull
    ├── StoreDamaged
    ├── StoreUnreadable
    ├── StoreClosed
    └── ArchiveUnreachable
"""

from typing import Any


class EbbtideError(Exception):
    """Something went wrong in Ebbtide."""

    def __init__(self, **facts: Any) -> None:
        self.facts = facts
        super().__init__((type(self).__doc__ or type(self).__name__).format(**facts))


class InvalidInput(EbbtideError):
    """{problem}"""


class InvalidAgent(InvalidInput):
    """{agent!r} is not an agent id: use 1 to 128 letters, digits, '.', '_' or '-', starting with a letter or digit."""


class SignalRefused(InvalidInput):
    """{field!r} cannot be set: {reason}."""


class NotFound(EbbtideError):
    """{problem}"""


class UnknownMind(NotFound):
    """There is no mind {agent!r} in {data}: `ebbtide minds` lists those there are, `put` or `init` makes one."""


class UnknownMemory(NotFound):
    """There is no memory {key!r} in this mind."""


class UnknownLink(NotFound):
    """There is no link {relation!r} from {source!r} to {target!r}."""


class Expired(NotFound):
    """{key!r} has expired: `explain` says why, and `touch` with `revive` brings it back."""


class UnknownTask(NotFound):
    """There is no task {task} in this mind's queue: `queue` lists those there are."""


class NotInTrash(NotFound):
    """{key!r} is not in the trash: it was never forgotten, is back already, or its time there is over."""


class Conflict(EbbtideError):
    """{problem}"""


class KeyTaken(Conflict):
    """The key {key!r} is taken: choose another, or overwrite that memory by putting with replace=True."""


class BudgetFull(Conflict):
    """{problem}"""


class MindExists(Conflict):
    """The mind {agent!r} exists already, with the metabolism {metabolism!r}: use it, or choose another name."""


class MindBusy(Conflict):
    """The mind {agent!r} is in use by another process{owner}: close that one first."""


class OwnerSilent(Conflict):
    """{data} is in use by a process{owner} that does not answer: end that one."""


class ModelFailed(EbbtideError):
    """The small model gave no usable answer: {detail}."""


class EmbedderFailed(EbbtideError):
    """The embedder gave no usable answer: {detail}."""


class ServerError(EbbtideError):
    """{server} cannot answer: {detail}."""


class ServerUnreachable(ServerError):
    """{server} cannot be reached: {detail}."""


class NotAllowed(ServerError):
    """{server} does not let you in: {detail}."""


class StoreError(EbbtideError):
    """{problem}"""


class StoreFull(StoreError):
    """No room to write {path} ({detail}): nothing of this change was kept, everything before it is safe."""


class StoreDamaged(StoreError):
    """{path} is damaged ({detail}): keep a copy of the folder, then put back a backup of the file."""


class StoreUnreadable(StoreError):
    """{path} cannot be used: {detail}."""


class StoreClosed(StoreError):
    """This mind is closed: open it again to go on."""


class ArchiveUnreachable(StoreError):
    """The archive {archive} cannot be used: {detail}."""
