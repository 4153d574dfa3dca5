"""What a caller may send: bodies, and moments in them. What a verb refuses it refuses itself."""

import json
import re
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import Request
from fastapi.routing import APIRoute
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, FiniteFloat
from starlette.responses import Response

from ebbtide.core.draft import MAX_KEY, MAX_KEYWORDS, MAX_LABEL, MAX_TEXT, Draft
from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import DEFAULT_STRENGTH, Policy, State
from ebbtide.core.metabolism import METABOLISMS
from ebbtide.mind.conversation import MAX_MESSAGES
from ebbtide.mind.network import MAX_DEPTH
from ebbtide.mind.search import MOST
from ebbtide.serve.http.problems import BadRequest, NotJson
from ebbtide.serve.times import moment

MAX_PAGE = 1000
MAX_DRAFTS = 1000  # what is put at once is one batch: all or none
MAX_KEYS = 1000
LAST = (1 << 63) - 1  # of what numbers memories, entries and tasks
_DEEPEST = 64  # braces and brackets within each other
_SECONDS = re.compile(r"-?\d+(\.\d+)?")
_EVER = 253_402_300_799.0  # the end of the year 9999

Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
Key = Annotated[str, Field(min_length=1, max_length=MAX_KEY)]
Label = Annotated[str, Field(max_length=MAX_LABEL)]
Keys = Annotated[list[Key], Field(min_length=1, max_length=MAX_KEYS)]
Words = Annotated[list[Label], Field(max_length=MAX_KEYWORDS)]
When = Annotated[
    FiniteFloat | str,
    Field(
        description="A date, a time in ISO 8601 (UTC unless it says otherwise), seconds since 1970, or an offset.",
        examples=["2026-11-15T08:30:00Z", "-3d"],
    ),
]
Whole = Annotated[
    int, BeforeValidator(lambda said: int(said) if isinstance(said, float) and said.is_integer() else said)
]
if TYPE_CHECKING:
    Metabolism = str
