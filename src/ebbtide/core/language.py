"""Chinese or not? Told by the characters, so that no dictionary is needed.   SPEC C10.

Chinese has about one and a half characters to the word: a Latin word weighs as much, so that one long foreign
name does not turn a Chinese sentence into an English one.
"""

import re
from dataclasses import dataclass
from typing import Literal

Script = Literal["Chinese", "Latin", "other"]

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
LATIN = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f"

WORD_WEIGHT = 1.5
CLEARLY = 2 / 3  # of a text's weight: below it the text is mixed, and either language is its own

HAN_CHARACTER = re.compile(f"[{HAN}]")
LATIN_WORD = re.compile(f"[{LATIN}]+(?:['’][{LATIN}]+)*")
_OTHER_WORD = re.compile(rf"[^\W\d_{LATIN}{HAN}]+")


@dataclass(frozen=True, slots=True)
class Weights:
    """How much of a text is written in which script."""

    chinese: float
    latin: float
    other: float

    @property
    def total(self) -> float:
        return self.chinese + self.latin + self.other

    def of(self, script: Script) -> float:
        return {"Chinese": self.chinese, "Latin": self.latin, "other": self.other}[script]


def weights(text: str, without: str = "") -> Weights:
    """The weights of a text, less the characters and words that stand in another one."""
    characters, words = HAN_CHARACTER.findall(text), LATIN_WORD.findall(text)
    if without:
        seen, known = set(without), {word.casefold() for word in LATIN_WORD.findall(without)}
        characters = [character for character in characters if character not in seen]
        words = [word for word in words if word.casefold() not in known]
    others = [word for word in _OTHER_WORD.findall(text) if not without or word not in without]
    return Weights(len(characters), WORD_WEIGHT * len(words), WORD_WEIGHT * len(others))


def is_chinese(text: str) -> bool:
    """In which language to talk about a text: Chinese if at least half of it is."""
    found = weights(text)
    return found.chinese > 0 and found.chinese >= found.latin + found.other


def script_of(text: str) -> Script | None:
    """The script a text is clearly written in; None if it is mixed or has no letters."""
    found = weights(text)
    scripts: tuple[Script, ...] = ("Chinese", "Latin", "other")
    return next((script for script in scripts if found.total and found.of(script) >= CLEARLY * found.total), None)


def strange_script(original: str, answer: str) -> Script | None:
    """The script of an answer in a language that is not the original's; None if nothing speaks for that.

    Words that the original has too are never strange: the shortest form of a Chinese sentence may be a Latin name.
    """
    own, whole = script_of(original), weights(answer)
    if own is None or whole.total == whole.of(own):
        return None
    new = weights(answer, without=original)
    if new.total - new.of(own) <= whole.of(own):
        return None
    others: tuple[Script, ...] = ("Chinese", "Latin", "other")
    return max((script for script in others if script != own), key=new.of)
