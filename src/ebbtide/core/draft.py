"""What a caller may say about a new memory, and nothing else.   SPEC C3, C4."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from ebbtide.core.errors import InvalidInput, SignalRefused
from ebbtide.core.memory import Content, Memory, Meta, Policy
from ebbtide.core.metabolism import METABOLISMS, traits_of
from ebbtide.core.quick import quick
from ebbtide.core.signals import COMMON, OWN

MAX_TEXT = 1_000_000
MAX_KEY = 512
MAX_LABEL = 256
MAX_KEYWORDS = 256

_GIVEN = ("text", "key", "phrase", "keywords", "kind", "domain", "speaker", "importance", "policy")
_SIGNALS = (
    {f.name for f in (*fields(Memory), *fields(Meta))}
    | {*COMMON, *OWN}  # kept as columns
    | {"mark", "links"}
) - set(_GIVEN)
_PINS = ("pinned", "pin")


@quick
@dataclass(frozen=True, slots=True)
class Draft:
    """A memory to be. `importance` and `policy` are inputs of the retention metabolism only."""

    text: str
    key: str | None = None
    phrase: str = ""
    keywords: tuple[str, ...] = ()
    kind: str = "note"
    domain: str = ""
    importance: float | None = None
    policy: str | None = None
    speaker: str = ""

    @classmethod
    def parse(cls, given: Mapping[str, Any]) -> "Draft":
        """A draft from outside. Signals are refused by name, unknown fields as the typos they are."""
        for name in given:
            if name in _PINS:
                raise SignalRefused(field=name, reason="`pin` protects a memory once it is there, and `unpin` ends it")
            if name in _SIGNALS:
                raise SignalRefused(field=name, reason="signals, scores and states are the engine's own")
            if name not in _GIVEN:
                problem = f"{name!r} is not a field of a memory: there are {', '.join(_GIVEN)}"
                raise InvalidInput(problem=problem)
        if "text" not in given:
            raise InvalidInput(problem="a memory needs a 'text'")
        if "keywords" not in given:
            return cls(**given)
        keywords = given["keywords"]
        if not isinstance(keywords, list | tuple):
            raise InvalidInput(problem=f"'keywords' must be a list of strings, not {keywords!r:.80}")
        return cls(**{**given, "keywords": tuple(keywords)})

    def check(self, metabolism: str) -> "Draft":
        """Itself, if a mind with this metabolism can take it."""
        require_text("text", self.text, MAX_TEXT)
        if self.key is not None:
            require_key(self.key)
        if (self.phrase, self.keywords, self.kind, self.domain, self.speaker) != ("", (), "note", "", ""):
            self._check_labels()
        if self.importance is not None or self.policy is not None:
            self._check_retention(metabolism)
        return self

    def content(self, key: str) -> Content:
        return Content(key, self.text, self.phrase, self.keywords, self.kind, self.domain, self.speaker)

    def _check_labels(self) -> None:
        require_text("phrase", self.phrase, MAX_TEXT, empty=True)
        require_text("kind", self.kind, MAX_LABEL)
        require_text("domain", self.domain, MAX_LABEL, empty=True)
        require_text("speaker", self.speaker, MAX_LABEL, empty=True)
        if len(self.keywords) > MAX_KEYWORDS:
            raise InvalidInput(problem=f"{len(self.keywords)} keywords are too many: at most {MAX_KEYWORDS}")
        for keyword in self.keywords:
            require_text("keywords", keyword, MAX_LABEL)

    def _check_retention(self, metabolism: str) -> None:
        for name, value in (("importance", self.importance), ("policy", self.policy)):
            if value is not None and name not in traits_of(metabolism).inputs:
                takers = " or ".join(taker for taker in METABOLISMS if name in traits_of(taker).inputs)
                reason = f"it is an input of {takers} minds; this one is {metabolism}"
                raise SignalRefused(field=name, reason=reason)
        importance = self.importance
        if importance is not None and not (_is_number(importance) and 0.0 <= importance <= 1.0):
            raise InvalidInput(problem=f"'importance' must be a number from 0 to 1, not {importance!r}")
        if self.policy is not None and self.policy not in tuple(Policy):
            raise InvalidInput(problem=f"'policy' must be one of {', '.join(Policy)}, not {self.policy!r}")


def require_key(key: Any) -> str:
    """A key people can type and see: not blank, no control characters."""
    if isinstance(key, str) and 0 < len(key) <= MAX_KEY and key.isprintable() and key == key.strip():
        return key
    require_text("key", key, MAX_KEY)
    raise InvalidInput(problem=f"{key!r:.80} is not a key: no blanks at its ends, no control characters")


def require_text(name: str, value: Any, longest: int, *, empty: bool = False) -> str:
    if not isinstance(value, str):
        raise InvalidInput(problem=f"{name!r} must be text, not {type(value).__name__}")
    if not value.strip() and not empty:
        raise InvalidInput(problem=f"{name!r} is empty")
    if len(value) > longest:
        raise InvalidInput(problem=f"{name!r} has {len(value):,} characters; at most {longest:,} are taken")
    if "\0" in value or not (value.isascii() or is_unicode(value)):
        raise InvalidInput(problem=f"{name!r} holds a NUL or half a surrogate pair: not valid text")
    return value


def require_strength(value: Any) -> float:
    if not _is_number(value) or not 0.0 <= value <= 1.0:
        raise InvalidInput(problem=f"a link's strength is a number from 0 to 1, not {value!r}")
    return float(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_unicode(value: str) -> bool:
    """False for half a surrogate pair, which no file and no database can hold."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
