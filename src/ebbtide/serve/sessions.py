"""Visits of the page. A browser is given a random name; whose key it stands for is known here alone, and not for ever.

In memory: a server that starts again asks everybody for their key again.
"""

import secrets
from dataclasses import dataclass

from ebbtide.core.memory import DAY
from ebbtide.core.ports import Clock
from ebbtide.serve.keys import Key, Keyring

LIFE = 7 * DAY
MOST = 100  # visits by one key; the oldest makes way


@dataclass(frozen=True, slots=True)
class _Visit:
    key: str  # its id
    until: float


class Sessions:
    def __init__(self, keyring: Keyring, clock: Clock) -> None:
        self._keyring, self._clock = keyring, clock
        self._visits: dict[str, _Visit] = {}  # in the order they began

    def begin(self, said: str) -> str | None:
        """The name of a new visit for who says this key; None if it is nobody's."""
        now = self._clock.now()
        key = self._keyring.find(said, now) if said else None
        if key is None:
            return None
        self._make_room(key, now)
        name = secrets.token_urlsafe(32)
        self._visits[name] = _Visit(key.id, now + LIFE)
        return name

    def key(self, name: str) -> Key | None:
        """Whose visit this is, as their key stands now; None if it is over."""
        visit, now = self._visits.get(name), self._clock.now()
        return self._keyring.current(visit.key, now) if visit and now < visit.until else None

    def end(self, name: str) -> None:
        self._visits.pop(name, None)

    def _make_room(self, key: Key, now: float) -> None:
        self._visits = {name: visit for name, visit in self._visits.items() if now < visit.until}
        own = [name for name, visit in self._visits.items() if visit.key == key.id]
        for name in own[: max(0, len(own) - MOST + 1)]:
            self.end(name)
