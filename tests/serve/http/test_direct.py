"""A search is taken apart by hand, and answered to the letter as if it were not."""

import json
from typing import Any

import pytest

from ebbtide.serve.http.asked import Question
from ebbtide.serve.http.desk import Seen
from ebbtide.serve.http.routes import router
from ebbtide.serve.http.routes.search import search
from tests.serve.http.server import Api

ASKED: list[Any] = [
    {"text": "when does the ferry leave?"},
    {"text": "ferry", "k": 1, "explain": True, "state": ["active", "cold"], "since": "-3d"},
    {},
    {"text": ""},
    {"text": 7, "k": 0, "state": ["asleep"]},
    {"text": "ferry", "k": 2.0},
    {"text": "ferry", "k": 2.5},
    {"text": "ferry", "more": True},
    {"text": "ferry", "since": "tomorrowish"},
    {"text": "ferry", "state": ["expired"]},
    [],
    "ferry",
    None,
]
WHERE = [
    "",
    "?as_of=-1h",
    "?as_of=someday",
    "?at=%2B3d",
    "?at=someday",
    "?at=-1h&as_of=-1h",
    f"?at={'9' * 65}",
    f"?as_of={'9' * 65}",
    "?more=1",
]


@pytest.fixture
def both(api: Api) -> Api:
    """Beside the search there is one that the framework takes apart."""

    async def by_the_book(body: Question, mind: Seen) -> Any:
        return await search(body, mind)

    book = router("search")
    book.add_api_route("/by-the-book", by_the_book, methods=["POST"], response_model=None)
    api.app.router.routes.extend(book.routes)
    return api


def plain(answer: Any) -> tuple[int, Any]:
    """Without what is another each time. Of several things that are wrong the first is told, the others need not be."""
    told = answer.json()
    if "problems" in told.get("facts", ()):
        del told["facts"]["problems"][1:]
    for hit in told.get("hits", ()):
        hit["memory"].pop("vitality")
        hit.pop("score")
        if hit["why"]:
            hit["why"] = sorted(hit["why"])
    return answer.status_code, told


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: json.dumps(asked)[:40])
async def test_whatever_is_asked_is_answered_as_by_the_book(both: Api, asked: Any, where: str) -> None:
    one, other = [await both.ask("POST", f"/{way}{where}", json=asked) for way in ("search", "by-the-book")]
    assert plain(one) == plain(other)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "application/json"),
        (b"{", "application/json"),
        (b'{"text": "ferry"}', "text/plain"),
        (b'{"text": "ferry"}', "application/merge-patch+json"),
        (b'{"text": "\\ud83d"}', "application/json"),
        (b"[" * 100_000, "application/json"),
        (b'{"text": NaN}', "application/json"),
    ],
    ids=range(7),
)
async def test_whatever_is_sent_is_answered_as_by_the_book(both: Api, body: bytes, kind: str) -> None:
    headers = {"Content-Type": kind}
    ways = [await both.ask("POST", f"/{way}", content=body, headers=headers) for way in ("search", "by-the-book")]
    assert plain(ways[0]) == plain(ways[1])


async def test_a_mind_that_is_not_there_is_told_before_what_else_is_wrong(both: Api) -> None:
    for way in ("search", "by-the-book"):
        answer = await both.client.post(f"/v1/minds/nobody/{way}", json={"text": 7})
        assert (answer.status_code, answer.json()["error"]) == (404, "UnknownMind")
