"""Whether a text says where, for explanations: a name or a place noun after a preposition of place.

Chinese and English. It misses places more often than it invents them: "to" and "from" count before a name only after a
word of travel, because people follow them as well.
"""

import re

from ebbtide.core.language import HAN, is_chinese
from ebbtide.core.numerals import MONTHS

_NO_PLACES = "|".join(
    (*(month.capitalize() for month in MONTHS), "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
     "Sunday", "Christmas", "Easter", "English", "Chinese", "French", "German", "Spanish", "Japanese", "I")
)  # fmt: skip
_NAME = rf"(?:[Tt]he\s+)?(?!(?:{_NO_PLACES})\b)[A-Z][\w'’-]+"
_NOUN = (
    r"(?:(?:the|a|an|my|his|her|our|their|your)\s+)?(?:[a-z]+\s+)?"
    r"(?:airport|station|pier|harbou?r|office|school|university|hospital|hotel|museum|library|restaurant|caf[eé]|canteen|"
    r"shop|market|park|beach|island|village|town|city|street|kitchen|basement|building|house|garden|church|gym|theatre|"
    r"platform|drawer|fridge|cupboard|cellar|lab|laboratory|room)s?\b"
)
_TRAVEL = r"(?:mov|travel|fl[iy]|flew|go|went|gone|trip|ferry|train|bus|boat|flight|driv|drove|walk|sail|c[oa]me)"
_ENGLISH = re.compile(
    rf"\b(?:[Ii]n|[Nn]ear|[Aa]round)\s+{_NAME}|\b(?:[Ii]n|[Aa]t|[Nn]ear|[Oo]n|[Ff]rom|[Tt]o|[Ii]nto)\s+{_NOUN}|"
    rf"\b{_TRAVEL}\w*\s+(?:\w+\s+)?(?:to|from|into|via)\s+{_NAME}|\b(?:liv|stay)\w*\s+(?:on|at)\s+{_NAME}"
)
_CITIES = (
    "北京|上海|广州|深圳|香港|澳门|台北|杭州|南京|成都|武汉|西安|重庆|天津|苏州|青岛|东京|京都|大阪|首尔|巴黎|伦敦|纽约|"
    "柏林|里斯本|河内|新加坡"
)
_CHINESE = re.compile(
    rf"(?:在|到|去(?!年)|从|往|位于|住)[{HAN}\w]{{0,6}}?(?:{_CITIES}|[{HAN}](?:市|省|县|镇|村|岛|湖|路|街|站|港|馆|店|楼|室|家)|"
    "机场|码头|车站|学校|大学|医院|酒店|旅馆|餐厅|饭店|公园|公司|家里|海边|抽屉|冰箱)"
)


def says_where(text: str) -> bool:
    return bool((_CHINESE if is_chinese(text) else _ENGLISH).search(text))
