"""A mind at a server answers what the mind itself answers; what went wrong is the same error."""

import asyncio
import inspect
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
import pytest_asyncio
import uvicorn
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

import ebbtide
from ebbtide import client
from ebbtide.app import house
from ebbtide.client.decode import decoded
from ebbtide.client.mind import _Served
from ebbtide.core.errors import (
    Conflict,
    EbbtideError,
    InvalidInput,
    KeyTaken,
    NotAllowed,
    ServerError,
    ServerUnreachable,
    SignalRefused,
    UnknownLink,
    UnknownMemory,
    UnknownMind,
)
from ebbtide.core.memory import DAY, Mark, Memory, Message, State
from ebbtide.host.ownership import House
from ebbtide.mind import Mind
from ebbtide.mind.pinning import Pinned
from ebbtide.serve.http.app import create_app
from ebbtide.serve.http.problems import Forbidden, Unauthorized
from ebbtide.serve.listening import listening
from ebbtide.settings import Settings
from tests.builders import BIRTH
from tests.endpoint import RESET, Reply, endpoint
from tests.helpers import FakeClock, LetterEmbedder

pytestmark = pytest.mark.asyncio(loop_scope="module")

YEAR = 365 * DAY
Ask = Callable[[Mind], Awaitable[Any]]


# ---- a server and a mind on both sides of it


@asynccontextmanager
async def served(minds: House, around: Callable[[ASGIApp], ASGIApp] | None = None, **how: Any) -> AsyncIterator[str]:
    """The address of a real server over these minds. `around`: what stands between it and the world."""
    app: ASGIApp = create_app(minds, Settings(data=minds.data), **how)
    server = uvicorn.Server(uvicorn.Config(around(app) if around else app, log_level="warning", lifespan="on"))
    # TCP by name: asyncio sends small answers at once only where it sees that.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        running = asyncio.create_task(server.serve([listener]))
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            await running


@dataclass(frozen=True)
class Place:
    """One server for all tests: to make one takes longer than to ask it everything."""

    minds: House
    url: str
    clock: FakeClock


@dataclass(frozen=True)
class Both:
    """The same mind twice: itself, and as its server tells it."""

    here: Mind
    there: client.ServedMind
    clock: FakeClock


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def place(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Place]:
    clock = FakeClock()
    settings = Settings(data=tmp_path_factory.mktemp("served"))
    async with house(settings, clock, embedder=LetterEmbedder()) as minds, served(minds, clock=clock) as url:
        yield Place(minds, url, clock)


@asynccontextmanager
async def both(place: Place, metabolism: str) -> AsyncIterator[Both]:
    """A new mind, in whose world it is always the same day."""
    agent = f"mind-{len(place.minds.agents())}"
    place.clock.moment = BIRTH
    await place.minds.create(agent, metabolism)
    async with place.minds.mind(agent) as here, client.connect(place.url, agent=agent) as there:
        yield Both(here, there, place.clock)


async def test_what_is_put_there_is_the_same_memory_here(place: Place) -> None:
    async with both(place, "activity") as mind:
        put = await mind.there.put("The ferry leaves at 8:40.", key="a/b %?#渡轮", keywords=["travel"], kind="fact")
        assert put == (await mind.here.explain("a/b %?#渡轮")).memory
        assert isinstance(put, Memory)
        assert (put.state, put.marks, put.created_at) == (State.ACTIVE, Mark.NONE, BIRTH)
        assert await mind.there.get("a/b %?#渡轮") == (await mind.here.explain("a/b %?#渡轮")).memory


@pytest.mark.parametrize(
    "key", [".", "..", "../../tasks", "a//b", "%2F", "a?b=c#d", "a;b", "键 名", "~", "\\", "batch"]
)
async def test_no_key_leads_astray(place: Place, key: str) -> None:
    async with both(place, "activity") as mind:
        await mind.there.put("strange", key=key)
        await mind.there.put("plain", key="plain")
        await mind.there.link(key, "plain", "..")
        assert (await mind.there.get(key)).key == key
        assert [step.relation for step in await mind.there.follow(key)] == [".."]
        await mind.there.unlink(key, "plain", "..")
        assert (await mind.there.put("stranger", key=key, replace=True)).text == "stranger"
        await mind.there.forget(key)
        assert (await mind.there.restore(key)).text == "stranger"


