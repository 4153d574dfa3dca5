"""What can be read off one text, without a model: whether it names a time, asks, speaks of oneself.

SPEC T3; Chinese and English.
"""

import math
import re
from functools import lru_cache

from ebbtide.core.language import HAN_CHARACTER, is_chinese
from ebbtide.core.numerals import MONTHS
from ebbtide.core.ports import TextFeatures

_HAN_COUNTS = 3  # characters that a Han character counts for: it says about as much
_SPELLED_OUT = "|".join(month for month in MONTHS if len(month) > 3 and month != "may")  # "may" is mostly no month
_MAY = r"(?:in|last|next|since|until|early|mid|late|\d{1,2})\s+may|may\s+\d{1,4}"
_TIME_EN = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|(?:last|next|this|past)\s+(?:night|week|weekend|month|year|summer|winter|"
    r"spring|fall|autumn|time|mon|tue|wed|thu|fri|sat|sun)\w*|\w+\s+(?:days?|weeks?|months?|years?|hours?|minutes?)\b|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|morning|afternoon|evening|\d{1,2}:\d{2}|\d{1,2}\s?[ap]m|"
    rf"(?:19|20)\d\d|\d{{1,2}}(?:st|nd|rd|th)|{_SPELLED_OUT}|{_MAY})\b",
    re.IGNORECASE,
)
_NUMBER = "[0-9一二两三四五六七八九十几半]"
_TIME_ZH = re.compile(
    f"今[天晚早年]|明[天晚早年]|昨[天晚]|前天|后天|去年|前年|[上下这]个?(?:周|星期|礼拜|月|学期)|周[一二三四五六日末天]|"
    f"星期|礼拜|{_NUMBER}+(?:年|月|号|日|点|天|个?小时|分钟|周|个?月|岁)|早上|上午|中午|下午|傍晚|晚上|凌晨|春节|国庆|"
    "中秋|清明|端午|元旦|月底|月初|年底|年初"
)
_FIRST = re.compile(r"\b(?:i|i['’]\w+|me|my|mine|myself|we|we['’]\w+|us|our|ours)\b|我|咱|俺", re.IGNORECASE)
_SECOND = re.compile(r"\b(?:you|you['’]\w+|your|yours)\b|你|您", re.IGNORECASE)
_ASKS = re.compile(r"[?？][\s\"'”’」)）]*$")


def text_features(text: str) -> TextFeatures:
    """Of a text that is not long they are remembered: they are read for the index, and again for the content prior."""
    return _remembered(text) if len(text) <= _SHORT else _features(text)


def _features(text: str) -> TextFeatures:
    chinese = is_chinese(text)
    size = len(text) + (_HAN_COUNTS - 1) * len(HAN_CHARACTER.findall(text))
    when = _TIME_ZH if chinese else _TIME_EN
    return TextFeatures(
        length=math.log1p(size),
        time=bool(when.search(text)),
        asks=bool(_ASKS.search(text)),
        first=bool(_FIRST.search(text)),
        second=bool(_SECOND.search(text)),
        chinese=chinese,
    )


_SHORT = 2000  # characters
_remembered = lru_cache(maxsize=2048)(_features)
