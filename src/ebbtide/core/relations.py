"""Relations that the engine itself gives a meaning, and what they are called.   SPEC C10, C14, N4, R5.

Order. Neighbouring segments of one conversation are linked both ways: forward `after` (下文), back `before` (上文),
in the language of the text. Both spellings mean the same: a filter that names one of them also matches the other.

Order links say what was said next, not that one memory depends on another. Outside network minds they count in no
degree, weigh nothing in a score and protect nothing, and making or removing one is no event in a memory's life.
`follow` and the rank of a search use them. A walk is a use of the memory it reaches (C5), so `follow` counts a
walk over an order link like any other: the walk counts, the link does not. In a network mind importance is made of
links (N5), and order links are links like any other.

Support. SUPPORTED_BY and EQUIV keep a retention mind's memory from expiring.
"""

from collections.abc import Iterable
from typing import NamedTuple

from ebbtide.core.language import is_chinese


class Order(NamedTuple):
    """What a link to the next and a link to the previous segment are called."""

    forward: str
    back: str


CHINESE_ORDER = Order("下文", "上文")
ENGLISH_ORDER = Order("after", "before")
ORDER = frozenset((*CHINESE_ORDER, *ENGLISH_ORDER))

SUPPORTED_BY, EQUIV = "SUPPORTED_BY", "EQUIV"

_SPELLINGS = {name: pair for pair in zip(CHINESE_ORDER, ENGLISH_ORDER, strict=True) for name in pair}


def is_order(relation: str) -> bool:
    return relation in ORDER


def order_in(text: str) -> Order:
    """The relations of order in the language of this text."""
    return CHINESE_ORDER if is_chinese(text) else ENGLISH_ORDER


def spellings(relations: Iterable[str]) -> list[str]:
    """These relations, with every other spelling of those that have one."""
    return list(dict.fromkeys(name for relation in relations for name in _SPELLINGS.get(relation, (relation,))))
