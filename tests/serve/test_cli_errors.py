"""Bad input gets one clear line and the right exit code, and nothing changes."""

import os
import sqlite3
from pathlib import Path

import pytest

from tests.helpers import FakeClock
from tests.privileges import permissions_apply
from tests.serve.shell import Shell, everything_in

REFUSAL = "signals, scores and states are the engine's own"
SURROGATE = os.fsdecode(b"\xff")  # how a byte that is no UTF-8 reaches us on the command line


# ---- 2: not understood


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("pu", "x"), "No such command 'pu'. Did you mean 'put'?"),
        (("put", "x", "--kye", "y"), "No such option: --kye (Possible options: --key)"),
        (("list", "--sate", "cold"), "No such option: --sate"),
        (("get",), "Missing argument 'key'."),
        (("get", "ferry", "lamma"), "Got unexpected extra argument(s) (lamma)"),
        (("put", "-5 degrees"), "No such option: -5; a text that begins with a dash goes after --"),
        (("list", "--state", "warm"), "'warm' is not one of 'active', 'cold', 'deprecated'"),
        (("list", "--limit", "0"), "Invalid value for '--limit'"),
        (("list", "--limit", "-1"), "Invalid value for '--limit'"),
        (("list", "--limit", "many"), "Invalid value for '--limit'"),
        (("list", "--limit", "10001"), "Invalid value for '--limit'"),
        (("list", "--after", "-1"), "Invalid value for '--after'"),
        (("list", "--after", "9" * 30), "Invalid value for '--after'"),
        (("journal", "--limit", "-1"), "Invalid value for '--limit'"),
        (("journal", "--after", "-1"), "Invalid value for '--after'"),
        (("journal", "--after", "9" * 30), "Invalid value for '--after'"),
        (("explain", "ferry", "--days", "0"), "Invalid value for '--days'"),
        (("explain", "ferry", "--days", "nan"), "Invalid value for '--days'"),
        (("explain", "ferry", "--at", "someday"), "'someday' is not a moment"),
        (("explain", "ferry", "--at", "+9999999999y"), "is not a moment"),
        (("list", "--as-of", "2026-13-01"), "'2026-13-01' is not a moment"),
        (("list", "--as-of"), "Option '--as-of' requires an argument."),
        (("list", "--json=yes"), "Option '--json' does not take a value."),
        (("tick", "--at", "+3d"), "--at needs --dry-run"),
        (("tick", "--dry-run", "--at", "later"), "'later' is not a moment"),
        (("compact", "--older-than", "90"), "'90' is not a span of time"),
        (("compact", "--older-than", "-90d"), "'-90d' is not a span of time"),
        (("list", "--score", "0-100"), "a mind that lives by tide has no scores to choose by"),
        (("list", "--score", "high"), "'high' is not a range of scores"),
        (("list", "--score", "69-30"), "'69-30' is not a range of scores"),
        (("list", "--score", "²-³"), "'²-³' is not a range of scores"),
        (("list", "--score", f"0-{'9' * 5000}"), "is not a range of scores"),
        (("list", "--state", "expired"), "no memory of a mind that lives by tide is ever expired"),
        (("link", "ferry", "lamma", "--strength", "1.5"), "a link's strength is a number from 0 to 1, not 1.5"),
        (("link", "ferry", "lamma", "--strength", "nan"), "a link's strength is a number from 0 to 1, not nan"),
        (("link", "ferry", "lamma", "--strength", "strong"), "Invalid value for '--strength'"),
        (("link", "ferry", "lamma", ""), "'relation' is empty"),
        (("link", "ferry", "lamma", "x" * 257), "'relation' has 257 characters; at most 256 are taken"),
        (("link", "ferry", "ferry"), "a memory cannot be linked to itself"),
        (("merge", "ferry", "ferry"), "a memory cannot be merged with itself"),
        (("merge", "ferry", "lamma", "--text", " "), "'text' is empty"),
        (("restore", "ferry", "--text"), "'ferry' has no earlier text that could be brought back"),
        (("restore", "ferry", "--text", "--as", "x"), "--as and --id do not go with it"),
        (("restore", "ferry", "--as", ""), "'key' is empty"),
        (("config", "trash_days"), "'trash_days' is not NAME=VALUE"),
        (("config", "=5"), "'=5' is not NAME=VALUE"),
        (("config", "trash_dais=5"), "'trash_dais' is not a parameter of tide: did you mean 'trash_days'?"),
        (("replay", "--metabolism", "retantion"), "'retantion' is not a metabolism: did you mean 'retention'?"),
        (("replay", "--metabolism", ""), "'' is not a metabolism"),
        (("replay", "--set", "decay_rate=1"), "'decay_rate' is not a parameter of tide"),
        (("init", "-a", "ada", "--metabolism", "scor"), "'scor' is not a metabolism: did you mean 'score'?"),
        (("init", "-a", "ada", "--metabolism", ""), "'' is not a metabolism"),
        (("init", "-a", "ada", "--set", "long_days"), "'long_days' is not NAME=VALUE"),
        (
            ("init", "-a", "ada", "--set", "longdays=1"),
            "'longdays' is not a parameter of tide: did you mean 'long_days'?",
        ),
        (("init", "-a", "ada", "--as-of", "-3d"), "--as-of only looks"),
        (("adopt", "old.db", "-a", "ada", "--as-of", "-3d"), "--as-of only looks"),
        (("--as-of", "-3d"), "Missing command."),
    ],
)
def test_what_is_not_understood_is_said(ferry: Shell, words: tuple[str, ...], complaint: str) -> None:
    assert complaint in ferry.refused(2, *words)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((), "nothing to remember: give a text, or --from FILE"),
        (("",), "'text' is empty"),
        (("  \n",), "'text' is empty"),
        (("a\0b",), "'text' holds a NUL or half a surrogate pair"),
        ((f"a{SURROGATE}b",), "'text' holds a NUL or half a surrogate pair"),
        (("x" * 1_000_001,), "'text' has 1,000,001 characters; at most 1,000,000 are taken"),
        (("x", "--key", ""), "'key' is empty"),
        (("x", "--key", " k"), "' k' is not a key"),
        (("x", "--key", "a\nb"), "is not a key: no blanks at its ends, no control characters"),
        (("x", "--key", "\x1b[31m"), "is not a key: no blanks at its ends, no control characters"),
        (("x", "--key", f"k{SURROGATE}"), "'key' holds a NUL or half a surrogate pair"),
        (("x", "--key", "k" * 513), "'key' has 513 characters; at most 512 are taken"),
        (("x", "--kind", ""), "'kind' is empty"),
        (("x", "--kind", "k" * 257), "'kind' has 257 characters"),
        (("x", "--keyword", ""), "'keywords' is empty"),
        (("x", "--phrase", f"p{SURROGATE}"), "'phrase' holds a NUL or half a surrogate pair"),
        (("x", "--domain", "\0"), "'domain' holds a NUL or half a surrogate pair"),
        (("x", "--importance", "0.5"), "'importance' cannot be set: it is an input of retention minds"),
        (("x", "--policy", "persistent"), "'policy' cannot be set: it is an input of retention minds"),
        (("x", "--importance", "much"), "Invalid value for '--importance'"),
        (("x", "--score", "90"), f"'score' cannot be set: {REFUSAL}."),
        (("x", "--state=active"), f"'state' cannot be set: {REFUSAL}."),
        (("x", "--access-count", "9"), f"'access_count' cannot be set: {REFUSAL}."),
        (("x", "--from", "memories.jsonl"), "--from FILE stands alone"),
        (("--from", "memories.jsonl", "--key", "k"), "--from FILE stands alone"),
        (("--from", "nowhere.jsonl"), "nowhere.jsonl cannot be read: No such file or directory"),
        (("--from", "no\0where"), "cannot be read: embedded null byte"),
        (("--from", "/"), "/ cannot be read: Is a directory"),
    ],
)  # fmt: skip
def test_a_memory_that_cannot_be_is_refused_and_no_mind_is_made_for_it(
    ferry: Shell, words: tuple[str, ...], complaint: str
) -> None:
    assert complaint in ferry.refused(2, "put", *words)
    assert complaint in ferry.refused(2, "put", *words, "--agent", "new")
    assert ferry.json("minds") == ["default"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("x", "--importance", "1.5"), "'importance' must be a number from 0 to 1, not 1.5"),
        (("x", "--importance", "nan"), "'importance' must be a number from 0 to 1, not nan"),
        (("x", "--policy", "eternal"), "'policy' must be one of normal, persistent, ephemeral, not 'eternal'"),
        (
            ("x", "--key", "ferry", "--replace", "--importance", "1"),
            "'importance' is given when a memory is made, and stays 0.5",
        ),
    ],
)
def test_retention_minds_take_importance_and_policy_but_not_any(
    ebbtide: Shell, words: tuple[str, ...], complaint: str
) -> None:
    ebbtide.said("init", "--metabolism", "retention")
    ebbtide.said("put", "The ferry leaves at 8:40.", "--key", "ferry")
    assert complaint in ebbtide.refused(2, "put", *words)


