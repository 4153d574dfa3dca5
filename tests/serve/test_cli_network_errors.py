"""What a network mind cannot take, and what its small model cannot do: one clear line, and nothing lost."""

import json
import shutil
import socket
from pathlib import Path

import pytest

from ebbtide.core.changes import Batch, Receipt
from ebbtide.core.errors import StoreFull
from ebbtide.serve.cli.main import run
from ebbtide.stores.sqlite import SqliteStore
from tests.serve.shell import LOCKS, Shell, everything_in

ROLES = "user, assistant, system"
KEY = "sk-never-to-be-seen"


@pytest.fixture
def network(ebbtide: Shell, tmp_path: Path, _network_data: Path) -> Shell:
    """The command, with a network mind that was told one thing."""
    shutil.copytree(_network_data / "data", ebbtide.data)
    shutil.copy(_network_data / "lin.txt", tmp_path)
    return ebbtide


@pytest.fixture(scope="session")
def _network_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once and copied from then on."""
    folder = tmp_path_factory.mktemp("network")
    (folder / "lin.txt").write_text("Lin moves to Lamma in March.")
    for words in (("init", "--metabolism", "network", "--set", "max_retries=1"), ("remember", str(folder / "lin.txt"))):
        assert run(["--data", str(folder / "data"), *words]) == 0
    return folder


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of an endpoint where nobody listens; the environment says to ask there."""
    with socket.socket() as briefly:
        briefly.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{briefly.getsockname()[1]}/v1"
    for name, value in {"": "openai", "_URL": url, "_NAME": "small", "_KEY": KEY, "_TIMEOUT": "5"}.items():
        monkeypatch.setenv(f"EBBTIDE_MODEL{name}", value)
    return url