QUESTIONS: dict[str, list[Ask]] = {
    "activity": [
        lambda mind: mind.list(),
        lambda mind: mind.list(State.COLD, kind="note", domain=""),
        lambda mind: mind.list(everything=True, limit=2, after=1),
        lambda mind: mind.explain("ferry"),
        lambda mind: mind.explain("ferry", at=BIRTH + 90 * DAY, days=7),
        lambda mind: mind.list(pinned=True),
        lambda mind: mind.list(pinned=False, everything=True),
        lambda mind: mind.stats(),
        lambda mind: mind.look(1),
        lambda mind: mind.search("ferry", explain=True),
        lambda mind: mind.search("ferry", everything=True),
        lambda mind: mind.search("ferry", k=1, state="cold", keywords="travel", since=BIRTH - DAY),
        lambda mind: mind.forecast(),
        lambda mind: mind.timeline(),
        lambda mind: mind.timeline(2, 30),
        lambda mind: mind.suggestions(),
        lambda mind: mind.suggestions("delete", limit=1),
        lambda mind: mind.trash(),
        lambda mind: mind.traces(),
        lambda mind: mind.queue(),
        lambda mind: mind.check(),
        lambda mind: mind.tick(dry_run=True, at=BIRTH + 300 * DAY),
        lambda mind: mind.squeeze(dry_run=True),
    ],
    "score": [lambda mind: mind.list(score=(0, 100)), lambda mind: mind.explain("lin"), lambda mind: mind.stats()],
    "retention": [
        lambda mind: mind.list(everything=True),
        lambda mind: mind.explain("ferry"),
        lambda mind: mind.forecast(400),
        lambda mind: mind.reap(dry_run=True),
    ],
}


@pytest.mark.parametrize("metabolism", QUESTIONS)
async def test_every_question_is_answered_as_here(place: Place, metabolism: str) -> None:
    async with both(place, metabolism) as mind:
        await furnished(mind)
        for question in QUESTIONS[metabolism]:
            assert timeless(await question(mind.there)) == timeless(await question(mind.here))


def timeless(answer: Any) -> Any:
    """But for how long it took, what it takes up, and the last digits of a moment."""
    match answer:
        case float():
            return round(answer, 3) if abs(answer) > YEAR else answer
        case dict():
            return {key: timeless(value) for key, value in answer.items() if key not in ("seconds", "store")}
        case list() | tuple():
            return [timeless(value) for value in answer]
        case str() | int() | None:
            return answer
    return type(answer), timeless(msgspec.to_builtins(answer))


async def furnished(mind: Both) -> None:
    there = mind.there
    await there.put_many(
        [{"text": "The ferry leaves at 8:40.", "key": "ferry"}, ebbtide.Draft("Lin, on Lamma.", "lin")]
    )
    await there.put("小林对花生过敏。", key="花生", keywords=["travel"])
    await there.put("gone", key="gone")
    await there.link("lin", "ferry", "takes", 0.8)
    await there.link("lin", "gone", "knew")
    assert (await there.pin("花生")).changed == ("花生",)
    mind.clock.forward(120 * DAY)
    await there.forget("gone")
    await there.tick()


async def test_writes_do_there_what_they_say(place: Place) -> None:
    async with both(place, "activity") as mind:
        await furnished(mind)
        here, there = mind.here, mind.there
        assert [step.key for step in await there.follow("lin", ["takes"])] == ["ferry"]
        await there.unlink("lin", "ferry", "takes")
        assert (await there.put("9:10", key="ferry", replace=True)).text == "9:10"
        assert (await there.revert("ferry")).text == "The ferry leaves at 8:40."
        assert (await there.restore("gone", new_key="back")).key == "back"
        assert (await there.touch("ferry", "lin")).counted == ("ferry", "lin")
        credited = await there.credit("At 8:40.", ["ferry", "lin", "nobody"], question="When does the ferry leave?")
        assert (credited.throttled, credited.skipped) == (("ferry",), {"nobody": "unknown"})
        shown = await there.search("ferry")
        assert await there.credit("At 8:40.", shown, dry_run=True) == await here.credit("At 8:40.", shown, dry_run=True)
        async with there.turn("When does the ferry leave?") as turn:
            turn.answered("At 8:40.")
        assert turn.used is not None
        assert turn.used.throttled == ("ferry",)
        assert (await there.merge("lin", "ferry", text="both")).text == "both"
        await there.unpin("花生")  # what is pinned is not suggested
        await there.dismiss("delete", (await there.suggestions("delete"))[0].keys[0])
        assert [one.name for one in await there.configure(theta_active="x", trash_days=60)] == ["theta_active"]
        assert there.params == here.params
        assert there.params["trash_days"] == 60.0
        assert await there.compact(BIRTH) == 0
        assert (await there.reembed()).unembedded == 0
        assert not await there.check()


