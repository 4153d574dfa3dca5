"""The MCP server: the SDK speaks the protocol, the tools do the work, and every error is one line."""

import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    TextContent,
)
from pydantic import BaseModel

from ebbtide import __version__
from ebbtide.core.errors import EbbtideError, InvalidInput, NotFound, StoreError
from ebbtide.mind.fence import Fence
from ebbtide.serve.mcp import resources
from ebbtide.serve.mcp.complaints import one_line
from ebbtide.serve.mcp.fence import ADVICE, NOTICE, fenced, strings
from ebbtide.serve.mcp.opening import Minds
from ebbtide.serve.mcp.shapes import parsed
from ebbtide.serve.mcp.tools import INSTRUCTIONS, TOOLS

log = logging.getLogger("ebbtide")

Context = ServerRequestContext[Any, Any]
AgentOf = Callable[[Context], str]
_BUG = "something went wrong inside; the server's log says what"


def build(minds: Minds, agent_of: AgentOf) -> Server[Any]:
    """A server for whose every message `agent_of` says which mind it is about."""
    desk = _Desk(minds, agent_of)
    tools = {name: tool.described() for name, tool in TOOLS.items()}

    async def list_tools(context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=list(tools.values()))

    return Server(
        "ebbtide",
        title="Ebbtide",
        version=__version__,
        instructions=INSTRUCTIONS,
        get_tool_input_schema=lambda name: tools[name].input_schema if name in tools else None,
        on_list_tools=list_tools,
        on_call_tool=desk.call,
        on_list_resources=desk.list_resources,
        on_list_resource_templates=desk.list_templates,
        on_read_resource=desk.read_resource,
    )


class _Desk:
    """Takes each request to the mind it is about, and brings back an answer or a complaint."""

    def __init__(self, minds: Minds, agent_of: AgentOf) -> None:
        self._minds, self._agent_of = minds, agent_of

    async def call(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        """What goes wrong is an answer too: one that the model reads and can act on."""
        try:
            tool = TOOLS.get(params.name)
            if tool is None:
                raise InvalidInput(problem=f"there is no tool {params.name!r:.80}: there are {', '.join(TOOLS)}")
            asked = parsed(tool.asked, params.arguments)
            async with self._minds.mind(self._agent_of(context)) as mind:
                return answered(await tool.call(mind, asked))
        except EbbtideError as error:
            return refused(_complaint(error))
        except Exception:
            log.exception("the tool %s failed", params.name)
            return refused(_BUG)

    async def list_resources(self, context: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
        async with _told(), self._minds.mind(self._agent_of(context)) as mind:
            return await resources.listed(mind, params.cursor if params else None)

    async def list_templates(
        self, context: Context, params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        return resources.templates(self._agent_of(context))

    async def read_resource(self, context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        async with _told(), self._minds.mind(self._agent_of(context)) as mind:
            return await resources.read(mind, str(params.uri))


def answered(told: BaseModel) -> CallToolResult:
    """The same twice: words for a model, with all that was stored inside one fence, and values for a program."""
    values = told.model_dump(mode="json", exclude_none=True)
    stored = {name: value for name, value in values.items() if name not in (NOTICE, ADVICE)}
    words = json.dumps(stored, ensure_ascii=False)
    if NOTICE in values:
        fence = Fence.for_(strings(values))
        advice = f" {values[ADVICE]}" if values.get(ADVICE) else ""  # before the fence: nothing stands after it
        values, words = fenced(values, fence), f"{fence.notice}{advice}\n{fence.around(words)}"
    return CallToolResult(content=[TextContent(type="text", text=words)], structured_content=values)


def refused(message: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=message)], is_error=True)


@asynccontextmanager
async def _told() -> AsyncIterator[None]:
    """Resources have no answer for what went wrong but the protocol's."""
    try:
        yield
    except EbbtideError as error:
        code = INVALID_PARAMS if isinstance(error, NotFound | InvalidInput) else INTERNAL_ERROR
        raise MCPError(code=code, message=_complaint(error)) from None
    except Exception as error:
        log.exception("a resource could not be read")
        raise MCPError(code=INTERNAL_ERROR, message=_BUG) from error


def _complaint(error: EbbtideError) -> str:
    """The disk is for whoever keeps the server to look after, and its folders are nobody's business out there."""
    if isinstance(error, StoreError):
        log.error("%s", error)
    return one_line(error)
