"""The OpenAPI document: it is complete, and what it promises is kept whatever is sent."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.core.result import Ok

from ebbtide.host import wire
from ebbtide.host.ownership import House
from tests.helpers import METABOLISMS
from tests.serve.http.server import Api
from tests.serve.http.uvicorned import listening

SHARDS, EXAMPLES, AT_LEAST = 4, 23, 500  # 4 × 500 cases are 2,000
KEYS = ("ferry", "a/b", "码头")

# Verbs that are something else over HTTP: the mind itself, time, other minds, and what only a process of its own needs.
_ELSEWHERE = {"applied", "as_of", "at", "rehearsal", "settled", "unindexed"}
_UNDER_ANOTHER_NAME = {"check_drafts": "put_many"}


async def test_every_verb_has_a_route(api: Api) -> None:
    operations = {operation["operationId"] for _, _, operation in _operations(api)}
    verbs = {_UNDER_ANOTHER_NAME.get(verb, verb) for verb in wire.verbs() - _ELSEWHERE}
    assert verbs <= operations


async def test_every_operation_says_what_it_does_and_how_it_fails(api: Api) -> None:
    seen = set()
    for method, path, operation in _operations(api):
        assert operation["summary"], (method, path)
        assert len(operation["tags"]) == 1, (method, path)
        assert {"4XX", "5XX"} <= operation["responses"].keys(), (method, path)
        assert "422" not in operation["responses"], (method, path)
        seen.add(operation["operationId"])
    assert len(seen) == len(list(_operations(api)))


async def test_bodies_come_with_examples(api: Api) -> None:
    document = (await api.client.get("/v1/openapi.json")).json()
    schemas = document["components"]["schemas"]
    for name in ("NewMemory", "Question", "Said", "NewMind", "Uses", "Problem"):
        assert "examples" in str(schemas[name]), name


async def test_no_page_that_loads_scripts_from_elsewhere_is_served(api: Api) -> None:
    for path in ("/docs", "/redoc"):
        assert (await api.client.get(path)).status_code == 404


def _operations(api: Api) -> Iterator[tuple[str, str, Any]]:
    for path, methods in api.app.openapi()["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


# ---- whatever is sent


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(SHARDS))
def test_no_request_breaks_the_server_or_the_promises_of_its_schema(shard: int, tmp_path: Path) -> None:
    load_all_checks()
    with listening(tmp_path / "data", _furnished) as url:
        schema = schemathesis.openapi.from_url(f"{url}/v1/openapi.json")
        operations = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
        cases = sum(_tried(operation) for operation in operations[shard::SHARDS])
        assert cases >= AT_LEAST
        failed = [task["problem"] for task in _tasks(url) if task["problem"]]
        assert not [problem for problem in failed if problem["status"] >= 500]


async def _furnished(house: House) -> None:
    for metabolism in METABOLISMS:
        await house.create(metabolism, metabolism)
        async with house.mind(metabolism) as mind:
            for key in KEYS:
                await mind.put(f"This is about {key}.", key=key)
            await mind.link("ferry", "a/b", "leads to")
            await mind.forget("码头")


def _tried(operation: Any) -> int:
    """How many requests were made: as the schema says, and as it does not, mostly of what is there."""
    count = 0
    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):

        @settings(
            max_examples=EXAMPLES, deadline=None, database=None, derandomize=True, phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        @given(
            operation.as_strategy(generation_mode=mode), st.sampled_from(METABOLISMS), st.sampled_from((*KEYS, None))
        )
        def attempt(case: "Case[Any]", agent: str, key: str | None) -> None:
            nonlocal count
            count += 1
            _aim(case, agent, key)
            response = case.call()
            case.validate_response(response, excluded_checks=_excluded(response.status_code))

        try:
            attempt()
        except Unsatisfiable:  # there is no wrong way to ask for this
            assert mode is GenerationMode.NEGATIVE
    return count


def _aim(case: "Case[Any]", agent: str, key: str | None) -> None:
    if "agent" in case.path_parameters:
        case.path_parameters["agent"] = agent
    if key is not None and "key" in case.path_parameters:
        case.path_parameters["key"] = key


def _excluded(status: int) -> list[Any]:
    """A mind may refuse what a schema allows, for what it knows; and a body may be wrong and too large at once."""
    names = ["positive_data_acceptance"] + (["negative_data_rejection"] if status == 413 else [])
    return [CHECKS.get_one(name) for name in names]


def _tasks(url: str) -> list[Any]:
    tasks: list[Any] = httpx.get(f"{url}/v1/tasks?limit=1000").json()["tasks"]
    return tasks
