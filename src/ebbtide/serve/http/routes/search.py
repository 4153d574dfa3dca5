"""Finding memories, and using what was found."""

from typing import Any

from pydantic import BaseModel
from starlette.responses import Response

from ebbtide.core.ports import IndexInfo
from ebbtide.mind.crediting import Credited
from ebbtide.mind.search import Found
from ebbtide.mind.touching import Touched
from ebbtide.serve.http.asked import Answered, Question, Use, Uses, instant
from ebbtide.serve.http.desk import MemoryKey, Seen, There
from ebbtide.serve.http.direct import direct
from ebbtide.serve.http.once import OnceOnly
from ebbtide.serve.http.routes import MEMORY, router
from ebbtide.serve.http.shapes import answer, shape

routes = router("search")

TOUCHED = shape(Touched)
_USE = Use()


class Indexed(BaseModel):
    """What can be found, and what waits to be."""

    index: shape(IndexInfo) | None  # type: ignore[valid-type]


async def search(body: Question, mind: Seen) -> Response:
    """The k memories that answer best, by words and meaning, and by how alive they are.

    Being found is not being used: touch what was of use. `left_out` tells how many of the k most similar memories are
    hidden, the best of them and the way to them; `weak`, that no hit is a good match.
    """
    asked: dict[str, Any] = body.model_dump(exclude={"text", "since", "until", "patience"})
    asked |= {"since": instant(body.since, mind.now()), "until": instant(body.until, mind.now())}
    if body.patience is not None:
        asked["patience"] = body.patience
    return answer(await mind.search(body.text, **asked))


routes.add_api_route(
    "/search", search, methods=["POST"], operation_id="search", summary="Find memories", response_model=shape(Found),
    route_class_override=direct(Question, search),
)  # fmt: skip


@routes.get("/index", operation_id="indexed", summary="What can be found so far", response_model=Indexed)
async def indexed(mind: Seen) -> Response:
    """And what waits; null where nobody has searched yet."""
    return answer({"index": await mind.indexed()})


@routes.post("/touch", operation_id="touch", summary="Confirm that these were used", response_model=TOUCHED)
async def touch(body: Uses, mind: There, once: OnceOnly) -> Response:
    """Of one memory that counts at most once in `touch_spacing`; the others are told as throttled."""
    return await once(answer, mind.touch, *body.keys, revive=body.revive)


@routes.post(f"{MEMORY}/touch", operation_id="touch_one", summary="Confirm that it was used", response_model=TOUCHED)
async def touch_one(key: MemoryKey, mind: There, once: OnceOnly, body: Use = _USE) -> Response:
    """Of one memory that counts at most once in `touch_spacing`."""
    return await once(answer, mind.touch, key, revive=body.revive)


@routes.post("/credit", operation_id="credit", summary="Count what an answer drew on", response_model=shape(Credited))
async def credit(body: Answered, mind: Seen, once: OnceOnly) -> Response:
    """Finds out which of the memories shown an answer drew on, and touches those it surely did."""
    return await once(answer, mind.credit, body.answer, body.hits, question=body.question, dry_run=body.dry_run)
