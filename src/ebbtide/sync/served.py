"""A server's mind without `async`: the verbs of all minds, and what only a served one has."""

from collections.abc import Mapping
from typing import Any

from ebbtide.mind.upkeep import Progress
from ebbtide.sync.verbs import SyncMind


class SyncServedMind(SyncMind):
    """Made by `ebbtide.sync.connect`."""

    def refresh(self) -> None:
        """Ask for the parameters again, which others may have changed."""
        self._portal.call(self._mind.refresh)

    def whatif(
        self, metabolism: str | None = None, params: Mapping[str, Any] | None = None, progress: Progress | None = None
    ) -> dict[str, Any]:
        """Whose state would differ, had the mind lived so: {now, then, differing, differs}."""
        said: dict[str, Any] = self._portal.call(lambda: self._mind.whatif(metabolism, params, progress))
        return said
