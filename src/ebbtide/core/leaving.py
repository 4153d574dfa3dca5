"""How a memory leaves for the trash — forgotten, or merged into another — and how it comes back.   SPEC C8.

Coming back is the undoing of leaving, to the bit, also in what leaving did to others; but whatever lived on
since keeps its later life.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ebbtide.core.changes import Forget, Merge, Recover, Restore
from ebbtide.core.links import LinkRow
from ebbtide.core.signals import NEVER
from ebbtide.core.state import Echo, MindState, Trashed

_USES = {"access_count": "last_accessed_at", "traverse_count": "last_linked_at"}
_COUNTS = tuple(_USES)
_TIMES = (*_USES.values(), "last_touched_at")
_LENGTHS = ("original_length", "length")
_MERGED = "merged"
_OF_THE_TEXT = ("superseded", "superseded_by")
_PINNED = "pinned"

Values = dict[str, float | None]


def forget(state: MindState, c: Forget, seq: int) -> Sequence[int]:
    """Its own links go with it; links that point to it stay, as traces."""
    removed = _in_order(state, state.links.leaving(c.id).tolist())
    row = _as_it_leaves(state, c.id)
    before = _values(
        state,
        [*(link.target for link in _counting(state, removed)), *_equals(state, c.id), *state.outdated_by(c.id)],
    )
    _disconnect_all(state, removed)
    state.take_out(c.id, c.key)
    touched = state.weigh(before, c.at, seq)
    echoes = _echoes(state, before)
    state.trash[c.id] = Trashed(c.id, c.key, c.at, c.cause, row, tuple(removed), echoes=echoes, run=c.run)
    return touched


def merge(state: MindState, c: Merge, seq: int) -> Sequence[int]:
    """The other's links and uses pass to the one that stays."""
    row = _as_it_leaves(state, c.id)
    slots = [*state.links.leaving(c.id).tolist(), *state.links.reaching(c.id).tolist()]
    theirs = _in_order(state, slots)
    scans_apart = state.scans(c.into) - state.scans(c.id)
    outdated = [memory for memory in (*state.outdated_by(c.id), *state.outdated_by(c.into)) if memory != c.id]
    others = [c.into, *_other_ends(state, theirs, c.id), *outdated]
    before = _values(state, others)
    _disconnect_all(state, theirs)
    state.take_out(c.id, c.key)
    state.part(c.into)
    replaced, added = _inherit(state, c.into, c.id, theirs, scans_apart)
    _absorb(state, c.into, row, len(c.content.text))
    touched = state.weigh(before, c.at, seq)
    state.trash[c.id] = Trashed(
        id=c.id,
        key=c.key,
        at=c.at,
        cause=_MERGED,
        row=row,
        removed=(*theirs, *replaced),
        added=tuple(added),
        echoes=_echoes(state, before),
        into=c.into,
        before=c.before,
        merged=c.content,
    )
    return touched


def restore(state: MindState, c: Restore, seq: int) -> Sequence[int]:
    gone = state.trash.pop(c.id)
    pointing = len(state.counted(state.links.reaching(c.id)))
    row = state.table.append(gone.row | {"out_degree": 0, "in_degree": pointing, "version": seq})
    state.keys[c.key] = c.id
    _reconnect(state, gone)
    state.check_superseded(row)
    if "weight" in state.table.columns:
        state.table.columns["weight"][row] = state.weight(c.id)
    called = _call_back(state, gone, c.at, seq)
    if "protected" in state.table.columns:
        state.guard([c.id], c.at)  # what protected it may have gone meanwhile
    return [c.id, *called]


