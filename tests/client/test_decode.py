"""Answers of a server of another version are a conflict that says so, and never a traceback of ours."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from ebbtide.client.decode import entry, meant
from ebbtide.client.line import Line
from ebbtide.client.mind import ServedMind
from ebbtide.core.errors import Conflict
from ebbtide.mind.search import Found
from ebbtide.serve.http.shapes import plain
from tests.serve.test_score_parts import HIT


@pytest.mark.parametrize("said", [None, [], "x", {"state": "dreaming"}, {"key": "k"}, {"marks": ["new_mark"]}])
def test_a_memory_told_otherwise_is_a_conflict(said: Any) -> None:
    with pytest.raises(Conflict, match="are both of one version"):
        meant("get", said)


@pytest.mark.parametrize("said", [None, {}, {"seq": 1, "kind": "Dream"}, {"seq": 1, "kind": "Forget", "new": 2}])
def test_a_journal_entry_told_otherwise_is_a_conflict(said: Any) -> None:
    with pytest.raises(Conflict, match="are both of one version"):
        entry(said)


def test_an_explained_hit_comes_back_with_every_term_of_its_rank() -> None:
    found = Found((HIT,), (), True, 0)
    assert meant("search", json.loads(json.dumps(plain(found)))) == found


class Otherwise(Line):
    """A server that answers everything, and nothing as we know it."""

    def __init__(self, said: Any) -> None:
        self._said = said

    async def _ask(self, *args: Any, **options: Any) -> Any:
        return self._said


Ask = Callable[[Any], Awaitable[Any]]
ASKED: list[Ask] = [
    lambda mind: mind.refresh(),
    lambda mind: mind.configure(trash_days=3),
    lambda mind: mind.follow("ferry"),
    lambda mind: mind.suggestions(),
    lambda mind: mind.remember([]),
    lambda mind: mind.recall(),
    lambda mind: mind.focus(),
    lambda mind: mind.trash(),
    lambda mind: mind.journal(),
    lambda mind: mind.tick(),
    lambda mind: mind.check(),
]


@pytest.mark.parametrize("ask", ASKED)
@pytest.mark.parametrize("said", [{}, [], None, "x"])
async def test_no_verb_stumbles_over_an_answer_it_does_not_know(ask: Ask, said: Any) -> None:
    with pytest.raises(Conflict, match="are both of one version"):
        await ask(ServedMind(Otherwise(said), "ada"))
