"""Asking the small model for a shorter text, for the compression cycle and for squeezes.   SPEC N7, T7."""

import logging
from dataclasses import replace

from ebbtide.core.answers import compression_fault
from ebbtide.core.errors import ModelFailed
from ebbtide.core.memory import Content
from ebbtide.core.ports import SmallModel
from ebbtide.mind.asking import Asker

log = logging.getLogger("ebbtide")


async def shortened(model: SmallModel, asker: Asker, said: Content, length: int) -> Content | None:
    """The content at this length; None if the small model cannot be had to give it: then it stays as it is."""
    if len(said.text) <= length:
        return None
    try:
        text = await asker.ask(
            lambda: model.compress(said.text, length), lambda found: _fault(model, said.text, found, length)
        )
    except ModelFailed:
        return None
    except Exception:  # a model that breaks has failed like any other: the work goes on
        log.exception("the small model broke over %s", said.key)
        return None
    return follow_text(said, text)


def follow_text(said: Content, text: str) -> Content:
    """Phrase and keywords follow the text: they say nothing it no longer says."""
    low = text.casefold()
    keywords = tuple(word for word in said.keywords if word.casefold() in low)
    phrase = said.phrase if len(said.phrase) <= len(text) else text
    return replace(said, text=text, phrase=phrase, keywords=keywords)


def _fault(model: SmallModel, text: str, found: str, length: int) -> str | None:
    if model.deterministic:
        return None if found.strip() and len(found) <= length else "it is empty or too long"
    return compression_fault(text, found, length)
