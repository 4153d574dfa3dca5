"""Memories from files: one JSON object a line, or a text as it is."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ebbtide.core.counted import counted
from ebbtide.core.errors import InvalidInput
from ebbtide.serve.cli import render
from ebbtide.serve.cli.caller import Caller

if TYPE_CHECKING:
    from ebbtide.mind import Mind


def put_file(caller: Caller, source: str) -> None:
    """Everything is looked at before anything is written."""
    from ebbtide.mind.writing import checked_drafts

    drafts = list(_drafts(read_text(source), source))

    async def work(mind: "Mind") -> tuple[int, int]:
        """How many were put, and how many left for the budget."""
        await mind.check_drafts(drafts)
        before = (await mind.stats()).budget.memories
        with caller.progress("remembering", len(drafts)) as progress:
            count = await mind.put_many(drafts, progress)
        return count, max(0, before + count - (await mind.stats()).budget.memories)

    count, left = caller.run(work, make=lambda metabolism: checked_drafts(metabolism, drafts))
    if caller.as_json:
        render.as_json({"remembered": count, "left": left})
        return
    render.say(f"remembered {counted(count, 'memory', 'memories')}")
    if left:
        what = counted(left, "memory", "memories")
        render.say(f"the budget is full: {what} left for the trash; `ebbtide squeeze runs` lists them")


def _drafts(text: str, source: str) -> Iterator[dict[str, Any]]:
    for number, found in json_lines(text, source):
        if isinstance(found, str):
            found = {"text": found}
        if not isinstance(found, dict):
            raise InvalidInput(problem=f"{source}, line {number}: neither an object nor a text")
        yield found


def json_lines(text: str, source: str) -> Iterator[tuple[int, Any]]:
    """Each line that is not blank, with its number, as JSON reads it."""
    for number, line in enumerate(text.split("\n"), 1):  # only these end a line of JSON; others may stand inside
        if line.strip():
            yield number, parsed(line, f"{source}, line {number}")


def parsed(text: str, where: str) -> Any:
    """What this JSON says; if it is none, the complaint begins with where it stands."""
    try:
        return json.loads(text, object_pairs_hook=_once_each)
    except ValueError as error:
        raise InvalidInput(problem=f"{where}: not JSON ({error})") from None
    except RecursionError:
        raise InvalidInput(problem=f"{where}: nested too deeply") from None


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def read_text(source: str) -> str:
    """The whole of a file, or of standard input for `-`. A mark at its beginning (BOM) is no part of the text."""
    name = "standard input" if source == "-" else source
    try:
        raw = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(problem=f"{name} is not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise InvalidInput(problem=f"{name} cannot be read: {error.strerror}") from None
    except ValueError as error:  # a NUL in the name
        raise InvalidInput(problem=f"{name} cannot be read: {error}") from None
