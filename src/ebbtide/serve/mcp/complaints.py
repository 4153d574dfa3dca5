"""What goes wrong, as a model can act on it: one line about tools and arguments, not about commands or folders."""

from ebbtide.core.errors import (
    EbbtideError,
    Expired,
    KeyTaken,
    MindBusy,
    NotInTrash,
    OwnerSilent,
    StoreClosed,
    StoreError,
    StoreFull,
    UnknownMemory,
    UnknownMind,
)

_LONGEST = 1000  # what was sent may be quoted in it
# Where the error's own words speak of commands, or leave open which tool is meant.
_WORDS: dict[type[EbbtideError], str] = {
    UnknownMind: "There is no mind {agent!r} any more: try again, and it is made anew.",
    UnknownMemory: "There is no memory {key!r} in this mind: search finds the keys of those there are.",
    Expired: "{key!r} has expired: touch with revive=true brings it back, explain tells why,"
    ' search with states=["expired"] still finds it.',
    KeyTaken: "The key {key!r} is taken: remember under another key, or with replace=true to overwrite what it says;"
    " restore with a new_key.",
    NotInTrash: "{key!r} is not in the trash: it was never forgotten, is back already (get reads it), or its time there"
    " is over.",
    MindBusy: "The mind {agent!r} is in use by another program: the user has to close that one first.",
    OwnerSilent: "The program that has this mind open does not answer: the user has to end that one.",
    StoreClosed: "The mind is just being closed: try again.",
    StoreFull: "The disk is full: nothing of this was kept, everything before it is safe; the user has to make room.",
}
_DISK = "The mind's file cannot be used; the user has to look at it, the server's log says more."


def one_line(error: EbbtideError) -> str:
    """As it can be sent: no half surrogates, and not as long as what it quotes may be."""
    line = " ".join(_words(error).split()).encode("utf-8", "replace").decode()
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def _words(error: EbbtideError) -> str:
    if type(error) in _WORDS:
        return _WORDS[type(error)].format(**error.facts)
    return _DISK if isinstance(error, StoreError) else str(error)