async def test_the_journal_and_the_past_are_those_of_the_mind(place: Place) -> None:
    async with both(place, "activity") as mind:
        await furnished(mind)
        told = [(entry.seq, entry.change) async for entry in mind.there.entries()]
        assert told == [(entry.seq, entry.change) async for entry in mind.here.entries()]
        assert [e.seq for e in await mind.there.journal(key="lin")] == [
            e.seq for e in await mind.here.journal(key="lin")
        ]
        past = await mind.there.as_of(BIRTH)
        assert past.now() == BIRTH
        assert (await past.explain("ferry")).memory == (await (await mind.here.as_of(BIRTH)).explain("ferry")).memory
        with pytest.raises(Conflict):
            await past.put("x")
        assert (await mind.there.whatif("score"))["then"]["metabolism"] == "score"


async def test_tuning_says_the_same_over_http(place: Place) -> None:
    async with both(place, "activity") as mind:
        await furnished(mind)
        await mind.there.touch("ferry")
        asked: dict[str, Any] = {"metabolisms": ["tide"], "params": {"long_use": 2.0}}
        there, here = await mind.there.tune(["50%", 1], **asked), await mind.here.tune(["50%", 1], **asked)
        assert replace(there, seconds=0.0) == replace(here, seconds=0.0)
        assert (there.uses, there.memories, there.budgets[1].memories) == (1, 4, 1)
        assert replace(await mind.there.tune("50%"), seconds=0.0) == replace(await mind.here.tune("50%"), seconds=0.0)
        with pytest.raises(InvalidInput, match="'much' is no budget"):
            await mind.there.tune("much")


async def test_a_conversation_is_told_and_recalled(place: Place) -> None:
    async with both(place, "network") as mind:
        await mind.there.remember(
            [
                Message("user", "Lin takes the ferry to Lamma.", BIRTH, "Mei"),
                {"role": "user", "content": "Yes.", "name": "Bo"},
            ]
        )
        await mind.there.idle()
        there, here = await mind.there.list(kind="segment"), await mind.here.list(kind="segment")
        assert there == here
        assert {memory.speaker for memory in there.memories} == {"Mei"}  # who said most of it
        assert await mind.there.compress()
        await mind.there.fade(2)
        assert await mind.there.focus() == await mind.here.focus()
        assert "Lamma" in await mind.there.recall(depth=1)
        told = [(entry.seq, entry.change) async for entry in mind.there.entries()]
        assert told == [(entry.seq, entry.change) async for entry in mind.here.entries()]


# ---- what goes wrong


REFUSED: list[tuple[Ask, type[EbbtideError]]] = [
    (lambda mind: mind.get("nobody"), UnknownMemory),
    (lambda mind: mind.put("again", key="ferry"), KeyTaken),
    (lambda mind: mind.put("x", score=3), SignalRefused),
    (lambda mind: mind.put("\ud800"), InvalidInput),
    (lambda mind: mind.put(""), InvalidInput),
    (lambda mind: mind.unlink("lin", "ferry", "nothing"), UnknownLink),
    (lambda mind: mind.search("x", k=0), InvalidInput),
    (lambda mind: mind.recall(), InvalidInput),
    (lambda mind: mind.reap(), InvalidInput),
    (lambda mind: mind.get(""), EbbtideError),
]


async def test_a_refusal_is_the_same_error(place: Place) -> None:
    async with both(place, "activity") as mind:
        await furnished(mind)
        for ask, kind in REFUSED:
            with pytest.raises(kind):
                await ask(mind.here)
            with pytest.raises(kind) as refused:
                await ask(mind.there)
            assert str(refused.value)
        with pytest.raises(UnknownMemory) as unknown:
            await mind.there.get("nobody")
        assert unknown.value.facts == {"key": "nobody"}