# ---- what is told


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "there is nothing to remember: no message says anything"),
        (b" \n\t\n", "there is nothing to remember"),
        ("\ufeff".encode(), "there is nothing to remember"),
        (b"[]", "there is nothing to remember"),
        (b'{"role": "user", "content": "  "}', "there is nothing to remember"),
        ("渡轮".encode("gb18030"), "is not UTF-8 text (byte 0)"),
        (b'{"role": "user", "content": "caf\xe9"}', "is not UTF-8 text (byte 32)"),
        (b"a\0b", "message 1: 'content' holds a NUL or half a surrogate pair"),
        (b'{"role": "user", "content": "\\ud800"}', "message 1: 'content' holds a NUL or half a surrogate pair"),
        (b'{"role": "user", "content": "x"}\n{"role": "user", ', "line 2: not JSON"),
        (b'{"role": "user", "content": "x"}\nand so on', "line 2: not JSON"),
        (b'{"role": "user", "role": "user", "content": "x"}', "a name stands twice in one object"),
        (b'{\n"role": "user",\n"content": "x"\n}', "line 1: not JSON"),
        (b'{"role": "user"}', "message 1 is not {role, content, timestamp, name}: {'role': 'user'}"),
        (b'{"content": "x"}', "message 1 is not {role, content, timestamp, name}"),
        (b'{"role": "user", "content": "x"}\n5', "message 2 is not {role, content, timestamp, name}: 5"),
        (b'{"role": "user", "content": "x", "colour": "blue"}', "message 1 is not {role, content, timestamp, name}"),
        (b'{"role": "robot", "content": "x"}', f"message 1: the role 'robot' is not one of {ROLES}"),
        (b'{"role": null, "content": "x"}', f"message 1: the role None is not one of {ROLES}"),
        (b'{"role": ["user"], "content": "x"}', f"the role ['user'] is not one of {ROLES}"),
        (b'{"role": "user", "content": 5}', "message 1: 'content' must be text, not int"),
        (b'{"role": "user", "content": null}', "message 1: 'content' must be text, not NoneType"),
        (b'{"role": "user", "content": ["x"]}', "message 1: 'content' must be text, not list"),
        (b'{"role": "user", "content": "x", "timestamp": "now"}', "the timestamp 'now' is not a number of seconds"),
        (b'{"role": "user", "content": "x", "timestamp": NaN}', "the timestamp nan is not a number of seconds"),
        (b'{"role": "user", "content": "x", "timestamp": true}', "the timestamp True is not a number of seconds"),
        (b'{"role": "user", "content": "x", "timestamp": 1e999}', "the timestamp inf is not a number of seconds"),
        (b'{"role": "user", "content": "x", "timestamp": ' + b"9" * 5000 + b"}", "line 1: not JSON"),
        (b'["hello"]', "message 1 is not {role, content, timestamp, name}: 'hello'"),
        (b"[1, 2", "not JSON"),
        (b"[12:03] Lin: hello", "if it is plain text, say whose with --role"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"role": ' * 100_000, "line 1: nested too deeply"),
    ],
)  # fmt: skip
def test_what_is_no_conversation_is_refused_and_no_mind_is_made_for_it(
    network: Shell, tmp_path: Path, content: bytes, complaint: str
) -> None:
    file = tmp_path / "conversation"
    file.write_bytes(content)
    assert complaint in network.refused(2, "remember", str(file))
    assert complaint in network.refused(2, "remember", str(file), "--later", "--json", "-a", "new")
    assert network.json("minds") == ["default"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("remember",), "Missing argument 'source'."),
        (("remember", "nowhere.jsonl"), "nowhere.jsonl cannot be read: No such file or directory"),
        (("remember", "no\0where"), "cannot be read: embedded null byte"),
        (("remember", "/"), "/ cannot be read: Is a directory"),
        (("remember", "{here}", "--role", "robot"), f"message 1: the role 'robot' is not one of {ROLES}"),
        (("remember", "{here}", "--role", ""), f"the role '' is not one of {ROLES}"),
        (("remember", "{here}", "--as-of", "+1d"), "can be looked at, but is told nothing"),
        (("recall", "--depth", "0"), "a recall goes 1 to 100 links deep, not 0"),
        (("recall", "--depth", "-3"), "a recall goes 1 to 100 links deep, not -3"),
        (("recall", "--depth", "101"), "a recall goes 1 to 100 links deep, not 101"),
        (("recall", "--depth", "9" * 40), "a recall goes 1 to 100 links deep"),
        (("recall", "--depth", "9" * 5000), "Invalid value for '--depth'"),
        (("recall", "--depth", "deep"), "Invalid value for '--depth'"),
        (("recall", "--limit", "0"), "Invalid value for '--limit'"),
        (("recall", "--limit", "few"), "Invalid value for '--limit'"),
        (("compress", "--slices", "0"), "Invalid value for '--slices'"),
        (("compress", "--slices", "some"), "Invalid value for '--slices'"),
        (("compress", "--cycles", "-1"), "Invalid value for '--cycles'"),
        (("compress", "--as-of", "+1d"), "a view of another time or regime"),
        (("watch", "--cycles", "0"), "Invalid value for '--cycles'"),
        (("watch", "--every", "nan"), "Invalid value for '--every'"),
        (("watch", "--every", "61"), "Invalid value for '--every'"),
        (("watch", "--as-of", "+1d"), "a view of another time or regime"),
        (("queue", "retry"), "Missing argument 'task'."),
        (("queue", "drop", "seven"), "Invalid value for 'task'"),
        (("queue", "lsit"), "No such command 'lsit'."),
        (("focus", "Lin"), "Got unexpected extra argument"),
    ],
)
def test_what_is_not_understood_is_said(network: Shell, tmp_path: Path, words: tuple[str, ...], complaint: str) -> None:
    typed = [word.replace("{here}", str(tmp_path / "lin.txt")) for word in words]
    assert complaint in network.refused(2, *typed)


def test_ten_thousand_messages_are_taken_and_one_more_is_not(ebbtide: Shell, tmp_path: Path) -> None:
    line, file = json.dumps({"role": "user", "content": "Lin."}), tmp_path / "long.jsonl"
    file.write_text(f"{line}\n" * 10_001)
    assert ebbtide.refused(2, "remember", str(file)) == "10,001 messages are too many at once: at most 10,000"
    file.write_text(json.dumps([json.loads(line)] * 10_001))
    assert ebbtide.refused(2, "remember", str(file)) == "10,001 messages are too many at once: at most 10,000"
    assert not ebbtide.data.exists()


