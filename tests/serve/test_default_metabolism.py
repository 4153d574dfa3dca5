"""What a new mind lives by where no metabolism is named: tide, in every interface. Minds that are there keep theirs."""

from pathlib import Path

import ebbtide
from ebbtide.stores.sqlite import SqliteStore
from tests.helpers import batch, born
from tests.serve.http.server import serving
from tests.serve.mcp.clients import call, over_stdio
from tests.serve.shell import Shell


async def test_python_makes_a_tide_mind(tmp_path: Path) -> None:
    async with ebbtide.open("ada", data=tmp_path) as mind:
        assert mind.metabolism == "tide"


def test_the_command_line_makes_tide_minds(ebbtide: Shell) -> None:
    assert ebbtide.said("init", "--agent", "ada") == "the mind 'ada' lives by tide"
    ebbtide.said("put", "The ferry leaves at 8:40.", "--agent", "bob")
    assert ebbtide.json("config", "--agent", "bob")["metabolism"] == "tide"


async def test_http_makes_a_tide_mind(tmp_path: Path) -> None:
    async with serving(tmp_path, None) as api:
        made = await api.client.post("/v1/minds", json={"agent": "ada"})
        assert (made.status_code, made.json()["metabolism"]) == (201, "tide")


async def test_an_mcp_server_makes_a_tide_mind(tmp_path: Path) -> None:
    async with over_stdio(tmp_path / "data", metabolism=None) as client:
        await call(client, "remember", text="The ferry leaves at 8:40.")
        assert (await call(client, "status"))["metabolism"] == "tide"


async def test_a_mind_that_is_there_keeps_its_own(tmp_path: Path) -> None:
    async with ebbtide.open("ada", data=tmp_path, metabolism="activity"):
        pass
    async with ebbtide.open("ada", data=tmp_path) as mind:
        assert mind.metabolism == "activity"


async def test_a_file_without_a_configuration_is_read_as_activity(tmp_path: Path) -> None:
    """As 0.1.0 read it: what its memories went through must not count by another rule all of a sudden."""
    store = SqliteStore(tmp_path / "ada")
    await store.apply(batch(born(1, "ferry")))
    await store.close()
    async with ebbtide.open("ada", data=tmp_path) as mind:
        assert mind.metabolism == "activity"
        assert (await mind.get("ferry")).text == "the text of ferry"
        assert not await mind.check()
