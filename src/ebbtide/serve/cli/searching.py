"""Commands that find memories, and that say what was of use."""

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ebbtide.core.memory import HOUR, State
from ebbtide.serve.cli import render
from ebbtide.serve.cli.caller import Caller
from ebbtide.serve.cli.hidden import left_out
from ebbtide.serve.cli.memories import At
from ebbtide.serve.score_parts import as_sum
from ebbtide.serve.times import iso, moment, relative

if TYPE_CHECKING:
    from ebbtide.core.ports import IndexInfo
    from ebbtide.mind import Mind
    from ebbtide.mind.crediting import Credit, Credited
    from ebbtide.mind.left_out import Declined
    from ebbtide.mind.search import Found, Hit, Why

WIDTH = 60
_CHINESE = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_NO_WORDS = re.compile(r"(?!)")  # matches nothing


def register(app: typer.Typer) -> None:
    for command in (search, touch, credit, reembed):
        app.command(rich_help_panel="Searching")(command)


def search(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="What to look for: words, a name, a number, a question.")],
    limit: Annotated[int, typer.Option("--limit", "-k", min=1, max=1000, help="How many at most.")] = 10,
    state: Annotated[list[State] | None, typer.Option(help="Only this state; may be given again.")] = None,
    kind: Annotated[str | None, typer.Option(help="Only this kind.")] = None,
    domain: Annotated[str | None, typer.Option(help="Only this domain.")] = None,
    keyword: Annotated[list[str] | None, typer.Option(help="Only with this keyword; may be given again.")] = None,
    since: Annotated[str | None, typer.Option(help="Only what was made from then on: a date, a time, or -3d.")] = None,
    until: Annotated[str | None, typer.Option(help="Only what was made before then.")] = None,
    at_least: Annotated[float, typer.Option(min=0.0, max=1.0, help="Only if at least so similar.")] = 0.0,
    no_vitality: Annotated[bool, typer.Option("--no-vitality", help="Rank by similarity alone.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Why each ranks so, and what was left out.")] = False,
    at: At = None,
    everything: Annotated[bool, typer.Option("--all", help="Also what is normally out of sight.")] = False,
) -> None:
    """Find memories by words and by meaning; those more alive come first. Being found is no use of a memory.

    Memories that match but are out of sight are counted, and the best of them named.

    ebbtide search "when does the ferry leave?"

    ebbtide search 渡轮几点开 --since -30d --explain

    ebbtide search ferry --at +90d      what it will find in 90 days if nothing happens
    """
    caller: Caller = context.obj.at(at)
    asked: dict[str, Any] = {"state": state, "kind": kind, "domain": domain, "keywords": keyword or (), "k": limit}
    asked |= {"at_least": at_least, "vitality": not no_vitality, "explain": explain, "everything": everything}

    async def work(mind: "Mind") -> "Found":
        begin, end = (None if when is None else moment(when, mind.now()) for when in (since, until))
        return await mind.search(text, since=begin, until=end, **asked)

    found = caller.run(work)
    render.as_json(found) if caller.as_json else _show(found, _pattern(text), explain)


def _show(found: "Found", words: re.Pattern[str], explain: bool) -> None:
    if not found.hits:
        trash = "" if explain else " (--explain also looks in the trash)"
        render.say(f"[dim]nothing found{trash}[/]")
    elif explain:
        _show_ranks(found.hits, words)
    else:
        render.table(("key", "score", "similarity", "state", "text"), [_row(hit, words) for hit in found.hits])
    if found.declined:
        rows = [_declined(one, words) for one in found.declined]
        render.table(("left out", "similarity", "why", "text"), rows)
    for note in _notes(found):
        render.say(f"[dim]{render.safe(note)}[/]")


def _row(hit: "Hit", words: re.Pattern[str]) -> tuple[str, ...]:
    figures = f"{hit.score:.3f}", f"{hit.similarity:.3f}"
    return _key(hit), *figures, render.styled(hit.memory.state), _excerpt(hit, words)


