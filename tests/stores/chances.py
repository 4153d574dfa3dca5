"""Random changes, as likely to fit a mind as not."""

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

from hypothesis import strategies as st

from ebbtide.core.appraisal import Features
from ebbtide.core.changes import (
    Access,
    Appraise,
    Change,
    Configure,
    Discard,
    Dismiss,
    Enqueue,
    Focus,
    Forget,
    Merge,
    Pair,
    Pin,
    PutLink,
    PutMemory,
    Reaped,
    Recover,
    Requeue,
    Restore,
    Rewrite,
    Scan,
    SetAside,
    Settle,
    Supersede,
    Sweep,
    Touch,
    Traverse,
    Unlink,
    WriteDown,
)
from ebbtide.core.memory import DAY, HOUR, Content, Message
from ebbtide.core.state import Trashed
from ebbtide.stores.memory import MemoryStore
from tests.helpers import FakeClock

T = TypeVar("T")
NOBODY = 99
Archived = dict[int, tuple[Content, Trashed]]

strengths = st.sampled_from((0.0, 0.1, 0.25, 0.5, 0.7, 0.9, 1.0)) | st.floats(0.0, 1.0)
relations = st.sampled_from(("about", "属于", "next", "SUPPORTED_BY", "EQUIV"))
texts = st.sampled_from(("tide", "ebbs", "渡轮八点四十分开", "a longer text that says more", "x\n\ty"))
keys = st.sampled_from(("a", "b", "c", "d", "e", "f", "键"))
waits = st.sampled_from((0.0, 1.0, 5 * HOUR, 2 * DAY, 40 * DAY, -3.0))
speakers = st.sampled_from(("", "user", "小林"))
contents = st.builds(
    Content,
    keys,
    texts,
    texts,
    st.lists(texts, max_size=2).map(tuple),
    st.sampled_from(("note", "fact")),
    texts,
    speakers,
)
messages = st.builds(Message, st.just("user"), texts, st.none(), speakers)
PARAMS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "activity": {"theta_active": st.sampled_from((0.3, 0.5))},
    "network": {"decay_rate": st.sampled_from((0.5, 0.97)), "link_break_threshold": st.sampled_from((0.01, 0.3))},
    "score": {"usage_gain": st.sampled_from((10.0, 50.0)), "daily_factor": st.sampled_from((0.5, 0.95))},
    "retention": {"initial_strength": st.sampled_from((1.0, 7.0)), "shortest_life": st.sampled_from((1.0, 24.0))},
    "tide": {"long_days": st.sampled_from((1000.0, 10.0)), "prior_length": st.sampled_from((0.5, -0.5))},
}
BUDGETS: dict[str, st.SearchStrategy[Any]] = {
    "budget_memories": st.sampled_from((0, 0, 3, 5)), "budget_characters": st.sampled_from((0, 0, 40, 200)),
}  # fmt: skip
KINDS = {
    "access", "traverse", "scan", "sweep", "focus", "put", "rewrite", "link", "unlink", "forget", "merge", "restore",
    "discard", "recover", "dismiss", "touch", "pin", "tick", "configure", "enqueue", "settle", "set_aside", "requeue",
    "reaped",
}  # fmt: skip
MORE_KINDS = {"activity": {"pair"}, "tide": {"appraise", "supersede"}}
flags = st.sampled_from((0.0, 1.0))
features = st.builds(Features, st.sampled_from((0.7, 3.5, 4.25)), st.sampled_from((0.0, 1.5)), *[flags] * 4)


