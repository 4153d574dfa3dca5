"""What time does to memories, what may be tidied up, and what is to come."""

from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import BaseModel
from starlette.responses import Response

from ebbtide.core.archive import ArchivedRun
from ebbtide.mind import Mind
from ebbtide.mind.explain import Explanation
from ebbtide.mind.forecasting import Outlook
from ebbtide.mind.suggestions import Suggestion
from ebbtide.mind.timeline import MOST_WEEKS, Timeline
from ebbtide.serve.http.asked import Accepted, Advice, Reaping, Squeezing, Ticking, Unreaping, Unsqueezing, instant
from ebbtide.serve.http.desk import AtDesk, MemoryKey, Seen, There
from ebbtide.serve.http.once import OnceOnly
from ebbtide.serve.http.pages import FIRST, After, cut
from ebbtide.serve.http.routes import MEMORY, NOTHING, Limit, router
from ebbtide.serve.http.routes.tasks import TASK, begun
from ebbtide.serve.http.shapes import answer, nothing, page_of, shape

routes = router("lifecycle")

Archive = page_of("Archive", "Runs of the reaper the archive has, latest first.", runs=list[shape(ArchivedRun)])  # type: ignore[misc]
_NOW, _ALL, _NEXT = Ticking(), Reaping(), Squeezing()
_CENTURY = 36_525.0
Days = Annotated[float, Query(gt=0, le=_CENTURY, allow_inf_nan=False, description="How far to look ahead.")]

Weeks = Annotated[int, Query(ge=0, le=MOST_WEEKS)]


class Suggestions(BaseModel):
    """What may be merged or deleted as of now, and why; dismissed ones are left out."""

    suggestions: list[shape(Suggestion)]  # type: ignore[valid-type]


@routes.get(
    f"{MEMORY}/explain", operation_id="explain", summary="Why it is what it is", response_model=shape(Explanation)
)
async def explain(
    key: MemoryKey,
    mind: Seen,
    days: Days = 30.0,
) -> Response:
    """Every term of the formula, the state and why, and what comes if nothing happens. Counts as no use."""
    return answer(await mind.explain(key, days=days))


@routes.get("/forecast", operation_id="forecast", summary="What is to come", response_model=shape(Outlook))
async def forecast(
    mind: Seen,
    days: Annotated[float | None, Query(gt=0, le=_CENTURY, allow_inf_nan=False)] = None,
    scans: Annotated[int | None, Query(ge=1, le=1_000_000, description="Of a network mind.")] = None,
    limit: Annotated[int, Query(ge=0, le=1000)] = 100,
) -> Response:
    """Who will turn cold, expire or become deletable if nothing happens: when, and why."""
    return answer(await mind.forecast(days, scans=scans, limit=limit))


@routes.get("/timeline", operation_id="timeline", summary="States, week by week", response_model=shape(Timeline))
async def timeline(mind: Seen, weeks_back: Weeks = 8, weeks_ahead: Weeks = 8) -> Response:
    """How many memories there were in each state at the end of each week, are now, and will be if nothing happens."""
    return answer(await mind.timeline(weeks_back, weeks_ahead))


@routes.post("/tick", operation_id="tick", summary="Write down the states of now", **TASK)
async def tick(mind: There, desk: AtDesk, once: OnceOnly, body: Ticking = _NOW) -> Response:
    """A dry run lists what that would change, also for another moment."""
    at = instant(body.at, mind.now())
    sizes = {"batch_size": desk.settings.batch_size, "pause": desk.settings.batch_pause}

    async def work(mind: Mind, progress: Any) -> Any:
        return await mind.tick(dry_run=body.dry_run, at=at, **sizes, progress=progress)  # type: ignore[arg-type]

    return await begun(desk, once, mind, "tick", work)


# ---- suggestions


@routes.get("/suggestions", operation_id="suggestions", summary="What may be tidied up", response_model=Suggestions)
async def suggestions(mind: Seen, kind: Literal["delete", "merge"] | None = None, limit: Limit = 100) -> Response:
    return answer({"suggestions": await mind.suggestions(kind, limit=limit)})


@routes.post("/suggestions/accept", operation_id="accept", summary="Do as suggested", **NOTHING)
async def accept(body: Accepted, mind: There, once: OnceOnly) -> Response:
    """What goes, goes into the trash: restore undoes it."""
    return await once(nothing, mind.accept, body.kind, *body.keys, text=body.text)


@routes.post("/suggestions/dismiss", operation_id="dismiss", summary="Not this one", **NOTHING)
async def dismiss(body: Advice, mind: There, once: OnceOnly) -> Response:
    """It is not suggested again until its facts change."""
    return await once(nothing, mind.dismiss, body.kind, *body.keys)


# ---- the budget


@routes.post("/squeeze", operation_id="squeeze", summary="Halve what leaves next", **TASK)
async def squeeze(mind: There, desk: AtDesk, once: OnceOnly, body: Squeezing = _NEXT) -> Response:
    """Once a mind is nearly as full as its budget lets it be. A dry run lists what would leave next."""
    pause = desk.settings.batch_pause

    async def work(mind: Mind, progress: Any) -> Any:
        return await mind.squeeze(dry_run=body.dry_run, pause=pause, progress=progress)

    return await begun(desk, once, mind, "squeeze", work)


@routes.post("/unsqueeze", operation_id="unsqueeze", summary="Take a run of the budget back", **TASK)
async def unsqueeze(body: Unsqueezing, mind: There, desk: AtDesk, once: OnceOnly) -> Response:
    """What left in it is restored, what it halved is whole again."""
    return await begun(desk, once, mind, "unsqueeze", lambda mind, progress: mind.unsqueeze(body.run))


# ---- the reaper


@routes.post("/reap", operation_id="reap", summary="Reap what expired long ago", **TASK)
async def reap(mind: There, desk: AtDesk, once: OnceOnly, body: Reaping = _ALL) -> Response:
    """A retention mind only. The result names the run; unreap takes it back."""
    size, pause = desk.settings.batch_size, desk.settings.batch_pause

    async def work(mind: Mind, progress: Any) -> Any:
        return await mind.reap(dry_run=body.dry_run, batch_size=size, pause=pause, progress=progress)

    return await begun(desk, once, mind, "reap", work)


@routes.post("/unreap", operation_id="unreap", summary="Take a run back", **TASK)
async def unreap(body: Unreaping, mind: There, desk: AtDesk, once: OnceOnly) -> Response:
    """As far as trash and archive hold it."""
    return await begun(desk, once, mind, "unreap", lambda mind, progress: mind.unreap(body.run, progress=progress))


@routes.get("/archive", operation_id="archived", summary="What the archive has", response_model=Archive)
async def archived(mind: There, after: After = FIRST, limit: Limit = 100) -> Response:
    some, onward = cut(await mind.archived(), lambda run: (-(run.at or 0.0), run.run), after, limit)
    return answer({"runs": some, "next": onward})
