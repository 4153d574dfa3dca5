"""Sentences of a text, in order, nothing left out: joined again they are the text, but for white space between them."""

import re
from collections.abc import Iterator

from ebbtide.models.builtin.tokens import HAN, chinese, clean, han_count, scan

LONGEST = 400  # in `size`
_FENCE = re.compile(r"(```.*?(?:```|\Z))", re.DOTALL)
# sentencex waits for a letter after 。 and for a capital after a full stop; here the mark alone is enough.
_MISSED = re.compile(
    rf"(?<=[。！？])(?=[^。！？!?…”’」』）)\]】》\"'~～\s])|(?<=[!?])(?=[{HAN}])|(?<=[A-Za-z][.!?])\s+(?=[{HAN}])"
    rf"|(?<=……)(?=[{HAN}]{{4}})"
)
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
                sentences += _line(line)
    stripped = (sentence.strip() for sentence in sentences)
    return [sentence for sentence in stripped if sentence]


def _lines(block: str) -> list[str]:
    """A block of code that is too long for one memory, in runs of whole lines."""
    runs = [""]
    for line in block.splitlines(keepends=True):
        if runs[-1] and size(runs[-1] + line) > LONGEST:
            runs.append("")
        runs[-1] += line
    return [piece for run in runs for piece in _short(run)]


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
    start = 0
    for match in _MISSED.finditer(sentence):
        if not _inside(sentence, start, match.start()):
            yield sentence[start : match.start()]
            start = match.start()
    yield sentence[start:]


def _inside(sentence: str, start: int, at: int) -> bool:
    """Whether a quote or bracket that was opened since `start` is still open, and will be closed."""
    open_marks: list[str] = []
    for char in sentence[start:at]:
        if char in _PAIRS:
            open_marks.append(_PAIRS[char])
        elif open_marks and char == open_marks[-1]:
            open_marks.pop()
    return bool(open_marks) and open_marks[-1] in sentence[at:]


def _short(sentence: str) -> Iterator[str]:
    """A giant sentence in pieces, cut at clause marks if there are any, else between words, else anywhere."""
    while size(sentence) > LONGEST:
        cut = _cut(sentence)
        yield sentence[:cut]
        sentence = sentence[cut:]
    yield sentence


def _cut(sentence: str) -> int:
    """The last good place at which to cut, not after the longest length and not before a third of it."""
    room = _reach(sentence, LONGEST)
    pieces = [token for _, token in scan(clean(sentence[: room + 1]))]
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
