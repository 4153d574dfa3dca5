"""Cutting a conversation into pieces that each speak of one thing.

Sentences are taken one after the other; each goes on with the piece before it, or starts a new one. What decides is
how much it shares with that piece (lexical cohesion), how it opens (he, so, 所以 go on; by the way, 另外 do not), and
whether it answers a question. In a dialogue, which has more than one message, short turns stay whole. Sizes are in
`sentences.size`, where a Chinese character counts twice.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from ebbtide.core.memory import Message
from ebbtide.models.builtin import lexicon_en as en
from ebbtide.models.builtin import lexicon_zh as zh
from ebbtide.models.builtin.english import lower
from ebbtide.models.builtin.sentences import LONGEST, size, split
from ebbtide.models.builtin.tokens import Kind, Token, chinese
from ebbtide.models.builtin.weigh import features
from ebbtide.models.builtin.words import read

_COMFORTABLE = 240  # beyond this, going on takes more than the benefit of the doubt
_SHORT = 90  # an answer of at most this size stays with its question; one that shows its bond may have twice that
_FADE = 0.6  # how much of an earlier sentence's words still counts, one sentence later
_COHERENT = 0.12  # share of a sentence's words that must be known for it to go on by them alone
_GOING_ON = en.CLAUSE_OPENERS | {"so", "and", "or", "also", "the"}
_BULLETS = ("-", "*", "•", "·", "–")


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    message: int
    tokens: tuple[Token, ...]
    words: dict[str, float]
    size: int

    @property
    def opening(self) -> tuple[Token, ...]:
        return tuple(token for token in self.tokens[:8] if token.kind is not Kind.MARK)[:5]

    @property
    def asks(self) -> bool:
        return self.text.rstrip("”’」』）)\"' ").endswith(("?", "？", "吗", "呢"))

    @property
    def empty(self) -> bool:
        """Great, thanks! — nothing that could be a topic."""
        return not self.words

    @property
    def listed(self) -> bool:
        mark = self.tokens[0] if self.tokens else None
        return (
            mark is not None
            and mark.kind is Kind.MARK
            and (mark.text.lstrip().startswith(_BULLETS) or mark.text.strip()[:1].isdigit())
        )


@dataclass(slots=True)
class _Piece:
    sentences: list[_Sentence] = field(default_factory=list)
    words: dict[str, float] = field(default_factory=dict)
    size: int = 0

    def add(self, sentence: _Sentence) -> None:
        self.words = {word: heavy * _FADE for word, heavy in self.words.items()}
        for word, heavy in sentence.words.items():
            self.words[word] = max(self.words.get(word, 0.0), heavy)
        self.sentences.append(sentence)
        self.size += sentence.size

    @property
    def last(self) -> _Sentence:
        return self.sentences[-1]

    def text(self) -> str:
        said = self.sentences[0].text
        for before, sentence in pairwise(self.sentences):
            said += _between(before, sentence) + sentence.text
        return said


def segment(messages: Sequence[Message]) -> list[str]:
    """The messages as pieces that each speak of one thing, in order; nothing said is left out, no role is kept."""
    pieces: list[_Piece] = []
    for sentence in _sentences(messages):
        if not pieces or not (
            _goes_on(pieces[-1], sentence) or (len(messages) > 1 and _one_turn(pieces[-1], sentence))
        ):
            pieces.append(_Piece())
        pieces[-1].add(sentence)
    return [piece.text() for piece in pieces]


def _sentences(messages: Sequence[Message]) -> Iterator[_Sentence]:
    for i, message in enumerate(messages):
        for text in split(message.content):
            tokens = read(text)
            yield _Sentence(text, i, tokens, features(tokens), size(text))


def _between(before: _Sentence, after: _Sentence) -> str:
    """What joins two sentences: a new line for lists and after unfinished ones, else as the language has it."""
    ended = before.text.endswith(tuple("。！？!?….；;”」』：:"))
    if before.listed or after.listed or not ended or after.text.startswith("```") or before.text.endswith("```"):
        return "\n"
    return "" if chinese(before.text + after.text) else " "


def _goes_on(piece: _Piece, sentence: _Sentence) -> bool:
    before = piece.last
    if piece.size + sentence.size > LONGEST:
        return False
    if before.message != sentence.message:
        return _replies(piece, sentence)
    if before.text.endswith((":", "：")) or (before.listed and sentence.listed):
        return True
    if sentence.empty or all(each.empty for each in piece.sentences):
        return not _opens_with(sentence, zh.TOPIC_CUES, en.TOPIC_CUES)
    if _opens_with(sentence, zh.TOPIC_CUES, en.TOPIC_CUES):
        return False
    return _coheres(piece, sentence)


def _one_turn(piece: _Piece, sentence: _Sentence) -> bool:
    """In a dialogue a turn that is short enough for one piece stays whole, unless it says that it changes the topic."""
    if any(each.message != sentence.message for each in piece.sentences):
        return False
    return piece.size + sentence.size <= LONGEST and not _opens_with(sentence, zh.TOPIC_CUES, en.TOPIC_CUES)


def _replies(piece: _Piece, sentence: _Sentence) -> bool:
    """Across speakers only what is bound to the last words: an answer to a question, or a bare yes."""
    before = piece.last
    if _opens_with(sentence, zh.TOPIC_CUES, en.TOPIC_CUES):
        return False
    if before.message + 1 != sentence.message:
        return False
    if any(each.asks for each in piece.sentences[-2:] if each.message == before.message):
        bound = sentence.opening[0].kind is Kind.FILLER if sentence.opening else True
        bound = bound or _shared(piece.words, sentence.words) >= _COHERENT
        return sentence.size <= (2 * _SHORT if bound else _SHORT)
    return sentence.empty and sentence.size <= _SHORT // 2


def _coheres(piece: _Piece, sentence: _Sentence) -> bool:
    shared = _shared(piece.words, sentence.words)
    if shared >= (_COHERENT if piece.size + sentence.size <= _COMFORTABLE else 2 * _COHERENT):
        return True
    if piece.size > _COMFORTABLE or _opens_with(sentence, zh.STEP_CUES, en.STEP_CUES):
        return False
    if _leans(sentence):
        return True
    # Too little on one side to tell: neighbours speak of the same thing more often than not.
    return min(len(sentence.words), len(piece.words)) < 2 or sentence.asks


def _shared(known: dict[str, float], new: dict[str, float]) -> float:
    """The weighted share of the new words that are known, faded by how long ago they were said."""
    total = sum(new.values())
    return sum(min(heavy, known[word]) for word, heavy in new.items() if word in known) / total if total else 0.0


def _leans(sentence: _Sentence) -> bool:
    """He, it, so, the rent, 这, 所以, 但是: it cannot stand without what was said before."""
    for token in sentence.opening[:3]:
        if token.text in zh.ANAPHORA or token.text in zh.CONTRASTS:
            return True
        if lower(token) in en.ANAPHORA or lower(token) in _GOING_ON:
            return True
        if token.kind in {Kind.NAME, Kind.NOUN, Kind.VERB}:
            return False
    return False


def _opens_with(sentence: _Sentence, chinese_cues: Sequence[str], english_cues: Sequence[tuple[str, ...]]) -> bool:
    """Whether the sentence opens with a cue, a filler or two aside (好的，另外… / OK, by the way…)."""
    opening = sentence.opening
    for skip in range(min(3, len(opening))):
        rest = opening[skip:]
        if rest[0].han:
            heads = set(accumulate(token.text for token in rest))  # whole words only: 还有 is a cue, 还有人 is not
            if not heads.isdisjoint(chinese_cues):
                return True
        else:
            words = tuple(word.lower() for token in rest for word in token.words)
            if any(words[: len(cue)] == cue for cue in english_cues):
                return True
        if opening[skip].kind is not Kind.FILLER:
            return False
    return False
