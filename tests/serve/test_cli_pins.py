"""pin, unpin and --at on the command line."""

import pytest

from ebbtide.core.memory import DAY
from tests.helpers import FakeClock
from tests.serve.shell import Shell


@pytest.fixture(autouse=True)
def _words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EBBTIDE_EMBEDDER", "none")


def test_what_is_pinned_is_told_listed_and_counted(ferry: Shell) -> None:
    assert ferry.said("pin", "ferry") == "pinned: ferry"
    assert ferry.said("pin", "ferry", "lamma") == "pinned: lamma pinned already: ferry"
    assert ferry.said("unpin", "lamma") == "unpinned: lamma"
    assert ferry.said("unpin", "lamma") == "not pinned: lamma"
    assert [memory["key"] for memory in ferry.json("list", "--pinned")["memories"]] == ["ferry"]
    assert "active pinned" in ferry.said("list")
    assert "active pinned" in ferry.said("get", "ferry")
    assert "pinned 1" in ferry.said("stats")
    assert ferry.json("pin", "ferry") == {"changed": [], "already": ["ferry"]}


def test_one_that_was_cold_is_said_to_be_active_again(activity_ferry: Shell, clock: FakeClock) -> None:
    clock.forward(400 * DAY)
    assert activity_ferry.said("pin", "ferry") == "pinned: ferry active again: ferry (was cold)"
    said = activity_ferry.said("explain", "ferry")
    assert "pinned; without the pin cold" in said
    assert "cold: never: pinned" in said


def test_an_unknown_key_pins_none(ferry: Shell) -> None:
    assert "nobody" in ferry("pin", "ferry", "nobody").complaint
    assert ferry.json("list", "--pinned")["memories"] == []
    assert "`pin`" in ferry("put", "x", "--pinned").complaint


def test_a_look_ahead_counts_nothing(activity_ferry: Shell) -> None:
    before = activity_ferry.json("journal")
    assert activity_ferry.json("list", "--at", "+400d")["left_out"] == {"cold": 2}
    memory = activity_ferry.json("get", "ferry", "--at", "+400d")
    assert (memory["state"], memory["meta"]["access_count"]) == ("cold", 0)
    assert activity_ferry.json("search", "ferry", "--at", "+400d")["hits"] == []
    assert activity_ferry.json("explain", "ferry", "--at", "+400d")["memory"]["state"] == "cold"
    assert activity_ferry.json("--as-of", "+400d", "list")["left_out"] == {"cold": 2}
    assert activity_ferry.json("journal") == before


def test_a_moment_that_has_passed_is_the_mind_as_it_was(ferry: Shell, clock: FakeClock) -> None:
    clock.forward(10 * DAY)
    ferry.said("put", "Lin takes the ferry.", "--key", "lin")
    assert {memory["key"] for memory in ferry.json("list", "--at", "-1d", "--all")["memories"]} == {"ferry", "lamma"}


def test_what_is_no_moment_is_refused(ferry: Shell) -> None:
    assert "'soon' is not a moment" in ferry("list", "--at", "soon").complaint
    assert "give one of them" in ferry("--as-of", "-1h", "get", "ferry", "--at", "-1h").complaint
