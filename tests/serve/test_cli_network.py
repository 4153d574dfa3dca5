"""A network mind from the command line: tell it, ask it, let it fade. Its small model is the scripted one."""

import asyncio
import io
import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import ebbtide as package
from ebbtide.mind.mailbox import Mailbox
from tests.helpers import FakeClock
from tests.scripted_model import ScriptedModel
from tests.serve.shell import Shell, everything_in

LIN, FERRY, TICKETS = "Lin moves to Lamma.", "The ferry leaves at 8:40.", "Tickets are sold at Central pier."
CONVERSATION = [
    {"role": "user", "content": LIN},
    {"role": "assistant", "content": f"{FERRY} | {TICKETS}", "timestamp": 1_700_000_000},
]
NOTHING = "nothing comes to mind: try other keywords, or `ebbtide search`"
FOCUS = ["Tickets", "Central", "Lin", "Lamma"]


@pytest.fixture(autouse=True)
def _scripted(monkeypatch: pytest.MonkeyPatch, clock: FakeClock) -> None:
    monkeypatch.setattr("ebbtide.app._small_model", lambda settings: ScriptedModel())
    monkeypatch.setenv("EBBTIDE_METABOLISM", "network")  # of minds that remember makes


@pytest.fixture
def conversation(tmp_path: Path) -> Path:
    file = tmp_path / "conversation.jsonl"
    file.write_text("\n\n".join(json.dumps(message) for message in CONVERSATION) + "\n", "utf-8")
    return file


@pytest.fixture
def told(ebbtide: Shell, conversation: Path) -> Shell:
    """The command, with a mind that was told of Lin's move."""
    ebbtide.said("remember", str(conversation))
    return ebbtide


@pytest.fixture
def chain(ebbtide: Shell, tmp_path: Path) -> Shell:
    """The command, with a mind of one focus point: only the last segment hangs on it, the others on their neighbours.

    Oslo fell out of focus and lost its only link's full strength to the first cycle: it was too short to fade.
    """
    ebbtide.said("init", "--metabolism", "network", "--set", "focus_limit=1")
    file = tmp_path / "chain.txt"
    file.write_text("Reykjavik is far away. | Oslo is a city. | Porto lies on the sea.")
    ebbtide.said("remember", str(file))
    return ebbtide


def texts(shell: Shell, *words: str) -> list[str]:
    return [memory["text"] for memory in shell.json("list", *words)["memories"]]


def block(*parts: str) -> str:
    return "\n---\n".join(f"[memory] {part}" for part in parts)


# ---- remember


def test_json_lines_become_memories_of_a_network_mind_made_for_them(ebbtide: Shell, conversation: Path) -> None:
    said = ebbtide.said("remember", str(conversation))
    assert said == "remembered: +7 memories; in focus: Tickets, Central, Lin, Lamma"
    assert texts(ebbtide, "--kind", "segment") == [LIN, FERRY, TICKETS]
    assert ebbtide.json("config")["metabolism"] == "network"
    assert ebbtide.said("queue") == "the queue is empty"  # the cycle that remembering calls for is done too
    assert ebbtide.said("check") == "journal and mind are the same"


@pytest.mark.parametrize("mark", ["", "\ufeff", "\n  "])
def test_a_json_list_and_a_marked_file_are_the_same_conversation(ebbtide: Shell, tmp_path: Path, mark: str) -> None:
    (tmp_path / "list.json").write_text(mark + json.dumps(CONVERSATION, indent=2), "utf-8")
    ebbtide.said("remember", str(tmp_path / "list.json"))
    assert texts(ebbtide, "--kind", "segment") == [LIN, FERRY, TICKETS]


def test_a_message_may_have_a_name_and_its_memory_tells_it(ebbtide: Shell, tmp_path: Path) -> None:
    lines = [
        json.dumps({"role": "user", "content": "Lin takes the ferry to Lamma.", "name": "小林"}, ensure_ascii=False)
    ]
    (tmp_path / "talk.jsonl").write_text("\n".join(lines), "utf-8")
    ebbtide.said("remember", str(tmp_path / "talk.jsonl"))
    (memory,) = ebbtide.json("list", "--kind", "segment")["memories"]
    assert memory["speaker"] == "小林"
    assert "said by: 小林" in ebbtide.said("get", memory["key"])


