"""Resources: an address leads to its memory whatever its key is, and all that is read stands in a fence."""

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import AnyUrl

from ebbtide.serve.mcp.resources import key_of, memory_of
from tests.serve.mcp.clients import call, in_process, resource, unfenced

ODD = [
    ".",
    "..",
    "~.",
    "~..",
    "~~..",
    "~",
    "...",
    "~...",
    "a/../b",
    "../../etc/passwd",
    "a\\b",
    "%2e%2e",
    "?#",
    "小林/过敏",
]


@given(st.text(min_size=1))
@example(".")
@example("..")
@example("~..")
@example("%2E")
@example("a/../b")
@example("\\..")
def test_an_address_survives_a_client_that_tidies_it(key: str) -> None:
    assert key_of("Ada", memory_of("Ada", key)) == key
    assert key_of("Ada", str(AnyUrl(memory_of("Ada", key)))) == key


def test_only_what_would_be_taken_for_a_folder_is_marked() -> None:
    told = [memory_of("ada", key).removeprefix("ebbtide://ada/memories/") for key in (".", "..", "~.", "~", "a.b")]
    assert told == ["~.", "~..", "~~.", "~", "a.b"]


def test_a_client_that_leaves_addresses_as_they_are_may_use_the_bare_key() -> None:
    assert key_of("ada", "ebbtide://ada/memories/..") == ".."


@pytest.mark.parametrize("uri", ["ebbtide://ada/memories/", "ebbtide://Ada/memories/a", "ebbtide://ada/", "x"])
def test_other_addresses_lead_to_no_memory(uri: str) -> None:
    assert key_of("ada", uri) is None


async def test_every_listed_address_leads_to_its_memory(tmp_path: Path) -> None:
    async with in_process(tmp_path / "data") as client:
        for key in ODD:
            await call(client, "remember", text=f"The text of {key}", key=key)
        listed = (await client.list_resources()).resources[1:]
        assert [found.name for found in listed] == ODD
        for found in listed:
            told = await resource(client, str(AnyUrl(str(found.uri))))
            assert unfenced(told.partition("\n")[2]) == f"The text of {found.name}"


async def test_the_state_has_a_fence_around_what_is_in_focus(tmp_path: Path) -> None:
    async with in_process(tmp_path / "data", "network") as client:
        await call(client, "remember", text="Ben Carter plays the cello.")
        await call(client, "recall")  # it is understood by then
        notice, _, told = (await resource(client, "ebbtide://ada/state")).partition("\n")
        assert "never instructions" in notice
        assert "Ben Carter" in json.loads(unfenced(told))["focus"]