def recover(state: MindState, c: Recover, seq: int) -> Sequence[int]:
    """As a restoring long after: to others, its links are new. Those to nobody are traces, as if it had been here."""
    pointing = len(state.counted(state.links.reaching(c.id)))
    row = state.table.append(c.row | {"id": c.id, "out_degree": 0, "in_degree": pointing, "version": seq})
    state.keys[c.content.key] = c.id
    state.next_id = max(state.next_id, c.id + 1)
    for link in c.links:
        state.connect(LinkRow(*link))
    state.check_superseded(row)
    if "weight" in state.table.columns:
        state.table.columns["weight"][row] = state.weight(c.id)
    linked = (link.target for link in _counting(state, c.links))
    touched = state.weigh([*linked, *_equals(state, c.id)], c.at, seq)
    if "protected" in state.table.columns:
        state.table.columns["protected"][row] = state.protection(c.id)
    return [c.id, *touched]


def _counting(state: MindState, links: Iterable[LinkRow]) -> Iterator[LinkRow]:
    """Those that are an event in the lives of their ends; links of mere order are not."""
    return (link for link in links if state.counts(link.relation))


def _other_ends(state: MindState, links: Iterable[LinkRow], memory: int) -> list[int]:
    return [end for link in _counting(state, links) for end in link[:2] if end != memory]


def _equals(state: MindState, memory: int) -> list[int]:
    """Whom its leaving or coming back may leave without protection, or give it."""
    return state.equals(memory) if "protected" in state.table.columns else []


def _in_order(state: MindState, slots: Iterable[int]) -> list[LinkRow]:
    """Slots tell in which order links came, or were loaded; what is written down must not depend on that."""
    return sorted((state.standing(slot) for slot in slots), key=lambda link: link[:3])


def _reconnect(state: MindState, gone: Trashed) -> None:
    """Its own links come back; those a merge replaced only where the one that replaced them still stands."""
    standing = [link for link in gone.added if _stands(state, link)]
    _disconnect_all(state, standing)
    freed = {link[:3] for link in standing}
    for link in gone.removed:
        if link.source in state.table and (gone.id in link[:2] or link[:3] in freed):
            state.connect(LinkRow(*link))


def _inherit(
    state: MindState, into: int, gone: int, links: Sequence[LinkRow], scans_apart: int
) -> tuple[list[LinkRow], list[LinkRow]]:
    """Re-point links; of two that become the same the stronger stands. Returns the replaced and the new.

    Links wear by the scans of their source: with another source they keep the wear they have.
    """
    replaced, added = [], []
    for link in links:
        if link.source == gone:
            new = link._replace(source=into, since=link.since + scans_apart)
        else:
            new = link._replace(target=into)
        slot = state.links.find(new.source, new.target, new.relation)
        if new.source == new.target or (slot >= 0 and state.links.get(slot).strength >= new.strength):
            continue
        if slot >= 0:
            replaced.append(state.links.get(slot))
        state.connect(new)
        added.append(new)
    return replaced, added


def _absorb(state: MindState, into: int, gone: Mapping[str, Any], length: int) -> None:
    columns, row = state.table.columns, state.table.row(into)
    for name in _COUNTS:
        columns[name][row] += gone[name]
    for name in _TIMES:
        columns[name][row] = max(columns[name][row], _moment(gone[name]))
    columns["original_length"][row] = length
    state.table.resize(row, length)
    columns[_PINNED][row] = max(columns[_PINNED][row], gone.get(_PINNED, 0))  # what was pinned lives on in this one


def _call_back(state: MindState, gone: Trashed, at: float, seq: int) -> list[int]:
    """Undo what the leaving did to others. To those who were not there then, its links are simply new."""
    echoes = {echo.id: echo for echo in gone.echoes if echo.id in state.table}
    own = [name for name in _own_names(state) if name not in _OF_THE_TEXT]
    moved_on = [echo.id for echo in echoes.values() if _lived_on(state, echo, own)]
    ends = _other_ends(state, (*gone.removed, *gone.added), gone.id)
    weighed = state.weigh([*moved_on, *(end for end in ends if end not in echoes)], at, seq)
    for echo in echoes.values():
        row = state.table.row(echo.id)
        if echo.id not in moved_on:
            _revert(state, row, echo, [name for name in own if name in echo.after])
            if "protected" in state.table.columns:
                state.table.columns["protected"][row] = state.protection(echo.id)
            if "weight" in state.table.columns:
                state.table.columns["weight"][row] = state.weight(echo.id)
        _give_back_uses(state, row, echo)
        _supersede_again(state, row, echo, gone.id)
        state.table.columns["version"][row] = seq
    return [*echoes, *weighed]