@pytest.mark.parametrize(
    "agent", ["../x", "a/b", "", ".", "..", "-x", ".hidden", "a b", "渡轮", "x" * 129, "a\0", SURROGATE]
)
def test_an_agent_id_that_could_lead_elsewhere_is_refused(ferry: Shell, agent: str) -> None:
    around = everything_in(ferry.data.parent)
    for words in (("put", "x"), ("get", "ferry"), ("init",), ("adopt", "old.db"), ("stats",)):
        assert f"{agent!r} is not an agent id: use 1 to 128 letters" in ferry.refused(2, f"--agent={agent}", *words)
    assert everything_in(ferry.data.parent) == around


# ---- 2: files


@pytest.mark.parametrize(
    ("last", "complaint"),
    [
        ('{"text": "x"', "line 1003: not JSON"),
        ("ferry", "line 1003: not JSON"),
        ("[1, 2]", "line 1003: neither an object nor a text"),
        ("5", "line 1003: neither an object nor a text"),
        ("[" * 100_000, "line 1003: nested too deeply"),
        ('{"text": "x", "text": "y"}', "line 1003: not JSON (a name stands twice in one object)"),
        ('{"key": "x"}', "memory 1002: a memory needs a 'text'"),
        ('{"text": ""}', "memory 1002: 'text' is empty"),
        ('{"text": 5}', "memory 1002: 'text' must be text, not int"),
        ('{"text": "\\u0000"}', "memory 1002: 'text' holds a NUL or half a surrogate pair"),
        ('{"text": "\\ud800"}', "memory 1002: 'text' holds a NUL or half a surrogate pair"),
        ('{"text": "x", "key": 5}', "memory 1002: 'key' must be text, not int"),
        ('{"text": "x", "keywords": "travel"}', "memory 1002: 'keywords' must be a list of strings"),
        ('{"text": "x", "keywords": [5]}', "memory 1002: 'keywords' must be text, not int"),
        ('{"text": "x", "keyword": ["travel"]}', "memory 1002: 'keyword' is not a field of a memory"),
        ('{"text": "x", "score": 90}', f"'score' cannot be set: {REFUSAL} (memory 1002)"),
        ('{"text": "x", "state": "active"}', "'state' cannot be set"),
        ('{"text": "x", "vitality": 1}', "'vitality' cannot be set"),
        ('{"text": "x", "last_accessed_at": 0}', "'last_accessed_at' cannot be set"),
        ('{"text": "x", "importance": 1}', "'importance' cannot be set: it is an input of retention minds"),
        ('{"text": "x", "key": "k7"}', "memory 1002: the key 'k7' is that of memory 8 already"),
    ],
)  # fmt: skip
def test_one_bad_line_at_the_end_and_nothing_of_the_file_is_written(
    ferry: Shell, tmp_path: Path, last: str, complaint: str
) -> None:
    good = "\n".join(f'{{"text": "memory {number}", "key": "k{number}"}}' for number in range(1001))
    file = tmp_path / "memories.jsonl"
    file.write_text(f"{good}\n\n{last}\n")
    assert complaint in ferry.refused(2, "put", "--from", str(file))
    assert complaint in ferry.refused(2, "put", "--from", str(file), "-a", "new")


