"""What a search leaves out or matches badly, in sentences a model can act on. They quote nothing that was stored."""

from ebbtide.core.memory import State
from ebbtide.mind.left_out import LeftOut, Weak, counted
from ebbtide.mind.search import Found


def advice(found: Found) -> str:
    told = [] if found.weak is None else [_weak(found.weak)]
    if found.left_out is not None:
        told.append(_hidden(found.left_out))
    return " ".join(told)


def _weak(weak: Weak) -> str:
    if weak.best is None:
        return "Nothing that may be shown matches."
    return (
        f"No good match: the best similarity is {weak.best:.2f}, and unrelated memories often reach {weak.floor:.2f}."
        " What was asked for may never have been stored; other words may find it."
    )


def _hidden(out: LeftOut) -> str:
    """How many, the best of them, and which tool to call."""
    are = "1 memory that matches is" if out.count == 1 else f"{out.count} memories that match are"
    told = [f"{are} not shown because of the state ({counted(out.states)})."]
    if out.best:
        told.append(
            f"The best has similarity {out.best[0].similarity:.2f} and stands under not_shown. Call search with"
            " include_hidden=true to see them all, or get with the key to read one; get and touch keep it alive."
        )
    if State.EXPIRED in out.states:
        told.append(
            "Call search with states=['expired'] to see what has expired, and touch with revive=true to bring it back."
        )
    return " ".join(told)
