"""The verbs without `async`: the same, blocking, from any thread, beside others."""

import ast
import inspect
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

import ebbtide
from docs import stubs
from ebbtide.core.changes import PutMemory
from ebbtide.core.errors import Conflict, InvalidAgent, StoreClosed, UnknownMemory
from ebbtide.core.memory import DAY
from ebbtide.mind import Mind
from ebbtide.sync import SyncMind
from tests.builders import BIRTH
from tests.helpers import FakeClock, LetterEmbedder


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def mind(tmp_path: Path, clock: FakeClock) -> Iterator[SyncMind]:
    with ebbtide.sync.open("ada", data=tmp_path, clock=clock, embedder=LetterEmbedder()) as opened:
        yield opened


# ---- the same verbs


def test_what_is_put_can_be_read_linked_found_and_forgotten(mind: SyncMind) -> None:
    assert mind.put("The ferry leaves at 8:40.", key="ferry").key == "ferry"
    mind.put("小林对花生过敏。", key="allergy")
    mind.link("ferry", "allergy", "about")
    assert mind.get("ferry").meta.access_count == 1
    assert [step.key for step in mind.follow("ferry")] == ["allergy"]
    assert mind.search("ferry", k=1).hits[0].memory.key == "ferry"
    mind.forget("ferry")
    assert [one.key for one in mind.trash()] == ["ferry"]
    mind.restore("ferry")
    assert not mind.check()
    assert (mind.agent, mind.metabolism, mind.params["trash_days"]) == ("ada", "tide", 30.0)
    assert mind.now() == BIRTH


def test_a_turn_is_a_plain_with(mind: SyncMind) -> None:
    mind.put("The ferry to Lamma leaves at 8:40.", key="ferry")
    with mind.turn("When does the ferry to Lamma go?") as turn:
        assert "The ferry to Lamma leaves at 8:40." in turn.context
        assert ([hit.memory.key for hit in turn.hits], turn.used) == (["ferry"], None)
        assert "leaves at 8:40" in turn.look_up("ferry")
        turn.answered("It leaves at 8:40.")
    assert turn.used is not None
    assert (turn.used.touched, turn.question) == (("ferry",), "When does the ferry to Lamma go?")
    assert mind.credit("It leaves at 8:40.", turn.hits, question=turn.question).throttled == ("ferry",)


def test_a_turn_that_ends_with_an_error_credits_nothing(mind: SyncMind) -> None:
    mind.put("The ferry to Lamma leaves at 8:40.", key="ferry")
    turn = mind.turn("When does the ferry to Lamma go?")

    def fails() -> None:
        with turn:
            turn.answered("It leaves at 8:40.")
            raise RuntimeError("the model failed")

    with pytest.raises(RuntimeError, match="the model failed"):
        fails()
    assert (turn.used, mind.explain("ferry").memory.meta.last_touched_at) == (None, None)


def test_errors_are_the_same_errors(mind: SyncMind) -> None:
    with pytest.raises(UnknownMemory, match="nobody"):
        mind.get("nobody")


def test_every_public_name_of_a_mind_is_there_with_its_words() -> None:
    for name, member in inspect.getmembers(Mind):
        if not name.startswith("_"):
            assert getattr(SyncMind, name).__doc__ == member.__doc__, name


def test_the_types_are_those_of_a_mind() -> None:
    wanted, said = stubs.verbs(), stubs.stubbed(stubs.STUB.read_text("utf-8"))
    assert {name: ast.dump(node) for name, node in said.items()} == {
        name: ast.dump(ast.parse(ast.unparse(node)).body[0]) for name, node in wanted.items()
    }, "stale: run `python docs/stubs.py`"


def test_the_journal_is_a_plain_iterator(mind: SyncMind) -> None:
    mind.put_many({"text": f"memory {number}"} for number in range(600))
    entries = mind.entries()
    assert next(entries).seq == 1
    assert sum(isinstance(entry.change, PutMemory) for entry in entries) == 600


def test_a_journal_can_be_asked_which_regime_suits_it(mind: SyncMind, clock: FakeClock) -> None:
    mind.put("The ferry leaves at 8:40.", key="ferry")
    clock.forward(2 * DAY)
    mind.touch("ferry")
    found = mind.tune("100%", metabolisms=["score"])
    assert (found.uses, [outcome.results[0].kept for outcome in found.outcomes]) == (1, [1] * len(found.outcomes))


def test_a_view_is_a_blocking_mind_too(mind: SyncMind, clock: FakeClock) -> None:
    mind.put("The ferry leaves at 8:40.", key="ferry")
    clock.forward(DAY)
    mind.put("The ferry leaves at 9:10.", key="ferry", replace=True)
    past = mind.as_of(BIRTH)
    assert isinstance(past, SyncMind)
    assert past.get("ferry").text.endswith("8:40.")
    assert mind.replay("score").get("ferry").meta.score == 48  # 50 · 0.95 = 47.5
    with pytest.raises(Conflict):
        past.put("x")


def test_progress_is_told_and_may_stop_a_run(mind: SyncMind) -> None:
    told: list[tuple[int, int]] = []
    mind.put_many([{"text": "a"}, {"text": "b"}], lambda done, total: told.append((done, total)))
    assert told[-1][0] == 2

    class Enough(Exception):
        pass

    def stop(done: int, total: int) -> None:
        raise Enough

    with pytest.raises(Enough):
        mind.put_many([{"text": "c"}], stop)


