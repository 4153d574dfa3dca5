"""Memories and their links: put, get, list, link, forget and what undoes it.

Keys in paths are percent-encoded, one segment each: `a/b` is `a%2Fb`.
"""

from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import BaseModel
from starlette.responses import Response

from ebbtide.core.draft import MAX_LABEL
from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import Memory, State, Step
from ebbtide.mind.forgetting import Forgotten
from ebbtide.mind.pinning import Pinned
from ebbtide.mind.reading import Page
from ebbtide.mind.surroundings import Surroundings
from ebbtide.serve.http import pages
from ebbtide.serve.http.asked import (
    LAST,
    Joined,
    Leaving,
    NewLink,
    NewMemories,
    NewMemory,
    Return,
    Saying,
)
from ebbtide.serve.http.desk import MemoryKey, Seen, There
from ebbtide.serve.http.once import OnceOnly
from ebbtide.serve.http.routes import MEMORY, NOTHING, After, Limit, router
from ebbtide.serve.http.shapes import answer, nothing, page_of, shape

routes = router("memories")

A_MEMORY = shape(Memory)
AROUND = shape(Surroundings)
Trash = page_of("Trash", "What can still be restored, last forgotten first.", forgotten=list[shape(Forgotten)])  # type: ignore[misc]
_AS_IT_WAS = Return()
_LINK = NewLink()
LINK = f"{MEMORY}/links/{{relation:segment}}/{{target:segment}}"
Relation = Annotated[str, Path(description="What the link says, percent-encoded.", examples=["leads to"])]


class Put(BaseModel):
    """How many memories were put; of a dry run how many could be."""

    put: int


class Steps(BaseModel):
    """Links, the strongest first. One whose `memory` is null is a trace: known once."""

    steps: list[shape(Step)]  # type: ignore[valid-type]


@routes.get("/memories", operation_id="list", summary="Memories by state", response_model=shape(Page))
async def listed(
    mind: Seen,
    state: Annotated[list[State], Query(description="Only in this state; may be given again.")] = [],  # noqa: B006
    score: Annotated[
        str | None, Query(pattern=r"^\d{1,3}-\d{1,3}$", description="Of a score mind: from-to.", examples=["30-69"])
    ] = None,
    kind: Annotated[str | None, Query(max_length=MAX_LABEL)] = None,
    domain: Annotated[str | None, Query(max_length=MAX_LABEL)] = None,
    pinned: Annotated[bool | None, Query(description="Only what is pinned, or what is not.")] = None,
    everything: Annotated[bool, Query(description="Also what the metabolism hides.")] = False,
    after: After = 0,
    limit: Limit = 100,
) -> Response:
    """In order of id, by the state of this moment. What is hidden is left out but counted."""
    chosen: dict[str, Any] = {"kind": kind, "domain": domain, "pinned": pinned}
    page = await mind.list(
        state or None, score=_range(score), **chosen, everything=everything, after=after, limit=limit
    )
    return answer(page)


def _range(score: str | None) -> tuple[int, int] | None:
    if score is None:
        return None
    low, high = map(int, score.split("-"))
    if not low <= high <= 100:
        raise InvalidInput(problem=f"{score!r} is not a range of scores: from-to, within 0-100")
    return low, high


@routes.post("/memories", operation_id="put", summary="Put a memory", status_code=201, response_model=A_MEMORY)
async def put(body: NewMemory, mind: There, once: OnceOnly) -> Response:
    """A new memory. A key that is taken is a conflict: PUT to that key replaces what it says."""
    return await once(lambda memory: answer(memory, 201), mind.put, **body.given())


@routes.post("/memories/batch", operation_id="put_many", summary="Put many memories", response_model=Put)
async def put_many(body: NewMemories, mind: There, once: OnceOnly) -> Response:
    """Up to a thousand, all of them or none."""
    drafts = [draft.given() for draft in body.memories]
    if body.dry_run:
        await mind.check_drafts(drafts)
        return answer({"put": len(drafts)})
    return await once(lambda _: answer({"put": len(drafts)}), mind.put_many, drafts)


@routes.get(MEMORY, operation_id="get", summary="Read a memory", response_model=A_MEMORY)
async def get(key: MemoryKey, mind: Seen) -> Response:
    """A direct read is a use of it, and counts; not so when looking at another moment."""
    return answer(await mind.get(key))


@routes.put(MEMORY, operation_id="replace", summary="Let a key say this", response_model=A_MEMORY)
async def replace(key: MemoryKey, body: Saying, mind: There, once: OnceOnly) -> Response:
    """The memory of this key says this from now on and keeps its signals; where there is none, it is put."""
    return await once(answer, mind.put, key=key, replace=True, **body.given())


@routes.delete(MEMORY, operation_id="forget", summary="Forget a memory", **NOTHING)
async def forget(key: MemoryKey, mind: There, once: OnceOnly) -> Response:
    """Into the trash: restore brings it back until its time there is over."""
    return await once(nothing, mind.forget, key)


