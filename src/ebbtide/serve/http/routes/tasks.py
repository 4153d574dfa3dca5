"""Long work as tasks: POST begins one and answers 202, GET tells how far it is, DELETE leaves it."""

from typing import Annotated, Any, Literal

from fastapi import Path, Request
from pydantic import BaseModel
from starlette.responses import Response

from ebbtide.core.errors import NotFound
from ebbtide.mind import Mind
from ebbtide.serve.http.desk import AtDesk, Desk
from ebbtide.serve.http.once import Once
from ebbtide.serve.http.pages import FIRST, After, cut
from ebbtide.serve.http.routes import Limit, router
from ebbtide.serve.http.shapes import Moment, answer, page_of
from ebbtide.serve.http.works import Doing, Work

routes = router("tasks", "/v1/tasks")

Id = Annotated[
    str, Path(max_length=64, description="As the 202 told it.", examples=["0f8fad5bd9cb469fa16570867728950e"])
]


class Progress(BaseModel):
    """`total` is null until it is known."""

    done: int
    total: int | None


class TaskInBrief(BaseModel):
    """`problem` is there if it failed. It ends with the server: what it had done stays done, the rest is asked for
    again.
    """

    id: str
    agent: str
    verb: str
    state: Literal["running", "done", "failed", "cancelled"]
    cancelling: bool
    started_at: Moment
    finished_at: Moment | None
    progress: Progress
    problem: dict[str, Any] | None


class LongTask(TaskInBrief):
    """`result` is what the verb answers, once `state` is done; `problem` is there if it failed.

    It ends with the server: what it had done stays done, the rest is asked for again.
    """

    result: Any


_BEGUN: dict[int | str, dict[str, Any]] = {
    202: {
        "description": "It is being done: look where `Location` says.",
        "headers": {"Location": {"description": "/v1/tasks/…", "schema": {"type": "string"}}},
    }
}
TASK: dict[str, Any] = {"status_code": 202, "response_model": LongTask, "responses": _BEGUN}  # of long work
Tasks = page_of(
    "Tasks", "Long work of this server, begun last first; finished ones for an hour.", tasks=list[TaskInBrief]
)


async def begun(desk: Desk, once: Once, mind: Mind, verb: str, doing: Doing, *, waits: bool = False) -> Response:
    """Begin it, and say where to look."""

    async def begin() -> Response:
        work = desk.works.begin(mind.agent, verb, doing, waits=waits)
        return answer(work.told(), 202, {"Location": f"/v1/tasks/{work.id}"})

    return await once.begin(mind.agent, begin)


@routes.get("", operation_id="tasks", summary="Long work", response_model=Tasks)
async def tasks(request: Request, desk: AtDesk, after: After = FIRST, limit: Limit = 100) -> Response:
    """Of the minds that the key of this request opens. What came of one is told by itself."""
    seen = desk.sees(request)
    mine = [work for work in desk.works.all() if seen(work.agent)]
    some, onward = cut(mine, lambda work: (-work.number,), after, limit)
    return answer({"tasks": [work.in_brief() for work in some], "next": onward})


@routes.get("/{id}", operation_id="task", summary="How far it is", response_model=LongTask)
async def task(id: Id, request: Request, desk: AtDesk) -> Response:  # noqa: A002 — so it is called in the path
    return answer(_found(desk, request, id).told())


@routes.delete("/{id}", operation_id="cancel", summary="Leave it", status_code=202, response_model=LongTask)
async def cancel(id: Id, request: Request, desk: AtDesk) -> Response:  # noqa: A002
    """Between two batches, where it has any. What is done stays done; one that has ended stays as it is."""
    work = _found(desk, request, id)
    desk.works.cancel(work)
    return answer(work.told(), 202)


def _found(desk: Desk, request: Request, number: str) -> Work:
    """One of another mind is as if it were not there."""
    work, seen = desk.works.find(number), desk.sees(request)
    if work is None or not seen(work.agent):
        raise NotFound(problem=f"there is no task {number!r:.80}: it ended long ago, or with an earlier process")
    return work
