"""What can be wrong with a small model's answer. Pure: a reason that completes "the answer was refused: …", or None.

The checks catch what code can see for certain; they would rather let a doubtful answer pass than refuse an honest
one, for a refusal in the end leaves the text as it is (SPEC N7) and the mind stops fading. Two things are never
let pass: an answer that is too long, and a number that nobody named.
"""

import math
import re
from collections.abc import Collection, Sequence

from ebbtide.core.language import HAN_CHARACTER, LATIN_WORD, WORD_WEIGHT, is_chinese, script_of, strange_script
from ebbtide.core.memory import Message
from ebbtide.core.names import invented_name
from ebbtide.core.numerals import invented_number
from ebbtide.core.ports import Distilled

MAX_PHRASE = 100  # characters
MAX_WORD = 128  # of a keyword or an entity
MAX_WORDS = 64  # keywords, or entities, of one segment
MAX_FACT = 200  # characters
MAX_FACTS = 8  # of one segment
MAX_RELATION = 32
MAX_CHINESE_RELATION = 12
MIN_SHARED = 1 / 3  # of an answer's words: rewriting keeps more, "Sorry, I cannot help with that" less
TELLING = 6.0  # characters, or four words: with fewer nobody can tell what an answer speaks of
MIN_COVERED = 0.9  # of what was said: a dropped "um" is no loss, a dropped sentence is


def compression_fault(original: str, answer: str, length: int) -> str | None:
    """A compression is shorter, not longer than it may be, in the same language, and says nothing new."""
    if not answer.strip():
        return "it is empty"
    if len(answer) > length:
        return f"it has {len(answer)} characters, {length} were allowed"
    if len(answer) >= len(original):
        return f"it has {len(answer)} characters and is no shorter than the text"
    return (
        _garbled(original, answer)
        or _wrong_language(original, answer)
        or _invented(original, answer)
        or _unrelated(original, answer)
    )


def segments_fault(messages: Sequence[Message], segments: Sequence[str]) -> str | None:
    """Segments say what was said, in its order, and leave next to nothing out. Spacing and punctuation are free."""
    said = bones("\n".join(message.content for message in messages))
    if said and not segments:
        return "there are no segments"
    at = covered = 0
    for number, segment in enumerate(segments, 1):
        if not segment.strip():
            return f"segment {number} is empty"
        letters = bones(segment)
        found = said.find(letters, at)
        if found < 0:
            return f"segment {number} is not what was said, or not in its place: {_short(segment)}"
        at = found + len(letters)
        covered += len(letters)
    if covered < MIN_COVERED * len(said):
        return f"the segments hold {covered / len(said):.0%} of what was said"
    return None


def distilled_fault(segment: str, found: Distilled) -> str | None:
    """A phrase is one short line that says nothing new; keywords and entities stand in the segment."""
    if fault := _phrase_fault(segment, found.phrase):
        return f"the phrase is not usable: {fault}"
    for one, many, words in (("keyword", "keywords", found.keywords), ("entity", "entities", found.entities)):
        if len(words) > MAX_WORDS:
            return f"there are {len(words)} {many}, more than {MAX_WORDS}"
        for word in words:
            if fault := _word_fault(segment, word):
                return f"the {one} {_short(word)} is not usable: {fault}"
    return None


def facts_fault(segment: str, facts: Sequence[str]) -> str | None:
    """A segment may state no fact at all; but of facts that are claimed at least one must be usable."""
    if not facts or usable_facts(segment, facts):
        return None
    return f"none of the facts is usable: {_short(facts[0])}: {fact_fault(segment, facts[0])}"


def usable_facts(segment: str, facts: Sequence[str]) -> list[str]:
    """Those that the segment bears out, each once."""
    once = {bones(fact): fact.strip() for fact in reversed(facts) if fact_fault(segment, fact) is None}
    return list(reversed(once.values()))[:MAX_FACTS]


def fact_fault(segment: str, fact: str) -> str | None:
    """A fact is one short statement in the segment's language, and names nothing the segment does not."""
    if not _pieces(fact):
        return "it is empty"
    if len(fact) > MAX_FACT:
        return f"it has {len(fact)} characters, more than {MAX_FACT}"
    if fact.rstrip("”’」』）)\"' ").endswith(("?", "？")):
        return "it is a question"
    return (
        _not_a_line(fact.strip())
        or _garbled(segment, fact)
        or _wrong_language(segment, fact)
        or _invented(segment, fact)
        or _unrelated(segment, fact)
    )


def relation_fault(segment: str, relation: str) -> str | None:
    """A relation is a word or a few, in the segment's language."""
    if not _pieces(relation):
        return "it is empty"
    limit = MAX_CHINESE_RELATION if script_of(relation) == "Chinese" else MAX_RELATION
    if len(relation) > limit:
        return f"it has {len(relation)} characters, too many for a relation"
    fault = _not_a_line(relation) or _garbled("", relation)
    # Relations are named in Chinese or English, whatever else a text may be written in.
    return fault or (None if script_of(segment) == "other" else _wrong_language(segment, relation))