def _show_ranks(hits: "tuple[Hit, ...]", words: re.Pattern[str]) -> None:
    """Three lines a hit, the second its score as a sum: there is more to say than a table has room for."""
    for hit in hits:
        render.say(f"{_key(hit)}  [bold]{hit.score:.3f}[/]  {render.styled(hit.memory.state)}  {_excerpt(hit, words)}")
        if hit.why is not None:
            render.say(f"  {as_sum(hit, hit.why)}")
            render.say(f"  [dim]{_components(hit.why)}[/]")
    if hits[0].why is not None:
        render.say(f"score = {hits[0].why.formula}")


def _components(why: "Why") -> str:
    words = f"words {why.by_words:.3f} (BM25 {why.bm25:.2f})"
    cosine = "no vector" if why.cosine is None else f"cosine {why.cosine:.3f}"
    meaning = "" if why.by_meaning is None else f", meaning {why.by_meaning:.3f} ({cosine})"
    lift = f"; lift {why.lift:.3f} by {render.safe(why.lifted_by)}" if why.lifted_by else ""
    vitality = f"vitality {why.vitality:.3f} (scaled {why.scaled:.3f})"
    return f"{words}{meaning}: similarity {why.similarity:.3f}{lift}; {vitality}"


def _declined(one: "Declined", words: re.Pattern[str]) -> tuple[str, str, str, str]:
    return render.safe(one.key), f"{one.similarity:.3f}", render.safe(one.why), excerpt(one.text, words)


def _notes(found: "Found") -> list[str]:
    notes = [found.note] if found.note else []
    if found.weak is not None and found.hits:
        notes.append(found.weak.advice)
    if found.left_out is not None:
        notes.append(left_out(found.left_out))
    if found.unembedded:
        known = "1 memory is" if found.unembedded == 1 else f"{found.unembedded} memories are"
        notes.append(f"{known} not embedded yet and found by words only: `ebbtide reembed` makes up for it")
    if not found.exact:
        notes.append("by meaning this is approximate: about one in a hundred of the nearest may be missing")
    return notes


def _key(hit: "Hit") -> str:
    return f"[bold]{render.safe(hit.memory.key)}[/]"


def _excerpt(hit: "Hit", words: re.Pattern[str]) -> str:
    return excerpt(hit.memory.text, words)


