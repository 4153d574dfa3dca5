"""Writes that are sent again: they happen once, and are answered the same."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.responses import Response

from ebbtide.serve.http.once import BESIDES, REPLAYED, Calls, Once
from ebbtide.serve.http.problems import Unacceptable
from tests.serve.http.server import Api, refused, serving

KEY = {"Idempotency-Key": "my-request-1"}


async def _put(api: Api, text: str = "Once.", key: str = "my-request-1", **more: Any) -> httpx.Response:
    return await api.ask("POST", "/memories", json={"text": text, **more}, headers={"Idempotency-Key": key})


async def _count(api: Api) -> int:
    return len((await api.get("/memories"))["memories"])


async def test_the_same_request_twice_is_one_memory_and_one_answer(api: Api) -> None:
    first = await _put(api)
    api.clock.forward(100.0)
    again = await _put(api)
    assert (first.status_code, again.status_code, again.content) == (201, 201, first.content)
    assert ("idempotency-replayed" in first.headers, again.headers["idempotency-replayed"]) == (False, "true")
    assert await _count(api) == 3


async def test_it_is_one_memory_after_a_restart_too(tmp_path: Path) -> None:
    async with serving(tmp_path / "data") as api:
        first = (await _put(api)).json()
    async with serving(tmp_path / "data") as api:
        again = await _put(api)
        assert (again.status_code, again.json()) == (201, first)
        assert await _count(api) == 1


async def test_many_at_the_same_time_are_one_memory(api: Api) -> None:
    answers = await asyncio.gather(*[_put(api) for _ in range(20)])
    assert len({answer.content for answer in answers}) == 1
    assert await _count(api) == 3


async def test_a_key_is_for_one_request(api: Api) -> None:
    await _put(api)
    refused(await _put(api, "Twice."), 422)
    refused(await api.ask("DELETE", "/memories/ferry", headers=KEY), 422)
    assert (await _put(api, "Twice.", key="my-request-2")).status_code == 201
    assert await _count(api) == 4


async def test_each_mind_has_keys_of_its_own(api: Api) -> None:
    await api.house.create("bob", "activity")
    await _put(api)
    other = await api.client.post("/v1/minds/bob/memories", json={"text": "Once."}, headers=KEY)
    assert (other.status_code, other.json()["id"]) == (201, 1)


async def test_what_was_refused_can_be_sent_again(api: Api) -> None:
    await api.ask("DELETE", "/memories/lamma")
    refused(await api.ask("PUT", "/memories/ferry/links/to/lamma", headers=KEY), 404)
    await api.post("/memories/lamma/restore")
    assert (await api.ask("PUT", "/memories/ferry/links/to/lamma", headers=KEY)).status_code == 204


@pytest.mark.parametrize("key", ["", " ", "a b", "é", "x" * 256])
async def test_a_key_is_a_word_of_visible_characters(api: Api, key: str) -> None:
    headers = [(b"Idempotency-Key", key.encode("latin-1"))]
    refused(await api.ask("POST", "/memories", json={"text": "x"}, headers=headers), 422)


_WRITES: list[tuple[str, str, Any]] = [
    ("PUT", "/memories/ferry", {"text": "Said anew."}),
    ("POST", "/memories/batch", {"memories": [{"text": "a"}, {"text": "b"}]}),
    ("DELETE", "/memories/ferry", None),
    ("POST", "/forget", {"keys": ["ferry", "lamma"]}),
    ("POST", "/memories/gone/restore", None),
    ("POST", "/memories/new/revert", None),
    ("POST", "/memories/ferry/merge", {"other": "lamma"}),
    ("PUT", "/memories/ferry/links/to/lamma", {"strength": 0.7}),
    ("DELETE", "/memories/ferry/links/from/lamma", None),
    ("POST", "/touch", {"keys": ["ferry", "lamma"]}),
    ("POST", "/memories/ferry/touch", None),
    ("POST", "/credit", {"answer": "It leaves at 8:40.", "question": "When does it go?", "hits": {"ferry": 0.8}}),
    ("PATCH", "/params", {"trash_days": 60}),
]


async def test_every_write_happens_once(tmp_path: Path) -> None:
    async with serving(tmp_path / "data", None) as api:
        first = [await _written(api, number) for number in range(len(_WRITES))]
        assert await _repeated(api) == first
    async with serving(tmp_path / "data", None) as api:
        assert await _repeated(api) == first


async def _written(api: Api, number: int) -> tuple[int, int, bytes]:
    """A write in a mind of its own: how long its journal is then, and what was answered."""
    await api.house.create(f"mind-{number}", "activity")
    mind = replace(api, agent=f"mind-{number}")
    await _furnish(mind)
    return await _asked(mind, number)


async def _repeated(api: Api) -> list[tuple[int, int, bytes]]:
    return [await _asked(replace(api, agent=f"mind-{number}"), number) for number in range(len(_WRITES))]


async def _asked(api: Api, number: int) -> tuple[int, int, bytes]:
    method, path, body = _WRITES[number]
    answer = await api.ask(method, path, json=body, headers=KEY)
    assert answer.status_code < 300, (path, answer.text)
    return (await api.get())["store"]["journal_entries"], answer.status_code, answer.content


async def _furnish(api: Api) -> None:
    for key in ("ferry", "lamma", "gone", "new"):
        await api.put(key, f"This is {key}.")
    await api.ask("DELETE", "/memories/gone")
    await api.ask("PUT", "/memories/new", json={"text": "New."})
    await api.ask("PUT", "/memories/ferry/links/from/lamma")


async def test_messages_are_remembered_once(tmp_path: Path) -> None:
    body = {"messages": [{"role": "user", "content": "We take the ferry to Lamma."}]}
    answers, nodes = [], 0
    for _ in range(2):
        async with serving(tmp_path / "data", "network") as api:
            answers += [(await api.ask("POST", "/remember", json=body, headers=KEY)).json() for _ in range(2)]
            await api.queue_empty()
            nodes = await _count(api)
    assert len({answer["task"] for answer in answers}) == 1
    async with serving(tmp_path / "data", "network") as api:
        assert await _count(api) == nodes


async def test_a_mind_is_made_once(tmp_path: Path) -> None:
    answers = []
    for _ in range(2):
        async with serving(tmp_path / "data", None) as api:
            answers += [await api.client.post("/v1/minds", json={"agent": "bob"}, headers=KEY) for _ in range(2)]
            refused(await api.client.post("/v1/minds", json={"agent": "bob"}), 409)
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1


async def test_a_task_is_begun_once(api: Api) -> None:
    places = {(await api.ask("POST", "/tick", headers=KEY)).headers["location"] for _ in range(3)}
    assert len(places) == 1


# ---- what is kept of it


async def _answered(calls: Calls, agent: str, key: str, size: int = 0, asked: str = "x") -> bool:
    """Whether it was new."""

    async def work() -> Response:
        return Response(b"x" * size)

    return REPLAYED not in (await Once(calls, key, asked).begin(agent, work)).headers


async def test_answers_are_kept_up_to_so_many_bytes() -> None:
    calls = Calls(most=100 * BESIDES, share=100 * BESIDES)
    for number in range(12):  # ten calls of ten kilobytes each
        assert await _answered(calls, "ada", f"key-{number}", 9 * BESIDES)
    assert not await _answered(calls, "ada", "key-2", 9 * BESIDES)
    assert await _answered(calls, "ada", "key-1", 9 * BESIDES)
    assert not await _answered(calls, "ada", "key-2", 9 * BESIDES)  # for it was used of late
    assert await _answered(calls, "ada", "key-3", 9 * BESIDES)


async def test_a_mind_that_is_told_much_does_not_make_others_forgotten() -> None:
    calls = Calls(most=100 * BESIDES, share=25 * BESIDES)
    for agent in ("bob", "eve", "zoe"):
        assert await _answered(calls, agent, "key", 20 * BESIDES)
    for number in range(100):
        assert await _answered(calls, "ada", f"key-{number}", BESIDES)
    assert not await _answered(calls, "ada", "key-99")
    assert [await _answered(calls, agent, "key") for agent in ("bob", "eve", "zoe")] == [False] * 3


async def test_a_large_answer_is_not_kept_but_its_key_is_taken() -> None:
    calls = Calls()
    assert await _answered(calls, "ada", "key", 1 << 20)
    assert await _answered(calls, "ada", "key", 1 << 20)
    with pytest.raises(Unacceptable):
        await _answered(calls, "ada", "key", asked="another")


async def test_after_a_refusal_the_next_in_line_is_the_first() -> None:
    calls, refusing, done = Calls(), asyncio.Event(), []

    async def refused_late() -> Response:
        await refusing.wait()
        raise Unacceptable("not yet")

    async def work() -> Response:
        done.append(1)
        return Response()

    first = asyncio.create_task(Once(calls, "key", "x").begin("ada", refused_late))
    await asyncio.sleep(0)
    second = asyncio.create_task(Once(calls, "key", "x").begin("ada", work))
    await asyncio.sleep(0)
    refusing.set()
    with pytest.raises(Unacceptable):
        await first
    await second
    assert REPLAYED in (await Once(calls, "key", "x").begin("ada", work)).headers
    assert done == [1]


async def test_a_server_that_is_not_the_owner_hands_the_name_over(tmp_path: Path) -> None:
    async with serving(tmp_path / "data") as owner, serving(tmp_path / "data") as guest:
        assert (owner.house.owner, guest.house.owner) == (True, False)
        first = await _put(guest)
        assert (await _put(owner)).json() == first.json() == (await _put(guest)).json()
        body, key = {"keys": [first.json()["key"]]}, {"Idempotency-Key": "touch-1"}
        touched = [await api.ask("POST", "/touch", json=body, headers=key) for api in (guest, owner)]
        assert touched[0].json() == touched[1].json() == {"counted": body["keys"], "throttled": []}
        assert await _count(owner) == 1
