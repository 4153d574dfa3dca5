"""Visits of the page: whose they are, and when they are over."""

from pathlib import Path

import pytest

from ebbtide.serve.keys import Keyring
from ebbtide.serve.sessions import LIFE, MOST, Sessions
from tests.helpers import FakeClock


class Place:
    def __init__(self, data: Path) -> None:
        self.clock, self.ring = FakeClock(), Keyring(data)
        self.ada, self.said = self.ring.create(self.clock.now(), ["ada"])
        self.sessions = Sessions(self.ring, self.clock)

    def begun(self) -> str:
        name = self.sessions.begin(self.said)
        assert name is not None
        return name


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_visit_stands_for_its_key_and_does_not_tell_it(place: Place) -> None:
    name = place.begun()
    assert place.sessions.key(name) == place.ada
    assert place.ada.id not in name
    assert name != place.begun()


@pytest.mark.parametrize("said", ["", "x", "ebb_00000000_" + "x" * 43])
def test_who_has_no_key_begins_none(place: Place, said: str) -> None:
    assert place.sessions.begin(said) is None
    assert place.sessions.key(said) is None


def test_a_key_itself_is_no_visit(place: Place) -> None:
    place.begun()
    assert place.sessions.key(place.said) is None


def test_leaving_ends_this_visit_and_no_other(place: Place) -> None:
    mine, other = place.begun(), place.begun()
    place.sessions.end(mine)
    place.sessions.end(mine)
    assert place.sessions.key(mine) is None
    assert place.sessions.key(other) == place.ada


def test_a_visit_ends_with_its_time_and_with_its_key(place: Place) -> None:
    first = place.begun()
    place.clock.forward(LIFE - 1)
    assert place.sessions.key(first) == place.ada
    place.clock.forward(1)
    assert place.sessions.key(first) is None
    second = place.begun()
    place.ring.revoke(place.ada.id)
    assert place.sessions.key(second) is None


def test_one_key_has_so_many_visits_and_takes_none_from_others(place: Place) -> None:
    bob, said = place.ring.create(place.clock.now(), ["bob"])
    his = place.sessions.begin(said)
    assert his is not None
    names = [place.begun() for _ in range(MOST + 3)]
    assert [place.sessions.key(name) for name in names] == [None] * 3 + [place.ada] * MOST
    assert place.sessions.key(his) == bob
