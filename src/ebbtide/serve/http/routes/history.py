"""What happened, and what would have happened."""

from typing import Any

from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from ebbtide.core.changes import KIND_OF, Entry
from ebbtide.core.tuning import Tuning
from ebbtide.mind import Mind
from ebbtide.mind.upkeep import Progress
from ebbtide.serve.http.asked import Candidates, Compacting, Regime, instant
from ebbtide.serve.http.desk import AtDesk, MemoryKey, Seen, There
from ebbtide.serve.http.once import OnceOnly
from ebbtide.serve.http.routes import MEMORY, After, Limit, router
from ebbtide.serve.http.routes.tasks import TASK, begun
from ebbtide.serve.http.shapes import Moment, answer, page_of, plain

routes = router("history")

_OLD, _AS_IT_IS, _ALL_OF_THEM = Compacting(), Regime(), Candidates()
_PAGE = 5000


class JournalEntry(BaseModel):
    """An entry: its number, what kind of change, when, and all that the change says."""

    model_config = ConfigDict(extra="allow")

    seq: int
    kind: str
    at: Moment


Journal = page_of("Journal", "Entries in order.", int, entries=list[JournalEntry])


@routes.get("/journal", operation_id="journal", summary="Everything that happened", response_model=Journal)
async def journal(mind: Seen, after: After = 0, limit: Limit = 100) -> Response:
    return answer(await _page(mind, after, limit))


@routes.get(f"{MEMORY}/history", operation_id="history", summary="What happened to a memory", response_model=Journal)
async def history(key: MemoryKey, mind: Seen, after: After = 0, limit: Limit = 100) -> Response:
    """Entries about it alone; also of one that waits in the trash."""
    return answer(await _page(mind, after, limit, key))


async def _page(mind: Mind, after: int, limit: int, key: str | None = None) -> dict[str, Any]:
    found = await mind.journal(after=after, limit=limit + 1, key=key)
    some = [_entry(entry) for entry in found[:limit]]
    return {"entries": some, "next": some[-1]["seq"] if len(found) > limit else None}


def _entry(entry: Entry) -> dict[str, Any]:
    """A change may have a `kind` of its own: what it is about goes by that name then."""
    said = plain(entry.change)
    about = {"of": said.pop("kind")} if "kind" in said else {}
    return {"seq": entry.seq, "kind": KIND_OF[type(entry.change)], **said, **about}


# ---- long work


@routes.post("/whatif", operation_id="replay", summary="What would be remembered", **TASK)
async def whatif(mind: There, desk: AtDesk, once: OnceOnly, body: Regime = _AS_IT_IS) -> Response:
    """The journal retold under another metabolism or other parameters: whose state would differ. Changes nothing."""

    async def work(mind: Mind, progress: Progress) -> dict[str, Any]:
        other = await mind.replay(body.metabolism, body.params, progress)
        return await _compared(mind, other, body.limit)

    return await begun(desk, once, mind, "replay", work)


async def _compared(mind: Mind, other: Mind, limit: int) -> dict[str, Any]:
    here, there = await _states(mind), await _states(other)
    differs = [
        {"key": key, "now": here.get(key, "forgotten"), "then": there.get(key, "forgotten")}
        for key in sorted(here.keys() | there.keys())
        if here.get(key) != there.get(key)
    ]
    sides = {
        name: {"metabolism": one.metabolism, "params": one.params, "states": (await one.stats()).states}
        for name, one in (("now", mind), ("then", other))
    }
    return {**sides, "differing": len(differs), "differs": differs[:limit]}


async def _states(mind: Mind) -> dict[str, str]:
    found: dict[str, str] = {}
    after: int | None = 0
    while after is not None:
        page = await mind.list(everything=True, after=after, limit=_PAGE)
        found |= {memory.key: str(memory.state) for memory in page.memories}
        after = page.next
    return found


@routes.post("/tune", operation_id="tune", summary="Which regime would have kept what was used", **TASK)
async def tune(mind: There, desk: AtDesk, once: OnceOnly, body: Candidates = _ALL_OF_THEM) -> Response:
    """The journal replayed under each metabolism and several parameter sets, with room for so many memories: how many
    of the confirmed uses of memories older than a day would have found their memory. Changes nothing: to live by a
    candidate of the mind's own metabolism, `PATCH` its parameters.
    """

    async def work(mind: Mind, progress: Progress) -> Tuning:
        given = body.params or None
        return await mind.tune(body.budgets, metabolisms=body.metabolisms, params=given, progress=progress)

    return await begun(desk, once, mind, "tune", work)


@routes.post("/check", operation_id="check", summary="Does the journal tell the truth", **TASK)
async def check(mind: There, desk: AtDesk, once: OnceOnly) -> Response:
    """Replay the journal and compare it with the mind: they must be the same, bit for bit."""

    async def work(mind: Mind, progress: Progress) -> dict[str, Any]:
        differences = await mind.check(progress)
        return {"same": not differences, "differences": differences}

    return await begun(desk, once, mind, "check", work)


@routes.post("/compact", operation_id="compact", summary="Fold the journal's beginning", **TASK)
async def compact(mind: There, desk: AtDesk, once: OnceOnly, body: Compacting = _OLD) -> Response:
    """The mind stays as it is; the time before can no longer be looked at."""
    before = instant(body.before, mind.now())

    async def work(mind: Mind, progress: Progress) -> dict[str, int]:
        return {"folded": await mind.compact(before, progress)}

    return await begun(desk, once, mind, "compact", work)


@routes.post("/reembed", operation_id="reembed", summary="Embed what is not yet", **TASK)
async def reembed(mind: There, desk: AtDesk, once: OnceOnly) -> Response:
    """Or was by another embedder. May be left and taken up again at any time."""
    return await begun(desk, once, mind, "reembed", lambda mind, progress: mind.reembed(progress))
