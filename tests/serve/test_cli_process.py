"""The installed command as a process of its own: streams, signals, locks, and what it loads."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

import ebbtide as package
from tests.serve.shell import Answer, Shell, environment, everything_in, launch, process

FULL = Path("/dev/full")
pytestmark = pytest.mark.slow  # each test starts the command as a process
posix = pytest.mark.skipif(os.name != "posix", reason="speaks of signals and file descriptors")


def test_a_fresh_user_can_put_and_explain(tmp_path: Path) -> None:
    data = tmp_path / "data"
    said = process(data, "put", "渡轮八点四十分开。", "--key", "渡轮")
    assert (said.code, said.words, said.err) == (0, "remembered 渡轮 (active)", "")
    assert process(data, "explain", "渡轮", "--json").json["memory"]["text"] == "渡轮八点四十分开。"


def test_standard_input_can_be_a_memory_or_a_file_of_them(ebbtide: Shell) -> None:
    assert process(ebbtide.data, "put", "-", "--key", "a", given="one\n").code == 0
    assert process(ebbtide.data, "put", "--from", "-", given='{"text": "two", "key": "b"}\n"three"\n').code == 0
    memories = ebbtide.json("list")["memories"]
    assert [memory["text"] for memory in memories] == ["one", "two", "three"]


def test_a_parameter_that_falls_back_is_warned_of_in_one_line(tmp_path: Path) -> None:
    answer = process(tmp_path / "data", "init", "--set", "long_days=-1")
    assert (answer.code, answer.words) == (0, "the mind 'default' lives by tide")
    assert answer.err == "ebbtide: mind default: parameter long_days = -1 is not above 0; using the default 1000.0\n"


@posix
@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((b"put", b"caf\xe9"), 2),
        ((b"get", b"\xff\xfe"), 3),
        ((b"\xff",), 2),
        ((b"put", b"x", b"--\xff", b"1"), 2),
        ((b"put", b"--from", b"\xff"), 2),
    ],
)
def test_arguments_that_are_no_text_are_refused(ferry: Shell, words: tuple[bytes, ...], code: int) -> None:
    before = everything_in(ferry.data)
    answer = process(ferry.data, *words)
    assert answer.code == code
    assert answer.complaint
    assert everything_in(ferry.data) == before


@posix
def test_a_data_folder_may_have_any_name_the_disk_allows(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff[bold]"))
    assert process(tmp_path, "minds", "--data", os.fsencode(folder)).words == f"no minds yet in {tmp_path}/�[bold]"
    assert process(tmp_path, "put", "x", "--data", os.fsencode(folder)).code == 0
    assert (folder / "default" / "mind.db").exists()


# ---- streams


@pytest.mark.skipif(not FULL.exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("words", [("put", "new"), ("journal",), ("list", "--json"), ("--help",)])
def test_an_answer_that_does_not_fit_is_told_and_the_work_is_done(ferry: Shell, words: tuple[str, ...]) -> None:
    with FULL.open("w") as full:
        answer = process(ferry.data, *words, stdout=full)
    assert answer.code == 5
    assert answer.complaint == (
        "the answer could not be written: No space left on device; the command itself was carried out"
    )
    keys = [memory["key"] for memory in ferry.json("list")["memories"]]
    assert keys == ["ferry", "lamma", *(["m3"] if words[0] == "put" else [])]


@posix
@pytest.mark.parametrize(
    "words", [("journal", "--limit", "5000"), ("journal", "--limit", "5000", "--json"), ("--help",)]
)
def test_a_reader_that_has_seen_enough_is_no_error(ebbtide: Shell, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "memories.jsonl").write_text('"one"\n' * 3000)
    ebbtide.said("put", "--from", str(tmp_path / "memories.jsonl"))
    with launch(ebbtide.data, *words) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        err = running.stderr.read()
        assert (running.wait(timeout=60), err) == (0, "")


@posix
@pytest.mark.parametrize("closed", [0, 1, 2])
def test_closed_streams_are_no_trouble(ferry: Shell, closed: int) -> None:
    script = f'exec "$0" "$@" {closed}{"<" if closed == 0 else ">"}&-'
    shell = ["sh", "-c", script, str(Path(sys.executable).parent / "ebbtide")]

    def typed(*words: str) -> Answer:
        done = subprocess.run(
            [*shell, *words], env=environment(ferry.data), capture_output=True, text=True, timeout=60, check=False
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    assert typed("put", "one", "--key", "a", "--json").code == 0
    assert typed("get", "nope").code == 3
    assert typed("put", "-").code == 2
    assert ferry.said("check") == "journal and mind are the same"


def test_what_the_terminal_cannot_say_does_not_stop_the_answer(ebbtide: Shell) -> None:
    ebbtide.said("put", "渡轮 leaves", "--key", "ferry")
    narrow = {"PYTHONIOENCODING": "ascii"}
    assert process(ebbtide.data, "get", "ferry", env=narrow).words.endswith("?? leaves")
    assert process(ebbtide.data, "get", "ferry", "--json", env=narrow).json["text"] == "渡轮 leaves"


# ---- signals and locks


@posix
@pytest.mark.slow
def test_an_interrupt_leaves_whole_batches_a_free_lock_and_a_sound_mind(ebbtide: Shell, tmp_path: Path) -> None:
    data, many = ebbtide.data, 120_000  # seconds from the first to the last: time enough to interrupt it
    file = tmp_path / "memories.jsonl"
    file.write_text("".join(f'{{"text": "memory {number}"}}\n' for number in range(many)))
    ebbtide.said("init")
    with launch(data, "put", "--from", str(file)) as running:
        _wait_for_memories(data, running)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert Answer(running.returncode, out, err).complaint == "interrupted; what was acknowledged is on disk"
    assert running.returncode == 130
    assert not (data / "default" / "owner").exists()
    written = ebbtide.json("stats")["store"]["memories"]
    assert 0 < written < many
    assert written % 1000 == 0
    assert ebbtide.said("check") == "journal and mind are the same"


def test_an_interrupt_while_it_is_still_loading_is_one_line_too() -> None:
    script = """
