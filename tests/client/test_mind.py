"""Each verb as a request: what it is asked for is what is sent, or it is an error."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from ebbtide.client.line import Line
from ebbtide.client.mind import ServedMind
from ebbtide.mind import Mind


class Nobody(Line):
    """A line on which nothing may be said."""

    def __init__(self) -> None:
        pass

    async def _ask(self, *args: Any, **options: Any) -> Any:
        raise AssertionError(f"sent: {args}")


MISSPELT: list[Callable[[Any], Any]] = [
    lambda mind: mind.reap(dryrun=True),
    lambda mind: mind.tick(dry=True),
    lambda mind: mind.list(knd="note"),
    lambda mind: mind.search("ferry", keyword="travel"),
    lambda mind: mind.restore("ferry", newkey="boat"),
    lambda mind: mind.link("lin", "ferry"),
]


@pytest.mark.parametrize("ask", MISSPELT)
def test_a_misspelt_option_is_the_error_it_is_everywhere_and_nothing_is_sent(ask: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError):
        ask(Mind.__new__(Mind))
    with pytest.raises(TypeError):
        ask(ServedMind(Nobody(), "ada"))


def test_every_verb_takes_what_the_verb_of_a_mind_takes() -> None:
    for name, member in inspect.getmembers(Mind, inspect.isfunction):
        if not name.startswith("_"):
            assert inspect.signature(getattr(ServedMind, name)) == inspect.signature(member), name
