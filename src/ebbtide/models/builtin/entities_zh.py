"""The names and things among Chinese words.

The dictionary calls many verbs, phrases and attributes nouns. Its words are cut once more: 书本上 → 书本,
踢足球 → 足球.
"""

from collections.abc import Sequence
from functools import lru_cache

from ebbtide.core.nameless import ADJECTIVES, NAMELESS
from ebbtide.models.builtin import chinese
from ebbtide.models.builtin import lexicon_zh as zh
from ebbtide.models.builtin.tokens import Kind, Token


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LOCALIZERS = "里上中内外下边"
_BEFORE_ACTS = _words("不 别 要 会 能 可以 能够 应该 必须 都 又 再 才 已 已经 正在 刚 刚刚 先 马上 立刻 赶紧 一起 互相")
_NO_PART = "不太很也都就会能要是了着过吗呢吧我你他她它这那没把被让真总"
_ACTS = "打踢画放做看听吃喝包流写唱玩骑坐洗买卖讲发救种踩拍养搬弹跳跑爬游找拿送"
_HEADS = _words(
    "方法 速度 效果 计划 目标 水平 成绩 项目 习惯 态度 经验 过程 资料 任务 报告 数据 结果 工具 环境 机会 方案 安排 "
    "内容 进度 费用 笔记 文件 通知 邮件 软件 公司 中心 学校 学院 机构 老师 教练 同学 同事 伙伴 时间 地点 系统 接口 "
    "页面 平台"
)
_WHEN = ("后", "前", "时", "之后", "之前", "期间", "以来", "时候")
_COUNTERS = "个只本张件位条家种名杯份部场套块支辆棵朵碗盘片颗对副架堂幅首座间群束盒瓶双把"


def name_of(token: Token) -> str | None:
    word = _bare(token.text.lstrip("和与跟及") if len(token.text) > 2 else token.text)
    return word if (len(word) > 1 and word[0] not in "太很" and not _coloured(word)) or word in zh.NOUNS else None


def thing_of(token: Token) -> str | None:
    """The first nouns of a compound; verbs and attributes it was put together with end it: 学校操场 + 踢足球."""
    run: list[str] = []
    parts = token.words
    for i, part in enumerate(parts):
        noun = _noun(part, only=len(parts) == 1)
        if i == 0 and len(part) == 1 < len(parts) and part not in zh.NOUNS:
            continue  # 导出成|表格: the end of the word before
        if noun is None or (part in zh.NOUN_VERBS and not run and i + 1 < len(parts) and not _head(parts[-1])):
            if run:
                break
        elif noun == part:
            run.append(noun)
        else:
            return "".join([*run, noun]) if noun in part[:-1] or not run else "".join(run)
    return "".join(run) or None


def _noun(word: str, *, only: bool) -> str | None:
    """The noun in a word of the dictionary; None if there is none."""
    bare = _bare(word[1:] if len(word) == 3 and word[0] in "和与跟" else word)
    if bare[0] in "太很" or bare in NAMELESS or bare.endswith((*_WHEN, "的")) or _coloured(bare):
        return None
    if len(bare) == 2 and bare[0] in "两三四五六七八九十":
        return None  # 五行
    if len(bare) == 1:
        listed = bare in zh.NOUNS if only else _label(bare)[0] == "n" or bare in zh.NOUNS
        return bare if listed and (only or bare not in _ACTS) else None
    listed = bare in zh.NOUNS or bare in zh.NOUN_VERBS or _label(bare) == "vn"
    listed = listed or (_label(bare) == "f" and bare not in zh.AROUND and bare not in zh.BOUNDS)  # 前端
    return _cut(bare) if listed or _label(bare)[0] not in "adrtmzbfvicupy" else None


def _head(word: str) -> bool:
    """学习 + 方法 is a thing, 学习 + 剑术 is to learn something."""
    return word in _HEADS or word[-1] in "题课班室法量率期点表书会员区品类度力感者师家营队组场馆证费单"


def _coloured(word: str) -> bool:
    return (
        word.endswith(("色", "形", "制"))
        and len(word) < 4
        and word not in {"角色", "景色", "特色", "脸色", "情形", "体制"}
    )


def _bare(word: str) -> str:
    """Without 大大的, 一棵 before it and 里, 上, 们 after it."""
    if "《" in word:
        return word
    word = word.rpartition("的")[2] or word
    if len(word) > 2 and word.endswith("们"):
        word = word[:-1]
    if len(word) > 2 and word[0] in "一两几这那每" and word[1] in _COUNTERS:
        word = word[2:]
    if len(word) == 2 and word[0] in "朵棵幅辆" and word[1] in zh.NOUNS:
        word = word[1:]
    if len(word) > 2 and word[-1] in _LOCALIZERS and _label(word[:-1])[0] == "n":
        return word[:-1] if word[-1] == "里" or chinese.frequency(word) < 60 else word
    return word


def _cut(word: str) -> str | None:
    """What the dictionary has as one word and is a verb with its object, or a noun with what is said of it."""
    if chinese.frequency(word) > 100:
        return word
    if any(char in _NO_PART for char in word):
        return None
    if len(word) in {3, 4} and word[0] in _ACTS and not _known(word[:2]) and _label(word[1:])[0] == "n":
        return word[1:] if _known(word[1:]) and word[1:] not in NAMELESS else None
    if len(word) == 2 and word[0] in _ACTS and word[1] in zh.NOUNS and chinese.frequency(word) < 30:
        return None
    return _halved(word) if len(word) == 4 and _known(word[:2]) and _known(word[2:]) else word


def _halved(word: str) -> str | None:
    one, two = word[:2], word[2:]
    if _label(two)[0] in "ad" or two in NAMELESS:
        return None
    if _label(one)[0] == "v":
        return two if _label(two)[0] == "n" else None
    return two if one in ADJECTIVES else word


def _known(word: str) -> bool:
    return chinese.frequency(word) > 60


@lru_cache(maxsize=65536)
def _label(word: str) -> str:
    import rjieba

    tagged = rjieba.tag(word, False)
    return str(tagged[0][1]) if len(tagged) == 1 else "n"


def acts(tokens: Sequence[Token], i: int, after: Token | None) -> bool:
    """还没下单, 两个人共用一张, 订餐的时候: what the dictionary takes for a noun stands as a verb here."""
    word, before = tokens[i].text, tokens[i - 1] if i else None
    if word in zh.NOUNS or word in zh.KIN:
        return False
    if after is not None and (after.text in {"了", "过", "着"} or (after.text == "的" and _when(tokens, i + 2))):
        return True
    if before is None:
        return False
    if before.text in _BEFORE_ACTS or (before.text in {"没", "没有", "需要"} and not _known(word)):
        return True
    return before.kind is Kind.NOUN and after is not None and after.kind is Kind.DETERMINER and after.text[0] == "一"


def _when(tokens: Sequence[Token], i: int) -> bool:
    return i < len(tokens) and tokens[i].text in {"时候", "时", "话"}