def excerpt(text: str, words: re.Pattern[str], width: int = WIDTH) -> str:
    """One line of the text, from a little before the first match on, with all matches in bold."""
    line = " ".join(text.split())
    first = words.search(line)
    start = max(first.start() - width // 3, 0) if first and first.end() > width else 0
    cut = f"{'…' if start else ''}{line[start : start + width]}{'…' if len(line) > start + width else ''}"
    return words.sub(lambda match: f"[bold]{match[0]}[/]", render.safe(cut))


def _pattern(text: str) -> re.Pattern[str]:
    """What to show in bold: the words asked for, also with an ending; of Chinese, any two characters in a row."""
    words = [_with_endings(word) for word in re.findall(rf"[^\W_{_CHINESE}]+", text)]
    for run in re.findall(f"[{_CHINESE}]+", text):
        words += [run[first : first + 2] for first in range(max(len(run) - 1, 1))]
    return re.compile("|".join(dict.fromkeys(words)), re.IGNORECASE) if words else _NO_WORDS


def _with_endings(word: str) -> str:
    return rf"\b{word}\w{{0,3}}\b" if len(word) > 3 else rf"\b{word}\b"


def touch(
    context: typer.Context,
    keys: Annotated[list[str], typer.Argument(help="The memories' keys.")],
    revive: Annotated[bool, typer.Option("--revive", help="Also what has expired: it lives again.")] = False,
) -> None:
    """Confirm that memories were of use, so that they stay longer. Of one memory that counts once an hour.

    ebbtide touch ferry lamma
    """
    caller: Caller = context.obj

    async def work(mind: "Mind") -> tuple[float, dict[str, Any]]:
        touched = await mind.touch(*keys, revive=revive)
        await mind.settled()
        waiting = [{"key": key, "counts_at": await _counts_at(mind, key)} for key in touched.throttled]
        return mind.now(), {"counted": touched.counted, "throttled": waiting}

    now, found = caller.run(work)
    if caller.as_json:
        render.as_json(found)
        return
    if found["counted"]:
        render.say(f"touched [bold]{render.safe(', '.join(found['counted']))}[/]")
    for one in found["throttled"]:
        when = f"{relative(one['counts_at'], now)} ({iso(one['counts_at'])})"
        render.say(f"{render.safe(one['key'])} was touched a short while ago: the next touch counts {when}")


def credit(
    context: typer.Context,
    answer: Annotated[str, typer.Argument(help="The text of the answer.")],
    question: Annotated[
        str | None, typer.Option("--question", "-q", help="What was asked. Its words are no evidence.")
    ] = None,
    key: Annotated[list[str] | None, typer.Option("--key", help="A memory that was shown; may be given again.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell, and touch nothing.")] = False,
) -> None:
    """Find out which of the memories shown an answer drew on, and touch them.

    Without --key, the memories are those that a search for the question finds.

    ebbtide credit "It leaves at 8:40." --question "When does the ferry go?"

    ebbtide credit "Lin must not eat peanuts." --key lin --key ferry --dry-run
    """
    caller: Caller = context.obj

    async def work(mind: "Mind") -> "Credited":
        credited = await mind.credit(answer, key or None, question=question, dry_run=dry_run)
        await mind.settled()
        return credited

    found = caller.run(work)
    render.as_json(found) if caller.as_json else _show_credit(found, dry_run)


def _show_credit(found: "Credited", dry_run: bool) -> None:
    names = ("key", "confidence", "similarity", "said", "explained", "rarest")
    rows = [
        (render.safe(one.key), *(f"{getattr(one, name):.3f}" for name in names[1:]), _fate(one, found, dry_run))
        for one in found.memories
    ]
    if rows:
        render.table((*names, ""), rows)
    for key, reason in found.skipped.items():
        render.say(f"{render.safe(key)} was left out: it is {reason}")
    if not any(one.credited for one in found.memories):
        render.say(f"[dim]nothing was surely used: no confidence reaches {found.threshold:g}[/]")


def _fate(one: "Credit", found: "Credited", dry_run: bool) -> str:
    if not one.credited:
        return ""
    if dry_run:
        return "would be touched"
    return "touched a short while ago" if one.key in found.throttled else "touched"


async def _counts_at(mind: "Mind", key: str) -> float:
    """The moment from which a touch of this one counts again."""
    last = (await mind.explain(key)).memory.meta.last_touched_at
    return (mind.now() if last is None else last) + float(mind.params["touch_spacing"]) * HOUR


def reembed(context: typer.Context) -> None:
    """Embed all memories that are not yet, or that another embedder has embedded.

    Searches do that by themselves, a little each time. Ctrl-C leaves it where it is; called again it goes on there.

    EBBTIDE_EMBEDDER=static ebbtide reembed
    """
    caller: Caller = context.obj
    caller.require_present()
    steps = (0, 0)

    async def work(mind: "Mind") -> "IndexInfo":
        with caller.progress("embedding") as progress:

            def count(done: int, total: int) -> None:
                nonlocal steps
                steps = done, total
                if progress:
                    progress(done, total)

            return await mind.reembed(count)

    try:
        info = caller.run(work)
    except KeyboardInterrupt:
        so_far = f" after {steps[0]} of {steps[1]} memories" if steps[1] else ""
        raise KeyboardInterrupt(f"interrupted{so_far}; `ebbtide reembed` goes on from there") from None
    if caller.as_json:
        render.as_json({"embedder": info.recipe.space or None, "embedded": steps[0], **_figures(info)})
    else:
        render.say(_embedded(info, steps[0]))


def _figures(info: "IndexInfo") -> dict[str, Any]:
    names = ("memories", "unembedded", "exact", "ram_bytes")
    return {"dimensions": info.recipe.dimensions, **{name: getattr(info, name) for name in names}}


def _embedded(info: "IndexInfo", done: int) -> str:
    known = "1 memory" if info.memories == 1 else f"{info.memories} memories"
    if not info.recipe.dimensions:
        return f"{known} can be found by words; there is no embedder (the setting `embedder` is none)"
    rest = f"; {info.unembedded} came meanwhile: call it again" if info.unembedded else ""
    said = f"embedded {done}: " if done else ""  # a few are embedded as they are read, and not counted
    return f"{said}{known} can be found by words and meaning ({render.safe(info.recipe.space)}){rest}"
