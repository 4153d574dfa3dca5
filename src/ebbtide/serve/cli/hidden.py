"""What an answer leaves out because of a memory's state, and the options that show it, in lines for a terminal."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ebbtide.core.memory import State

if TYPE_CHECKING:
    from ebbtide.mind.left_out import LeftOut


def left_out(out: "LeftOut") -> str:
    """Of a search: how many match but are not shown, the best of them, and how to see them."""
    best = ", ".join(f"{one.key} ({one.similarity:.3f})" for one in out.best)
    named = f"; the best: {best}" if best else ""
    return f"out of sight, but matching: {_counted(out.states)}{named}\n{_ways(out.states)}"


def out_of_sight(states: Mapping[State, int]) -> str:
    """Of a list or a walk."""
    return f"out of sight: {_counted(states)}\n{_ways(states)}"


def _counted(states: Mapping[State, int]) -> str:
    return ", ".join(f"{count} {state}" for state, count in states.items())


def _ways(states: Mapping[State, int]) -> str:
    ways = []
    if set(states) - {State.EXPIRED}:
        ways.append("--all shows them; `ebbtide get KEY` or `ebbtide touch KEY` uses one, which raises its vitality")
    if State.EXPIRED in states:
        ways.append("`ebbtide list --state expired` shows what has expired, `ebbtide touch KEY --revive` revives it")
    return "\n".join(ways)
