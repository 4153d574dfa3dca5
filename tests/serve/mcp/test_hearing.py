"""Lines that are no messages: which number is theirs, what is answered, and that nothing of them is repeated."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import INVALID_REQUEST, PARSE_ERROR, JSONRPCError, JSONRPCResponse

from ebbtide.serve.mcp.hearing import Fault, Line, fault
from ebbtide.serve.mcp.shapes import LONGEST_CALL
from tests.serve.mcp.clients import message

HALF = "half \ud83d of an emoji"


def heard(said: Any) -> Fault | None:
    line = Line()
    line.add(said if isinstance(said, bytes) else json.dumps(said).encode())
    return fault(line)


def refusal(said: Any) -> tuple[int, Any]:
    """The code and the number of the error that answers it."""
    wrong = heard(said)
    assert wrong is not None
    assert isinstance(wrong.answer, JSONRPCError)
    assert wrong.answer.error.message == wrong.reason
    return wrong.answer.error.code, wrong.answer.id


@pytest.mark.parametrize(
    "said",
    [
        message("tools/list"),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/x", "params": {"id": 7, "text": '"id"'}},
        {"jsonrpc": "2.0", "id": "7", "result": {}},
        message("tools/call", name="remember", arguments={"text": "a whole \U0001f600"}),
    ],
)
def test_a_message_is_handed_on(said: Any) -> None:
    assert heard(said) is None


@pytest.mark.parametrize("said", [b"not JSON", b"[" * 100_000, b"\0", b'{"jsonrpc": "2.0", "id": 1,', b"\xff\xfe"])
def test_what_is_not_json_is_answered_without_a_number(said: bytes) -> None:
    assert refusal(said) == (PARSE_ERROR, None)


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ([1, 2], None),
        ([message("tools/list")], None),
        ({"jsonrpc": "2.0"}, None),
        ({"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": 7}, 7),
        ({"id": "seven", "method": "tools/list"}, "seven"),
        ({"jsonrpc": "2.0", "id": 7, "method": HALF}, 7),
        ({"jsonrpc": "2.0", "id": HALF, "method": "tools/call"}, None),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "tools/list"}, None),
        ({"jsonrpc": "2.0", "id": True, "method": "tools/list"}, None),
        ({"jsonrpc": "2.0", "id": None, "method": "tools/list"}, None),
    ],
)
def test_json_that_is_no_message_is_answered_with_the_number_it_has(said: Any, number: Any) -> None:
    assert refusal(said) == (INVALID_REQUEST, number)


@pytest.mark.parametrize(
    "said",
    [
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"reason": HALF}},
        {"jsonrpc": "2.0", "id": 7, "result": {"text": HALF}},
        {"jsonrpc": "2.0", "id": 7, "error": HALF},
    ],
)
def test_what_asks_for_no_answer_gets_none(said: Any) -> None:
    wrong = heard(said)
    assert wrong is not None
    assert wrong.answer is None


@pytest.mark.parametrize("arguments", [{"text": HALF}, {HALF: 1}, {"messages": [{"content": HALF}]}])
def test_a_call_with_half_a_character_is_refused_in_words(arguments: dict[str, Any]) -> None:
    wrong = heard(message("tools/call", name="remember", arguments=arguments))
    assert wrong is not None
    assert isinstance(wrong.answer, JSONRPCResponse)
    assert wrong.answer.id == 1
    assert wrong.answer.result["isError"] is True
    assert "half a character" in wrong.answer.result["content"][0]["text"]


# ---- lines that are too long


def long(before: str, after: str, filler: bytes = b"x") -> Line:
    """Fed in pieces, as it comes out of a pipe."""
    line = Line()
    line.add(before.encode())
    for _ in range(2 * LONGEST_CALL // 65_536):
        line.add(filler * 65_536)
    line.add(after.encode())
    return line


@pytest.mark.parametrize(
    ("before", "after", "number"),
    [
        ('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"text":"', '"}}', 7),
        (' { "id" : "a\\u0062" , "params":{"text":"', '"},"method":"tools/call"}', "ab"),
        ('{"method":"tools/call","params":{"text":"', '"},"jsonrpc":"2.0","id":8}\r', 8),
        ('{"method":"tools/call","params":{"text":"', '"},"id":"8","jsonrpc":"2.0"} ', "8"),
        ('{"method":"tools/call","params":{"id":9,"text":"', '","id":9},"jsonrpc":"2.0"}', None),
        ('{"method":"x","params":{"text":"\\"id\\":9,', '\\"id\\":9}"}}', None),
        ('{"jsonrpc":"2.0","id":1.5,"params":{"text":"', '"}}', None),
        ("", "", None),
    ],
)
def test_a_line_that_is_too_long_is_answered_by_the_number_at_one_of_its_ends(
    before: str, after: str, number: Any
) -> None:
    wrong = fault(long(before, after))
    assert wrong is not None
    assert isinstance(wrong.answer, JSONRPCError)
    assert (wrong.answer.error.code, wrong.answer.id) == (INVALID_REQUEST, number)
    assert "4,194,304 bytes" in wrong.reason


def test_a_number_cut_in_two_is_none() -> None:
    line = Line()
    line.add(b'{"jsonrpc":"2.0","id":' + b" " * (4096 - 23) + b"7" * (LONGEST_CALL + 1) + b',"method":"x"}')
    assert line.number is None


def test_a_line_just_short_enough_is_kept_whole() -> None:
    line = Line()
    line.add(b'"' + b"x" * (LONGEST_CALL - 2))
    line.add(b'"')
    assert (line.too_long, len(line.text)) == (False, LONGEST_CALL)
    line.add(b" ")
    assert line.too_long


@given(st.binary(max_size=200) | st.text(max_size=80).map(str.encode))
def test_no_line_is_repeated_and_none_breaks_the_answer(said: bytes) -> None:
    wrong = heard(b"secret" + said)
    assert wrong is not None
    assert wrong.answer is not None
    assert "secret" not in wrong.answer.model_dump_json()
