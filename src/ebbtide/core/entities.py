"""Which answers of a small model may become entities: names and things.   SPEC N10.

Rules, for every model:
1. The first and second person never: they name the speakers and would stay in focus for ever.
2. No interjections, slang, fillers, adjectives, verbs, bare dates and numbers (`core/nameless.py`).
3. A pronoun of the third person only where no name in this segment or the one before fits it.
   he, she, 他, 她: a person, or a name that does not stand as a place; not of the other sex where a word tells.
   they, 他们, it, 它: any other entity.
"""

import re
from collections.abc import Iterable, Sequence

from ebbtide.core.language import HAN
from ebbtide.core.nameless import ADJECTIVES, ADVERBS, GIVEN, HE, IT, NAMELESS, SHE, SPOKEN, THEY


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PRONOUNS = HE | SHE | THEY | IT
_DATED = re.compile(
    r"[\d\s.,:/%$€£¥+x×-]+(?:st|nd|rd|th|am|pm|k|kg|km|cm|mm|m|g|lb|lbs|h|hr|hrs|min|mins|s|ml|l|gb|mb)?|"
    r"\d+[年月日号点时分秒周天岁元块个次]+.*|[零一二三四五六七八九十百千万两几]+[年月日号点时分秒周天岁元块个次]?",
    re.IGNORECASE,
)
_DRAWN_OUT = re.compile(r"([a-z])\1\1")  # loooong, sooo
_WOMEN = _words(
    "mother mom mum mommy sister daughter wife girlfriend aunt grandmother grandma niece girl woman lady queen mrs "
    "ms miss 妈妈 母亲 姐姐 妹妹 女儿 妻子 老婆 女友 女朋友 阿姨 奶奶 外婆 姥姥 祖母 姑妈 舅妈 婶婶 女士 小姐 太太 "
    "女孩 闺蜜 侄女"
)
_MEN = _words(
    "father dad daddy brother son husband boyfriend uncle grandfather grandpa nephew boy man gentleman king mr sir "
    "爸爸 父亲 哥哥 弟弟 儿子 丈夫 老公 男友 男朋友 叔叔 爷爷 外公 姥爷 祖父 姑父 舅舅 伯伯 先生 男孩 侄子"
)
_PEOPLE = _words(
    "friend colleague neighbor neighbour boss manager teacher doctor dentist nurse coach client customer cousin "
    "parent partner roommate classmate student kid child baby guest owner landlord lawyer agent therapist professor "
    "朋友 同事 邻居 老板 经理 老师 医生 教练 客户 同学 室友 房东 律师 教授 孩子 宝宝 同桌 队友 班主任 师傅 护士 "
    "司机"
)
_SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦"
)
_BEFORE_PLACES = re.compile(r"(?:\b(?:in|at|to|from|near|into|via)\s+(?:the\s+)?|[在去到从来往回住于])$", re.IGNORECASE)
_PLACES = tuple("省市区县镇乡村路街桥湖江河山岛港湾站楼馆园院店厅场室国州")


def nameless(name: str) -> bool:
    """Whether a word is no name of a person or a thing, whatever stands around it."""
    low = " ".join(name.casefold().replace("’", "'").split()).strip("'\"“”.,!?。，！？~～")
    if not low or _DATED.fullmatch(low) or (_DRAWN_OUT.search(low) and name.islower()):
        return True
    if low in GIVEN and name[:1].isupper():
        return False
    words = low.split()
    if name[:1].isupper() and low in ADJECTIVES - SPOKEN:
        return False  # Central: `usable` looks at where it stands
    return low in NAMELESS or all(word in NAMELESS for word in words) or words[-1] in ADVERBS


def usable(entities: Sequence[str], segment: str, before: Iterable[str] = ()) -> tuple[str, ...]:
    """The entities that are names and things, in their order; `before`: those of the segment before."""
    named = [
        name
        for name in entities
        if _same(name) in PRONOUNS or not (nameless(name) or (_same(name) in ADJECTIVES and _opens(name, segment)))
    ]
    earlier = list(before)
    return tuple(name for name in named if _same(name) not in PRONOUNS or not _meant(name, named, segment, earlier))


def _opens(name: str, segment: str) -> bool:
    """Whether it owes its capital letter to the start of a sentence."""
    return re.search(rf"[^.!?:;\s\"'“‘(\[】*•–—-]\s+{re.escape(name)}\b", segment) is None


def _meant(pronoun: str, named: Sequence[str], segment: str, before: Sequence[str]) -> bool:
    """Whether the pronoun has a name that fits it."""
    low = _same(pronoun)
    others = [name for name in (*named, *before) if _same(name) not in PRONOUNS]
    if low in THEY | IT:
        return bool(others)
    strangers = _MEN if low in SHE else _WOMEN
    return any(_person(name, segment) and not _told(name, strangers) for name in others)


def _person(name: str, segment: str) -> bool:
    if _told(name, _WOMEN | _MEN | _PEOPLE):
        return True
    at = segment.find(name)
    if at >= 0 and _BEFORE_PLACES.search(segment[:at]):
        return False
    if re.search(f"[{HAN}]", name):
        familiar = len(name) == 2 and name[0] in "小老阿"
        return familiar or (len(name) in {2, 3} and name[0] in _SURNAMES and not name.endswith(_PLACES))
    return name[:1].isupper() and not any(character.isdigit() for character in name)


def _told(name: str, words: frozenset[str]) -> bool:
    low = _same(name)
    return any(word in words for word in low.split()) or any(low.endswith(word) for word in words if not word.isascii())


def _same(name: str) -> str:
    return name.strip().casefold()
