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
from ebbtide.serve.mcp import shapes, tools
from ebbtide.serve.mcp.fence import Fence

PAGE = 100
JSON, PLAIN = "application/json", "text/plain"


def state_of(agent: str) -> str:
    return f"ebbtide://{agent}/state"


def memory_of(agent: str, key: str) -> str:
    return f"ebbtide://{agent}/memories/{quote(key, safe='')}"


def templates(agent: str) -> ListResourceTemplatesResult:
    """In Chinese, blanks and slashes a key is percent-encoded."""
    template = ResourceTemplate(
        uri_template=f"ebbtide://{agent}/memories/{{key}}",
        name="memory",
        title="A memory",
        description="What one memory says, fenced as data. Reading it counts as a use.",
        mime_type=PLAIN,
    )
    return ListResourceTemplatesResult(resource_templates=[template])


async def listed(mind: Mind, cursor: str | None) -> ListResourcesResult:
    """The state, then what is not hidden, in the order it was made. Only keys: texts are for those who ask."""
    page = await mind.list(after=_after(cursor), limit=PAGE)
    memories = [
        Resource(uri=memory_of(mind.agent, memory.key), name=memory.key, mime_type=PLAIN) for memory in page.memories
    ]
    state = Resource(uri=state_of(mind.agent), name="state", title="State of the mind", mime_type=JSON)
    first = [] if cursor else [state]
    return ListResourcesResult(resources=[*first, *memories], next_cursor=None if page.next is None else str(page.next))


async def read(mind: Mind, uri: str) -> ReadResourceResult:
    if uri == state_of(mind.agent):
        status = await tools.status(mind, shapes.Nothing())
        return _contents(uri, JSON, status.model_dump_json(exclude={"notice"}, indent=1))
    home = memory_of(mind.agent, "")
    if not uri.startswith(home) or uri == home:
        raise NotFound(problem=f"there is no resource {uri!r:.200} in the mind {mind.agent!r}")
    memory = await mind.get(unquote(uri.removeprefix(home)))
    fence = Fence.for_([memory.text])
    return _contents(uri, PLAIN, f"{fence.notice}\n{fence.around(memory.text)}")


def _contents(uri: str, mime_type: str, text: str) -> ReadResourceResult:
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=mime_type, text=text)])


def _after(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not cursor.isdecimal() or len(cursor) > 18:
        raise InvalidInput(problem=f"{cursor!r:.80} is no cursor of this list")
    return int(cursor)