class Chances:
    """Draws changes about the mind in `dict`, a store in RAM."""

    metabolism: ClassVar[str]
    dict: MemoryStore
    _clock: FakeClock
    _runner: asyncio.Runner
    _gone: Archived  # what was discarded, as an archive would have it

    # ---- one random change, as likely to fit as not

    def _change(self, data: st.DataObject) -> Change:
        now, draw = self._clock.now(), data.draw
        kinds = KINDS | MORE_KINDS.get(self.metabolism, set())
        match draw(st.sampled_from(sorted(kinds)), "kind"):
            case "access":
                return Access(now, (self._who(data), self._who(data)))
            case "touch":
                cause = draw(st.sampled_from(("asked", "revived", "cascade")))
                return Touch(now, (self._who(data), self._who(data)), draw(st.sampled_from((0.0, HOUR))), cause)
            case "pin":
                return Pin(now, (self._who(data), self._who(data)), draw(st.booleans(), "pinned"))
            case "appraise":
                return Appraise(now, (self._who(data), self._who(data)), (draw(features), draw(features)))
            case "supersede":
                found = (self._who(data), self._who(data), draw(strengths))
                return Supersede(now, self.dict.seq - draw(st.integers(0, 5)), (found,))
            case "pair":
                return self._pair(data)
            case "dismiss":
                return Dismiss(now, "delete", (self._who(data),), draw(st.sampled_from(("", "as it is"))))
            case "traverse":
                return Traverse(now, (self._who(data),))
            case "scan":
                first = self._who(data)
                return Scan(now, ((first, first + draw(st.integers(0, 3))),), self._task(data))
            case "sweep":
                return Sweep(now)
            case "focus":
                return Focus(now, tuple(dict.fromkeys(self._who(data) for _ in range(draw(st.integers(0, 2))))))
            case "put":
                return PutMemory(now, self._who(data), draw(contents), now - draw(st.sampled_from((0.0, DAY))))
            case "rewrite":
                who = self._who(data)
                cause = draw(st.sampled_from(("replaced", "compressed", "unmerged", "pruned", "unpruned")))
                return Rewrite(now, who, Content(self._key(who), draw(texts), speaker=draw(speakers)), cause)
            case "link":
                return PutLink(now, self._who(data), self._who(data), draw(relations), draw(strengths))
            case "unlink":
                links = [link[:3] for link in self.dict.state.links.rows()]
                link = draw(st.sampled_from([*links, (1, 2, "about")]), "link")
                return Unlink(now, *link)
            case "forget":
                who = self._who(data)
                return Forget(now, who, self._key(who), draw(st.sampled_from(("asked", "superseded"))))
            case "merge":
                into, other = self._who(data), self._who(data)
                before = self._said(into)
                merged = Content(before.key, draw(texts), speaker=draw(speakers))
                return Merge(now, into, other, self._key(other), merged, before)
            case "restore":
                gone = draw(st.sampled_from([*self.dict.state.trash, self._who(data)]), "gone")
                return Restore(now, gone, draw(keys))
            case "discard":
                return self._discard(draw(st.sampled_from([*self.dict.state.trash, NOBODY]), "gone"))
            case "recover" if self._gone:
                content, lost = self._gone[draw(st.sampled_from(sorted(self._gone)), "recovered")]
                own = tuple(link for link in lost.removed if link.source == lost.id)
                return Recover(now, lost.id, replace(content, key=draw(keys)), lost.row, own)
            case "tick":
                return self._findings(self.dict.seq - draw(st.integers(0, 5)))
            case "configure":
                given = draw(st.fixed_dictionaries({}, optional=PARAMS[self.metabolism] | BUDGETS))
                return Configure(now, self.metabolism, given)
            case "reaped":
                return Reaped(now, "reap-1", draw(st.integers(0, 3)))
            case "enqueue":
                return Enqueue(now, draw(st.sampled_from(("remember", "compress"))), (draw(messages),))
            case "settle":
                return Settle(now, self._task(data))
            case "set_aside":
                return SetAside(now, self._task(data), draw(texts))
            case _:
                return Requeue(now, self._task(data))

    def _pair(self, data: st.DataObject) -> Pair:
        one, other = sorted((self._who(data), self._who(data) + 1))
        known = data.draw(st.sampled_from([(), *((twins,) for twins in self.dict.state.pairs.of())]), "lost")
        seen = self.dict.seq - data.draw(st.integers(0, 5))
        return Pair(self._clock.now(), seen, ((one, other, data.draw(strengths)),), known)

    def _discard(self, gone: int) -> Discard:
        for content, trashed in self._run(self.dict.trash(ids=[gone])):
            self._gone[gone] = content, trashed
        return Discard(self._clock.now(), (gone,))

    def _findings(self, seen: int) -> WriteDown:
        signals, metabolism = self.dict.state.signals(), self.dict.regime.metabolism
        verdicts = metabolism.judge(signals, self._clock.now())
        scores = None if verdicts.score is None else tuple(verdicts.score.tolist())
        states, marks = tuple(verdicts.state.tolist()), tuple(verdicts.marks.tolist())
        return WriteDown(self._clock.now(), seen, tuple(signals.id.tolist()), states, marks, scores)

    def _who(self, data: st.DataObject) -> int:
        """Most often somebody alive."""
        alive = self._alive()
        pool = [*alive, *alive, *alive, *self.dict.state.trash, self.dict.state.next_id, NOBODY]
        return int(data.draw(st.sampled_from(pool), "who"))

    def _task(self, data: st.DataObject) -> int:
        return int(data.draw(st.sampled_from([*self.dict.state.tasks, 0]), "task"))

    def _alive(self) -> list[int]:
        return sorted(self.dict.state.keys.values())

    def _key(self, memory: int) -> str:
        return next((key for key, holder in self.dict.state.keys.items() if holder == memory), "nobody's")

    def _said(self, memory: int) -> Content:
        return self._run(self.dict.contents([memory])).get(memory, Content("nobody's", "x"))

    def _run(self, reading: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(reading)