def test_a_text_is_one_message_said_by_whom_the_role_says(ebbtide: Shell, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("渡轮八点四十分开。\nLamma 是一个岛。\n", "utf-8")
    assert ebbtide.said("remember", str(tmp_path / "note.txt")) == "remembered: +2 memories; in focus: Lamma"
    ebbtide.said("remember", str(tmp_path / "note.txt"), "--role", "assistant")
    posted = [entry["messages"] for entry in ebbtide.json("journal") if entry["kind"] == "remember"]
    assert [[message["role"] for message in messages] for messages in posted] == [["user"], ["assistant"]]
    assert texts(ebbtide, "--kind", "segment") == ["渡轮八点四十分开。\nLamma 是一个岛。"] * 2


@pytest.mark.parametrize("text", ["[12:03] Lin: hello", "{laughs} Hello, Lin", json.dumps(CONVERSATION)])
def test_with_a_role_everything_is_plain_text(ebbtide: Shell, tmp_path: Path, text: str) -> None:
    (tmp_path / "chat.log").write_text(text)
    ebbtide.said("remember", str(tmp_path / "chat.log"), "--role", "user")
    assert texts(ebbtide, "--kind", "segment") == [part.strip() for part in text.split("|")]


def test_standard_input_is_read_for_a_dash(ebbtide: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(CONVERSATION[0]).encode())))
    assert ebbtide.said("remember", "-") == "remembered: +3 memories; in focus: Lin, Lamma"