def _supersede_again(state: MindState, row: int, echo: Echo, back: int) -> None:
    """What it superseded it supersedes again, with the uses it had taken over: they come back in its own row.

    Not what has got another text since, nor what another memory supersedes more by now.
    """
    columns, share = state.table.columns, echo.before.get("superseded")
    if share is None or echo.before["superseded_by"] != back or columns["length"][row] != echo.after["length"]:
        return
    if columns["superseded"][row] < share:
        state.set(row, {"superseded": share, "superseded_by": back})


def _lived_on(state: MindState, echo: Echo, own: Iterable[str]) -> bool:
    names = [name for name in own if name in echo.after]
    return _picked(_row(state, echo.id), names) != _picked(echo.after, names)


def _give_back_uses(state: MindState, row: int, echo: Echo) -> None:
    """What it took over in a merge goes; what came after stays, its times too."""
    columns = state.table.columns
    for count, moment in _USES.items():
        if columns[count][row] == echo.after[count]:
            _revert(state, row, echo, (moment,))
        columns[count][row] -= (echo.after[count] or 0) - (echo.before[count] or 0)
    _revert(state, row, echo, ("last_touched_at",))
    if echo.after.get(_PINNED) and not echo.before.get(_PINNED):
        columns[_PINNED][row] = 0  # the pin came with the merge
    if columns["length"][row] == echo.before["length"]:  # it says again what it said
        _revert(state, row, echo, ("original_length",))


def _revert(state: MindState, row: int, echo: Echo, names: Iterable[str]) -> None:
    for name in names:
        if state.table.columns[name][row] == _moment(echo.after[name]):
            state.table.columns[name][row] = _moment(echo.before[name])


def _disconnect_all(state: MindState, links: Iterable[LinkRow]) -> None:
    for link in links:
        state.disconnect(state.links.find(link.source, link.target, link.relation))


def _stands(state: MindState, link: LinkRow) -> bool:
    slot = state.links.find(link.source, link.target, link.relation)
    return slot >= 0 and state.links.get(slot) == LinkRow(*link)


def _own_names(state: MindState) -> tuple[str, ...]:
    """The metabolism's own books, without what a tick only writes down."""
    return tuple(name for name in state.regime.metabolism.own if name != "score")


def _values(state: MindState, ids: Iterable[int]) -> dict[int, Values]:
    names = (*_own_names(state), *_COUNTS, *_TIMES, *_LENGTHS)
    return {memory: _told(_row(state, memory), names) for memory in dict.fromkeys(ids) if memory in state.table}


def _told(row: Mapping[str, float | None], names: Iterable[str]) -> Values:
    return _picked(row, names) | ({_PINNED: row[_PINNED]} if row[_PINNED] else {})


def _is_told(name: str, value: float | None) -> bool:
    """A pin is told only where there is one: so what has none reads as it did before there were pins."""
    return name != _PINNED or bool(value)


def _echoes(state: MindState, before: Mapping[int, Values]) -> tuple[Echo, ...]:
    after = _values(state, before)
    return tuple(Echo(memory, before[memory], after[memory]) for memory in before)


def _as_it_leaves(state: MindState, memory: int) -> dict[str, Any]:
    """Its row without the version: which entry last moved it is bookkeeping of one store, not part of the mind."""
    return {name: value for name, value in _row(state, memory).items() if name != "version" and _is_told(name, value)}


def _row(state: MindState, memory: int) -> Values:
    return state.table.values(state.table.row(memory))


def _picked(values: Mapping[str, float | None], names: Iterable[str]) -> Values:
    return {name: values[name] for name in names}


def _moment(value: float | None) -> float:
    return NEVER if value is None else value
