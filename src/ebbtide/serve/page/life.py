"""A memory's life so far, from the journal: all that happened to it, and what its vitality was in between.

Between two events only the formula is at work. So the mind is looked at as it was right after each event, and the curve
from there to the next one is exact. That is a replay per event: of a long journal only the last stretch is told.
"""

from collections.abc import Sequence

from ebbtide.core.changes import Access, Discard, Entry, Merge, PutLink, Touch, Traverse, Unlink, subject
from ebbtide.core.errors import EbbtideError
from ebbtide.core.memory import DAY, Memory
from ebbtide.mind import Mind
from ebbtide.serve.page.curve import Point

LONGEST = 5000  # journal entries that are read through for one memory
REPLAYED = 30_000  # journal entries that are replayed for one curve
EVENTS = 60
_PAGE = 1000
_EACH = 6  # of the points between two events, every so many


async def entries_about(mind: Mind, memory: Memory) -> list[Entry]:
    """What happened to it, in order. Of a mind with a long journal, only what happened to it alone."""
    alone = (await mind.stats()).store.journal_entries > LONGEST
    found: list[Entry] = []
    after = 0
    while some := await mind.journal(after=after, limit=_PAGE, key=memory.key if alone else None):
        found += [entry for entry in some if alone or concerns(entry, memory.id)]
        after = some[-1].seq
        if len(some) < _PAGE:
            break
    return found[-LONGEST:]


def concerns(entry: Entry, memory: int) -> bool:
    match entry.change:
        case PutLink(source=source, target=target) | Unlink(source=source, target=target):
            return memory in (source, target)
        case Access(ids=ids) | Touch(ids=ids) | Traverse(ids=ids) | Discard(ids=ids):
            return memory in ids
        case Merge(into=into, id=gone):
            return memory in (into, gone)
    return subject(entry.change) == memory


async def lived(mind: Mind, memory: Memory, about: Sequence[Entry], until: float) -> tuple[Point, ...]:
    """Its vitality from one event to the next, as far back as that can be told in a moment. Empty: not at all."""
    entries = (await mind.stats()).store.journal_entries
    many = min(EVENTS, REPLAYED // max(entries, 1))
    moments = sorted({entry.change.at for entry in about})[-many:] if many else []
    points: list[Point] = []
    for start, end in zip(moments, [*moments[1:], until], strict=True):
        points += await _stretch(mind, memory, start, end)
    return tuple(points)


async def _stretch(mind: Mind, memory: Memory, start: float, end: float) -> list[Point]:
    """From right after what happened at `start` to right before what happened at `end`; nothing while it was gone."""
    if end <= start:
        return []
    then = None
    try:
        then = await mind.as_of(start)
        was = await then.look(memory.id)
        curve = (await then.explain(was.key, days=(end - start) / DAY)).curve
    except EbbtideError:  # in the trash then, or before the journal begins
        return []
    finally:
        if then is not None:
            await then.close()
    return [*curve[::_EACH], curve[-1]]
