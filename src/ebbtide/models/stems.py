"""English stems, remembered: a stem costs a hundred times as much as a look-up."""

from functools import lru_cache

_LONGEST = 64  # characters: what is longer is no word


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """The stem of a word in small letters; what is no English word stays as it is."""
    if not word.isascii() or not word.isalpha() or len(word) > _LONGEST:
        return word
    import snowballstemmer  # type: ignore[import-untyped]  # slow to load, and not needed for Chinese

    found: str = snowballstemmer.stemmer("english").stemWord(word)  # its own each time: not for two threads
    return found