def test_later_means_the_next_recall(ebbtide: Shell, conversation: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def hardly_begun(self: Mailbox, number: int) -> None:
        await asyncio.Event().wait()

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(Mailbox, "_attempt", hardly_begun)
        assert ebbtide.said("remember", str(conversation), "--later") == "task 2 waits in the queue"
        assert "2 remember" in ebbtide.said("queue", "list")
        assert "waiting 2 messages" in ebbtide.said("queue")
    assert FERRY in ebbtide.said("recall")
    assert [task["kind"] for task in ebbtide.json("queue")] in ([], ["compress"])
    assert ebbtide.said("compress") == "forgot 0, 7 memories and 0 traces left; nothing more is due"
    assert ebbtide.said("queue") == "the queue is empty"


def test_what_waits_is_remembered_before_what_comes(ebbtide: Shell, tmp_path: Path) -> None:
    for number, words in enumerate((["--later"], ["--later"], [])):
        (tmp_path / "note.txt").write_text(f"Pier {number}")
        ebbtide.said("remember", str(tmp_path / "note.txt"), *words)
    assert texts(ebbtide, "--kind", "segment") == ["Pier 0", "Pier 1", "Pier 2"]


def test_remember_answers_programs_with_what_became_of_it(ebbtide: Shell, conversation: Path) -> None:
    done: dict[str, Any] = {"task": 2, "later": False, "new": 7, "focus": FOCUS, "error": None}
    assert ebbtide.json("remember", str(conversation)) == done
    later = ebbtide.json("remember", str(conversation), "--later")
    assert (later["later"], later["new"], later["focus"]) == (True, 0, FOCUS)


def test_settings_of_new_minds_hold_for_those_that_remember_makes(
    ebbtide: Shell, conversation: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EBBTIDE_METABOLISM")
    ebbtide.data.mkdir()
    (ebbtide.data / "ebbtide.toml").write_text('metabolism = "network"\n[params]\nfocus_limit = 2\n')
    ebbtide.said("remember", str(conversation))
    assert ebbtide.json("focus") == FOCUS[:2]
    (ebbtide.data / "ebbtide.toml").write_text('metabolism = "score"\n[params]\nactive_from = 80\n')
    assert ebbtide.said("remember", str(conversation), "-a", "ada") == "remembered: +3 memories"
    config = ebbtide.json("config", "-a", "ada")
    assert (config["metabolism"], config["params"]["active_from"]) == ("score", 80.0)


@pytest.mark.parametrize("metabolism", ["activity", "score", "retention"])
def test_every_mind_is_told_conversations(
    ebbtide: Shell, conversation: Path, monkeypatch: pytest.MonkeyPatch, metabolism: str
) -> None:
    monkeypatch.delenv("EBBTIDE_METABOLISM")
    ebbtide.said("init", "--metabolism", metabolism)
    assert ebbtide.said("remember", str(conversation)) == "remembered: +3 memories"
    assert texts(ebbtide, "--kind", "segment", "--all") == [LIN, FERRY, TICKETS]  # they are as old as what was said
    later = ebbtide.json("remember", str(conversation), "--later")
    assert (later["later"], later["focus"], later["error"]) == (True, [], None)
    assert ebbtide.refused(2, "recall", "Lin").endswith(f"this one lives by {metabolism}: use search")
    assert ebbtide.said("check") == "journal and mind are the same"


def test_without_a_mind_the_default_one_is_made(
    ebbtide: Shell, conversation: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EBBTIDE_METABOLISM")
    ebbtide.said("remember", str(conversation))
    ebbtide.said("put", "Noted.", "-a", "other")
    assert ebbtide.json("config")["metabolism"] == ebbtide.json("config", "-a", "other")["metabolism"]


def test_a_conversation_may_hold_whatever_people_write(ebbtide: Shell, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("[bold]Lin[/] says\t\\[x] \x1b[31mred\x1b[0m 👩‍👩‍👧 “…”", "utf-8")
    ebbtide.said("remember", str(tmp_path / "note.txt"), "--role", "user")
    shown = ebbtide("recall")
    assert shown.out == "[memory] [bold]Lin[/] says\t\\[x] �[31mred�[0m 👩‍👩‍👧 “…”\n"
    assert ebbtide.json("recall")["text"].endswith("\x1b[31mred\x1b[0m 👩‍👩‍👧 “…”")


# ---- recall, focus


def test_recall_says_what_comes_to_mind_in_plain_text(told: Shell) -> None:
    whole = block(TICKETS, FERRY, LIN)
    assert told("recall").out == f"{whole}\n"
    assert told.json("recall") == {"text": whole}
    assert told("recall", "FERRY").out == f"{block(FERRY)}\n"
    assert told("recall", "lamma", "ferry").out == f"{block(FERRY, LIN)}\n"
    assert told("recall", "--limit", "2").out == f"{block(TICKETS, FERRY)}\n"
    assert told("recall", "--relation", "about").out == f"{whole}\n"


def test_recall_and_the_python_api_say_the_same(told: Shell) -> None:
    async def asked() -> str:
        async with package.open("default", data=told.data) as mind:
            return await mind.recall(["ferry", "Lin"], ["about"], depth=3, limit=2)

    words = ("recall", "ferry", "Lin", "--relation", "about", "--depth", "3", "--limit", "2")
    assert told(*words).out == f"{asyncio.run(asked())}\n"


def test_depth_is_how_far_thoughts_go(chain: Shell) -> None:
    assert chain("recall", "--depth", "1").out == f"{block('Porto lies on the sea.')}\n"
    two = block("Porto lies on the sea.", "Oslo is a city.")
    assert chain("recall", "--depth", "2").out == f"{two}\n"
    assert chain("recall").out == f"{two}\n"
    assert chain("config", "default_search_depth=1").code == 0
    assert chain("recall").out == f"{block('Porto lies on the sea.')}\n"


def test_what_was_once_known_is_recalled_as_such(chain: Shell) -> None:
    told = ["Porto lies on the sea.", "Oslo is a city.", "Reykjavik is far away.", "once knew: Oslo is (about): Oslo"]
    assert chain("recall", "--depth", "3").out == f"{block(*told)}\n"
    (trace,) = chain.json("traces")
    assert trace == {"source": "m4", "relation": "about", "strength": pytest.approx(0.97), "known": "Oslo"}
    assert chain.said("traces").endswith("m4 about 0.97 Oslo")


def test_relations_say_which_links_thoughts_may_take(chain: Shell) -> None:
    assert chain.said("recall", "--relation", "after", "--depth", "9") == NOTHING
    assert chain("recall", "--relation", "about", "--depth", "9").out == f"{block('Porto lies on the sea.')}\n"
    both = ("--relation", "about", "--relation", "before", "--depth", "2")
    assert chain("recall", *both).out == f"{block('Porto lies on the sea.', 'Oslo is a city.')}\n"


def test_nothing_found_is_said_and_is_no_error(told: Shell) -> None:
    assert told.said("recall", "walrus") == NOTHING
    assert told.json("recall", "walrus") == {"text": ""}
    assert told.said("recall", "--relation", "hates") == NOTHING


def test_the_focus_is_shown_freshest_first_and_recall_leaves_it(told: Shell) -> None:
    assert told.json("focus") == FOCUS
    told.said("recall", "Lin")
    assert told("focus").out.split() == FOCUS


def test_an_empty_mind_has_no_focus_no_traces_and_nothing_to_say(ebbtide: Shell) -> None:
    ebbtide.said("init", "--metabolism", "network")
    assert ebbtide.said("focus") == "nothing is in focus"
    assert ebbtide.said("traces") == "no traces"
    assert ebbtide.said("recall") == NOTHING
    assert ebbtide.said("compress") == "forgot 0, 0 memories and 0 traces left; nothing more is due"
    assert ebbtide.said("watch") == "cycle 0: 0 memories, 0 traces"
    assert [ebbtide.json(word) for word in ("focus", "traces", "queue")] == [[], [], []]


# ---- compress, watch


def test_cycles_let_a_mind_fade_and_traces_stay(told: Shell, tmp_path: Path) -> None:
    (tmp_path / "other.txt").write_text("Omar, Ines, Porto, Oslo and Kyoto are elsewhere.")
    told.said("remember", str(tmp_path / "other.txt"))
    found = told.json("compress", "--cycles", "60")
    assert found == {"done": True, "forgotten": 4, "memories": 9, "traces": len(told.json("traces"))}
    assert found["traces"] > 0
    lengths = [len(text) for text in texts(told, "--kind", "segment")]
    assert all(short < len(whole) for short, whole in zip(lengths, (LIN, FERRY, TICKETS), strict=False))
    said = told.said("compress", "--cycles", "200")
    assert said == "forgot 3, 6 memories and 0 traces left; nothing more is due"
    assert told.said("check") == "journal and mind are the same"


def test_so_many_slices_and_no_more(ebbtide: Shell, conversation: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ebbtide.said("init", "--metabolism", "network")
    slices: list[bool] = []

    async def compress(mind: package.Mind, enough: Any = lambda: False) -> bool:
        slices.append(enough())
        return len(slices) >= 4

    monkeypatch.setattr(package.Mind, "compress", compress)
    assert ebbtide.said("compress") == "forgot 0, 0 memories and 0 traces left; more is due"
    assert ebbtide.said("compress", "--slices", "2").endswith("more is due")
    assert ebbtide.said("compress", "--slices", "9").endswith("nothing more is due")
    assert slices == [False] * 4  # and each began with time left


def test_a_slice_lasts_as_long_as_the_mind_says(ebbtide: Shell, conversation: Path, clock: FakeClock) -> None:
    ebbtide.said("init", "--metabolism", "network", "--set", "time_slice=1")
    ebbtide.said("remember", str(conversation), "--later")
    assert ebbtide.json("compress", "--slices", "1000")["done"] is True


def test_watching_gives_figures_where_nothing_can_be_drawn_and_changes_nothing(chain: Shell) -> None:
    before = everything_in(chain.data)
    frames = chain.json("watch", "--cycles", "80")
    assert [frame["cycle"] for frame in frames] == list(range(81))
    assert frames[0] == {"cycle": 0, "memories": 5, "traces": 1, "states": {"active": 4, "fading": 1}}
    assert frames[-1]["memories"] == 2  # Porto and what was said of it
    assert all(later["memories"] <= former["memories"] for former, later in pairwise(frames))
    assert chain("watch", "--cycles", "1").out == "cycle 0: 5 memories, 1 trace\ncycle 1: 5 memories, 1 trace\n"
    assert everything_in(chain.data) == before


def test_watching_ends_when_nothing_is_left(ebbtide: Shell) -> None:
    ebbtide.said("init", "--metabolism", "network")
    ebbtide.said("put", "nobody links to this")
    frames = ebbtide.json("watch")
    assert [(frame["cycle"], frame["memories"]) for frame in frames] == [(0, 1), (1, 0)]
    assert texts(ebbtide) == ["nobody links to this"]


def test_a_recall_at_another_moment_counts_no_walk(told: Shell) -> None:
    before = told.json("journal")
    ahead = told.json("recall", "Lin", "--at", "+90d")
    assert LIN in ahead["text"]
    assert told.json("journal") == before
    assert told.json("recall", "Lin") == ahead
    assert told.json("journal")[-1]["kind"] == "traverse"
