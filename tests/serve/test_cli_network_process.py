"""Network minds through the installed command: a real terminal, Ctrl-C, standard input, the environment."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.endpoint import SILENCE, Endpoint, endpoint, error
from tests.serve.shell import PROGRAM, Answer, Shell, environment, everything_in, launch, process

pytestmark = pytest.mark.slow  # each test starts the command as a process

posix = pytest.mark.skipif(os.name != "posix", reason="speaks of signals and terminals")
LIN = "Lin moves to Lamma in March. The ferry leaves Central pier 4 at 8:40 on weekdays."
KEY = "sk-never-to-be-seen"
INTERRUPTED = "interrupted; what was acknowledged is on disk"


@pytest.fixture
def told(ebbtide: Shell, tmp_path: Path) -> Shell:
    (tmp_path / "lin.txt").write_text(LIN)
    ebbtide.said("init", "--metabolism", "network")
    ebbtide.said("remember", str(tmp_path / "lin.txt"))
    return ebbtide


# ---- a terminal


class Terminal:
    """A command that believes somebody sits in front of it."""

    def __init__(self, master: int, running: "subprocess.Popen[bytes]") -> None:
        self.master = master
        self.running = running
        self.seen = ""

    def wait_for(self, happens: Callable[[str], object]) -> None:
        """Look at the screen until this is true of all that was ever on it."""
        while not happens(self.seen):
            try:
                more = os.read(self.master, 65536)
            except OSError:  # nobody writes any more
                more = b""
            assert more, self.seen
            self.seen += more.decode(errors="replace")

    def type(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def rest(self) -> int:
        """Watch to the end; the exit code."""
        try:
            while more := os.read(self.master, 65536):
                self.seen += more.decode(errors="replace")
        except OSError:
            pass
        return self.running.wait(timeout=60)


@contextmanager
def terminal(data: Path, *words: str) -> Iterator[Terminal]:
    import pty

    master, slave = pty.openpty()
    # Its own session with this as its terminal: then ^C means to it what it means to everybody.
    script = "import os, sys; os.login_tty(0); os.execv(sys.argv[1], sys.argv[1:])"
    env = environment(data, TERM="xterm-256color", COLUMNS="100", LINES="24")
    command = [sys.executable, "-c", script, str(PROGRAM), *words]
    running = subprocess.Popen(command, env=env, stdin=slave)
    os.close(slave)
    try:
        yield Terminal(master, running)
    finally:
        if running.poll() is None:
            running.kill()
            running.wait()
        os.close(master)


@posix
def test_at_a_terminal_one_can_watch_a_mind_fade(told: Shell) -> None:
    before = everything_in(told.data)
    with terminal(told.data, "watch", "--cycles", "60", "--every", "0") as screen:
        assert screen.rest() == 0
    assert "cycle 0: " in screen.seen
    assert "cycle 60: " in screen.seen
    assert "█" * 20 in screen.seen
    assert "Lin moves to Lamma" in screen.seen
    assert "Traceback" not in screen.seen
    assert everything_in(told.data) == before


@posix
def test_control_c_ends_the_watching_and_gives_the_cursor_back(told: Shell) -> None:
    before = everything_in(told.data)
    with terminal(told.data, "watch", "--cycles", "100000", "--every", "0.01") as screen:
        screen.wait_for(lambda seen: "cycle 3: " in seen and "█" in seen)
        screen.type("\x03")
        assert screen.rest() == 130
    assert screen.seen.rindex("\x1b[?25h") > screen.seen.rindex("\x1b[?25l")
    assert screen.seen.rstrip().endswith(f"ebbtide: {INTERRUPTED}")
    assert "Traceback" not in screen.seen
    assert everything_in(told.data) == before
    assert told.said("check") == "journal and mind are the same"


@posix
def test_brackets_are_brackets_in_the_picture_and_what_goes_is_shown_as_gone(ebbtide: Shell) -> None:
    ebbtide.said("init", "--metabolism", "network")
    ebbtide.said("put", "[bold]nobody[/] links to this \x1b[31m", "--key", "alone")
    for key in ("one", "other"):
        ebbtide.said("put", f"{key} of two that hold each other", "--key", key)
    ebbtide.said("link", "one", "other", "--strength", "1")
    ebbtide.said("link", "other", "one", "--strength", "1")
    with terminal(ebbtide.data, "watch", "--cycles", "3", "--every", "0") as screen:
        assert screen.rest() == 0
    words = " ".join(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen.seen).split())
    first, rest = words.split("cycle 1: ")
    assert "vanishing [bold]nobody[/] links to this �[31m" in first
    assert "forgotten [bold]nobody[/] links to this �[31m" in rest


@posix
def test_a_bar_is_shown_while_it_remembers_and_is_gone_when_it_fails(ebbtide: Shell, tmp_path: Path) -> None:
    (tmp_path / "lin.txt").write_text(LIN)
    ebbtide.said("init", "--metabolism", "network", "--set", "max_retries=2")
    (ebbtide.data / "ebbtide.toml").write_text(
        'model = "openai"\nmodel_url = "http://127.0.0.1:9/v1"\nmodel_name = "small"\n'
    )
    with terminal(ebbtide.data, "remember", str(tmp_path / "lin.txt")) as screen:
        assert screen.rest() == 1
    assert "remembering" in screen.seen
    assert screen.seen.count("task 2 ") == 1
    assert "task 2 was set aside" in screen.seen[screen.seen.rindex("remembering") :]


# ---- streams and settings


def test_a_conversation_may_come_through_a_pipe_and_recall_leave_through_one(tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert process(data, "init", "--metabolism", "network").code == 0
    line = json.dumps({"role": "user", "content": "林博士三月搬到南丫岛。"}, ensure_ascii=False)
    told = process(data, "remember", "-", given=f"{line}\n")
    assert (told.code, told.err) == (0, "")
    assert process(data, "recall", "南丫岛") == Answer(0, "[记忆] 林博士三月搬到南丫岛。\n", "")
    narrow = process(data, "recall", "--json", env={"PYTHONIOENCODING": "ascii"})
    assert narrow.json == {"text": "[记忆] 林博士三月搬到南丫岛。"}
    assert process(data, "remember", "-", given="").complaint.startswith("there is nothing to remember")


def test_the_environment_names_the_model_and_nothing_ever_shows_its_key(told: Shell, tmp_path: Path) -> None:
    told.said("config", "max_retries=1")

    async def asked() -> tuple[Answer, Endpoint]:
        # the server repeats the key where a careless complaint would show it
        async with endpoint(error(401, f"no such key: {KEY}")) as server:
            env = {"EBBTIDE_MODEL": "openai", "EBBTIDE_MODEL_URL": server.base_url, "EBBTIDE_MODEL_NAME": "small",
                   "EBBTIDE_MODEL_KEY": KEY, "EBBTIDE_MODEL_TIMEOUT": "20"}  # fmt: skip
            return await asyncio.to_thread(process, told.data, "remember", str(tmp_path / "lin.txt"), env=env), server

    answer, server = asyncio.run(asked())
    assert answer.code == 1
    assert f"HTTP 401 from {server.base_url}/chat/completions: no such key: *** (asked once)" in answer.complaint
    assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {KEY}"}
    assert {request.body["model"] for request in server.requests} == {"small"}
    assert KEY not in answer.err
    assert KEY not in str(told.json("queue"))
    assert not [name for name, text in everything_in(told.data).items() if KEY in text]


def test_what_failed_is_one_line_on_standard_error(ebbtide: Shell, tmp_path: Path) -> None:
    (tmp_path / "lin.txt").write_text(LIN)
    ebbtide.said("init", "--metabolism", "network", "--set", "max_retries=1")
    env = {"EBBTIDE_MODEL": "openai", "EBBTIDE_MODEL_URL": "http://127.0.0.1:9/v1", "EBBTIDE_MODEL_NAME": "small"}
    answer = process(ebbtide.data, "remember", str(tmp_path / "lin.txt"), env=env)
    assert answer.code == 1
    assert answer.complaint.startswith("task 2 was set aside (`ebbtide queue retry 2` tries it again): ")
    again = process(ebbtide.data, "queue", "retry", "2", "--json", env=env)
    assert (again.code, again.err, again.json["task"]) == (1, "", 2)


# ---- interrupts


@posix
def test_an_interrupt_leaves_the_task_in_the_queue_and_a_sound_mind(ebbtide: Shell, tmp_path: Path) -> None:
    file = tmp_path / "long.jsonl"
    said = (f"Lin takes ferry {number} to Lamma. Harbour {number} was calm." for number in range(150))
    file.write_text("".join(json.dumps({"role": "user", "content": text}) + "\n" for text in said))
    ebbtide.said("init", "--metabolism", "network")
    answer = asyncio.run(_interrupted_while_the_model_thinks(ebbtide.data, "remember", str(file)))
    assert answer.complaint == INTERRUPTED
    assert answer.code == 130
    assert not (ebbtide.data / "default" / "owner").exists()
    waiting = [task for task in ebbtide.json("queue") if task["kind"] == "remember"]
    assert [task["state"] for task in waiting] == ["waiting"]
    assert ebbtide.said("check") == "journal and mind are the same"
    ebbtide.said("recall", "--limit", "1")
    texts = " ".join(
        memory["text"] for memory in ebbtide.json("list", "--kind", "segment", "--limit", "999")["memories"]
    )
    assert [texts.count(f"ferry {number} to") for number in range(150)] == [1] * 150  # none lost, none doubled
    assert ebbtide.said("check") == "journal and mind are the same"


async def _interrupted_while_the_model_thinks(data: Path, *words: str) -> Answer:
    """It thinks for ever: the interrupt always comes in the middle."""
    async with endpoint(SILENCE) as model:
        env = {"EBBTIDE_MODEL": "openai", "EBBTIDE_MODEL_URL": model.base_url, "EBBTIDE_MODEL_NAME": "small"}
        with launch(data, *words, env=env | {"EBBTIDE_MODEL_TIMEOUT": "600"}) as running:
            try:
                async with asyncio.timeout(60):
                    await model.asked.wait()
                running.send_signal(signal.SIGINT)
                out, err = await asyncio.to_thread(running.communicate, timeout=60)
            finally:
                running.kill()
    return Answer(running.returncode, out, err)


# ---- the demo


def test_the_demo_shows_a_network_mind_fading(ebbtide: Shell) -> None:
    said = ebbtide("demo").out
    fading = said[said.index("on a copy, after") :].split("\n\n")[0]
    rows = re.findall(r"^ (\d+ scans?) +(.*?)(?:  +(.*?))(?:  +(.*?)) *$", fading, re.MULTILINE)
    assert [row[0] for row in rows] == ["0 scans", "1 scan", "5 scans", "10 scans", "20 scans"]
    assert rows[0][1:] == (
        "小林对花生过敏，聚餐时不要点含花生的菜。",
        "The ferry to Lamma leaves Central pier 4 at 8:40 on weekdays.",
        "The café by the pier was closed on 3 January.",
    )
    assert [row[3] for row in rows[1:]] == ["forgotten"] * 4
    for column in (1, 2):  # shorter and shorter, and what names it last to go
        lengths = [len(row[column]) for row in rows]
        assert lengths == sorted(lengths, reverse=True)
        assert lengths[-1] < lengths[0]
    assert "花生" in rows[-1][1]
    assert "Lamma" in rows[-1][2]
