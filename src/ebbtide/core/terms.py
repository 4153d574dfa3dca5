"""Terms: what a memory can be found by, as numbers.

A term is kept only as a code of 64 bits: the top byte says in which field it stands, the rest is a hash of the term.
So there is no table of words, and nothing readable of a memory stays behind in an index it has left.
Among a million terms two share a code once in a hundred thousand minds; there, one also finds the other's memories.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from functools import cache
from hashlib import blake2b

import numpy as np

from ebbtide.core.quick import quick
from ebbtide.core.signals import Column

_MOST = 255  # a term that stands more often in one memory counts as this often
_FIELD_SHIFT = 56
_WIDTH = 9  # bytes of a packed term: its code and its count


class Field(IntEnum):
    """Where a term stands. The first three are scored, the others only filter."""

    WORDS = 0
    GRAMS = 1  # pairs of neighbouring characters, for scripts without spaces
    EXACT = 2  # codes, numbers, addresses, keys: letter by letter
    KEYWORD = 3
    KIND = 4
    DOMAIN = 5
    TRAIT = 6  # see `Trait`
    SPEAKER = 7


class Trait(IntFlag):
    """What holds of a memory's text and counts in its rank. Kept as codes in the field TRAIT.   SPEC K2–K4."""

    ASKS = 1  # ends in a question mark
    FIRST = 2  # speaks in the first person
    TIME = 4  # names a time
    HAN = 8  # is Chinese: a character says about as much as three letters
    USER = 16  # was said by the user


SCORED = (Field.WORDS, Field.GRAMS, Field.EXACT)


def code_of(field: Field, term: str) -> int:
    """The same number for the same term on every machine, for ever."""
    digest = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=7).digest()
    return field << _FIELD_SHIFT | int.from_bytes(digest, "big")


@cache
def trait_code(trait: Trait) -> int:
    return code_of(Field.TRAIT, str(trait.value))


def fields_of(codes: Column) -> Column:
    return codes >> np.uint64(_FIELD_SHIFT)


def firsts(codes: Column) -> Column:
    """Where each code stands first, of codes in order."""
    fresh = np.ones(len(codes), np.bool_)
    np.not_equal(codes[1:], codes[:-1], out=fresh[1:])
    return np.flatnonzero(fresh)


def distinct(numbers: Column) -> Column:
    """Each once, ascending. For a few hundred numbers np.unique, which hashes them, takes five times as long."""
    every = np.sort(numbers)
    return every[firsts(every)]


@quick
@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """The terms of one memory or one query: `codes` ascending, each once, and how often each occurs (1–255)."""

    codes: Column  # uint64
    counts: Column  # uint8

    @classmethod
    def of(cls, words: Mapping[Field, Iterable[str]]) -> "Terms":
        return cls.counted([code_of(field, word) for field, each in words.items() for word in each])

    @classmethod
    def counted(cls, codes: Sequence[int]) -> "Terms":
        """From codes in any order, as often as they occur."""
        every = np.array(codes, np.uint64)
        every.sort()
        first = firsts(every)
        often = np.full(len(first), len(every))  # np.diff(append=) says the same, and takes as long as all the rest
        often[:-1] = first[1:]
        often -= first
        return cls(every[first], np.minimum(often, _MOST).astype(np.uint8))

    def pack(self) -> bytes:
        """Nine bytes a term, the same on every machine."""
        return self.codes.astype("<u8", copy=False).tobytes() + self.counts.tobytes()

    @classmethod
    def unpack(cls, packed: bytes) -> "Terms":
        count, rest = divmod(len(packed), _WIDTH)
        if rest:
            raise ValueError(f"packed terms take {_WIDTH} bytes each, and {len(packed)} bytes are no multiple of that")
        return cls(np.frombuffer(packed, "<u8", count), np.frombuffer(packed, np.uint8, count, 8 * count))

    def among(self, field: Field) -> Column:
        """The codes of one field."""
        low, high = np.searchsorted(self.codes, borders(field))
        return self.codes[low:high]

    def scored(self) -> Column:
        """The codes of all scored fields."""
        return self.codes[: np.searchsorted(self.codes, borders(SCORED[-1])[1])]

    def __len__(self) -> int:
        return len(self.codes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Terms) and self.pack() == other.pack()

    def __hash__(self) -> int:
        return hash(self.pack())


def borders(field: Field) -> Column:
    """The least code of a field, and the least of the next one."""
    return np.array([field << _FIELD_SHIFT, (field + 1) << _FIELD_SHIFT], np.uint64)
