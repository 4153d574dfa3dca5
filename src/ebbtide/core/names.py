"""Whether a text names somebody or something that another one does not.

Only what can be judged without a dictionary is judged. Latin letters: a capital inside a sentence, two in a row at
its beginning, or a stranger at its beginning who does what somebody else did ("Alice met Bob" → "Carol met Bob").
In Chinese text: any Latin word, a title in 《》, a name with a ·, a surname with a form of address (李医生).
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from ebbtide.core.language import HAN, LATIN_WORD, is_chinese
from ebbtide.core.numerals import MONTHS


def invented_name(original: str, answer: str) -> str | None:
    """The first name in the answer that the original does not have, as far as that can be told safely."""
    if is_chinese(answer):
        return next(_in_chinese(original, answer), None)
    return next(_in_latin(original, answer), None)


# ---- Chinese

_TITLE = re.compile("《([^《》]+)》")
_DOTTED = re.compile(f"[{HAN}]+(?:[·•・][{HAN}]+)+")
_SURNAMES = "王李张刘陈杨赵黄吴徐孙胡朱郭罗郑梁宋唐韩冯邓曹彭肖董袁潘蔡蒋杜苏魏吕沈姚卢姜崔谭"  # seldom a word
_ADDRESSED = re.compile(f"([{_SURNAMES}])(?:先生|女士|小姐|太太|老师|医生|教授|经理|师傅|阿姨|叔叔|同学)")


def _in_chinese(original: str, answer: str) -> Iterator[str]:
    known = _words(original)
    yield from (word for word in LATIN_WORD.findall(answer) if not _is_known(word, known))
    yield from (match[0] for match in _TITLE.finditer(answer) if _squeezed(match[1]) not in _squeezed(original))
    for match in _DOTTED.finditer(answer):
        first, *middle, last = re.split("[·•・]", match[0])
        # What stands before the first part and after the last is not part of the name: judge their inner ends.
        if first[-1] not in original or last[0] not in original or any(part not in original for part in middle):
            yield match[0]
    yield from (match[0] for match in _ADDRESSED.finditer(answer) if match[1] not in original)


def _squeezed(text: str) -> str:
    return "".join(text.split()).casefold()


# ---- Latin letters

_SENTENCE_END = re.compile(r"[.!?:;。！？：；\n\"“”(\[*•–—-]")
_FORMS_OF_ADDRESS = {"mr", "mrs", "ms", "dr", "prof", "st", "sir", "miss"}
_SOMEBODY = {"i", "he", "she", "we", "they", "you", "who"}
_NO_NAMES = _SOMEBODY | _FORMS_OF_ADDRESS | set(MONTHS)  # months are numbers: `invented_number` sees to them
_FUNCTION_WORDS = (
    "the a an this that these those it its there here my his her our their your one some any all both each every "
    "no none nobody nothing someone somebody everyone everybody anyone people user users speaker author assistant "
    "person man woman others another and but or so then also later now today yesterday tomorrow first next "
    "finally still already never always not"
)
_NOBODY = _SOMEBODY | set(_FUNCTION_WORDS.split())
_ABBREVIATED = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"}
_ENDING = re.compile("['’](?:s|m|d|ll|ve|re|t)?$")
_DOING = re.compile(
    r"(?:is|are|was|were|has|had|have|will|would|can|could|may|might|should|must|does|did|do|said|says|told|went|"
    r"goes|came|comes|met|meets|made|makes|got|gets|gave|gives|took|takes|bought|buys|sold|sells|ate|eats|drank|"
    r"drinks|ran|runs|wrote|writes|read|reads|saw|sees|knew|knows|thought|thinks|felt|feels|found|finds|left|"
    r"leaves|lost|loses|won|wins|paid|pays|built|builds|sent|sends|spent|spends|taught|teaches|began|begins|"
    r"became|kept|keeps|brought|brings|chose|drove|drives|fell|flew|flies|forgot|grew|heard|hurt|led|leads|"
    r"put|sang|sings|sat|slept|sleeps|spoke|speaks|swam|understood|wore|wants|likes|loves|hates|needs|lives|"
    r"works|plans|plays|moves|visits|studies|asks|broke|\w{2,}ed)"
)


def _in_latin(original: str, answer: str) -> Iterator[str]:
    known = _words(original)
    found = list(LATIN_WORD.finditer(answer))
    for place, match in enumerate(found):
        word = match[0]
        if word == word.lower() or _bare(word) in _NO_NAMES or _is_known(word, known):
            continue
        if word.isupper() and len(word) > 1 and word.casefold() in _initials(original):
            continue
        if not _begins_sentence(answer, found, place):
            yield word
        elif place + 1 < len(found) and answer[match.end() : found[place + 1].start()] == " ":
            yield from _at_the_beginning(original, word, found[place + 1][0], known)


def _at_the_beginning(original: str, word: str, following: str, known: set[str]) -> Iterator[str]:
    """There a capital alone proves nothing."""
    if _bare(word) in _NOBODY:
        return
    if following != following.lower() and not _is_known(following, known):
        yield f"{word} {following}"
    elif following.lower() in _deeds(original):
        yield word


def _deeds(text: str) -> Iterator[str]:
    """What somebody does, by name or pronoun: the verbs that follow."""
    for one, two in pairwise(LATIN_WORD.finditer(text)):
        who, deed = one[0], two[0].lower()
        somebody = _bare(who) in _SOMEBODY or (who != who.lower() and _bare(who) not in _NOBODY)
        if somebody and text[one.end() : two.start()] == " " and _DOING.fullmatch(deed):
            yield deed


def _begins_sentence(text: str, found: list[re.Match[str]], place: int) -> bool:
    if place == 0:
        return True
    before = found[place - 1]
    between = text[before.end() : found[place].start()]
    return bool(_SENTENCE_END.search(between)) and _bare(before[0]) not in _FORMS_OF_ADDRESS


def _words(text: str) -> set[str]:
    return {_bare(match) for match in LATIN_WORD.findall(text)}


def _initials(text: str) -> str:
    return "".join(word[0].casefold() for word in LATIN_WORD.findall(text))


def _bare(word: str) -> str:
    """Without the possessive, and in small letters."""
    word = word.casefold()
    return _ENDING.sub("", word) if "'" in word or "’" in word else word


def _is_known(word: str, known: set[str]) -> bool:
    """Itself, or the long or short form of a known word: Fri ↔ Friday, Chris ↔ Christopher, American ↔ America."""
    word = _bare(word)
    if word in known:
        return True
    shortened = len(word) >= 3 and any(other.startswith(word) for other in known)
    return shortened or any(
        word.startswith(other) for other in known if len(other) >= 4 or (other in _ABBREVIATED and word.endswith("day"))
    )
