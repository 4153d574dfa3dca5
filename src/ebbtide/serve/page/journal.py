"""Everything that happened, latest first; and the mind as it was at any moment since."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

import msgspec

from ebbtide.core.changes import KINDS, Configure, Entry, Pin
from ebbtide.core.errors import UnknownMemory
from ebbtide.serve.page import parts, story, texts
from ebbtide.serve.page.controls import choice, explorer, field, form, submit
from ebbtide.serve.page.entries import Leaf, ids_of, kind_of, latest, names, params_before
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.parts import box, button, card, link, nothing, page_head, text
from ebbtide.serve.page.travel import Travel

_NAMED = 4  # memories an entry's line names
_SHOWN = 50
_PLAIN = ("asked", "done")  # goes without saying

texts.add(
    {
        "journal.under": (
            "The record of everything that ever happened to this mind. Nothing in it is ever changed.",
            "这个心智经历的一切都记在这里，从不改写。",
        ),
        "journal.entries": ("Entries", "记录"),
        "journal.kind": ("Kind", "类别"),
        "journal.any": ("any", "全部"),
        "journal.key": ("About the memory", "关于哪条记忆"),
        "journal.key_hint": ("its key", "它的键"),
        "journal.filter": ("Filter", "筛选"),
        "journal.older": ("Older", "更早"),
        "journal.newest": ("Newest", "最新"),
        "journal.none": ("No such entries", "没有这样的记录"),
        "journal.look": ("Look", "看那时"),
        "journal.look_at": ("Look at the mind right after entry {seq}", "看第 {seq} 条之后的心智"),
        "journal.details": ("Details", "详情"),
        "journal.whatif": ("Turn these in What if", "在“假如”里用这些值"),
        "journal.unchanged": ("to what they were", "（与之前相同）"),
        "journal.and_more": ("and {n} more", "等 {n} 条"),
        "kind.configure": ("parameters set", "设置参数"),
        "kind.put": ("put", "存入"),
        "kind.rewrite": ("rewritten", "改写"),
        "kind.link": ("linked", "建立链接"),
        "kind.unlink": ("unlinked", "去掉链接"),
        "kind.access": ("used", "使用"),
        "kind.touch": ("touched", "确认使用"),
        "kind.traverse": ("walked to", "沿链接到达"),
        "kind.pin": ("pin", "固定"),
        "journal.pinned": ("set", "设置"),
        "journal.unpinned": ("taken away", "取消"),
        "kind.forget": ("forgotten", "遗忘"),
        "kind.restore": ("restored", "恢复"),
        "kind.merge": ("merged", "合并"),
        "kind.discard": ("gone for good", "彻底清除"),
        "kind.recover": ("recovered", "从归档取回"),
        "kind.pair": ("pairs found", "发现相似"),
        "kind.appraise": ("words read", "读取词语"),
        "kind.supersede": ("superseded", "被取代"),
        "kind.dismiss": ("dismissed", "忽略建议"),
        "kind.tick": ("tick", "巡检"),
        "kind.reaped": ("reaper ran", "清理完成"),
        "kind.scan": ("scanned", "扫描"),
        "kind.sweep": ("swept", "清扫断链"),
        "kind.focus": ("focus moved", "焦点移动"),
        "kind.enqueue": ("handed over", "交办"),
        "kind.settle": ("done", "办完"),
        "kind.set_aside": ("set aside", "搁置"),
        "kind.requeue": ("tried again", "重试"),
    }
)


async def build(page: Page) -> None:
    explorer()
    with page_head(page.t("view.journal"), page.t("journal.under")):
        pass
    with box("stack"):
        travel = Travel(page)
        await travel.start(page.query.get("at", ""))
        with card(page.t("journal.entries"), "entries"):
            _filters(page)
        await _listed(page, travel)


def _filters(page: Page) -> None:
    def chosen(given: Mapping[str, list[str]]) -> None:
        page.go("journal", kind=given["kind"][0], key=given["key"][0])

    kinds = {"": page.t("journal.any"), **{kind: page.t(f"kind.{kind}") for kind in KINDS}}
    with form(chosen, "filters"):
        choice(page.t("journal.kind"), "kind", kinds, page.query.get("kind", ""))
        field(page.t("journal.key"), "key", page.query.get("key", ""), hint=page.t("journal.key_hint"))
        submit(page.t("journal.filter"), "filter_list")


async def _listed(page: Page, travel: Travel) -> None:
    kind, key = (page.query.get(name, "") for name in ("kind", "key"))
    end = parts.whole(page.query, "before")
    async with page.mind() as mind:
        try:
            leaf = await latest(mind, kind=kind if kind in KINDS else "", key=key, before=end, limit=_SHOWN)
        except UnknownMemory as error:
            with card():
                nothing("history", str(error))
            return
        called = await names(mind, leaf.entries, _NAMED)
        before = await params_before(mind, leaf.entries)
        now = mind.now()
    with card(classes="flush"):
        for entry in leaf.entries:
            _entry(page, entry, _about(page, entry, called, before.get(entry.seq)), now, travel)
        if not leaf.entries:
            nothing("history", page.t("journal.none"))
    _paging(page, leaf, kind, key, begun=end is not None)


def _paging(page: Page, leaf: Leaf, kind: str, key: str, *, begun: bool) -> None:
    with box("row-of"):
        if begun:
            link(page.url("journal", kind=kind, key=key), "act", page.t("journal.newest"))
        if leaf.older is not None:
            link(page.url("journal", kind=kind, key=key, before=leaf.older), "act", page.t("journal.older"))


def _entry(page: Page, entry: Entry, about: str, now: float, travel: Travel) -> None:
    kind = kind_of(entry)
    with box("entry").props(f"data-kind={kind}"):
        text(f"{entry.seq:,}", "seq faint small number")
        when = text(parts.ago(page, entry.change.at, now), "soft small")
        when.props["title"] = f"{parts.moment(entry.change.at)} UTC"
        with box("what"):
            text(page.t(f"kind.{kind}"), "strong")
            text(f" {about}")
        look = button(page.t("journal.look"), partial(travel.to, entry.change.at), symbol="history", classes="slim")
        look.props["aria-label"] = page.t("journal.look_at", seq=entry.seq)
        with box(tag="details"):
            text(page.t("journal.details"), tag="summary")
            text(_raw(entry), tag="pre")
            if isinstance(entry.change, Configure):
                params = json.dumps(entry.change.params)
                link(page.url("whatif", params=params), "act slim", page.t("journal.whatif"))


def _about(page: Page, entry: Entry, called: Mapping[int, str], before: Mapping[str, Any] | None) -> str:
    """Who, and the gist of what; of parameters, those that differ from those `before`."""
    change: Any = entry.change
    if isinstance(change, Configure) and before is not None:
        return _turned(page, before, change.params)
    ids = ids_of(entry)
    who = ", ".join(f"“{parts.preview(called.get(memory, f'#{memory}'), 60)}”" for memory in ids[:_NAMED])
    if len(ids) > _NAMED:
        who = f"{who} {page.t('journal.and_more', n=len(ids) - _NAMED)}"
    gist = [getattr(change, name, "") for name in ("relation", "outcome", "error", "metabolism", "kind")]
    if hasattr(change, "cause"):
        gist.append(change.cause if change.cause in _PLAIN else story.cause(page, change.cause))
    if isinstance(change, Pin):
        gist.append(page.t("journal.pinned" if change.pinned else "journal.unpinned"))
    if hasattr(change, "strength"):
        gist.append(f"{change.strength:.2f}")
    if hasattr(change, "content"):
        gist.append(parts.preview(change.content.text, 120))
    if hasattr(change, "messages"):
        gist.append(parts.preview(" / ".join(message.content for message in change.messages), 120))
    return " · ".join(str(part) for part in (who, *gist) if part and part not in _PLAIN)


def _turned(page: Page, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    changed = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    if not changed:
        return page.t("journal.unchanged")
    return " · ".join(f"{name} {_said(before.get(name))} → {_said(after.get(name))}" for name in changed)


def _said(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _raw(entry: Entry) -> str:
    """The entry as it stands, without what is long and says nothing to people."""
    plain = msgspec.to_builtins(entry.change)
    return json.dumps({"entry": entry.seq, **plain}, ensure_ascii=False, indent=1)[:20_000]
