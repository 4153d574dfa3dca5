"""What a question says beyond its words and its meaning as a whole.   SPEC K3."""

from dataclasses import dataclass, field

import numpy as np

from ebbtide.core.signals import Column
from ebbtide.core.spans import Span


def _no_codes() -> Column:
    return np.empty(0, np.uint64)


@dataclass(frozen=True, slots=True)
class Question:
    """As an analyzer reads it. `names`: the codes of all that may be the name of a speaker, in ascending order."""

    sentences: tuple[str, ...] = ()  # empty where it has but one
    spans: tuple[Span, ...] = ()  # of time, that it names
    when: bool = False  # asks for a time
    own: bool = False  # the one who asks speaks of themselves: I, my, 我
    names: Column = field(default_factory=_no_codes)
