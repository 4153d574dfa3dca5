"""Everything the page says, in English and in Chinese. A view may bring its own words: `texts.add({...})`."""

from collections.abc import Mapping
from typing import Literal

Language = Literal["en", "zh"]
LANGUAGES: dict[Language, str] = {"en": "English", "zh": "中文"}
_PLACE: dict[Language, int] = {"en": 0, "zh": 1}


def said(key: str, language: Language, **facts: object) -> str:
    """The text of that key; a key nobody knows is a slip of ours, and raises KeyError."""
    text = _TEXTS[key][_PLACE[language]]
    return text.format(**facts) if facts else text


def add(words: Mapping[str, tuple[str, str]]) -> None:
    """More texts: key → (English, Chinese)."""
    _TEXTS.update(words)


def known(key: str) -> bool:
    return key in _TEXTS


def every() -> Mapping[str, tuple[str, str]]:
    return _TEXTS


_TEXTS: dict[str, tuple[str, str]] = {
    "view.minds": ("Minds", "心智"),
    "view.memories": ("Memories", "记忆"),
    "view.memory": ("Memory", "一条记忆"),
    "view.tidy": ("Tidy up", "整理"),
    "view.network": ("Network", "网络"),
    "view.whatif": ("What if", "假如"),
    "view.journal": ("Journal", "日志"),
    "view.console": ("Console", "检索台"),
}