def test_a_key_of_the_file_that_is_taken_refuses_the_whole_file(ferry: Shell, tmp_path: Path) -> None:
    (tmp_path / "memories.jsonl").write_text('"one"\n{"text": "two", "key": "ferry"}\n')
    assert "The key 'ferry' is taken" in ferry.refused(4, "put", "--from", str(tmp_path / "memories.jsonl"))


def test_a_file_that_is_not_utf8_is_refused(ferry: Shell, tmp_path: Path) -> None:
    file = tmp_path / "memories.jsonl"
    file.write_bytes('{"text": "渡轮"}\n'.encode("gb18030"))
    assert ferry.refused(2, "put", "--from", str(file)) == f"{file} is not UTF-8 text (byte 10)"


def test_names_of_files_are_shown_without_what_a_terminal_would_obey(ferry: Shell) -> None:
    assert ferry.refused(2, "put", "--from", "a\x1b[31mb") == "a�[31mb cannot be read: No such file or directory"


# ---- 3: not found


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("get", "nope"), "There is no memory 'nope' in this mind."),
        (("get", SURROGATE), r"There is no memory '\udcff' in this mind."),
        (("get", "a\0b"), r"There is no memory 'a\x00b' in this mind."),
        (("explain", "nope"), "There is no memory 'nope'"),
        (("follow", "nope"), "There is no memory 'nope'"),
        (("journal", "nope"), "There is no memory 'nope'"),
        (("journal", SURROGATE), "There is no memory"),
        (("link", "ferry", "nope"), "There is no memory 'nope'"),
        (("link", "nope", "ferry"), "There is no memory 'nope'"),
        (("unlink", "ferry", "lamma"), "There is no link 'related' from 'ferry' to 'lamma'."),
        (("unlink", "ferry", "nope"), "There is no link 'related' from 'ferry' to 'nope'."),
        (("unlink", "ferry", SURROGATE), "There is no link"),
        (("forget", "nope"), "There is no memory 'nope'"),
        (("forget", "ferry", "nope"), "There is no memory 'nope'"),
        (("merge", "ferry", "nope"), "There is no memory 'nope'"),
        (("merge", "nope", "ferry"), "There is no memory 'nope'"),
        (("restore", "ferry"), "'ferry' is not in the trash"),
        (("restore", SURROGATE, "--as", "x"), "is not in the trash"),
        (("restore", "nope", "--text"), "There is no memory 'nope'"),
    ],
)
def test_what_is_not_there_is_said_to_be_missing(ferry: Shell, words: tuple[str, ...], complaint: str) -> None:
    assert complaint in ferry.refused(3, *words)


