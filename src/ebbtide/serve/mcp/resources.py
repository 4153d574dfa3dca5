"""Resources: a memory, and the mind's state. Their addresses begin with the agent, and lead to no other."""

from urllib.parse import quote, unquote

from mcp_types import (
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from ebbtide.core.errors import InvalidInput, NotFound
from ebbtide.mind import Mind
from ebbtide.mind.fence import Fence
from ebbtide.serve.mcp import shapes, tools

PAGE = 100
PLAIN = "text/plain"  # JSON in a fence is JSON no more


def state_of(agent: str) -> str:
    return f"ebbtide://{agent}/state"


def memory_of(agent: str, key: str) -> str:
    """Many clients tidy addresses, and '.' and '..' mean a folder to them, percent-encoded or not: these get a '~'."""
    mark = "~" if _is_dots(key) else ""
    return f"ebbtide://{agent}/memories/{mark}{quote(key, safe='')}"


def key_of(agent: str, uri: str) -> str | None:
    """What `memory_of` made it of; none for what is no memory's address in this mind."""
    home = memory_of(agent, "")
    if not uri.startswith(home) or uri == home:
        return None
    key = unquote(uri.removeprefix(home))
    return key.removeprefix("~") if _is_dots(key) else key


def _is_dots(key: str) -> bool:
    """With a '~' or more before them, too, so that such keys keep theirs."""
    return key.lstrip("~") in (".", "..")


def templates(agent: str) -> ListResourceTemplatesResult:
    template = ResourceTemplate(
        uri_template=f"ebbtide://{agent}/memories/{{key}}",
        name="memory",
        title="A memory",
        description="What one memory says, fenced as data. Reading it counts as a use. Percent-encode the key;"
        " the keys '.' and '..' take a '~' before them.",
        mime_type=PLAIN,
    )
    return ListResourceTemplatesResult(resource_templates=[template])


async def listed(mind: Mind, cursor: str | None) -> ListResourcesResult:
    """The state, then what is not hidden, in the order it was made. Only keys: texts are for those who ask."""
    page = await mind.list(after=_after(cursor), limit=PAGE)
    memories = [
        Resource(uri=memory_of(mind.agent, memory.key), name=memory.key, mime_type=PLAIN) for memory in page.memories
    ]
    state = Resource(uri=state_of(mind.agent), name="state", title="State of the mind", mime_type=PLAIN)
    first = [] if cursor else [state]
    return ListResourcesResult(resources=[*first, *memories], next_cursor=None if page.next is None else str(page.next))


async def read(mind: Mind, uri: str) -> ReadResourceResult:
    if uri == state_of(mind.agent):
        status = await tools.status(mind, shapes.Nothing())
        return _contents(uri, status.model_dump_json(exclude={"notice"}, indent=1))
    key = key_of(mind.agent, uri)
    if key is None:
        raise NotFound(problem=f"there is no resource {uri!r:.200} in the mind {mind.agent!r}")
    return _contents(uri, (await mind.get(key)).text)


def _contents(uri: str, text: str) -> ReadResourceResult:
    """Whatever is told has stored words in it, the state the keys in focus: all of it stands in a fence."""
    fence = Fence.for_([text])
    told = f"{fence.notice}\n{fence.around(text)}"
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=PLAIN, text=told)])


def _after(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not cursor.isdecimal() or len(cursor) > 18:
        raise InvalidInput(problem=f"{cursor!r:.80} is no cursor of this list")
    return int(cursor)
