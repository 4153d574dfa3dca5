"""Keys: made once and shown once, kept as hashes, for some minds or all, and gone at once when they are revoked."""

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ebbtide.core.errors import Conflict, EbbtideError, InvalidAgent, InvalidInput, NotFound, StoreUnreadable
from ebbtide.serve.keys import FILE, Keyring
from tests.serve.shell import Shell

NOW = 1_800_000_000.0


def test_a_key_opens_the_minds_it_was_made_for_and_no_others(tmp_path: Path) -> None:
    ring = Keyring(tmp_path)
    key, said = ring.create(NOW, ["ada", "bob", "ada"], name="laptop")
    assert (key.agents, key.name, key.admin) == (("ada", "bob"), "laptop", False)
    assert ring.find(said, NOW) == key
    assert [key.opens(agent) for agent in ("ada", "bob", "eve", "Ada", "")] == [True, True, False, False, False]


def test_an_admins_key_opens_every_mind(tmp_path: Path) -> None:
    key, _ = Keyring(tmp_path).create(NOW, admin=True)
    assert key.opens("whoever")


def test_what_is_kept_does_not_tell_the_key_and_is_for_this_user_only(tmp_path: Path) -> None:
    _, said = Keyring(tmp_path).create(NOW, ["ada"])
    text = (tmp_path / FILE).read_text()
    assert said not in text
    assert said.split("_", 2)[2] not in text
    if os.name == "posix":
        assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    assert not list(tmp_path.glob("*.new"))


def test_keys_are_long_and_never_the_same(tmp_path: Path) -> None:
    ring = Keyring(tmp_path)
    said = {ring.create(NOW, ["ada"])[1] for _ in range(20)}
    assert len(said) == 20
    assert {len(one) for one in said} == {len("ebb_") + 8 + 1 + 43}


@pytest.mark.parametrize(
    "wrong", ["", "x", "ebb_", "Bearer", "ebb_00000000_" + "a" * 43, "ключ", "\udcff", "ebb_" * 9999]
)
def test_what_is_no_key_opens_nothing(tmp_path: Path, wrong: str) -> None:
    ring = Keyring(tmp_path)
    ring.create(NOW, ["ada"])
    assert ring.find(wrong, NOW) is None


def test_a_right_id_with_another_secret_opens_nothing(tmp_path: Path) -> None:
    ring = Keyring(tmp_path)
    key, said = ring.create(NOW, ["ada"])
    other = ring.create(NOW, ["bob"])[1]
    assert ring.find(f"ebb_{key.id}_{other[13:]}", NOW) is None
    assert ring.find(said[:-1], NOW) is None
    assert ring.find(f"{said}\n", NOW) is None


def test_a_key_that_has_expired_opens_nothing(tmp_path: Path) -> None:
    ring = Keyring(tmp_path)
    key, said = ring.create(NOW, ["ada"], expires_at=NOW + 60)
    assert ring.find(said, NOW + 59) == key
    assert ring.find(said, NOW + 60) is None
    assert ring.current(key.id, NOW + 60) is None


def test_a_revocation_elsewhere_is_heard_at_once(tmp_path: Path) -> None:
    here, elsewhere = Keyring(tmp_path), Keyring(tmp_path)
    key, said = elsewhere.create(NOW, ["ada"])
    assert here.find(said, NOW) == key
    assert elsewhere.revoke(key.id) == key
    assert here.find(said, NOW) is None
    assert here.current(key.id, NOW) is None
    assert here.keys() == []


def test_who_makes_keys_at_the_same_time_loses_none(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda n: Keyring(tmp_path).create(NOW, [f"agent{n}"])[1], range(24)))
    ring = Keyring(tmp_path)
    assert len(ring.keys()) == 24
    assert all(ring.find(said, NOW) for said in made)


@pytest.mark.parametrize(
    ("agents", "more", "error"),
    [
        ([], {}, InvalidInput),
        (["ada"], {"admin": True}, InvalidInput),
        (["../etc"], {}, InvalidAgent),
        (["ada"], {"name": "two\nlines"}, InvalidInput),
        (["ada"], {"name": "x" * 81}, InvalidInput),
        (["Bob"], {}, Conflict),  # where both are one folder it would open bob's mind
    ],
)
def test_a_key_nobody_could_mean_is_refused(
    tmp_path: Path, agents: list[str], more: dict[str, object], error: type[EbbtideError]
) -> None:
    (tmp_path / "bob").mkdir()
    (tmp_path / "bob" / "mind.db").touch()
    with pytest.raises(error):
        Keyring(tmp_path).create(NOW, agents, **more)  # type: ignore[arg-type]
    assert not (tmp_path / FILE).exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 2, "keys": []}', '{"format": 1, "keys": [1]}', "\xff"])
