"""What a mind works with beyond its store. Each is made at its first use: most minds never need most of them."""

from collections.abc import Callable
from dataclasses import dataclass

from ebbtide.core.archive import Archive
from ebbtide.core.embedding import Embedder
from ebbtide.core.ports import Analyzer, SmallModel


@dataclass(frozen=True, slots=True)
class Tools:
    """Asked again, each gives the same one; None where there is none. Whoever made them closes them.

    `on_search` is told of every search how many seconds it took.
    """

    analyzer: Callable[[], Analyzer | None] = lambda: None
    embedder: Callable[[], Embedder | None] = lambda: None
    archive: Callable[[], Archive | None] = lambda: None
    model: Callable[[], SmallModel | None] = lambda: None
    on_search: Callable[[float], None] = lambda _: None