@pytest.mark.parametrize("number", ["0", "1", "99", "9" * 40])
def test_a_task_that_is_not_there_can_be_neither_retried_nor_dropped(network: Shell, number: str) -> None:
    complaint = f"There is no task {number} in this mind's queue: `queue` lists those there are."
    assert network.refused(3, "queue", "retry", number) == complaint
    assert network.refused(3, "queue", "drop", number, "--json") == complaint


@pytest.mark.parametrize("metabolism", ["activity", "score", "retention"])
def test_a_mind_that_lives_by_another_rule_says_so(ebbtide: Shell, metabolism: str) -> None:
    ebbtide.said("init", "--metabolism", metabolism)
    complaint = f"this takes a network mind; this one lives by {metabolism}"
    for words, instead in (
        (("recall",), "use search"), (("focus",), "it has no focus"), (("compress",), "it has no cycles"),
        (("compress", "--cycles", "3"), "it has no cycles"), (("watch",), "it has no cycles"),
        (("watch", "--json"), "it has no cycles"),
    ):  # fmt: skip
        assert ebbtide.refused(2, *words) == f"{complaint}: {instead}"
    for verb in ("retry", "drop"):
        assert "There is no task 1 in this mind's queue" in ebbtide.refused(3, "queue", verb, "1")
    assert ebbtide.said("traces") == "no traces"  # those every mind may have
    assert ebbtide.said("queue") == "the queue is empty"


@pytest.mark.parametrize(
    "words",
    [("recall",), ("focus",), ("traces",), ("compress",), ("watch",), ("queue",), ("queue", "list"),
     ("queue", "retry", "1"), ("queue", "drop", "1")],
)  # fmt: skip
def test_only_remember_makes_a_mind(ebbtide: Shell, words: tuple[str, ...]) -> None:
    assert f"There is no mind 'default' in {ebbtide.data}" in ebbtide.refused(3, *words)
    assert not ebbtide.data.exists()


# ---- the small model