@routes.post("/forget", operation_id="forget_many", summary="Forget memories", **NOTHING)
async def forget_many(body: Leaving, mind: There, once: OnceOnly) -> Response:
    """Into the trash, all of them or none."""
    return await once(nothing, mind.forget, *body.keys)


@routes.post("/pin", operation_id="pin", summary="Protect memories", response_model=shape(Pinned))
async def pin(body: Leaving, mind: There, once: OnceOnly) -> Response:
    """Never hidden, expired, compressed, evicted, reaped or suggested for deletion; it raises no score. All of them or
    none. `already`: those that were pinned before."""
    return await once(answer, mind.pin, *body.keys)


@routes.post("/unpin", operation_id="unpin", summary="End the protection", response_model=shape(Pinned))
async def unpin(body: Leaving, mind: There, once: OnceOnly) -> Response:
    """From now on they are judged as any other. `already`: those that were not pinned."""
    return await once(answer, mind.unpin, *body.keys)


@routes.get("/look/{memory}", operation_id="look", summary="Look at a memory by its id", response_model=A_MEMORY)
async def look(memory: Annotated[int, Path(ge=1, le=LAST, examples=[1])], mind: Seen) -> Response:
    """Without using it."""
    return answer(await mind.look(memory))


@routes.get(
    "/surroundings", operation_id="surroundings", summary="Memories and the links between them", response_model=AROUND
)
async def surroundings(
    mind: Seen,
    key: Annotated[list[str], Query(max_length=100, description="Outward from this; may be given again.")] = [],  # noqa: B006
    everything: Annotated[bool, Query(description="Also what the metabolism hides.")] = False,
    limit: Limit = 150,
) -> Response:
    """Without a key from the focus and the most alive. Looked at, not used."""
    return answer(await mind.surroundings(*key, limit=limit, everything=everything))


# ---- the ways back


@routes.get("/trash", operation_id="trash", summary="What can be restored", response_model=Trash)
async def trash(mind: Seen, after: pages.After = pages.FIRST, limit: Limit = 100) -> Response:
    some, onward = pages.cut(await mind.trash(), lambda gone: (-gone.forgotten_at, -gone.id), after, limit)
    return answer({"forgotten": some, "next": onward})


@routes.post(f"{MEMORY}/restore", operation_id="restore", summary="Back from the trash", response_model=A_MEMORY)
async def restore(key: MemoryKey, mind: There, once: OnceOnly, body: Return = _AS_IT_WAS) -> Response:
    """As it was. What a merge took away is un-merged."""
    return await once(answer, mind.restore, key, new_key=body.new_key, id=body.id)


@routes.post(f"{MEMORY}/revert", operation_id="revert", summary="Say again what it said", response_model=A_MEMORY)
async def revert(key: MemoryKey, mind: There, once: OnceOnly) -> Response:
    """What it said before its text was replaced or shortened."""
    return await once(answer, mind.revert, key)


@routes.post(f"{MEMORY}/recover", operation_id="recover", summary="Back from the archive", response_model=A_MEMORY)
async def recover(key: MemoryKey, mind: There, once: OnceOnly) -> Response:
    """After its time in the trash is over."""
    return await once(answer, mind.recover, key)


@routes.post(f"{MEMORY}/merge", operation_id="merge", summary="Make one of two", response_model=A_MEMORY)
async def merge(key: MemoryKey, body: Joined, mind: There, once: OnceOnly) -> Response:
    """The other goes into this one and waits in the trash; restoring it undoes the merge."""
    return await once(answer, mind.merge, key, body.other, text=body.text)


# ---- links


@routes.get(f"{MEMORY}/links", operation_id="follow", summary="Walk a memory's links", response_model=Steps)
async def follow(
    key: MemoryKey,
    mind: Seen,
    relation: Annotated[list[str], Query(max_length=100, description="Only links that say this.")] = [],  # noqa: B006
) -> Response:
    """Strongest first. Reaching a memory counts as walking to it; traces are told too."""
    return answer({"steps": await mind.follow(key, relation)})


@routes.put(LINK, operation_id="link", summary="Link two memories", **NOTHING)
async def link(
    key: MemoryKey, relation: Relation, target: MemoryKey, mind: There, once: OnceOnly, body: NewLink = _LINK
) -> Response:
    """Linking them so again sets the strength anew."""
    return await once(nothing, mind.link, key, target, relation, body.strength)


@routes.delete(LINK, operation_id="unlink", summary="Take a link away", **NOTHING)
async def unlink(key: MemoryKey, relation: Relation, target: MemoryKey, mind: There, once: OnceOnly) -> Response:
    """Also one whose target is in the trash."""
    return await once(nothing, mind.unlink, key, target, relation)
