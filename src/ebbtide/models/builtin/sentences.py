"""Sentences of a text, in order, nothing left out: joined again they are the text, but for white space between them."""

import re
from collections.abc import Iterable, Iterator

from ebbtide.models.builtin.tokens import HAN, chinese, clean, han_count, scan

LONGEST = 400  # in `size`
_WINDOW = 4000
_FENCE = re.compile(r"(```.*?(?:```|\Z))", re.DOTALL)
# sentencex waits for a letter after 。 and for a capital after a full stop; here the mark alone is enough.
_MISSED = re.compile(
    rf"(?<=[。！？])(?=[^。！？!?…”’」』）)\]】》\"'~～\s])|(?<=[!?])(?=[{HAN}])|(?<=[A-Za-z][.!?])\s+(?=[{HAN}])"
    rf"|(?<=……)(?=[{HAN}]{{4}})"
)
_NUMBER = re.compile(r"\d{1,2}[.)、]|[-*•·–]")
_PAIRS = {"“": "”", "「": "」", "『": "』", "（": "）", "(": ")", "《": "》", "【": "】", "[": "]"}
_CLAUSE_MARK = re.compile(r"[；;，,、：:—–]+[”’」』）)\"']*\s*")


def size(text: str) -> int:
    """A length that means the same in both languages: a Chinese character counts as two letters."""
    return len(text) + han_count(text)


def split(text: str) -> list[str]:
    """The sentences of a text, without the white space around them. A block of code is one sentence."""
    sentences: list[str] = []
    for block in _FENCE.split(text):
        if block.startswith("```"):
            sentences += _lines(block) if size(block) > 2 * LONGEST else [block]
        else:
            for line in block.splitlines():
                for window in _windows(line):
                    sentences += _line(window)
    return list(_numbered(sentence.strip() for sentence in sentences))


def _numbered(sentences: Iterable[str]) -> Iterator[str]:
    """The number of a list item is no sentence of its own."""
    waiting = ""
    for sentence in sentences:
        if _NUMBER.fullmatch(sentence):
            waiting += sentence + " "
        elif sentence:
            yield waiting + sentence
            waiting = ""
    if waiting:
        yield waiting.strip()


def _lines(block: str) -> list[str]:
    """A block of code that is too long for one memory, in runs of whole lines."""
    runs = [""]
    for line in block.splitlines(keepends=True):
        if runs[-1] and size(runs[-1] + line) > LONGEST:
            runs.append("")
        runs[-1] += line
    return [piece for run in runs for piece in _short(run)]


def _windows(line: str) -> Iterator[str]:
    """Endless lines in stretches; looking for the end of a quote takes time in the square of the length."""
    start = 0
    while len(line) - start > _WINDOW:
        marks = max(line.rfind(mark, start, start + _WINDOW) for mark in "。！？. ")
        cut = marks + 1 if marks > start else start + _WINDOW
        yield line[start:cut]
        start = cut
    yield line[start:]


def _line(line: str) -> Iterator[str]:
    if not line.strip():
        return
    import sentencex  # type: ignore[import-not-found, import-untyped, unused-ignore]

    at = 0
    for sentence in sentencex.segment("zh" if chinese(line) else "en", clean(line)):
        # What was cleaned is as long as what was said: the cuts hold for both.
        said = line[at : at + len(sentence)]
        at += len(sentence)
        for piece in _missed(said):
            yield from _short(piece)
    yield line[at:]


def _missed(sentence: str) -> Iterator[str]:
    """Ends of sentences that lie outside quotes and brackets and were not seen."""
    start = seen = 0
    open_marks: list[str] = []
    for match in _MISSED.finditer(sentence):
        at = match.start()
        _follow(sentence[seen:at], open_marks)
        seen = at
        # A mark that is never closed again does not count as open.
        if not open_marks or sentence.rfind(open_marks[-1]) < at:
            yield sentence[start:at]
            start = at
            open_marks.clear()
    yield sentence[start:]


def _follow(text: str, open_marks: list[str]) -> None:
    """Keep account of the quotes and brackets that are open: what is noted is the mark that would close them."""
    for char in text:
        if char in _PAIRS:
            open_marks.append(_PAIRS[char])
        elif open_marks and char == open_marks[-1]:
            open_marks.pop()


def _short(sentence: str) -> Iterator[str]:
    """A giant sentence in pieces, cut at clause marks if there are any, else between words, else anywhere."""
    start = 0
    while len(sentence) - start > LONGEST or size(sentence[start:]) > LONGEST:
        cut = start + _cut(sentence[start : start + LONGEST + 1])
        yield sentence[start:cut]
        start = cut
    yield sentence[start:]


def _cut(sentence: str) -> int:
    """The last good place at which to cut, not after the longest length and not before a third of it."""
    room = _reach(sentence, LONGEST)
    pieces = [token for _, token in scan(clean(sentence))]
    whole = [(token.start, token.end) for token in pieces if token.end - token.start > 1 and not token.han]
    free = [end for end in _candidates(sentence, room) if not any(low < end < high for low, high in whole)]
    return free[-1] if free else room


def _candidates(sentence: str, room: int) -> list[int]:
    marks = [match.end() for match in _CLAUSE_MARK.finditer(sentence, 0, room)]
    far = [end for end in marks if end > room // 3]
    return far or [match.end() for match in re.finditer(r"\s+", sentence[:room]) if match.end() > room // 3]


def _reach(sentence: str, limit: int) -> int:
    """How many characters fit into `limit` of `size`."""
    low, high = 1, min(len(sentence), limit)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if size(sentence[:middle]) <= limit else (low, middle - 1)
    return low