else:
    Metabolism = Literal[tuple(METABOLISMS)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class _Draft(_Body):
    # What else is said gets through to the draft, which knows what is a signal and what a slip of the hand.
    model_config = ConfigDict(extra="allow", json_schema_extra={"additionalProperties": False})

    phrase: Annotated[str, Field(max_length=MAX_TEXT)] = ""
    keywords: Words = []
    kind: Annotated[str, Field(min_length=1, max_length=MAX_LABEL)] = "note"
    domain: Label = ""
    speaker: Annotated[Label, Field(description="Who said it; empty: not known.", examples=["user"])] = ""
    importance: Annotated[float | None, Field(ge=0, le=1, description="In retention minds only.")] = None
    policy: Annotated[Policy | None, Field(strict=False, description="In retention minds only.")] = None

    def given(self) -> dict[str, Any]:
        """What was said, and nothing that was not. Raises InvalidInput for what no memory has."""
        said = self.model_dump(mode="json", exclude_unset=True)
        Draft.parse(said)
        return said


class NewMemory(_Draft):
    """A memory to be. Signals, scores and states are the engine's own and cannot be set."""

    text: Annotated[Text, Field(examples=["The ferry to Lamma leaves at 8:40."])]
    key: Annotated[Key | None, Field(examples=["ferry"], description="Left out: one is made up.")] = None


class Saying(_Draft):
    """What the memory of this key says from now on."""

    text: Annotated[Text, Field(examples=["The ferry to Lamma leaves at 9:10."])]

    def given(self) -> dict[str, Any]:
        if "key" in (self.model_extra or {}):
            raise InvalidInput(problem="the key is in the path: it cannot be another one in the body")
        return super().given()


class NewMemories(_Body):
    memories: Annotated[
        list[NewMemory], Field(min_length=1, max_length=MAX_DRAFTS, examples=[[{"text": "Lamma is an island."}]])
    ]
    dry_run: Annotated[bool, Field(description="Only say whether all of them could be put.")] = False


class NewMind(_Body):
    agent: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$", examples=["ada"])]
    metabolism: Annotated[
        Metabolism | None, Field(description="Left out: as the settings say, which is tide unless they name another.")
    ] = None
    params: Annotated[dict[str, Any], Field(examples=[{"trash_days": 60}])] = {}


class NewLink(_Body):
    strength: Annotated[float, Field(ge=0, le=1)] = DEFAULT_STRENGTH


class Uses(_Body):
    keys: Annotated[Keys, Field(examples=[["ferry", "lamma"]])]
    revive: Annotated[bool, Field(description="Also what has expired.")] = False


class Use(_Body):
    revive: Annotated[bool, Field(description="Also if it has expired.")] = False


class Answered(_Body):
    """An answer, and what was shown to the one who gave it: hits, or the question they were found by, or both."""

    answer: Annotated[str, Field(max_length=MAX_TEXT, examples=["It leaves at 8:40."])]
    hits: Annotated[
        list[Key] | dict[str, float | None] | None,
        Field(
            description="Keys, or keys with their similarities to the question; left out: what a search finds now.",
            examples=[["ferry", "lamma"]],
        ),
    ] = None
    question: Annotated[
        Text | None, Field(description="Its words are no evidence.", examples=["When does the ferry go?"])
    ] = None
    dry_run: Annotated[bool, Field(description="Only tell, and touch nothing.")] = False


class Leaving(_Body):
    keys: Annotated[Keys, Field(examples=[["ferry"]])]


class Return(_Body):
    new_key: Annotated[Key | None, Field(description="Where its own key is taken by now.")] = None
    id: Annotated[
        int | None,
        Field(ge=1, le=2**53, description="Of several forgotten under this key, which; left out, the last."),
    ] = None


class Joined(_Body):
    other: Annotated[Key, Field(examples=["ferry-times"], description="Restoring it undoes the merge.")]
    text: Annotated[Text | None, Field(description="What the two say as one; left out: what this one says.")] = None


class Advice(_Body):
    kind: Literal["delete", "merge"]
    keys: Annotated[list[Key], Field(min_length=1, max_length=2, examples=[["ferry", "ferry-times"]])]


class Accepted(Advice):
    text: Annotated[Text | None, Field(description="What a merged memory says.")] = None


class Question(_Body):
    """What to look for. What the metabolism hides appears with `everything`, or when its `state` is asked for."""

    text: Annotated[Text, Field(examples=["When does the ferry leave?"])]
    k: Annotated[Whole, Field(ge=1, le=MOST)] = 10
    state: Annotated[list[Annotated[State, Field(strict=False)]], Field(max_length=len(State))] = []
    kind: Label | None = None
    domain: Label | None = None
    keywords: Words = []
    since: When | None = None
    until: When | None = None
    at_least: Annotated[float, Field(ge=0, le=1, description="The least similarity.")] = 0.0
    vitality: Annotated[bool, Field(description="False: by similarity alone.")] = True
    explain: Annotated[bool, Field(description="Tell why, and what was declined.")] = False
    patience: Annotated[float | None, Field(ge=0, le=30, description="Seconds to wait for new vectors.")] = None
    everything: Annotated[bool, Field(description="Also what the metabolism hides.")] = False


class Said(_Body):
    role: Annotated[Literal["user", "assistant", "system"], Field(examples=["user"])]
    content: Annotated[str, Field(max_length=MAX_TEXT, examples=["We take the ferry to Lamma on Sunday."])]
    timestamp: When | None = None
    name: Annotated[Label, Field(description="The speaker's name; empty: the role stands for it.")] = ""


class Conversation(_Body):
    messages: Annotated[list[Said], Field(min_length=1, max_length=MAX_MESSAGES)]


class Association(_Body):
    keywords: Annotated[Words, Field(examples=[["ferry"]])] = []
    relations: Words = []
    depth: Annotated[Whole | None, Field(ge=1, le=MAX_DEPTH)] = None
    limit: Annotated[Whole, Field(ge=1, le=MAX_PAGE)] = 100


class Ticking(_Body):
    dry_run: Annotated[bool, Field(description="Only list what it would change.")] = False
    at: Annotated[When | None, Field(description="Of a dry run: the moment to judge by.")] = None


class Reaping(_Body):
    dry_run: Annotated[bool, Field(description="Only list what it would take.")] = False


class Unreaping(_Body):
    run: Annotated[str, Field(min_length=1, max_length=256, examples=["reap-1f3a5c7e9b0d-12"])]


class Squeezing(_Body):
    dry_run: Annotated[bool, Field(description="Only list what would leave next.")] = False


class Unsqueezing(_Body):
    run: Annotated[str, Field(min_length=1, max_length=256, examples=["budget-4711"])]


class Compacting(_Body):
    before: Annotated[
        When | None,
        Field(
            description="Entries made before this are folded into a base; null: the older half of a journal that is"
            " longer than the parameter journal_entries says."
        ),
    ] = "-90d"


class Fading(_Body):
    cycles: Annotated[Whole, Field(ge=1, le=1000)] = 1


class Regime(_Body):
    """How the mind would have lived. Left out: as it does."""

    metabolism: Metabolism | None = None
    params: Annotated[dict[str, Any], Field(examples=[{"theta_active": 1.0}])] = {}
    limit: Annotated[Whole, Field(ge=0, le=100_000, description="How many differing memories to list.")] = 1000


class Candidates(_Body):
    """Which regimes to compare, and with room for how many memories. Left out: all, and the usual shares."""

    budgets: Annotated[
        list[Whole | Annotated[str, Field(max_length=32)]],
        Field(max_length=10, examples=[["25%", 500]], description="A share of all memories ever made, or a number."),
    ] = []
    metabolisms: Annotated[list[Metabolism], Field(max_length=10)] = []
    params: Annotated[dict[str, Any], Field(examples=[{}], description="One more candidate.")] = {}


def instant(given: float | str | None, now: float) -> float | None:
    """The moment meant, which some calendar has; nothing said: none."""
    if given is None:
        return None
    if isinstance(given, str):
        is_number = _SECONDS.fullmatch(given) and len(given) != len("20261115")
        given = float(given) if is_number else moment(given, now)
    if not 0.0 <= given <= _EVER:
        raise InvalidInput(problem="a moment lies between 1970 and the year 9999")
    return given


# ---- from bytes to bodies


class JsonRequest(Request):
    """A body is JSON and says so, no deeper than anybody needs, and of characters there are."""

    async def body(self) -> bytes:
        body = await super().body()
        if body and not _is_json(self.headers.get("content-type", "")):
            raise NotJson("A body is JSON: send it as `Content-Type: application/json`.")
        return body

    async def json(self) -> Any:
        if not hasattr(self, "_json"):
            self._json = parsed(await self.body())
        return self._json


class JsonRoute(APIRoute):
    def get_route_handler(self) -> Any:
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            return await handler(JsonRequest(request.scope, request.receive))

        return handle


def parsed(body: bytes) -> Any:
    try:
        value = json.loads(body, parse_constant=_no_number)
        if b"\\u" in body:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise BadRequest("The body holds half a surrogate pair: not valid text.") from None
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"The body is not JSON: {error}"[:300]) from None
    if _depth(value) > _DEEPEST:
        raise BadRequest(f"The body is nested more than {_DEEPEST} deep.")
    return value


def _is_json(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number in JSON")


def _depth(value: Any) -> int:
    depth, layer = 0, [value]
    while layer := [one for one in layer if isinstance(one, dict | list)]:
        depth += 1
        layer = [inner for one in layer for inner in (one.values() if isinstance(one, dict) else one)]
    return depth
