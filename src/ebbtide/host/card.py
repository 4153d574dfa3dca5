"""The card that the owner of a data folder hangs out there: where it is to be found, and the word it is known by."""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

CARD = "_owner.json"
_PORTS = range(1, 1 << 16)


class Card(NamedTuple):
    pid: int
    port: int
    token: str

    def __repr__(self) -> str:  # the word is for nobody's log
        return f"Card({self.pid}, {self.port})"


def read(data: Path) -> Card | None:
    """The one that hangs there, if it is one."""
    try:
        card = Card(**json.loads((data / CARD).read_text("utf-8")))
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    return card if card.port in _PORTS and isinstance(card.token, str) else None


def hang_out(data: Path, card: Card) -> None:
    """For this user's eyes only, and never half written."""
    path = data / f"{CARD}.new"
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(card._asdict(), file)
    path.replace(data / CARD)


def take_in(data: Path, card: Card) -> None:
    """This one only: if the folder was taken away under its owner, another may have made and owned it anew."""
    with suppress(OSError):
        if read(data) == card:
            (data / CARD).unlink()
        (data / f"{CARD}.new").unlink(missing_ok=True)