async def test_a_mind_is_made_only_if_it_is_said_how_it_lives(place: Place) -> None:
    with pytest.raises(UnknownMind):
        async with client.connect(place.url, agent="bob"):
            pass
    async with client.connect(place.url, agent="bob", metabolism="retention", initial_strength=7.0) as bob:
        assert (bob.metabolism, bob.params["initial_strength"]) == ("retention", 7.0)


async def test_whoever_has_no_right_key_is_not_let_in(tmp_path: Path) -> None:
    def authorize(request: Any, agent: str | None, admin: bool) -> None:
        if request.headers.get("authorization") != "Bearer right":
            raise Unauthorized("a key is needed")
        if agent != "ada":
            raise Forbidden("not yours")

    async with house(Settings(data=tmp_path)) as minds:
        await minds.create("ada", "activity")
        async with served(minds, authorize=authorize) as url:
            for key, agent in ((None, "ada"), ("wrong", "ada"), ("right", "bob")):
                with pytest.raises(NotAllowed) as refused:
                    async with client.connect(url, key, agent=agent):
                        pass
                assert "wrong" not in str(refused.value)
            async with client.connect(url, "right", agent="ada") as mind:
                await mind.put("let in")


async def test_where_nobody_listens_is_an_error_that_says_so() -> None:
    with pytest.raises(ServerUnreachable, match="cannot be reached"):
        async with client.connect("http://127.0.0.1:9", agent="ada", patience=0):
            pass
    for address in ("nowhere", "ftp://x", "http://key@host"):
        with pytest.raises(InvalidInput):
            async with client.connect(address, agent="ada"):
                pass


async def test_an_answer_that_is_none_of_ours_is_an_error() -> None:
    for reply in (Reply(body=b"<html>"), Reply(500, b"{}"), Reply(502, b"proxy")):
        async with endpoint(reply) as page:
            with pytest.raises(ServerError):
                async with client.connect(page.base_url, agent="ada", patience=0):
                    pass


def json_reply(text: str, status: int = 200) -> Reply:
    return Reply(status, text.encode())


PARAMS = json_reply('{"metabolism": "activity", "params": {}}')


async def test_a_write_without_an_answer_is_sent_again_under_its_name() -> None:
    done = json_reply('{"metabolism": "activity", "params": {}, "fallbacks": []}')
    async with endpoint(PARAMS, RESET, Reply(503, b"starting"), done) as there:
        async with client.connect(there.base_url, agent="ada") as mind:
            assert await mind.configure(trash_days=3) == []
        names = [request.headers["idempotency-key"] for request in there.requests[1:]]
        assert len(names) == 3
        assert len(set(names)) == 1


def losing_the_first_answer(app: ASGIApp) -> ASGIApp:
    """Every write is done twice as often as it is answered."""
    lost: set[str] = set()

    async def swallow(message: Any) -> None:
        pass

    async def between(scope: Scope, receive: Receive, send: Send) -> None:
        name = dict(scope.get("headers", ())).get(b"idempotency-key", b"").decode()
        if name and name not in lost:
            lost.add(name)
            await app(scope, receive, swallow)
            await Response("the answer got lost", 502)(scope, receive, send)
        else:
            await app(scope, receive, send)

    return between


async def test_a_write_whose_answer_got_lost_has_happened_once(tmp_path: Path) -> None:
    async with house(Settings(data=tmp_path), embedder=LetterEmbedder()) as minds:
        await minds.create("ada", "activity")
        async with (
            minds.mind("ada") as here,
            served(minds, losing_the_first_answer) as url,
            client.connect(url, agent="ada") as there,
        ):
            assert (await there.put("once", key="k")).text == "once"
            assert (await there.touch("k")).counted == ("k",)
            await there.put_many([{"text": "a"}, {"text": "b"}])
            await there.forget("k")
            assert (await there.restore("k")).key == "k"
            assert (await there.tick()).seen == 3
            kinds = [type(entry.change).__name__ async for entry in here.entries()]
            assert kinds == ["Configure", "PutMemory", "Touch", "PutMemory", "PutMemory", "Forget", "Restore"]


async def test_what_the_server_itself_refuses_is_not_sent_again() -> None:
    problem = b'{"error": "ModelFailed", "detail": "it is silent", "status": 502, "facts": {"detail": "silent"}}'
    refused = Reply(502, problem, {"Content-Type": "application/problem+json"})
    async with endpoint(PARAMS, refused) as there, client.connect(there.base_url, agent="ada") as mind:
        with pytest.raises(EbbtideError, match="it is silent"):
            await mind.configure(trash_days=3)
        assert len(there.requests) == 2


