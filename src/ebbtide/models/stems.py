"""English stems, remembered: a stem costs a hundred times as much as a look-up."""

from functools import lru_cache

_LONGEST = 64  # characters: what is longer is no word, and would only fill the cache


def stem(word: str) -> str:
    """The stem of a word in small letters; what is no English word stays as it is."""
    return _stemmed(word) if len(word) <= _LONGEST and word.isascii() and word.isalpha() else word


@lru_cache(maxsize=1 << 14)
def _stemmed(word: str) -> str:
    import snowballstemmer  # type: ignore[import-untyped]  # slow to load, and not needed for Chinese

    found: str = snowballstemmer.stemmer("english").stemWord(word)  # its own each time: not for two threads
    return found