@pytest.mark.parametrize(
    "words",
    [("get", "x"), ("list",), ("stats",), ("tick",), ("journal",), ("replay",), ("check",), ("compact",), ("config",),
     ("trash",), ("adopt", "--roll-back", "old.db"), ("put", "x", "--as-of", "-3d")],
)  # fmt: skip
def test_only_put_and_init_make_a_mind(ebbtide: Shell, words: tuple[str, ...]) -> None:
    assert f"There is no mind 'default' in {ebbtide.data}" in ebbtide.refused(3, *words)
    assert not ebbtide.data.exists()


def test_a_filter_that_no_database_could_hold_is_refused(ferry: Shell) -> None:
    assert "'kind' holds a NUL or half a surrogate pair" in ferry.refused(2, "list", "--kind", SURROGATE)
    assert "'domain' holds a NUL or half a surrogate pair" in ferry.refused(2, "list", "--domain", SURROGATE)


def test_what_has_expired_cannot_be_read(ebbtide: Shell) -> None:
    ebbtide.said("init", "--metabolism", "retention")
    ebbtide.said("put", "soon gone", "--key", "brief", "--policy", "ephemeral")
    complaint = ebbtide.refused(3, "get", "brief", "--as-of", "+30d")
    assert complaint == (
        "'brief' has expired: `ebbtide explain` says why, and `ebbtide touch KEY --revive` brings it back."
    )


# ---- 4: refused by the present state


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            ("put", "x", "--key", "ferry"),
            "(`restore` takes --as), or overwrite that memory with `put --replace`.",
        ),
        (("init",), "The mind 'default' exists already, with the metabolism 'tide': use it, or choose another"),
        (("init", "--agent", "Default"), "the mind 'default' differs from 'Default' in case only"),
        (("put", "x", "--agent", "DEFAULT"), "the mind 'default' differs from 'DEFAULT' in case only"),
        (("adopt", "--roll-back", "again.db"), "this mind was not taken over from an older file"),
    ],
)
def test_what_the_present_state_does_not_allow_is_refused(ferry: Shell, words: tuple[str, ...], complaint: str) -> None:
    assert complaint in ferry.refused(4, *words)


def test_a_key_that_was_taken_meanwhile_keeps_a_memory_in_the_trash(ferry: Shell) -> None:
    ferry.said("forget", "ferry")
    ferry.said("put", "another ferry", "--key", "ferry")
    assert "The key 'ferry' is taken" in ferry.refused(4, "restore", "ferry")


