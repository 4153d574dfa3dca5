"""What a mind without memories shows: how to put the first one, as commands to copy."""

import json
from typing import NamedTuple

from nicegui import ui

from ebbtide.serve.page import texts
from ebbtide.serve.page.frame import Page, everyone
from ebbtide.serve.page.parts import box, card, icon, text

texts.add(
    {
        "first.title": ("This mind knows nothing yet", "这个心智还一无所知"),
        "first.how": (
            "Put a first memory in one of these ways. Then open this page again.",
            "用下面任一方式存入第一条记忆，然后重新打开本页。",
        ),
        "first.cli": ("On the command line", "命令行"),
        "first.python": ("In Python", "Python"),
        "first.http": ("Over HTTP", "HTTP"),
        "first.remember": ("A whole conversation", "整段对话"),
        "first.folder": (
            "On the server's machine. If its data folder is not the default one, set EBBTIDE_DATA to it first.",
            "在服务器上运行。若其数据目录不是默认目录，请先设置 EBBTIDE_DATA。",
        ),
        "first.key": ("$KEY is your key for this mind.", "$KEY 是你用于这个心智的密钥。"),
        "first.copy": ("Copy", "复制"),
        "first.copied": ("Copied", "已复制"),
        "first.example": ("The ferry to Lamma leaves at 8:40.", "去南丫岛的渡轮八点四十分开。"),
    }
)


class Snippet(NamedTuple):
    name: str  # of its heading among the texts
    source: str
    note: str = ""


def snippets(agent: str, address: str, says: str, *, keys: bool = False) -> list[Snippet]:
    """Ways to the first memory. Agent ids need no quotes in a shell; `says` must hold none itself."""
    body = json.dumps({"text": says}, ensure_ascii=False)
    turn = json.dumps({"role": "user", "content": says}, ensure_ascii=False)
    header = "-H 'Content-Type: application/json'" + (' -H "Authorization: Bearer $KEY"' if keys else "")
    return [
        Snippet("first.cli", f'ebbtide --agent {agent} put "{says}"', "first.folder"),
        Snippet(
            "first.python",
            f'import ebbtide\n\nwith ebbtide.sync.open("{agent}") as mind:\n    mind.put("{says}")',
        ),
        Snippet(
            "first.http",
            f"curl {address}/v1/minds/{agent}/memories {header} \\\n  -d '{body}'",
            "first.key" if keys else "",
        ),
        Snippet("first.remember", f"echo '{turn}' | ebbtide --agent {agent} remember -"),
    ]


def show(page: Page) -> None:
    address = str(ui.context.client.request.base_url).rstrip("/")
    ways = snippets(page.agent, address, page.t("first.example"), keys=page.allowed is not everyone)
    with card(), box("first"):
        icon("water")
        text(page.t("first.title"), "strong", "p")
        text(page.t("first.how"), tag="p")
        for way in ways:
            _snippet(page, way)


def _snippet(page: Page, way: Snippet) -> None:
    with box("snippet").props(f"data-way={way.name.partition('.')[2]}"):
        with box("row-of"):
            text(page.t(way.name), "grow", "h3")
            with box("act", "button").props("type=button") as copying:
                icon("content_copy")
                text(page.t("first.copy"), "said")
            copying.props["aria-label"] = f"{page.t('first.copy')}: {page.t(way.name)}"
            copying.props["data-copied"] = page.t("first.copied")
            copying.on("click", js_handler="event => ebbtide.copy(event.currentTarget)")
        text(way.source, "code", "pre").props("tabindex=0")
        if way.note:
            text(page.t(way.note), "soft small", "p")