def overlap_fault(overlap: float) -> str | None:
    return None if math.isfinite(overlap) and 0.0 <= overlap <= 1.0 else f"{overlap} is not between 0 and 1"


def grounded(word: str, text: str) -> bool:
    """Whether a text has this word or name: Chinese as it stands, Latin words also in another form.

    planned is a form of plan, and they of them; of Chinese words there are no forms.
    """
    if _squeezed(word) in _squeezed(text):
        return True
    latin, rest = LATIN_WORD.findall(word.casefold()), _squeezed(LATIN_WORD.sub("", word))
    known = {word.split("'")[0].split("’")[0] for word in LATIN_WORD.findall(text.casefold())}
    return rest in _squeezed(text) and bool(latin) and all(_a_form_of(piece, known) for piece in latin)


def bones(text: str) -> str:
    """Letters and digits alone."""
    return "".join(character for character in text.casefold() if character.isalnum())


# ---- the single faults


def _phrase_fault(segment: str, phrase: str) -> str | None:
    if not phrase.strip():
        return "it is empty" if _pieces(segment) else None
    if len(phrase) > MAX_PHRASE:
        return f"it has {len(phrase)} characters, more than {MAX_PHRASE}"
    fault = _not_a_line(phrase) or _garbled(segment, phrase) or _wrong_language(segment, phrase)
    # In A Heading Like This capitals prove nothing.
    return fault or (_invented_number(segment, phrase) if _is_heading(phrase) else _invented(segment, phrase))


def _word_fault(segment: str, word: str) -> str | None:
    if not _pieces(word):
        return "it is empty"
    if len(word) > MAX_WORD:
        return f"it has more than {MAX_WORD} characters"
    return _not_a_line(word) or (None if grounded(word, segment) else "it does not stand in the text")


def _wrong_language(original: str, answer: str) -> str | None:
    strange = strange_script(original, answer)
    if strange is None:
        return None
    wrote = {"Chinese": "in Chinese", "Latin": "in Latin letters", "other": "in another script"}[strange]
    return f"it is written {wrote}, unlike the text"


def _invented(original: str, answer: str) -> str | None:
    fault = _invented_number(original, answer)
    if fault is None and (name := invented_name(original, answer)):
        fault = f"it names {_short(name)}, which the text does not"
    return fault


def _invented_number(original: str, answer: str) -> str | None:
    number = invented_number(original, answer)
    return f"it gives the number {_short(number)}, which the text does not" if number else None


_STOP_WORDS = (
    "about after also been before could does from have into more most only over such than that their them then there "
    "they this very were what when which while will with would your"
)
_SMALL_WORDS = frozenset(_STOP_WORDS.split())


def _unrelated(original: str, answer: str) -> str | None:
    characters = set(HAN_CHARACTER.findall(answer))
    words = {word for word in LATIN_WORD.findall(answer.casefold()) if len(word) > 3} - _SMALL_WORDS
    weight = len(characters) + WORD_WEIGHT * len(words)
    if weight < TELLING:
        return None
    known = set(LATIN_WORD.findall(original.casefold()))
    shared = len(characters & set(original)) + WORD_WEIGHT * sum(_a_form_of(word, known) for word in words)
    return None if shared >= MIN_SHARED * weight else "it speaks of something else"


_GARBAGE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffd\ufffe\uffff]")


def _garbled(original: str, answer: str) -> str | None:
    found = next((match[0] for match in _GARBAGE.finditer(answer) if match[0] not in original), None)
    return f"it contains the character U+{ord(found):04X}" if found else None


def _not_a_line(text: str) -> str | None:
    return "it is more than one line" if len(text.splitlines()) > 1 or "\n" in text else None


# ---- how texts are looked at


def _squeezed(text: str) -> str:
    return "".join(text.split()).casefold()


def _pieces(text: str) -> list[str]:
    """What has any meaning: Chinese characters and words."""
    return re.findall(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+", text)


def _is_heading(text: str) -> bool:
    words = [word for word in LATIN_WORD.findall(text) if len(word) > 3]
    return not is_chinese(text) and bool(words) and all(word[0].isupper() for word in words)


_PRONOUNS = [
    set(family.split())
    for family in (
        "i me my mine myself", "you your yours yourself", "he him his himself", "she her hers herself",
        "it its itself", "we us our ours ourselves", "they them their theirs themselves",
    )
]  # fmt: skip


def _a_form_of(word: str, known: Collection[str]) -> bool:
    """They share a stem: all but the last three letters, and at least four; an ending -y is as good as -i(es)."""
    if word in known:
        return True
    family = next((forms for forms in _PRONOUNS if word in forms), None)
    if family is not None or len(word) < 4:
        return family is not None and not family.isdisjoint(known)
    stem = word[: max(4, len(word) - 3)]
    stems = (stem, f"{word[:-1]}i") if word.endswith("y") else (stem,)
    return any(other.startswith(stems) for other in known)


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:39]}…")