@pytest.mark.parametrize(
    "words",
    [("put", "x"), ("put", "x", "--key", "ferry", "--replace"), ("link", "ferry", "lamma"), ("forget", "ferry"),
     ("unlink", "ferry", "lamma", "leads to"), ("merge", "ferry", "lamma"), ("restore", "gone"), ("tick",),
     ("config", "trash_days=5"), ("compact", "--older-than", "0s")],
)  # fmt: skip
def test_nothing_can_be_written_to_the_past(ferry: Shell, clock: FakeClock, words: tuple[str, ...]) -> None:
    ferry.said("put", "soon gone", "--key", "gone")
    ferry.said("forget", "gone")
    clock.forward(1)
    assert "this mind is a view of another time or regime" in ferry.refused(4, *words, "--as-of", "now")


def test_nothing_of_a_file_is_written_to_the_past(ferry: Shell, tmp_path: Path) -> None:
    (tmp_path / "memories.jsonl").write_text('"one"\n')
    ferry.refused(4, "put", "--from", str(tmp_path / "memories.jsonl"), "--as-of", "now")


# ---- 5: the disk


def test_a_damaged_mind_is_named_with_what_to_do(ferry: Shell) -> None:
    path = ferry.data / "default" / "mind.db"
    path.write_bytes(b"no database at all" * 1000)
    complaint = ferry.refused(5, "get", "ferry")
    assert complaint.startswith(f"{path} is damaged (")
    assert complaint.endswith("put back a backup of the file.")


def test_the_file_of_another_program_is_left_alone(ebbtide: Shell) -> None:
    (ebbtide.data / "default").mkdir(parents=True)
    with sqlite3.connect(ebbtide.data / "default" / "mind.db") as connection:
        connection.execute("CREATE TABLE notes (text)")
    connection.close()
    assert "it is the database of another program" in ebbtide.refused(5, "put", "x")


@pytest.mark.parametrize("words", [("put", "x"), ("init",), ("list",), ("minds",)])
def test_a_data_folder_that_is_a_file_is_no_folder(ebbtide: Shell, words: tuple[str, ...]) -> None:
    ebbtide.data.write_text("a file")
    assert ebbtide.refused(2, *words) == f"{ebbtide.data} is not a folder"
    assert ebbtide.data.read_text() == "a file"


def test_a_mind_whose_folder_cannot_be_made_is_a_matter_of_the_disk(ebbtide: Shell) -> None:
    ebbtide.data.mkdir()
    (ebbtide.data / "default").write_text("in the way")
    assert f"{ebbtide.data / 'default' / 'mind.db'} cannot be used: " in ebbtide.refused(5, "put", "x")


@pytest.mark.parametrize("words", [("put", "x"), ("init",), ("put", "x", "-a", "default")])
def test_a_data_folder_that_cannot_be_written_is_a_matter_of_the_disk(ebbtide: Shell, words: tuple[str, ...]) -> None:
    ebbtide.data.mkdir(mode=0o500)
    with permissions_apply():
        assert "Permission denied" in ebbtide.refused(5, *words)
    assert not any(ebbtide.data.iterdir())


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder in which nobody can make another")
@pytest.mark.parametrize("words", [("put", "x"), ("init",)])
def test_a_data_folder_that_cannot_be_made_is_a_matter_of_the_disk(ebbtide: Shell, words: tuple[str, ...]) -> None:
    nowhere = Shell(Path("/proc/ebbtide"), ebbtide.capsys)
    assert "/proc/ebbtide cannot be used: No such file or directory." in nowhere.refused(5, *words)


# ---- settings


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ('metabolism = "scor"', "'scor' is not a metabolism: did you mean 'score'?"),
        ('agent = "../x"', "'../x' is not an agent id"),
        ('durability = "much"', "the setting durability = 'much' is not usable: it must be normal or full"),
        ("colour = 1", "has an unknown setting 'colour': there are agent, archive, archive_endpoint"),
        ("[params]\nlongdays = 1", "'longdays' is not a parameter of tide: did you mean 'long_days'?"),
        ("agent = ", "ebbtide.toml cannot be read: "),
    ],
)
def test_a_bad_settings_file_is_refused_before_anything_is_made(ebbtide: Shell, setting: str, complaint: str) -> None:
    ebbtide.data.mkdir()
    (ebbtide.data / "ebbtide.toml").write_text(setting)
    assert complaint in ebbtide.refused(2, "put", "x")


def test_a_bad_variable_is_refused(ebbtide: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EBBTIDE_BATCH_SIZE", "few")
    assert "the setting batch_size = 'few' is not usable" in ebbtide.refused(2, "put", "x")


def test_a_long_complaint_is_cut_short(ferry: Shell) -> None:
    assert len(ferry.refused(3, "get", "x" * 100_000)) < 1100
