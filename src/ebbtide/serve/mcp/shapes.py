"""What the tools are asked and what they answer, as a client sees it. The schemas are made of these."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import State

MOST_HITS, MOST_KEYS, MOST_MESSAGES, DEEPEST = 50, 100, 1000, 10
LONGEST_CALL = 4 * 1024 * 1024  # bytes, all in all


class Asked(BaseModel):
    """Arguments. A name that is not known is a mistake to tell, not to swallow."""

    model_config = ConfigDict(extra="forbid")


Keys = Annotated[list[str], Field(min_length=1, max_length=MOST_KEYS)]


class Said(Asked):
    role: Literal["user", "assistant", "system"]
    content: str
    timestamp: float | None = Field(default=None, description="Seconds since 1970.")
    name: str | None = Field(default=None, description="The speaker's name.")


class Remember(Asked):
    text: str | None = Field(default=None, description="One fact, complete in itself.")
    messages: list[Said] | None = Field(
        default=None,
        max_length=MOST_MESSAGES,
        description="Turns of a conversation, instead of text.",
    )
    key: str | None = Field(default=None, description="Short name to find it by, like 'ann/diet'; made up if left out.")
    keywords: list[str] | None = None
    kind: str | None = Field(default=None, description="Like 'fact', 'preference', 'task'; default 'note'.")
    speaker: str | None = Field(default=None, description="Who said it: 'user', or a name.")
    replace: bool = Field(default=False, description="Overwrite what the key says now.")


class Recall(Asked):
    keywords: list[str] = Field(default=[], max_length=MOST_KEYS, description="Any of them.")
    relations: list[str] = Field(
        default=[], max_length=MOST_KEYS, description="Walk only links of these names (network minds)."
    )
    depth: int | None = Field(default=None, ge=1, le=DEEPEST, description="Links from the focus (network minds).")
    limit: int = Field(default=10, ge=1, le=MOST_HITS)


class Search(Asked):
    query: str = Field(description="A question or words, in any language.")
    limit: int = Field(default=5, ge=1, le=MOST_HITS)
    kind: str | None = None
    include_hidden: bool = Field(default=False, description="Also memories that have faded out of sight.")
    states: list[State] | None = Field(default=None, description="Only these, like ['expired'].")
    why: bool = Field(
        default=False, description="Also tell how each was ranked, and what matched but is faded or forgotten."
    )


class Get(Asked):
    key: str
    offset: int = Field(default=0, ge=0, description="Read on from this character.")


class Touch(Asked):
    keys: Keys | None = Field(default=None, description="What you used; with answer: what you were shown.")
    answer: str | None = Field(
        default=None, description="Your answer, if you do not know which you used: what it drew on is found out."
    )
    question: str | None = Field(default=None, description="With answer: what you were asked.")
    revive: bool = Field(default=False, description="Also what has expired: it lives again.")


class Forget(Asked):
    keys: Keys


class Pin(Asked):
    keys: Keys
    pinned: bool = Field(default=True, description="False takes the pin away.")


class Restore(Asked):
    key: str
    new_key: str | None = Field(default=None, description="If its own key is taken by now.")


class Explain(Asked):
    key: str


class Nothing(Asked):
    pass


# ---- answers


class Remembered(BaseModel):
    key: str | None = None
    state: str | None = None
    task: int | None = Field(default=None, description="Number in the mind's queue, if it was queued.")


class Quoting(BaseModel):
    """Has stored words in it; `notice` says how those are to be read."""

    notice: str = ""


class Seen(BaseModel):
    key: str
    text: str
    cut: bool = False
    length: int
    kind: str
    speaker: str = ""
    keywords: list[str]
    state: str
    pinned: bool = False
    created_at: str
    similarity: float | None = None
    why: str | None = None


class Declined(BaseModel):
    key: str
    text: str
    state: str
    why: str
    similarity: float


class Found(Quoting):
    hits: list[Seen]
    declined: list[Declined] = []
    not_shown: list[Declined] = Field(default=[], description="The best that match and are hidden.")
    remark: str = ""
    advice: str = Field(default="", description="What is not shown or matches badly, and what to do.")


class Recalled(Quoting):
    text: str
    keys: list[str] = []
    advice: str = ""


class Told(Quoting):
    memory: Seen


class Touched(BaseModel):
    counted: list[str]
    too_soon: list[str]
    remark: str = ""


class Pinned(BaseModel):
    changed: list[str]
    already: list[str]


class Forgotten(BaseModel):
    forgotten: list[str]
    restorable_days: float


class Coming(BaseModel):
    event: str
    at: str | None = Field(default=None, description="A time, or 'never'.")
    scans: int | None = None


class Explained(BaseModel):
    key: str
    state: str
    marks: list[str]
    vitality: float
    why: str
    terms: dict[str, float]
    forecast: list[Coming]


class Status(Quoting):
    agent: str
    metabolism: str
    at: str
    memories: int
    states: dict[str, int]
    marks: dict[str, int]
    pinned: int
    in_trash: int
    waiting: int
    failed: int
    focus: list[str]


# ---- schemas and complaints


def schema(shape: type[BaseModel]) -> dict[str, Any]:
    """As JSON Schema, without what a generator adds: every word here is a word of a prompt."""
    return dict(_lean(shape.model_json_schema()))


def _lean(node: Any) -> Any:
    if isinstance(node, list):
        return [_lean(item) for item in node]
    if not isinstance(node, dict):
        return node
    node = {name: item for name, item in node.items() if not (name == "title" and isinstance(item, str))}
    if (given := [kind for kind in node.get("anyOf", ()) if kind != {"type": "null"}]) and len(given) == 1:
        del node["anyOf"], node["default"]  # it may be left out: that is enough to know
        node |= given[0]
    return {name: _lean(item) for name, item in node.items()}


def parsed(shape: type[BaseModel], given: dict[str, Any] | None) -> Any:
    """The arguments, or what is wrong with the first of them, in one line. Null is how some models leave one out."""
    said = {name: value for name, value in (given or {}).items() if value is not None}
    try:
        return shape.model_validate(said)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        known = ", ".join(shape.model_fields) or "none"
        raise InvalidInput(problem=f"{where}: {first['msg']}; the arguments are {known}") from None