def test_what_the_model_cannot_do_is_set_aside_and_retried_when_that_is_mended(
    network: Shell, tmp_path: Path, nobody: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mei.txt").write_text("Mei stays in Porto until May.")
    answer = network("remember", str(tmp_path / "mei.txt"))
    assert answer.code == 1
    (task,) = network.json("queue")
    number = task["task"]
    reason = f"{nobody}/chat/completions cannot be reached or broke off: All connection attempts failed (asked once)."
    assert answer.complaint == (
        f"task {number} was set aside (`ebbtide queue retry {number}` tries it again): "
        f"The small model gave no usable answer: {reason}"
    )
    assert (task["kind"], task["state"], task["messages"]) == ("remember", "set aside", 1)
    assert task["error"].endswith(reason)
    assert "set aside The small model gave no usable answer" in network.said("queue")
    assert network("queue", "retry", str(number)).complaint == answer.complaint
    again = network("queue", "retry", str(number), "--json")
    assert (again.code, again.err, again.json) == (1, "", {"task": number, "error": task["error"]})
    monkeypatch.delenv("EBBTIDE_MODEL")
    assert network.said("queue", "retry", str(number)) == f"task {number} is done"
    assert network.said("queue") == "the queue is empty"
    assert "Mei stays in Porto until May." in network.said("recall", "Porto")
    assert network.said("check") == "journal and mind are the same"


def test_a_task_set_aside_blocks_nobody_and_can_be_given_up(
    network: Shell, tmp_path: Path, nobody: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mei.txt").write_text("Mei stays in Porto until May.")
    told = network("remember", str(tmp_path / "mei.txt"), "--json")
    assert (told.code, told.err) == (1, "")
    assert told.json["new"] == 0
    assert "cannot be reached" in told.json["error"]
    number = str(told.json["task"])
    assert "Lin moves to Lamma" in network.said("recall")  # asks no model
    monkeypatch.delenv("EBBTIDE_MODEL")
    (tmp_path / "omar.txt").write_text("Omar sails from Oslo.")
    network.said("remember", str(tmp_path / "omar.txt"))
    assert network.said("queue", "drop", number) == f"task {number} is dropped"
    assert network.said("queue") == "the queue is empty"
    assert "Porto" not in network.said("recall", "--depth", "9")
    assert network.refused(3, "queue", "retry", number).startswith(f"There is no task {number}")
    assert network.said("check") == "journal and mind are the same"


def test_what_waits_can_be_given_up_too(network: Shell, tmp_path: Path, nobody: str) -> None:
    later = network.json("remember", str(tmp_path / "lin.txt"), "--later")
    assert network.json("queue", "drop", str(later["task"])) == {"dropped": later["task"]}
    assert network.json("queue") == []


def test_a_disk_that_fails_keeps_the_task_waiting(
    network: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    apply = SqliteStore.apply

    async def apply_little(store: SqliteStore, batch: Batch, *, lazy: bool = False) -> Receipt:
        if len(batch.changes) > 1:
            raise StoreFull(path="mind.db", detail="disk full")
        return await apply(store, batch, lazy=lazy)

    with monkeypatch.context() as patch:
        patch.setattr(SqliteStore, "apply", apply_little)
        (tmp_path / "mei.txt").write_text("Mei stays in Porto until May.")
        answer = network("remember", str(tmp_path / "mei.txt"))
    assert answer.code == 5
    assert ": the disk failed. No room to write mind.db (disk full): nothing of this" in answer.complaint
    assert caplog.messages == []  # all is said
    assert [task["state"] for task in network.json("queue")] == ["waiting"]
    assert "Mei stays in Porto" in network.said("recall", "Porto")


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"MODEL": "oracle"}, "the setting model = 'oracle' is not usable: it must be builtin or openai"),
        ({"MODEL": "openai"}, "the model's base_url '' is not usable: give one like http://localhost:11434/v1"),
        ({"MODEL": "openai", "MODEL_URL": "localhost:11434"}, "the model's base_url 'localhost:11434' is not usable"),
        ({"MODEL": "openai", "MODEL_URL": "http://h/v1"}, "the model's model is empty"),
        ({"MODEL": "openai", "MODEL_URL": "http://h/v1", "MODEL_NAME": "m", "MODEL_KEY": f"{KEY}\n{KEY}"},
         "the model's api_key has characters that no key has"),
        ({"MODEL": "openai", "MODEL_URL": "http://h/v1", "MODEL_NAME": "m", "MODEL_TIMEOUT": "0"},
         "the model's timeout must be more than 0 seconds"),
        ({"MODEL_TIMEOUT": "soon"}, "the setting model_timeout = 'soon' is not usable"),
    ],
)  # fmt: skip
def test_a_model_that_cannot_be_is_said_before_a_mind_is_made_for_it(
    network: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], complaint: str
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(f"EBBTIDE_{name}", value)
    for words in (("remember", str(tmp_path / "lin.txt")), ("remember", str(tmp_path / "lin.txt"), "-a", "new"),
                  ("recall",), ("init", "-a", "new", "--metabolism", "network")):  # fmt: skip
        said = network.refused(2, *words)
        assert complaint in said
        assert KEY not in said
    monkeypatch.undo()
    assert [path.name for path in network.data.iterdir() if path.name not in LOCKS] == ["default"]


def test_the_settings_file_may_name_the_model_and_the_key_is_nowhere_to_be_seen(
    network: Shell, tmp_path: Path, nobody: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("MODEL", "MODEL_URL", "MODEL_NAME", "MODEL_KEY", "MODEL_TIMEOUT"):
        monkeypatch.delenv(f"EBBTIDE_{name}")
    settings = f'model = "openai"\nmodel_url = "{nobody}"\nmodel_name = "small"\nmodel_key = "{KEY}"\n'
    (network.data / "ebbtide.toml").write_text(settings)
    lin = str(tmp_path / "lin.txt")
    seen = [network("remember", lin), network("remember", lin, "--json")]
    assert [answer.code for answer in seen] == [1, 1]
    looks = [("queue",), ("config",), ("stats",), ("journal",), ("check",), ("recall",), ("version",)]
    seen += [network(*look, *form) for look in looks for form in ((), ("--json",))]
    assert [answer.code for answer in seen[2:]] == [0] * 14
    assert not [answer for answer in seen if KEY in answer.out + answer.err]
    assert KEY not in caplog.text
    (network.data / "ebbtide.toml").unlink()
    assert not [name for name, content in everything_in(network.data).items() if KEY in content]