import sys
class Impatient:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Impatient())
import ebbtide.serve.cli
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "ebbtide: interrupted\n")


def _wait_for_memories(data: Path, running: "subprocess.Popen[str]") -> None:
    """Until the first of them are on disk."""
    deadline = time.monotonic() + 180
    with closing(sqlite3.connect(data / "default" / "mind.db")) as reader:
        while reader.execute("SELECT count(*) FROM memories").fetchone() == (0,):
            assert running.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.002)


async def test_a_mind_in_use_is_shared_with_a_second_process(tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with package.open("ada", data=data) as mind:
        await mind.put("held", key="a")
        answer = await asyncio.to_thread(process, data, "put", "x", "--agent", "ada")
        assert answer.words == "remembered m2 (active)"
        assert (await mind.get("m2")).text == "x"
        assert (await asyncio.to_thread(process, data, "put", "x", "--agent", "bob")).code == 0
    assert process(data, "put", "y", "--agent", "ada").words == "remembered m3 (active)"


# ---- what it loads


def test_neither_the_package_nor_help_loads_what_only_minds_need() -> None:
    script = """
import contextlib, io, json, sys
import ebbtide
heavy = ("numpy", "sqlite3", "msgspec", "asyncio", "ebbtide.mind", "ebbtide.app")
after_import = [name for name in heavy if name in sys.modules]
from ebbtide.serve.cli.main import app, run
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    names = [command.name or command.callback.__name__ for command in app.registered_commands]
    codes = [run(["--help"]), *(run([name, "--help"]) for name in names), run(["pu"]), run(["version"])]
print(json.dumps([after_import, [name for name in heavy if name in sys.modules], codes]))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    after_import, after_help, codes = json.loads(done.stdout)
    assert after_import == []
    assert after_help == []
    assert codes == [*[0] * (len(codes) - 2), 2, 0]


def test_the_package_knows_its_names_and_no_others() -> None:
    assert set(package.__all__) <= set(dir(package))
    for name in package.__all__:
        assert getattr(package, name) is not None
    with pytest.raises(AttributeError, match="module 'ebbtide' has no attribute 'opne'"):
        package.opne  # noqa: B018