def test_drafts_are_read_in_the_thread_that_has_them(mind: SyncMind) -> None:
    with closing(sqlite3.connect(":memory:")) as rows:  # which only this thread may use
        rows.executescript("create table notes (text); insert into notes values ('one'), ('two');")
        mind.check_drafts({"text": text} for (text,) in rows.execute("select text from notes"))
        assert mind.put_many({"text": text} for (text,) in rows.execute("select text from notes")) == 2
    mind.put("The ferry leaves at 8:40.", key="ferry")
    assert mind.put_many({"text": mind.get(key).text} for key in ["ferry"]) == 1  # it may even ask the mind


def test_a_generator_is_put_a_thousand_at_a_time_and_told_as_one(mind: SyncMind) -> None:
    told: list[tuple[int, int]] = []
    assert mind.put_many(({"text": f"memory {n}"} for n in range(2001)), lambda *far: told.append(far)) == 2001
    assert told == [(1000, 1000), (2000, 2000), (2001, 2001)]
    assert mind.put_many(iter(())) == 0
    with pytest.raises(Conflict):
        mind.as_of(BIRTH).put_many(iter(()))


def test_a_list_is_put_with_no_key_made_up_that_a_later_one_asks_for(mind: SyncMind) -> None:
    drafts = [{"text": f"memory {n}"} for n in range(1, 1001)]
    assert mind.put_many([*drafts, {"text": "it is called so", "key": "m1"}]) == 1001
    assert mind.get("m1").text == "it is called so"


# ---- opening and closing


def test_what_was_put_is_there_the_next_time(tmp_path: Path) -> None:
    with ebbtide.sync.open("ada", data=tmp_path) as mind:
        mind.put("The ferry leaves at 8:40.", key="ferry")
    with ebbtide.sync.open("ada", data=tmp_path) as mind:
        assert mind.get("ferry").key == "ferry"
    assert "ebbtide" not in {thread.name for thread in threading.enumerate()}


def test_a_mind_that_cannot_be_opened_says_why_and_leaves_no_thread(tmp_path: Path) -> None:
    with pytest.raises(InvalidAgent), ebbtide.sync.open("../x", data=tmp_path):
        pass
    assert "ebbtide" not in {thread.name for thread in threading.enumerate()}


def test_after_the_block_the_mind_is_closed(tmp_path: Path) -> None:
    with ebbtide.sync.open("ada", data=tmp_path) as mind:
        pass
    with pytest.raises(StoreClosed):
        mind.put("too late")


def test_an_error_in_the_block_closes_the_mind_and_is_raised(tmp_path: Path) -> None:
    with pytest.raises(UnknownMemory), ebbtide.sync.open("ada", data=tmp_path) as mind:
        mind.forget(mind.put("kept", key="kept").key + "?")
    with ebbtide.sync.open("ada", data=tmp_path) as mind:
        assert mind.get("kept").text == "kept"


# ---- beside others


def test_blocks_may_be_nested_and_share_a_mind(tmp_path: Path) -> None:
    with ebbtide.sync.open("ada", data=tmp_path) as one, ebbtide.sync.open("ada", data=tmp_path) as other:
        one.put("from the first", key="first")
        other.put("from the second", key="second")
        assert one.get("second").text == "from the second"
        assert other.get("first").text == "from the first"
        assert other.as_of(other.now()).get("first").key == "first"
        assert [entry.seq for entry in other.entries()] == [entry.seq for entry in one.entries()]


def test_many_threads_may_use_one_mind(mind: SyncMind) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys: Sequence[str] = [m.key for m in pool.map(lambda n: mind.put(f"memory {n}", key=f"k{n}"), range(200))]
    assert len(set(keys)) == 200
    assert mind.stats().store.memories == 200


def test_a_callback_cannot_call_into_the_mind_it_keeps_waiting(mind: SyncMind) -> None:
    def look(done: int, total: int) -> None:
        mind.stats()

    with pytest.raises(Conflict, match="callback"):
        mind.put_many([{"text": "a"}], look)


async def test_it_can_be_used_where_a_loop_is_running(tmp_path: Path) -> None:
    with ebbtide.sync.open("ada", data=tmp_path) as mind:
        assert mind.put("it blocks, but it works").text == "it blocks, but it works"


OTHER = """
import sys, ebbtide.sync
with ebbtide.sync.open("ada", data=sys.argv[1]) as mind:
    print(mind.get("first").text, flush=True)
    mind.put("from another process", key="second")
"""


def test_another_process_is_served_between_two_calls(tmp_path: Path) -> None:
    with ebbtide.sync.open("ada", data=tmp_path) as mind:
        mind.put("from this process", key="first")
        done = subprocess.run(
            [sys.executable, "-c", OTHER, str(tmp_path)], capture_output=True, text=True, timeout=60, check=True
        )
        assert done.stdout == "from this process\n"
        assert mind.get("second").text == "from another process"


WAITING = """
import sys, time, ebbtide.sync
class Slow:
    name, dimensions = "slow", 8
    async def embed(self, texts):
        import asyncio
        print("waiting", flush=True)
        await asyncio.sleep(600)
    async def aclose(self): pass
try:
    with ebbtide.sync.open("ada", data=sys.argv[1], embedder=Slow()) as mind:
        mind.put("kept", key="kept")
        mind.search("kept")
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are another matter there")
def test_ctrl_c_leaves_the_call_in_hand_and_closes_the_mind(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", WAITING, str(tmp_path)], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "waiting\n"
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate(timeout=30)
    assert (out.splitlines()[-1], running.returncode) == ("interrupted", 0)
    assert not (tmp_path / "_owner.json").exists()
    with ebbtide.sync.open("ada", data=tmp_path) as mind:
        assert mind.get("kept").text == "kept"
