"""What crosses the wire arrives as what it was."""

import asyncio
import inspect
import string
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core import errors
from ebbtide.core.errors import Conflict, EbbtideError, InvalidInput, UnknownMind
from ebbtide.host import wire
from ebbtide.host.wire import Answer, Call

ERRORS = [
    kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, EbbtideError)
]  # every one of the tree
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


def crossed(value: Any, decoder: "msgspec.msgpack.Decoder[Any]") -> Any:
    async def cross() -> Any:
        reader = asyncio.StreamReader()
        reader.feed_data(wire.framed(value))
        reader.feed_eof()
        return await wire.receive(reader, decoder)

    return asyncio.run(cross())


def example(kind: type[EbbtideError]) -> EbbtideError:
    names = [name for _, name, _, _ in string.Formatter().parse(kind.__doc__ or "") if name]
    return kind(**{name: f"<{name}>" for name in names})


@pytest.mark.parametrize("kind", ERRORS)
def test_every_error_is_rebuilt_with_its_class_its_facts_and_its_words(kind: type[EbbtideError]) -> None:
    raised = example(kind)
    heard = crossed(Answer(1, error=wire.refusal(raised)), wire.answers)
    rebuilt = wire.refused(*heard.error)
    assert type(rebuilt) is kind
    assert isinstance(rebuilt, EbbtideError)
    assert (rebuilt.facts, str(rebuilt)) == (raised.facts, str(raised))


def test_facts_that_are_not_plain_are_told_in_words() -> None:
    raised = UnknownMind(agent="ada", data=Path("minds"))
    rebuilt = wire.refused(*wire.refusal(raised))
    assert isinstance(rebuilt, UnknownMind)
    assert (rebuilt.facts, str(rebuilt)) == ({"agent": "ada", "data": "minds"}, str(raised))


class Wordless:
    def __str__(self) -> str:
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("fact", "told"),
    [
        ("caf\udce9", "caf\\udce9"),
        (Path("caf\udce9"), "caf\\udce9"),
        (2**64, str(2**64)),
        (-(2**62), -(2**62)),
        ("x" * 1_000_000, "x" * 65_536),
        (Wordless(), "a Wordless that has no words"),
        (None, None),
        (0.5, 0.5),
    ],
    ids=lambda value: repr(value)[:30] if not isinstance(value, Wordless) else "wordless",
)
def test_any_error_can_be_told(fact: Any, told: Any) -> None:
    """As of a data folder whose name is no text: who waits for the answer would wait for ever."""
    error = EbbtideError(fact=fact)
    error.args = (fact,)
    assert crossed(Answer(1, error=wire.refusal(error)), wire.answers).error[1] == {"fact": told}


def test_an_error_with_other_facts_is_told_in_its_own_words() -> None:
    """As another version of this library might raise it."""
    rebuilt = wire.refused("KeyTaken", {"colour": "blue"}, "taken, and blue")
    assert isinstance(rebuilt, Conflict)
    assert str(rebuilt) == "taken, and blue"


@pytest.mark.parametrize("error", [TypeError("limit is a number"), ValueError("no such moment")])
def test_what_a_verb_makes_of_bad_arguments_stays_what_it_is(error: Exception) -> None:
    rebuilt = wire.refused(*wire.refusal(error))
    assert (type(rebuilt), str(rebuilt)) == (type(error), str(error))


@pytest.mark.parametrize("name", ["ZeroDivisionError", "Any", "EbbtideErrors", "__doc__", "SystemExit"])
def test_a_bug_at_the_owners_is_no_error_of_the_callers(name: str) -> None:
    rebuilt = wire.refused(name, {}, "division by zero")
    assert type(rebuilt) is RuntimeError
    assert "division by zero" in str(rebuilt)


@given(VALUES)
def test_a_call_carries_any_plain_value(value: Any) -> None:
    call = Call("ada", "put", (value,), {"given": value}, "a-name", 7, 3, progress=True)
    assert crossed(call, wire.calls) == Call("ada", "put", (value,), {"given": value}, "a-name", 7, 3, progress=True)


@pytest.mark.parametrize("value", [object(), "\ud800", 2**64, {1, 2}.__iter__()])
def test_what_cannot_be_said_is_bad_input(value: Any) -> None:
    with pytest.raises(InvalidInput, match="cannot be told"):
        wire.framed(Call("ada", "put", (value,)))


async def test_a_frame_that_claims_too_much_is_not_waited_for() -> None:
    reader = asyncio.StreamReader()
    reader.feed_data((wire.LARGEST + 1).to_bytes(4, "big"))
    with pytest.raises(ValueError, match="more than anybody sends"):
        await wire.receive(reader, wire.calls)


def test_an_answer_of_another_shape_is_a_conflict() -> None:
    for verb, value in (("get", {"id": "seven"}), ("journal", [[1, "no such kind", {}, ""]]), ("as_of", 3)):
        with pytest.raises(Conflict, match="of one version"):
            wire.meant(verb, value)
