"""A mind at a server. It has the verbs of `Mind`; the server does the work."""

import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ebbtide.client.decode import entry, meant, part
from ebbtide.client.encode import chunks, plain
from ebbtide.client.line import Line, Progress
from ebbtide.client.verbs import furnish
from ebbtide.core.changes import Entry
from ebbtide.core.errors import Conflict, InvalidInput
from ebbtide.core.memory import DEFAULT_STRENGTH
from ebbtide.mind import Mind
from ebbtide.mind.crediting import Hits, shown_by
from ebbtide.mind.moments import instant

_PAGE = 1000  # of what comes in pages
_NOT_SERVED = ("replay", "rehearsal", "applied", "settled", "wake", "surroundings", "indexed")

_Rows = list[Any]


class _Served:
    """How each verb is said over HTTP. What they take and return is said by `Mind`, and told to type checkers below."""

    def __init__(self, line: Line, agent: str, moment: float | None = None) -> None:
        self.agent = agent
        self._line, self._moment = line, moment
        self._regime: Mapping[str, Any] = {"metabolism": "", "params": {}}

    @property
    def metabolism(self) -> str:
        return str(self._regime["metabolism"])

    @property
    def params(self) -> dict[str, Any]:
        """As they stood when they were last asked for: at the beginning, by `configure`, by `refresh`."""
        return dict(self._regime["params"])

    def now(self) -> float:
        return time.time() if self._moment is None else self._moment

    async def refresh(self) -> None:
        """Ask for the parameters again, which others may have changed."""
        self._regime = _regime(await self._read("params"))

    async def close(self) -> None:
        """Nothing is held here: the connection ends with `connect`."""

    # ---- writing

    async def put(self, text: str, *, replace: bool = False, **given: Any) -> Any:
        draft = {"text": text, **given}
        if replace and given.get("key") is not None:
            return meant("get", await self._write("PUT", "memories", draft.pop("key"), body=draft))
        return meant("get", await self._write("POST", "memories", body=draft))

    async def put_many(self, drafts: Iterable[Any], progress: Progress | None = None) -> int:
        """As many at a time as fit into a request, a thousand at most; each time all or none. Returns how many."""
        done = 0
        for chunk in chunks(drafts):
            await self._write("POST", "memories", "batch", body={"memories": chunk})
            done += len(chunk)
            if progress:
                progress(done, done)
        return done

    async def check_drafts(self, drafts: Iterable[Any]) -> None:
        for chunk in chunks(drafts):
            await self._write("POST", "memories", "batch", body={"memories": chunk, "dry_run": True})

    async def link(self, source: str, target: str, relation: str, strength: float = DEFAULT_STRENGTH) -> None:
        await self._write("PUT", "memories", source, "links", relation, target, body={"strength": strength})

    async def unlink(self, source: str, target: str, relation: str) -> None:
        await self._write("DELETE", "memories", source, "links", relation, target)

    async def configure(self, **params: Any) -> Any:
        said = await self._write("PATCH", "params", body=params)
        self._regime = _regime(said)
        return meant("configure", part(said, "fallbacks"))

    # ---- reading

    async def get(self, key: str) -> Any:
        return meant("get", await self._read("memories", key))

    async def look(self, memory: int) -> Any:
        return meant("get", await self._read("look", str(memory)))

    async def follow(self, key: str, relations: Sequence[str] = ()) -> Any:
        said = await self._read("memories", key, "links", relation=list(relations))
        return meant("follow", part(said, "steps"))

    async def list(self, state: Any = None, *, score: tuple[int, int] | None = None, **more: Any) -> Any:
        states = [state] if isinstance(state, str) else [str(one) for one in state or ()]
        bounds = f"{score[0]}-{score[1]}" if score else None
        more["limit"] = min(more.get("limit", 100), _PAGE)
        return meant("list", await self._read("memories", state=states, score=bounds, **more))

    async def explain(self, key: str, *, at: float | None = None, days: float = 30.0) -> Any:
        """`at`: at a moment that has passed, as it was then."""
        if at is not None and self._moment is not None:
            raise InvalidInput(problem="over HTTP a view explains its own moment: leave out `at`")
        if at is not None:
            return await _Served(self._line, self.agent, at).explain(key, days=days)
        return meant("explain", await self._read("memories", key, "explain", days=days))

    async def stats(self) -> Any:
        return meant("stats", await self._read())

    # ---- finding and using

    async def search(self, text: str, k: int = 10, *, state: Any = None, **more: Any) -> Any:
        states = [state] if isinstance(state, str) else [str(one) for one in state or ()]
        words = more.get("keywords", ())
        more["keywords"] = [words] if isinstance(words, str) else [*words]
        body = {"text": text, "k": k, "state": states, **more}
        return meant("search", await self._line.look(self._path("search"), body, self._view()))

    async def touch(self, *keys: str, revive: bool = False) -> Any:
        return meant("touch", await self._write("POST", "touch", body={"keys": keys, "revive": revive}))

    async def credit(
        self, answer: str, hits: Hits | None = None, *, question: str | None = None, dry_run: bool = False
    ) -> Any:
        shown = None if hits is None else shown_by(hits)
        body = {"answer": answer, "hits": shown, "question": question, "dry_run": dry_run}
        if dry_run:
            return meant("credit", await self._line.look(self._path("credit"), body, self._view()))
        return meant("credit", await self._write("POST", "credit", body=body))

    turn = Mind.turn  # it needs the verbs above

    async def reembed(self, progress: Progress | None = None) -> Any:
        return meant("reembed", await self._work("reembed", progress=progress))

    async def pin(self, *keys: str) -> Any:
        return await self._pinned("pin", keys)

    async def unpin(self, *keys: str) -> Any:
        return await self._pinned("unpin", keys)

    async def _pinned(self, verb: str, keys: Sequence[str]) -> Any:
        self._require_writable()
        found = await self._write("POST", verb, body={"keys": keys}) if keys else {"changed": (), "already": ()}
        return meant(verb, found)

    # ---- forgetting

    async def forget(self, *keys: str) -> None:
        if keys:
            await self._write("POST", "forget", body={"keys": keys})

    async def restore(self, key: str, *, new_key: str | None = None, id: int | None = None) -> Any:  # noqa: A002
        body = {"new_key": new_key, "id": id}
        return meant("get", await self._write("POST", "memories", key, "restore", body=body))

    async def revert(self, key: str) -> Any:
        return meant("get", await self._write("POST", "memories", key, "revert"))

    async def merge(self, into: str, other: str, *, text: str | None = None) -> Any:
        body = {"other": other, "text": text}
        return meant("get", await self._write("POST", "memories", into, "merge", body=body))

    async def recover(self, key: str) -> Any:
        return meant("get", await self._write("POST", "memories", key, "recover"))

    async def trash(self) -> Any:
        return meant("trash", await self._all("forgotten", "trash"))

    # ---- ageing

    async def tick(self, *, dry_run: bool = False, at: float | None = None, progress: Any = None, **_: Any) -> Any:
        """`batch_size` and `pause` are the server's own."""
        return meant("tick", await self._work("tick", {"dry_run": dry_run, "at": at}, progress))

    async def forecast(self, days: float | None = None, *, scans: int | None = None, limit: int = 100) -> Any:
        return meant("forecast", await self._read("forecast", days=days, scans=scans, limit=limit))

    async def timeline(self, weeks_back: int = 8, weeks_ahead: int = 8) -> Any:
        return meant("timeline", await self._read("timeline", weeks_back=weeks_back, weeks_ahead=weeks_ahead))

    async def suggestions(self, kind: Any = None, *, limit: int | None = None) -> Any:
        said = await self._read("suggestions", kind=kind, limit=min(limit or _PAGE, _PAGE))
        return meant("suggestions", part(said, "suggestions"))

    async def accept(self, kind: Any, *keys: str, text: str | None = None) -> None:
        await self._write("POST", "suggestions", "accept", body={"kind": kind, "keys": keys, "text": text})

    async def dismiss(self, kind: Any, *keys: str) -> None:
        await self._write("POST", "suggestions", "dismiss", body={"kind": kind, "keys": keys})

    async def reap(self, *, dry_run: bool = False, progress: Any = None, **_: Any) -> Any:
        """`batch_size` and `pause` are the server's own."""
        return meant("reap", await self._work("reap", {"dry_run": dry_run}, progress))

    async def unreap(self, run: str, *, progress: Progress | None = None) -> Any:
        return meant("unreap", await self._work("unreap", {"run": run}, progress))

    async def squeeze(self, *, dry_run: bool = False, progress: Any = None, **_: Any) -> Any:
        """`pause` is the server's own."""
        return meant("squeeze", await self._work("squeeze", {"dry_run": dry_run}, progress))

    async def unsqueeze(self, run: str) -> Any:
        return meant("unsqueeze", await self._work("unsqueeze", {"run": run}, None))

    async def archived(self) -> Any:
        return meant("archived", await self._all("runs", "archive"))

    # ---- conversations

    async def remember(self, messages: Sequence[Any]) -> int:
        body = {"messages": [plain(message) for message in messages]}
        return int(part(await self._write("POST", "remember", body=body), "task"))

    async def recall(
        self, keywords: Sequence[str] = (), relations: Sequence[str] = (), depth: int | None = None, limit: int = 100
    ) -> str:
        body = {"keywords": [*keywords], "relations": [*relations], "depth": depth, "limit": min(limit, _PAGE)}
        if self._moment is not None:
            return str(part(await self._line.look(self._path("recall"), body, self._view()), "text"))
        return str(part(await self._line.turn(self._path("recall"), body), "text"))

    async def focus(self) -> Any:
        return part(await self._read("focus"), "focus")

    async def traces(self) -> Any:
        return meant("traces", await self._all("traces", "traces"))

    async def queue(self) -> Any:
        return meant("queue", await self._all("tasks", "queue"))

    async def retry(self, task: int) -> None:
        await self._write("POST", "queue", str(task), "retry")

    async def drop(self, task: int) -> None:
        await self._write("DELETE", "queue", str(task))

    async def idle(self) -> None:
        await self._work("idle")

    async def compress(self, enough: Callable[[], bool] = lambda: False) -> bool:
        """The server compresses in its own time slices; this waits for none to be due."""
        return bool(await self._work("compress"))

    async def fade(self, cycles: int = 1) -> None:
        await self._work("fade", {"cycles": cycles})

    # ---- history

    async def journal(self, *, after: int = 0, limit: int = 100, key: str | None = None) -> Any:
        found: _Rows = []
        path = ("journal",) if key is None else ("memories", key, "history")
        while len(found) < limit:
            page = await self._read(*path, after=after, limit=min(limit - len(found), _PAGE))
            found += map(entry, part(page, "entries"))
            if (onward := part(page, "next")) is None:
                break
            after = onward
        return found

    async def entries(self) -> AsyncIterator[Entry]:
        after = 0
        while some := await self.journal(after=after, limit=_PAGE):
            for one in some:
                yield one
            after = some[-1].seq

    async def as_of(self, moment: float, progress: Progress | None = None) -> "ServedMind":
        past = ServedMind(self._line, self.agent, moment)
        await past.refresh()
        return past

    async def at(self, moment: float | str, progress: Progress | None = None) -> "ServedMind":
        return await self.as_of(instant(moment, self.now()), progress)

    async def whatif(
        self, metabolism: str | None = None, params: Mapping[str, Any] | None = None, progress: Progress | None = None
    ) -> dict[str, Any]:
        """Whose state would differ, had the mind lived so: {now, then, differing, differs}."""
        body = {"metabolism": metabolism, "params": dict(params or {})}
        said: dict[str, Any] = await self._work("whatif", body, progress)
        return said

    async def tune(
        self, budgets: Any = (), *, metabolisms: Any = (), params: Mapping[str, Any] | None = None, progress: Any = None
    ) -> Any:
        listed = [[one] if isinstance(one, str | int) else [*one] for one in (budgets, metabolisms)]
        body = {"budgets": listed[0], "metabolisms": listed[1], "params": dict(params or {})}
        return meant("tune", await self._work("tune", body, progress))

    async def check(self, progress: Progress | None = None) -> Any:
        return part(await self._work("check", progress=progress), "differences")

    async def compact(self, before: float | None = None, progress: Progress | None = None) -> int:
        return int(part(await self._work("compact", {"before": before}, progress), "folded"))

    # ----

    def _path(self, *path: str) -> tuple[str, ...]:
        if "" in path or self.agent == "":
            raise InvalidInput(problem="'key' is empty")
        return ("minds", self.agent, *path)

    def _view(self) -> dict[str, Any]:
        return {} if self._moment is None else {"as_of": f"{self._moment:.6f}"}

    async def _read(self, *path: str, **query: Any) -> Any:
        return await self._line.read(self._path(*path), {**self._view(), **query})

    async def _all(self, name: str, *path: str) -> _Rows:
        """Every page of it."""
        found: _Rows = []
        after: int | None = 0
        while after is not None:
            page = await self._read(*path, after=after, limit=_PAGE)
            found += part(page, name)
            after = part(page, "next")
        return found

    async def _write(self, method: str, *path: str, body: Any = None) -> Any:
        self._require_writable()
        return await self._line.write(method, self._path(*path), body)

    async def _work(self, verb: str, body: Any = None, progress: Progress | None = None) -> Any:
        self._require_writable()
        return await self._line.work(self._path(verb), body, progress)

    def _require_writable(self) -> None:
        if self._moment is not None:
            raise Conflict(problem="this mind is a view of another time or regime: nothing can be written to it")


def _regime(said: Any) -> dict[str, Any]:
    return {name: part(said, name) for name in ("metabolism", "params")}


if TYPE_CHECKING:

    class ServedMind(Mind):
        """Made by `connect`. A view of the past (`as_of`) is asked for with each read, and holds nothing anywhere.

        Another regime can be compared with (`whatif`) but not looked around in.
        """

        def __init__(self, line: Line, agent: str, moment: float | None = None) -> None: ...

        async def refresh(self) -> None: ...

        async def whatif(
            self,
            metabolism: str | None = None,
            params: Mapping[str, Any] | None = None,
            progress: Progress | None = None,
        ) -> dict[str, Any]: ...
else:

    class ServedMind(_Served):
        """Made by `connect`. A view of the past (`as_of`) is asked for with each read, and holds nothing anywhere."""


furnish(_Served, _NOT_SERVED)
