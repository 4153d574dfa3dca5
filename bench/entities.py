"""What the built-in model takes for entities: a sample to judge by hand, and how many names it finds.

    python -m bench.entities --data ../shared/data --seed 1 > sample.tsv    one entity a line, with its segment
    python -m bench.entities --judged sample.tsv                            counts the lines that begin with x

Junk is what you would not file a memory under: a verb, an adjective, slang, an interjection, a pronoun, a bare date,
a filler. Each turn or item is one segment. Distinct entities are sampled, half of them from each language, so rare
ones count as much as frequent ones: stricter than to sample mentions. Texts of the data sets stay where they are.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from ebbtide.models.builtin.distil import distil

HERE = Path(__file__).parent.parent / "docs" / "conversations"
DATA = ("locomo-dev", "realmem-dev", "madial-en", "madial-zh")
SAMPLE = 100  # of each language


def segments(data: Path | None) -> Iterator[tuple[str, str, str]]:
    """Language, speaker and text of each segment."""
    for language in ("en", "zh"):
        for line in (HERE / f"{language}.jsonl").read_text("utf-8").splitlines():
            yield language, "", json.loads(line)["content"]
    for name in DATA if data else ():
        assert data is not None
        for line in (data / f"{name}.jsonl").read_text("utf-8").splitlines():
            talk = json.loads(line)
            for item in (*talk["items"], *(talk["queries"] if name.startswith("madial") else ())):
                yield talk["lang"], item.get("speaker", ""), item["text"]


def entities(data: Path | None) -> dict[str, dict[str, str]]:
    """By language: each distinct entity with the first segment that has it."""
    found: dict[str, dict[str, str]] = {"en": {}, "zh": {}}
    for language, _, text in segments(data):
        for name in distil(text).entities:
            found[language].setdefault(name, " ".join(text.split()))
    return found


def speakers(data: Path) -> tuple[int, int]:
    """In how many LoCoMo turns the speaker's name stands first, and in how many of them it is an entity."""
    named = met = 0
    for _, speaker, text in segments(data):
        if speaker and text.startswith(f"{speaker}:"):
            named += 1
            met += speaker in distil(text).entities
    return met, named


def sample(data: Path | None, seed: int, count: int) -> None:
    for language, found in entities(data).items():
        chosen = random.Random(seed).sample(sorted(found), min(count, len(found)))
        for name in chosen:
            at = max(found[name].lower().find(name.split()[0].lower()), 0)
            print(f"\t{language}\t{name}\t{found[name][max(0, at - 40) : at + 50]}")
        print(f"{language}: {len(found):,} distinct entities", file=sys.stderr)
    if data:
        print("speakers found: {} of {}".format(*speakers(data)), file=sys.stderr)


def judged(lines: list[str]) -> None:
    for language in ("en", "zh"):
        own = [line for line in lines if line.split("\t")[1] == language]
        junk = sum(line.startswith("x") for line in own)
        print(f"{language}: {junk} of {len(own)} are junk ({junk / len(own):.1%})")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=SAMPLE)
    parser.add_argument("--judged", type=Path)
    options = parser.parse_args()
    if options.judged:
        judged(options.judged.read_text("utf-8").splitlines())
    else:
        sample(options.data, options.seed, options.count)
