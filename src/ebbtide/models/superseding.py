"""Whether the newer of two alike texts may supersede the older one.   SPEC T4.

Asked only of texts whose vectors are alike. Vectors hardly tell "Lisa won" from "Mark won", nor an allergy to peanuts
from one to mangoes. So:

1. A question supersedes no statement.
2. Both are about the same person: the one that each of them is about (`Topic.who`) is mentioned by the other.
3. Both are about the same matter: one of them speaks of all names and of all things that the other one speaks of, and
   the newer one of at least half of the older one's. Numbers and times may differ. Of texts that share six things or
   more, one in four may differ: two long texts never speak of quite the same.
4. Or the newer one is an update, whose value differs: it says that something changed (moved, no longer, 改, 换), both
   say what one attribute is (my manager is …, 我的手机号是 …), or both say where someone lives or works.

Where words cannot tell, the answer is no: a wrong yes loses a fact, a wrong no only keeps a duplicate.
"""

import re
from dataclasses import dataclass

from ebbtide.core.language import HAN_CHARACTER
from ebbtide.models.stems import stem
from ebbtide.models.topics import SELF, Person, Topic, topic_of

_LONG = 6  # things that two texts share if they are long: then
_FEW = 3  # are shared, of names and of all things, for each one that differs
_FAMILY = 5  # letters that two stems share if they are of one family: allerg-ic, allerg-y
_ASKS = re.compile(r"[?？][\s\"'”’」)）]*$")
_CHANGED = re.compile(
    r"\b(?:nowadays|these days|any ?more|no longer|instead|used to|moved|changed|switched|pushed back|postponed|"
    r"rescheduled|replaced|renamed|became)\b|不再|改[成为到用喝吃学去在]|换[成到了]|搬到|跳槽|推迟|提前到|[升降涨加减]到|变成|不.{0,6}了"
)
_ADDED = re.compile(r"\b(?:also|too|as well|another|both|besides)\b|[也还又再]|另外")
_SINGLE = re.compile(
    r"\b(?:(?:live|lives|living) (?:in|on|at|with)|(?:work|works|working) (?:at|as|for|in))\b|"
    r"住在|在.{1,12}(?:上班|工作)"
)


def supersedes(older: str, newer: str) -> bool:
    """Whether the newer text says what the older one says, or what has become of it."""
    if older == newer:
        return True
    if _ASKS.search(newer) and not _ASKS.search(older):
        return False
    was, is_ = topic_of(older), topic_of(newer)
    return _same_person(was, is_) and (_same_matter(was, is_) or _updates(was, is_))


# ---- whom


def _same_person(one: Topic, other: Topic) -> bool:
    if one.who is None or other.who is None:
        who, there = (one.who, other) if one.who else (other.who, one)
        return who is None or _mentions(there, who)
    return _is(one.who, other.who) or (_mentions(other, one.who) and _mentions(one, other.who))


def _is(one: Person, other: Person) -> bool:
    if one.names and other.names:
        return bool(one.names & other.names)
    return not one.names and not other.names and one.kin == other.kin


def _mentions(topic: Topic, who: Person) -> bool:
    """The first person goes without saying."""
    if who.names:
        return any(name in topic.persons or _names(topic, name) for name in who.names)
    return who.kin == SELF or who.kin in topic.persons


def _names(topic: Topic, name: str) -> bool:
    if HAN_CHARACTER.search(name):  # a verb may have been taken for its last character
        return name in topic.text or (len(name) > 2 and name[:-1] in topic.text)
    return stem(name) in topic.words


# ---- what


@dataclass(frozen=True, slots=True)
class _Overlap:
    """How many names, or things, are spoken of by the older text alone, by the newer one alone, by both."""

    left_out: int
    added: int
    shared: int

    def agrees(self, *, long: bool) -> bool:
        """One text has all that the other one has; of long texts, nearly all."""
        return min(self.left_out, self.added) * _FEW <= (self.shared if long else 0)


def _same_matter(was: Topic, is_: Topic) -> bool:
    names = _overlap(was, is_, was.names, is_.names)
    things = _overlap(was, is_, was.things, is_.things)
    every = _overlap(was, is_, was.things | was.which, is_.things | is_.which)
    if not was.things or not is_.things:  # then verbs count, with which objects may have been joined (吃火锅)
        every = _overlap(was, is_, was.words, is_.words)
    long = things.shared >= _LONG
    return names.agrees(long=long) and every.agrees(long=long) and things.left_out <= things.shared


def _overlap(was: Topic, is_: Topic, had: frozenset[str], has: frozenset[str]) -> _Overlap:
    left_out = sum(not _says(is_, thing) for thing in had)
    return _Overlap(left_out, sum(not _says(was, thing) for thing in has), len(had) - left_out)


def _says(topic: Topic, thing: str) -> bool:
    if thing in topic.words:
        return True
    if HAN_CHARACTER.search(thing):
        return _has(topic.text, thing)
    near = thing[:_FAMILY]
    return len(near) == _FAMILY and any(word.startswith(near) for word in topic.words)


def _has(text: str, word: str) -> bool:
    """Words may be cut in another way there (喝咖啡, 咖啡), and a verb be parted from its object (吃盐, 吃点盐)."""
    if word in text or len(word) < 2:
        return word in text
    if len(word) > 2:
        return word[1:] in text or word[:-1] in text
    return any(word[1] in text[at + 1 : at + 4] for at, char in enumerate(text) if char == word[0])


# ---- updates


def _updates(was: Topic, is_: Topic) -> bool:
    """Something is said of both, and the newer one does not say that the other holds too."""
    if _ADDED.search(is_.text):
        return False
    if was.head and was.head == is_.head:
        return True
    changed = _CHANGED.search(is_.text) or (_SINGLE.search(was.text) and _SINGLE.search(is_.text))
    return bool(changed) and any(_says(is_, word) for word in was.words)
