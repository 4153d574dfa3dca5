"""A hit's rank as a bar: one piece for each part of its score, on one scale for all hits of a search.

Pieces below 0 lie left of the axis, and a line marks the score itself. A colour says what a part comes from, a pattern
tells the parts of one colour apart; names and numbers stand below the bar as text.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nicegui import ui

from ebbtide.mind.search import Hit, Why
from ebbtide.serve.page import parts, texts
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.parts import box, text
from ebbtide.serve.score_parts import ScorePart, score_parts, sign

# What a part comes from, the colour of that, and its parts in the order of the patterns.
FAMILIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "similarity": ("tide", ("words", "meaning", "lift")),
    "conversation": ("cold", ("neighbour", "two_before", "two_after", "answer", "joint_words")),
    "query": ("fading", ("sentence", "last_sentence", "coverage", "time", "when", "user", "speaker")),
    "memory": ("deprecated", ("question", "first_person", "recency", "superseded")),
    "vitality": ("vanishing", ("vitality",)),
}
_LOOKS = {
    name: f"s-{colour} pattern-{place}"
    for colour, names in FAMILIES.values()
    for place, name in enumerate(names)
}  # fmt: skip

texts.add(
    {
        "rank.score": ("rank", "排序分"),
        "rank.terms": ("terms", "各项"),
        "rank.parts": ("Parts of the rank", "排序分的组成"),
        "rank.bar": ("Bar of the rank {score}; its parts follow", "排序分 {score} 的条形图，组成部分见下"),
        "rank.read": ("How to read the bars", "如何阅读条形图"),
        "rank.how": (
            "Each piece is a part of the rank, on one scale for all hits. Left of the axis is what lowers it. The line "
            "across the bar is the rank.",
            "每一段是排序分的一个组成部分，所有结果使用同一刻度。轴线左侧为扣减，贯穿条形的竖线为排序分。",
        ),
        "rank.lifted_by": ("lift by a link from “{key}”", "由“{key}”的链接提升"),
        "rank.no_vector": ("no vector", "无向量"),
        "rank.alive": ("vitality {value}, scaled {scaled}", "活力 {value}，归一化 {scaled}"),
        "rank.family.similarity": ("Similarity", "相似度"),
        "rank.family.conversation": ("Its conversation", "所在对话"),
        "rank.family.query": ("The query", "查询"),
        "rank.family.memory": ("The memory itself", "记忆本身"),
        "rank.family.vitality": ("Vitality", "活力"),
        "rank.words": ("by words", "按词"),
        "rank.words.is": ("half of the similarity by words; all without vectors", "按词相似度的一半；无向量时为全部"),
        "rank.meaning": ("by meaning", "按意思"),
        "rank.meaning.is": ("half of the similarity by meaning", "按意思相似度的一半"),
        "rank.lift": ("lift", "链接提升"),
        "rank.lift.is": ("from a better hit that it is linked with", "来自与它有链接的更好结果"),
        "rank.neighbour": ("neighbour", "相邻记忆"),
        "rank.neighbour.is": (
            "the memory before or after it in its conversation fits", "对话中的前一条或后一条与查询相符",
        ),
        "rank.two_before": ("two before", "前第二条"),
        "rank.two_before.is": ("the memory two places before it fits", "对话中往前第二条与查询相符"),
        "rank.two_after": ("two after", "后第二条"),
        "rank.two_after.is": ("the memory two places after it fits", "对话中往后第二条与查询相符"),
        "rank.answer": ("answer", "回答"),
        "rank.answer.is": ("it follows a question that fits", "它紧接一个相符的提问"),
        "rank.joint_words": ("joint words", "前文补词"),
        "rank.joint_words.is": ("the memory before it has query words that it lacks", "前一条含有它缺少的查询词"),
        "rank.sentence": ("best sentence", "最相符句"),
        "rank.sentence.is": ("by meaning, the sentence of the query that fits best", "查询中意思最相符的一句"),
        "rank.last_sentence": ("last sentence", "末句"),
        "rank.last_sentence.is": ("by meaning, the last sentence of the query", "查询最后一句的意思"),
        "rank.coverage": ("coverage", "词覆盖"),
        "rank.coverage.is": ("how many of the query's words it has, rare ones above all", "含有多少查询词，罕见词为主"),
        "rank.time": ("time", "时间相符"),
        "rank.time.is": ("created within a time that the query names", "创建于查询所说的时间"),
        "rank.when": ("says when", "提到时间"),
        "rank.when.is": ("the query asks for a time, and it names one", "查询询问时间，它提到时间"),
        "rank.user": ("user's words", "用户所说"),
        "rank.user.is": ("the query says I or my, and the user said it", "查询说“我”，它由用户所说"),
        "rank.speaker": ("speaker", "说话人"),
        "rank.speaker.is": (
            "said by the speaker that the query names; below 0: by another", "由查询点名的人所说；负值为他人所说",
        ),
        "rank.question": ("question", "提问"),
        "rank.question.is": ("it ends in a question mark", "它以问号结尾"),
        "rank.first_person": ("first person", "第一人称"),
        "rank.first_person.is": ("it speaks in the first person", "它用第一人称"),
        "rank.recency": ("recency", "新近"),
        "rank.recency.is": ("how recently it was created", "创建得有多近"),
        "rank.superseded": ("superseded", "被取代"),
        "rank.superseded.is": ("a newer memory says the same", "更新的记忆说了同样的内容"),
        "rank.vitality": ("vitality", "活力"),
        "rank.vitality.is": (
            "what the metabolism adds; below 0 where it is a factor", "衰减规则所加；作为系数时为负值",
        ),
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scale:
    """How far the bars of a search reach: left of the axis and right of it, in points."""

    left: float
    right: float

    @classmethod
    def of(cls, hits: Sequence[Hit]) -> "Scale":
        every = [[part.points for part in score_parts(hit)] for hit in hits]
        left = max((-sum(min(one, 0.0) for one in points) for points in every), default=0.0)
        right = max((sum(max(one, 0.0) for one in points) for points in every), default=0.0)
        return cls(left, right) if left + right > 0.0 else cls(0.0, 1.0)

    def share(self, points: float) -> float:
        """Of the whole width."""
        return abs(points) / (self.left + self.right)

    def place(self, points: float) -> float:
        """Where this many points lie, from 0 at the left end to 1 at the right one."""
        return (points + self.left) / (self.left + self.right)


@dataclass(frozen=True, slots=True)
class Piece:
    """One part as it is drawn: where it begins and how wide it is, both as shares of the whole width."""

    part: ScorePart
    start: float
    width: float


def pieces(found: Sequence[ScorePart], scale: Scale) -> Iterator[Piece]:
    """Outwards from the axis, in the order of the formula: what adds to the right, what takes away to the left."""
    right = left = 0.0
    for part in found:
        if part.points < 0.0:
            left += part.points
            yield Piece(part, scale.place(left), scale.share(part.points))
        else:
            yield Piece(part, scale.place(right), scale.share(part.points))
            right += part.points


def legend(page: Page, why: Why) -> None:
    """The formula, and on demand what each part is."""
    formula = f"{page.t('rank.score')} = {_formula(page, why.formula)}"
    text(formula, "mono faint small formula", "p")
    with box("rank-legend", "details"):
        text(page.t("rank.read"), tag="summary")
        text(page.t("rank.how"), "soft small", "p")
        with box("families"):
            for family, (_, names) in FAMILIES.items():
                with box("tight"):
                    text(page.t(f"rank.family.{family}"), "strong small")
                    for name in names:
                        _explained(page, name)


def _explained(page: Page, name: str) -> None:
    with box("small"):
        text(page.t(f"rank.{name}"), f"swatch {_LOOKS[name]}")
        text(f" — {page.t(f'rank.{name}.is')}", "soft")


def bar(page: Page, hit: Hit, why: Why, scale: Scale) -> None:
    found, score = score_parts(hit), f"{hit.score:.3f}"
    with box("why", "figure"):
        with box("rank-bar").props("role=img") as drawn:
            for piece in pieces(found, scale):
                _piece(page, piece)
            box("axis").style(f"left: {scale.place(0.0):.3%}")
            _titled(box("score").style(f"left: {scale.place(hit.score):.3%}"), f"{page.t('rank.score')} {score}")
        drawn.props["aria-label"] = page.t("rank.bar", score=score)
        _numbers(page, found, why)
        text(_facts(page, why), "faint small", "p")


def _piece(page: Page, piece: Piece) -> None:
    name = piece.part.name
    drawn = box(f"piece {_LOOKS[name]}").style(f"left: {piece.start:.3%}; width: {piece.width:.3%}")
    drawn.props["data-part"] = name
    _titled(drawn, _words(page, piece.part))


def _numbers(page: Page, found: Sequence[ScorePart], why: Why) -> None:
    """Each part with its name and its points; with the mouse on it, what it is and what it was made of."""
    made = {term.name: f" ({term.value:.3g} × {term.weight:.3g})" for term in why.terms}
    with box("rank-parts", "ul") as listed:
        for part in found:
            with box(tag="li") as row:
                text(page.t(f"rank.{part.name}"), f"swatch {_LOOKS[part.name]}")
                text(f" {_points(part)}", "number strong")
            _titled(row, page.t(f"rank.{part.name}.is") + made.get(part.name, ""))
    listed.props["aria-label"] = page.t("rank.parts")


def _titled(element: ui.element, words: str) -> None:
    element.props["title"] = words


def _words(page: Page, part: ScorePart) -> str:
    return f"{page.t(f'rank.{part.name}')} {_points(part)}"


def _points(part: ScorePart) -> str:
    return f"{sign(part.points)}{abs(part.points):.3f}"


def _facts(page: Page, why: Why) -> str:
    """What similarity and vitality were made from."""
    said = [f"BM25 {why.bm25:.2f}", page.t("rank.no_vector") if why.cosine is None else f"cos {why.cosine:.2f}"]
    if why.lifted_by:
        said.append(page.t("rank.lifted_by", key=parts.preview(why.lifted_by, 40)))
    said.append(page.t("rank.alive", value=f"{why.vitality:.3f}", scaled=f"{why.scaled:.2f}"))
    return " · ".join(said)


def _formula(page: Page, words: str) -> str:
    """With the names the parts have."""
    names = {"similarity": "family.similarity", "lift": "lift", "terms": "terms", "scaled": "vitality"}
    for name, known in names.items():
        words = words.replace(name, page.t(f"rank.{known}").lower())
    return words