async def test_progress_is_told_and_whoever_leaves_ends_the_task() -> None:
    task = '{"id": "t", "verb": "tick", "state": "%s", "progress": {"done": %d, "total": 9}, "result": null}'

    def stop(done: int, total: int) -> None:
        assert (done, total) == (4, 9)
        raise ZeroDivisionError

    begun, further = json_reply(task % ("running", 0), 202), json_reply(task % ("running", 4))
    async with endpoint(PARAMS, begun, further, json_reply("{}")) as there:
        async with client.connect(there.base_url, agent="ada") as mind:
            with pytest.raises(ZeroDivisionError):
                await mind.tick(progress=stop)
        assert there.requests[-1].path == "/v1/tasks/t"


# ---- the whole of it


async def test_every_verb_is_served_or_says_that_it_is_not() -> None:
    for name, member in inspect.getmembers(Mind, inspect.isfunction):
        if not name.startswith("_"):
            assert hasattr(_Served, name), name
            assert getattr(_Served, name).__doc__ or member.__doc__ is None


async def test_what_is_not_served_says_so(place: Place) -> None:
    async with both(place, "activity") as mind:
        with pytest.raises(InvalidInput, match="not served"):
            await mind.there.rehearsal()


async def test_the_same_without_async(place: Place) -> None:
    async with both(place, "activity") as mind:

        def session() -> str:
            with ebbtide.sync.connect(place.url, agent=mind.here.agent) as there:
                there.put("from a thread", key="k")
                past = there.as_of(BIRTH)
                there.refresh()
                assert there.whatif("score")["then"]["metabolism"] == "score"
                return f"{past.get('k').text}: {len(list(there.entries()))} entries"

        assert await asyncio.to_thread(session) == "from a thread: 2 entries"


async def test_marks_and_moments_are_read_back() -> None:
    assert decoded(Mark, ["delete_candidate", "merge_candidate"]) == Mark.DELETE | Mark.MERGE
    assert decoded(dict[str, Any], {"at": "1970-01-01T00:00:01.500000Z", "n": None}) == {"at": 1.5, "n": None}


async def test_the_server_sends_small_answers_at_once() -> None:
    # asyncio switches Nagle's algorithm off only for sockets that say they are TCP; else an answer waits 40 ms
    with listening(Settings(port=0)) as listener:
        assert listener.proto == socket.IPPROTO_TCP


async def test_pins_and_looks_ahead_are_answered_as_here(place: Place) -> None:
    async with both(place, "activity") as mind:
        await furnished(mind)
        assert await mind.there.pin("ferry", "花生") == Pinned(("ferry",), ("花生",))
        assert await mind.there.unpin("ferry", "lin") == Pinned(("ferry",), ("lin",))
        assert await mind.there.pin() == Pinned((), ())
        with pytest.raises(UnknownMemory, match="nobody"):
            await mind.there.pin("ferry", "nobody")
        moment = mind.clock.now() + 90 * DAY
        there, here = await mind.there.at(moment), await mind.here.at(moment)
        questions: list[Ask] = [
            lambda mind: mind.list(),
            lambda mind: mind.get("花生"),
            lambda mind: mind.search("ferry"),
        ]
        for ask in questions:
            assert timeless(await ask(there)) == timeless(await ask(here))
        with pytest.raises(Conflict, match="nothing can be written"):
            await there.pin("ferry")
        with pytest.raises(InvalidInput, match="leave out `at`"):
            await there.explain("ferry", at=moment)
        with pytest.raises(InvalidInput, match="is not a moment"):
            await mind.there.at("soon")


async def test_a_view_of_a_network_mind_recalls_over_http(place: Place) -> None:
    async with both(place, "network") as mind:
        await mind.there.remember([Message("user", "Lin takes the ferry to Lamma.")])
        await mind.there.idle()
        ahead = await mind.there.at(mind.clock.now() + 90 * DAY)
        entries = len(await mind.there.journal(limit=1000))
        assert "Lin takes the ferry" in await ahead.recall(["ferry"])
        assert len(await mind.there.journal(limit=1000)) == entries
        assert await ahead.focus() == await mind.here.focus()