def test_a_damaged_file_lets_nobody_in(tmp_path: Path, text: str) -> None:
    ring = Keyring(tmp_path)
    _, said = ring.create(NOW, admin=True)
    (tmp_path / FILE).write_text(text, "latin-1")
    with pytest.raises(StoreUnreadable):
        ring.find(said, NOW)
    with pytest.raises(StoreUnreadable):  # and is not written over
        ring.create(NOW, admin=True)
    assert (tmp_path / FILE).read_text("latin-1") == text


def test_a_file_that_cannot_be_read_is_told_without_its_path(tmp_path: Path) -> None:
    ring = Keyring(tmp_path)
    _, said = ring.create(NOW, admin=True)
    (tmp_path / FILE).unlink()
    (tmp_path / FILE).mkdir()
    with pytest.raises(StoreUnreadable) as damaged:
        ring.find(said, NOW)
    assert str(tmp_path) not in damaged.value.facts["detail"]
    (tmp_path / FILE).rmdir()
    (tmp_path / FILE).symlink_to(FILE)
    with pytest.raises(StoreUnreadable) as endless:
        ring.find(said, NOW)
    assert str(tmp_path) not in endless.value.facts["detail"]


def test_where_the_disk_ignores_case_a_key_from_before_does_not_open_a_mind_of_nearly_its_name(tmp_path: Path) -> None:
    ring = Keyring(tmp_path)
    (tmp_path / FILE.upper()).touch()  # as such a disk answers
    key, said = ring.create(NOW, ["Bob", "ada"])
    assert ring.find(said, NOW) == key
    (tmp_path / "bob").mkdir()
    (tmp_path / "bob" / "mind.db").touch()
    for found in (ring.find(said, NOW), ring.current(key.id, NOW)):
        assert found is not None
        assert [found.opens(agent) for agent in ("Bob", "bob", "ada")] == [False, False, True]


def test_there_is_no_revoking_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there is no key 'x'"):
        Keyring(tmp_path).revoke("x")


# ---- the command


def test_a_key_is_shown_once_and_listed_without_its_secret(ebbtide: Shell) -> None:
    said = ebbtide.json("keys", "create", "--agent", "ada", "-a", "bob", "--name", "laptop", "--expires", "90d")
    assert (said["agents"], said["admin"], said["name"]) == (["ada", "bob"], False, "laptop")
    (listed,) = ebbtide.json("keys", "list")
    assert listed == {name: value for name, value in said.items() if name != "key"}
    assert Keyring(ebbtide.data).find(said["key"], NOW) is not None
    assert said["key"] not in ebbtide.said("keys", "list")
    assert "laptop ada, bob" in ebbtide.said("keys", "list")


def test_an_agent_may_be_named_before_the_command_too(ebbtide: Shell) -> None:
    assert ebbtide.json("--agent", "ada", "keys", "create")["agents"] == ["ada"]
    assert ebbtide.json("keys", "create", "--agent=eve")["agents"] == ["eve"]


def test_people_are_told_what_a_key_opens_and_how_to_end_it(ebbtide: Shell) -> None:
    words = ebbtide.said("keys", "create", "--admin")
    (key,) = Keyring(ebbtide.data).keys()
    assert words.startswith(f"ebb_{key.id}_")
    assert f"it opens every mind, and is shown only now; `ebbtide keys revoke {key.id}` ends it" in words
    assert ebbtide.said("keys", "revoke", key.id) == f"the key {key.id} opens nothing any more"
    assert ebbtide.said("keys", "list") == "no keys yet: `ebbtide keys create` makes one"
    assert ebbtide.json("keys", "list") == []


def test_what_cannot_be_done_with_keys_is_one_line(ebbtide: Shell) -> None:
    assert "say --agent NAME or --admin" in ebbtide.refused(2, "keys", "create")
    assert "90 days" in ebbtide.refused(2, "keys", "create", "--admin", "--expires", "90 days")
    assert "there is no key 'nope'" in ebbtide.refused(3, "keys", "revoke", "nope")


def test_json_has_nothing_that_could_open_a_door(ebbtide: Shell) -> None:
    ebbtide.json("keys", "create", "--admin")
    (key,) = Keyring(ebbtide.data).keys()
    assert key.hash not in json.dumps(ebbtide.json("keys", "list"))
