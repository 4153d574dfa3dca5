"""What each term of a search's rank weighs: the one place where that is defined.   SPEC K1.

Every weight is a parameter of a mind. `core/ranking.py` says what each term is; bench/RESULTS.md and
docs/decisions/0014-ranking.md how the weights were found.
"""

from dataclasses import dataclass

from ebbtide.core.metabolism.base import param

_MOST = 5.0
PREFIX = "rank_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    rank_neighbour: float = param(0.3, -_MOST, _MOST)
    rank_two_before: float = param(0.25, -_MOST, _MOST)
    rank_two_after: float = param(0.1, -_MOST, _MOST)
    rank_answer: float = param(0.5, -_MOST, _MOST)
    rank_joint_words: float = param(0.35, -_MOST, _MOST)
    rank_sentence: float = param(0.25, -_MOST, _MOST)
    rank_last_sentence: float = param(0.25, -_MOST, _MOST)
    rank_coverage: float = param(0.2, -_MOST, _MOST)
    rank_time: float = param(0.2, -_MOST, _MOST)
    rank_when: float = param(0.2, -_MOST, _MOST)
    rank_user: float = param(0.25, -_MOST, _MOST)
    rank_speaker: float = param(0.05, -_MOST, _MOST)
    rank_question: float = param(-0.15, -_MOST, _MOST)
    rank_first_person: float = param(0.1, -_MOST, _MOST)
    rank_recency: float = param(0.1, -_MOST, _MOST)
    rank_superseded: float = param(-0.3, -_MOST, _MOST)

    def weight(self, term: str) -> float:
        """Of one of `ranking.TERMS`."""
        weight: float = getattr(self, PREFIX + term)
        return weight
