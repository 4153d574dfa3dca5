"""What the groups of verbs lean on, whichever group they are in. `Mind` is where all of it is."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from ebbtide.core.changes import Change, Receipt
from ebbtide.core.memory import Memory
from ebbtide.core.ports import SmallModel, Store
from ebbtide.mind.indexing import Indexing
from ebbtide.mind.tools import Tools

if TYPE_CHECKING:
    from ebbtide.mind.mind import Mind


class Face(ABC):
    agent: str
    _store: Store
    _indexing: Indexing
    _tools: Tools

    @property
    @abstractmethod
    def metabolism(self) -> str: ...

    @property
    @abstractmethod
    def params(self) -> dict[str, Any]: ...

    @abstractmethod
    def now(self) -> float: ...

    @abstractmethod
    def _require_writable(self) -> None: ...

    @abstractmethod
    async def _apply(self, *changes: Change) -> Receipt: ...

    @abstractmethod
    def _small_model(self) -> SmallModel: ...

    @abstractmethod
    async def _id(self, key: str) -> int: ...

    @abstractmethod
    async def _see(self, memory: int, key: str) -> Memory: ...

    @abstractmethod
    def _apart(self, store: Store, moment: float | None = None) -> "Mind": ...

    @abstractmethod
    def _ahead(self, moment: float) -> "Mind": ...

    @abstractmethod
    def _beside(self, store: Store) -> "Mind": ...
