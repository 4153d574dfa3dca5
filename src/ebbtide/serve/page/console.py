"""Ask the mind as an agent does, and see why it answers so: every component of a rank, and what was declined."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ebbtide.core.memory import Memory, State
from ebbtide.core.metabolism import traits_of
from ebbtide.mind.left_out import Declined
from ebbtide.mind.recall import BREAK, is_trace, unmarked
from ebbtide.mind.search import Found, Hit
from ebbtide.serve.page import parts, rank_bar, reasons, texts
from ebbtide.serve.page.controls import checkbox, choice, explorer, field, form, states_of, submit, tabs
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.hidden import remarks
from ebbtide.serve.page.parts import box, button, card, heading, icon, link, nothing, page_head, state_chip, text
from ebbtide.serve.page.rank_bar import Scale
from ebbtide.serve.page.restoring import restore
from ebbtide.serve.page.telling import Tell

Given = Mapping[str, list[str]]

texts.add(
    {
        "console.under": (
            "Ask as an agent does, and see why the answer is what it is. Being found is not being used.",
            "像智能体那样提问，看答案为何如此。被找到不等于被使用。",
        ),
        "console.search": ("Search", "搜索"),
        "console.recall": ("Recall", "回忆"),
        "console.way": ("How to ask", "怎样问"),
        "console.text": ("What do you want to know?", "想知道什么？"),
        "console.k": ("At most", "最多"),
        "console.state": ("State", "状态"),
        "console.usual": ("what is usually seen", "通常可见的"),
        "console.every": ("every state", "所有状态"),
        "console.kind": ("Kind", "类型"),
        "console.domain": ("Domain", "领域"),
        "console.keywords": ("Keywords, with commas", "关键词，逗号分隔"),
        "console.since": ("Made since (UTC)", "创建于此后（UTC）"),
        "console.until": ("Made before (UTC)", "创建于此前（UTC）"),
        "console.filters": ("Filters", "筛选"),
        "console.explain": ("explain", "解释"),
        "console.vitality": ("rank by vitality too", "排序计入活力"),
        "console.hits": ("{n} found", "找到 {n} 条"),
        "console.none": ("Nothing answers that", "没有符合的记忆"),
        "console.none_how": ("Other words, or fewer filters, may find more.", "换些词，或少些筛选，也许能找到。"),
        "console.used": ("I used this", "我用到了它"),
        "console.counted": ("Counted as a use of “{key}”.", "已记为对“{key}”的一次使用。"),
        "console.throttled": (
            "“{key}” was touched a short while ago: not counted again.",
            "“{key}”刚刚用过，不重复计数。",
        ),
        "console.revive": ("Bring back", "唤回"),
        "console.similarity": ("similarity", "相似度"),
        "console.declined": ("Declined", "未给出"),
        "console.declined_why": ("Would have matched, but is not told.", "本来符合，但没有给出。"),
        "console.declined_none": ("Nothing that matches was held back.", "没有被保留不说的。"),
        "console.in_trash": ("Forgotten; it can be restored.", "已遗忘，可以恢复。"),
        "console.restore": ("Restore", "恢复"),
        "console.restored": ("“{key}” is back.", "“{key}”已恢复。"),
        "console.approximate": ("found approximately", "近似查找"),
        "console.unembedded_one": ("1 memory could be found by words only", "1 条只能按词查找"),
        "console.unembedded": ("{n} memories could be found by words only", "{n} 条只能按词查找"),
        "console.relations": ("Relations, with commas", "关系，逗号分隔"),
        "console.depth": ("Links deep", "走几层链接"),
        "console.recall_how": (
            "Outward from the focus, stronger links first. What is told counts as walked to.",
            "从焦点向外，先走强链接。说出来的都算走到过。",
        ),
        "console.nothing_comes": ("Nothing comes to mind", "什么也想不起来"),
        "console.nothing_how": ("Try other keywords, or search.", "换些关键词，或者用搜索。"),
        "console.focus": ("In focus", "焦点"),
    }
)  # fmt: skip


async def build(page: Page) -> None:
    explorer()
    async with page.mind() as mind:
        metabolism, depth = mind.metabolism, int(mind.params.get("default_search_depth", 2))
        focus = list(await mind.focus()) if traits_of(metabolism).network else []
    with page_head(page.t("view.console"), page.t("console.under")):
        pass
    with box("stack"):
        search, recall = _Search(page, metabolism), _Recall(page, depth, focus)
        if traits_of(metabolism).network:
            with box():
                ways = {"search": page.t("console.search"), "recall": page.t("console.recall")}
                tabs(ways, "search", partial(_switch, search, recall), page.t("console.way"))
        search.start()
        if traits_of(metabolism).network:
            recall.start()
            _switch(search, recall, "search")
        Tell(page).start()
    await search.asked_for()


def _switch(search: "_Search", recall: "_Recall", way: str) -> None:
    search.whole.set_visibility(way == "search")
    recall.whole.set_visibility(way == "recall")


class _Search:
    def __init__(self, page: Page, metabolism: str) -> None:
        self.page, self.metabolism = page, metabolism
        self.explain = self.vitality = True
        self.last: Given = {}

    def start(self) -> None:
        with box("stack") as self.whole:
            with card():
                self._form()
            self.answer = box("stack").props("aria-live=polite")

    def _form(self) -> None:
        page = self.page
        states = {"": page.t("console.usual"), "all": page.t("console.every")}
        states |= {state: page.t(f"state.{state}") for state in states_of(self.metabolism)}
        with form(self._ask, "ask"):
            field(page.t("console.text"), "text", page.query.get("q", ""), kind="search", more="required autofocus")
            with box(tag="details"):
                text(page.t("console.filters"), tag="summary")
                with box("fields").style("margin-top: 10px"):
                    choice(page.t("console.state"), "state", states)
                    field(page.t("console.k"), "k", "10", kind="number", more="min=1 max=100")
                    field(page.t("console.kind"), "kind")
                    field(page.t("console.domain"), "domain")
                    field(page.t("console.keywords"), "keywords")
                    field(page.t("console.since"), "since", kind="datetime-local")
                    field(page.t("console.until"), "until", kind="datetime-local")
            with box("row-of"):
                submit(page.t("console.search"), "search")
                checkbox(page.t("console.explain"), self.explain, partial(setattr, self, "explain"))
                checkbox(page.t("console.vitality"), self.vitality, partial(setattr, self, "vitality"))

    async def asked_for(self) -> None:
        """What stands in the address is asked at once."""
        if self.page.query.get("q", "").strip():
            await self._ask({"text": [self.page.query["q"]]})

    async def _again(self) -> None:
        """What was asked last, after something was done about the answer."""
        await self._ask(self.last)
        parts.refocus(self.page)

    async def _everything(self) -> None:
        """What was asked last, of every state."""
        await self._ask({**self.last, "state": ["all"]})
        parts.refocus(self.page)

    async def _ask(self, given: Given) -> None:
        self.last = given
        asked = _asked(given, states_of(self.metabolism)) | {"explain": self.explain, "vitality": self.vitality}
        with self.page.attempt():
            async with self.page.mind() as mind:
                found = await mind.search(_first(given, "text"), **asked)
            self.answer.clear()
            with self.answer:
                self._show(found)

    def _show(self, found: Found) -> None:
        page = self.page
        notes = [found.note, "" if found.exact else page.t("console.approximate")]
        notes.append(page.t("console.unembedded", n=found.unembedded) if found.unembedded else "")
        with box("row-of"):
            heading(page.t("console.hits", n=len(found.hits)))
            text(" · ".join(filter(None, notes)), "soft small")
        remarks(page, found, self._everything)
        with card(classes="flush"):
            if found.hits and found.hits[0].why is not None:
                with box("how-ranked"):
                    rank_bar.legend(page, found.hits[0].why)
            scale = Scale.of(found.hits)
            for hit in found.hits:
                self._hit(hit, scale)
            if not found.hits:
                nothing("search_off", page.t("console.none"), page.t("console.none_how"))
        if self.explain:
            self._declined(found.declined)

    def _hit(self, hit: Hit, scale: Scale) -> None:
        memory = hit.memory
        with box("hit"):
            with box("top-line"):
                link(self.page.url("memory", key=memory.key), "strong", parts.preview(memory.key, 60))
                state_chip(self.page, memory.state)
                parts.pin_chip(self.page, memory)
                similarity = f"{self.page.t('console.similarity')} {hit.similarity:.2f}"
                text(similarity, "number soft small grow right")
                text(f"{self.page.t('rank.score')} {hit.score:.3f}", "number soft")
                words = self.page.t("console.revive" if memory.state is State.EXPIRED else "console.used")
                button(words, partial(self._used, memory), symbol="touch_app", classes="slim")
            text(parts.preview(memory.text, 400), "text", "p").style("font-size: 1rem")
            if hit.why is not None:
                rank_bar.bar(self.page, hit, hit.why, scale)

    async def _used(self, memory: Memory) -> None:
        """What had expired comes back by it."""
        expired = memory.state is State.EXPIRED
        with self.page.attempt():
            async with self.page.mind() as mind:
                done = await mind.touch(memory.key, revive=expired)
            await self._again()
            words = "restored" if expired and done.counted else "counted" if done.counted else "throttled"
            said = self.page.t(f"console.{words}", key=parts.preview(memory.key, 60))
            self.page.note(said, "positive" if done.counted else "info")

    def _declined(self, declined: Sequence[Declined]) -> None:
        page = self.page
        with card(page.t("console.declined")):
            said = page.t("console.declined_why" if declined else "console.declined_none")
            text(said, "soft", "p")
            for one in declined:
                with box("move"):
                    with box("tight"):
                        text(parts.preview(one.text, 200), "says")
                        text(self._reason(one), "soft small")
                    with box("row-of"):
                        state_chip(page, one.state)
                        text(f"{one.similarity:.2f}", "number soft small")
                        self._way_back(one)

    def _reason(self, one: Declined) -> str:
        """The state stands beside it: it need not be said twice."""
        if one.state == "trash":
            return self.page.t("console.in_trash")
        return reasons.told(self.page, one.why.removeprefix(f"{one.state}: "))

    def _way_back(self, one: Declined) -> None:
        """What is in the trash can be restored; all else has a page of its own."""
        if one.state == "trash":
            button(self.page.t("console.restore"), partial(self._restore, one), classes="slim")
        else:
            with link(self.page.url("memory", key=one.key), "act slim") as there:
                icon("open_in_new")
            there.props["aria-label"] = parts.preview(one.key, 80)

    async def _restore(self, one: Declined) -> None:
        with self.page.attempt():
            async with self.page.mind() as mind:
                same = [gone.id for gone in await mind.trash() if (gone.key, gone.text) == (one.key, one.text)]
            which = same[0] if same else None
            await restore(self.page, one.key, which=which, done="console.restored", then=self._again)


def _asked(given: Given, states: Sequence[str]) -> dict[str, Any]:
    """What a form says, as `search` takes it; what is left empty is left out."""
    found: dict[str, Any] = {name: _first(given, name) for name in ("kind", "domain") if _first(given, name)}
    state = _first(given, "state")
    if state:
        found["state"] = tuple(states) if state == "all" else state
    if words := _listed(_first(given, "keywords")):
        found["keywords"] = words
    for name in ("since", "until"):
        if (moment := parts.moment_typed(_first(given, name))) is not None:
            found[name] = moment
    k = _first(given, "k")
    return found | ({"k": int(k)} if k.isdecimal() and len(k) < 5 else {})


def _first(given: Given, name: str) -> str:
    return given.get(name, [""])[0]


def _listed(words: str) -> tuple[str, ...]:
    """Words between commas, Chinese or not."""
    return tuple(word.strip() for word in words.replace("，", ",").split(",") if word.strip())


class _Recall:
    """Only a network mind recalls."""

    def __init__(self, page: Page, depth: int, focus: Sequence[str]) -> None:
        self.page, self.depth, self.focus = page, depth, focus

    def start(self) -> None:
        page = self.page
        with box("stack") as self.whole:
            with card(), form(self._ask, "ask"):
                text(page.t("console.recall_how"), "soft", "p")
                with box("row-of"):
                    text(page.t("console.focus"), "strong small")
                    for key in self.focus:
                        text(parts.preview(key, 40), "chip s-tide")
                with box("fields"):
                    field(page.t("console.keywords"), "words")
                    field(page.t("console.relations"), "relations")
                    field(page.t("console.depth"), "depth", str(self.depth), kind="number", more="min=1 max=10")
                with box("row-of"):
                    submit(page.t("console.recall"), "psychology_alt")
            self.answer = box("stack").props("aria-live=polite")

    async def _ask(self, given: Given) -> None:
        depth = _first(given, "depth")
        with self.page.attempt():
            async with self.page.mind() as mind:
                told = await mind.recall(
                    _listed(_first(given, "words")), _listed(_first(given, "relations")),
                    int(depth) if depth.isdecimal() and len(depth) < 4 else None, 100,
                )  # fmt: skip
            self.answer.clear()
            with self.answer:
                self._show([unmarked(block) for block in told.split(BREAK)] if told else [])

    def _show(self, blocks: Sequence[str]) -> None:
        heading(self.page.t("console.hits", n=len(blocks)))
        if not blocks:
            with card():
                nothing("psychology_alt", self.page.t("console.nothing_comes"), self.page.t("console.nothing_how"))
        with box("blocks"):
            for block in blocks:
                with box("quote").style("background: var(--card)"):
                    text(block, "text ghost" if is_trace(block) else "text", "p")
