"""Writes the pages and tables that follow from the code.

    python docs/generate.py            write them
    python docs/generate.py --check    fail if one of them is stale

Whole pages: reference/cli.md, parameters.md, python.md, errors.md. Inside other pages, the tables between
`<!-- parameters: NAME -->` (a metabolism or `ranking`), `<!-- changes -->` or
`<!-- counted terms -->` and `<!-- end -->`.
"""

import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum, Flag
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_type_hints

from typer.main import get_command

import ebbtide
from ebbtide.core import errors
from ebbtide.core.archive import ArchivedRun
from ebbtide.core.changes import KINDS, Entry
from ebbtide.core.memory import Message, Meta, State
from ebbtide.core.metabolism import METABOLISMS
from ebbtide.core.parameters import Common, Fallback, own_parameters
from ebbtide.core.ports import IndexInfo, StoreInfo
from ebbtide.core.ranking import TERMS
from ebbtide.core.state import Task
from ebbtide.core.weights import Weights
from ebbtide.mind.crediting import Credit, Credited
from ebbtide.mind.explain import Coming, Explanation
from ebbtide.mind.forecasting import Fate, Outlook
from ebbtide.mind.forgetting import Forgotten
from ebbtide.mind.left_out import Declined, LeftOut, Weak
from ebbtide.mind.mind import Stats
from ebbtide.mind.pinning import Pinned
from ebbtide.mind.reading import Page
from ebbtide.mind.reaping import Harvest, ReapReport
from ebbtide.mind.recall import Trace
from ebbtide.mind.search import Found, Hit, RankTerm, Why
from ebbtide.mind.suggestions import Suggestion
from ebbtide.mind.timeline import Timeline, TimelinePoint
from ebbtide.mind.touching import Touched
from ebbtide.mind.turn import Turn
from ebbtide.mind.unreaping import Undone
from ebbtide.mind.upkeep import Shift, TickReport
from ebbtide.mind.window import ContextWindow
from ebbtide.serve.cli.main import app, exit_code

DOCS = Path(__file__).parent
BANNER = "<!-- Written by docs/generate.py from the code: change the code, not this page. -->\n"
RETURNED = (
    Meta, Page, Explanation, Coming, Found, Hit, Why, RankTerm, LeftOut, Weak, Declined, Touched, Pinned, Credited,
    Credit, TickReport, Shift, Suggestion, ReapReport, Harvest, Undone, ArchivedRun, Outlook, Fate, Timeline,
    TimelinePoint, IndexInfo, Forgotten, Stats, StoreInfo, Entry, Fallback, Trace, Task,
)  # fmt: skip
GLOBAL = "common"
RANKING = "ranking"
WIDTH = 100

# What each parameter does. The code says what is allowed; this says what for.
MEANINGS: dict[str, dict[str, str]] = {
    "activity": {
        "a": "weight of links that point to the memory",
        "b": "weight of the memory's own links",
        "c": "weight of direct uses",
        "d": "weight of walks that reached it",
        "e": "what a use is worth at the moment it happens",
        "f": "what a link made or walked is worth at that moment",
        "g": "what one `t_age` of age takes off",
        "t_access": "how fast the worth of a use passes: after this time 1/e of it is left",
        "t_link": "the same for a link made or walked",
        "t_age": "the unit of age",
        "theta_active": "active from this score on; must be above `theta_delete`",
        "theta_delete": "at or below it, a memory nothing links to may become a delete candidate",
        "delete_idle": "and only after it was idle for so long",
        "merge_idle": "two memories may be merged only after nothing happened to either for so long",
        "merge_degree": "and if each has no more links than this, in and out",
        "merge_overlap": "and if their texts are at least so alike (cosine of their vectors)",
        "rank_bonus": "the most that vitality adds to a search hit's rank, next to a similarity from 0 to 1",
        "tick_every": "how often the scheduler ticks this mind",
    },
    "network": {
        "focus_limit": "how many focus points there are at most; the least recently mentioned falls out first",
        "decay_rate": "what one scan leaves of a link's strength",
        "link_initial_strength": "strength of the links between neighbouring segments of one remember",
        "delete_threshold": "a text that would become shorter than this is forgotten instead",
        "link_break_threshold": "a link weaker than this is gone",
        "time_slice": "how long one mind may compress before the next has its turn",
        "default_search_depth": "how many links from the focus recall walks unless told otherwise",
        "scan_budget": "how many memories one cycle scans at most, those scanned least first",
        "node_pool": "how many memories the mind may hold",
        "basis": "which length a target is a share of: the text's first one, or its present one",
        "cue": "whether a recall whose walk from the focus meets no keyword starts again from what the keywords name",
        "traces": "whether a trace stays until it has worn away, or is reported by one recall and then removed",
        "rank_bonus": "the most that vitality adds to a search hit's rank, next to a similarity from 0 to 1",
        "tick_every": "how often the scheduler ticks this mind",
    },
    "score": {
        "initial": "the score of a new memory",
        "daily_factor": "what one day leaves of the score of a memory without links",
        "structure_gain": "how much of that loss links can save at most, per day",
        "structure_scale": "the sum of strengths at which about 63 % of it is saved",
        "usage_gain": "the most one use can add",
        "usage_spacing": "how long after the last use the next one is worth about 63 % of it",
        "active_from": "active from this score on; must be above `cold_from`",
        "cold_from": "cold from this score on, deprecated below",
        "decay": "`false` stops the wear of time; use still lifts the score",
        "rank_bonus": "the most that vitality adds to a search hit's rank, next to a similarity from 0 to 1",
        "tick_every": "how often the scheduler ticks this mind",
    },
    "retention": {
        "delete_below": "T_delete: the retention at which a memory expires",
        "initial_importance": "I of a memory that was put without one",
        "initial_strength": "S of a new memory",
        "ephemeral_strength": "S of a new memory with the policy `ephemeral`",
        "ephemeral_max": "the largest S such a memory can have",
        "max_strength": "the largest S any memory can have",
        "shortest_life": "no memory expires sooner than this after its last use",
        "touch_gain": "g: by what share of itself one touch can lengthen S at most",
        "decay_weight": "how much retention counts in a search: similarity · R^`decay_weight`",
        "reap_buffer": "how long something has been expired before the reaper may take it",
        "delete_importance": "the reaper deletes what is less important than this",
        "prune_importance": "and prunes what is less important than this; the rest it keeps",
        "prune_days": "how long after pruning the reaper deletes the rest",
        "tick_every": "how often the scheduler ticks this mind",
        "reap_every": "how often the scheduler lets the reaper run",
        "reap_pause": "after longer than this without a run (or two `reap_every`), the next deletes nothing",
        "auto_reap": "whether the scheduler runs the reaper; `reap` by hand works either way",
    },
    "tide": {
        "long_use": "weight of uses in a mind that lives by what lasts",
        "long_prior": "weight of the content prior there",
        "long_recent": "weight of recency there",
        "short_use": "weight of uses in a mind that lives by what is new",
        "short_prior": "weight of the content prior there",
        "short_recent": "weight of recency there",
        "superseded": "what is taken off if a newer memory says exactly the same",
        "long_days": "U_1000: after so long a use counts half",
        "short_days": "U_30: after so long a use counts half",
        "recent_days": "idle for so long, half of the recency is left",
        "supersede_from": "how alike two memories are (cosine of their vectors) from which the newer one supersedes",
        "prior_length": "content: weight of the length",
        "prior_idf": "content: weight of how rare its words are in this mind",
        "prior_time": "content: weight of naming a time",
        "prior_answers": "content: weight of coming after a question",
        "prior_first": "content: weight of the first person",
        "prior_asks": "content: weight of ending in a question mark",
        "prior_second": "content: weight of the second person",
        "regime_start": "ρ before any use: the usual newness of what is used",
        "regime_belief": "how many uses that counts for",
        "regime_from": "ρ up to which w is 0",
        "regime_width": "w = (ρ − `regime_from`) / `regime_width`",
        "regime_most": "the largest w",
        "fading_share": "the share of the mind, those needed least, that is fading",
        "rank_bonus": "the most that need adds to a search hit's rank, next to a similarity from 0 to 1",
        "tick_every": "how often the scheduler ticks this mind",
    },
    GLOBAL: {
        "trash_days": "how long a forgotten memory can be restored, and a replaced text brought back",
        "touch_spacing": "of one memory, at most one touch counts in so long",
        "count_hits": "`true`: being found by a search counts as a use",
        "candidates": "how many memories a search ranks by vitality, those that match best",
        "spread": "how much of a link's strength counts when a hit lifts its neighbours; 0: links do not matter",
        "match_floor": "the similarity of a good match in a mind of 1,000 memories; less in a smaller one; 0: any",
        "max_retries": "how often a small model is asked for one answer at most; 0 still asks once",
        "distil": "what a conversation becomes: its segments, or also the facts they state (takes a served model)",
        "credit_threshold": "how sure `credit` must be that an answer drew on a memory to count that as a use",
        "journal_entries": "a longer journal (and longer than 4 entries a memory) has its older half folded; 0: never",
        "budget_memories": "how many memories it may hold; over it the lowest vitality leaves for the trash; 0: any",
        "budget_characters": "how many characters its texts may have together; 0: any",
    },
    RANKING: {
        "rank_neighbour": "similarity of the memory before it or after it in its conversation, the better one",
        "rank_two_before": "similarity of the memory two places before it",
        "rank_two_after": "similarity of the memory two places after it",
        "rank_answer": "similarity of the memory before it, if that ends in a question mark",
        "rank_joint_words": "words of the question that the memory before it has and it has not",
        "rank_sentence": "similarity by meaning to the question's best-fitting sentence",
        "rank_last_sentence": "similarity by meaning to the question's last sentence",
        "rank_coverage": "share of the question's words, rare ones above all, that it has",
        "rank_time": "created within a time that the question names",
        "rank_when": "the question asks for a time, and it names one",
        "rank_user": "the question says I, my or 我, and the user said it",
        "rank_speaker": "said by the speaker that the question names; the same is taken off if another said it",
        "rank_question": "ends in a question mark",
        "rank_first_person": "speaks in the first person",
        "rank_recency": "how recently it was created: half of it after 60 days",
        "rank_superseded": "how much a newer memory says the same",
    },
}


# ---- parameters


def parameters_page() -> str:
    parts = [
        "# Parameters",
        BANNER,
        "Every mind has the parameters of its metabolism and the common ones. `ebbtide config` shows and changes them;"
        " [tune parameters](../howto/tune-parameters.md) says how to try a value before it counts.",
        "A value outside its range does not stop the mind: the default stands in, and a warning names the parameter."
        " An unknown name is an error.",
    ]
    for name, metabolism in METABOLISMS.items():
        page = f"[{name}](../concepts/{name}.md)"
        parts += [
            f"## {name}",
            f"The formula is on the page about {page}.",
            parameter_table(name, own_parameters(metabolism)),
        ]
    parts += [
        "## Every metabolism",
        parameter_table(GLOBAL, [f for f in fields(Common) if f.name not in MEANINGS[RANKING]]),
        "## Ranking",
        "What each term of a search's [rank](../concepts/ranking.md) weighs, in every metabolism. 0 turns a term off; a"
        " weight below 0 lowers the rank of what has the term.",
        parameter_table(RANKING, fields(Weights)),
    ]
    return page_of(parts)


def parameter_table(metabolism: str, parameters: Iterable[Field[Any]]) -> str:
    meanings = MEANINGS[GLOBAL] | MEANINGS[metabolism]
    rows = [(f"`{f.name}`", _default(f), _allowed(f), meanings[f.name] + _unit(f.metadata)) for f in parameters]
    return table(("parameter", "default", "allowed", "meaning"), rows)


def changes_table() -> str:
    """Every kind of change, in the words of its docstring."""
    return table(("kind", "what happened"), [(f"`{kind}`", " ".join(_doc(c).split())) for kind, c in KINDS.items()])


def counted_table() -> str:
    """Which terms of a rank each metabolism leaves out."""
    return table(
        ("metabolism", "left out, because vitality counts it already"),
        [
            (f"`{name}`", ", ".join(f"`{term}`" for term in TERMS if term in metabolism.traits.counts) or "nothing")
            for name, metabolism in METABOLISMS.items()
        ],
    )


def _default(f: Field[Any]) -> str:
    return f"`{str(f.default).lower() if isinstance(f.default, bool) else f.default}`"


def _allowed(f: Field[Any]) -> str:
    limits = f.metadata
    if isinstance(f.default, bool):
        return "`true` or `false`"
    if options := limits.get("options"):
        return " or ".join(f"`{option}`" for option in options)
    low, high, above = limits.get("low"), limits.get("high"), limits.get("above")
    if low is not None and high is not None:
        return f"{low:g} to {high:g}"
    parts = [
        f"{word} {value:g}"
        for word, value in (("at least", low), ("above", above), ("at most", high))
        if value is not None
    ]
    return ", ".join(parts) or "any"


def _unit(limits: Mapping[str, Any]) -> str:
    return f" ({limits['unit']})" if limits.get("unit") else ""


# ---- command line


def cli_page() -> str:
    root: Any = get_command(app)
    parts = [
        "# Command line",
        BANNER,
        _help(root.help),
        "## Options of every command",
        _options(root),
        f"{root.epilog} Everything else that can be set stands on the page about [settings](settings.md).",
        "## Exit codes",
        table(("code", "meaning"), EXIT_CODES),
        "What went wrong is one line on standard error; [errors](errors.md) lists them.",
    ]
    for panel in dict.fromkeys(command.rich_help_panel for command in root.commands.values()):
        parts.append(f"## {panel}")
        for name, command in root.commands.items():
            if command.rich_help_panel == panel:
                parts += [part for words, one in commands(name, command) for part in _section(words, one)]
    return page_of(parts)


def commands(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    """A command and those below it, each with the words that call it."""
    yield name, command
    for word, below in getattr(command, "commands", {}).items():
        yield from commands(f"{name} {word}", below)


EXIT_CODES = (
    ("0", "done"),
    ("1", "`check` found a difference, or something went wrong that has no code of its own"),
    ("2", "not understood: an unknown option, a bad value, a signal in the input"),
    ("3", "not found"),
    ("4", "refused by the present state: a key that is taken, a mind in use elsewhere"),
    ("5", "the disk: full, damaged, unreadable"),
    ("130", "interrupted"),
)


def _section(words: str, command: Any) -> Iterator[str]:
    yield f"### {words}"
    yield from _command(words, command)


def _command(name: str, command: Any) -> Iterator[str]:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    yield f"```text\nebbtide {' '.join([name, *map(_positional, arguments), '[OPTIONS]'])}\n```"
    yield _help(command.help)
    if arguments:
        yield table(("argument", "meaning"), [(f"`{p.name.upper()}`", p.help) for p in arguments])
    if len(arguments) < len(command.params):
        yield _options(command)


def _positional(argument: Any) -> str:
    word = f"{argument.name.upper()}{'…' if argument.nargs != 1 else ''}"
    return word if argument.required else f"[{word}]"


def _options(command: Any) -> str:
    hints = get_type_hints(command.callback)
    rows = [
        (_flags(option, hints[option.name]), _option_default(option), option.help)
        for option in command.params
        if option.param_type_name == "option"
    ]
    return table(("option", "default", "meaning"), rows)


def _flags(option: Any, hint: Any) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    return names if option.is_flag else f"{names} {_value(hint)}"


def _value(hint: Any) -> str:
    kinds = [kind for kind in (get_args(hint) or (hint,)) if kind is not NoneType]
    inner = get_args(kinds[0])[0] if get_args(kinds[0]) else kinds[0]
    if inner is State:
        return " or ".join(State)
    return {int: "N", float: "NUMBER", str: "TEXT", Path: "FILE"}[inner]


def _option_default(option: Any) -> str:
    return "" if option.default in (None, False) else f"`{option.default}`"


COMMAND = re.compile(r"(EBBTIDE_\S+ )*ebbtide ")


def _help(text: str) -> str:
    """Paragraphs as they are; a line that is a command becomes one to copy."""
    paragraphs = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(f"```text\n{p}\n```" if COMMAND.match(p) else " ".join(p.split()) for p in paragraphs)


# ---- Python


def python_page() -> str:
    parts = [
        "# Python",
        BANNER,
        "These are the public names; `import ebbtide` loads none of them before it is used. Everything is typed."
        " Moments are floats: UTC, in seconds since the epoch.",
        "## ebbtide.open",
        _callable("ebbtide.open", ebbtide.open),
        "## ebbtide.sync",
        _doc(ebbtide.sync),
        _callable("ebbtide.sync.open", ebbtide.sync.open),
        _callable("ebbtide.sync.connect", ebbtide.sync.connect),
        "## ebbtide.client",
        _doc(ebbtide.client),
        _callable("ebbtide.client.connect", ebbtide.client.connect),
        "## ebbtide.testing",
        _doc(ebbtide.testing),
        *(_member("clock", name, member) for name, member in public(ebbtide.testing.Clock).items()),
        "## Mind",
        _doc(ebbtide.Mind),
    ]
    for name, member in public(ebbtide.Mind).items():
        parts += [f"### {name}", _member("mind", name, member)]
    parts += [
        "## Conversations",
        "A network mind's verbs (`remember`, `recall` and those after them) are above, among all others. What they are"
        " given, and the caller's side of a long conversation:",
    ]
    parts += [*_class(Message, "###"), f"From `{Message.__module__}`; a mapping of the same names does as well."]
    parts += [f"### {ContextWindow.__name__}", f"From `{ContextWindow.__module__}`.", _doc(ContextWindow)]
    parts += [_member("window", name, member) for name, member in public(ContextWindow).items()]
    parts += [f"## {Turn.__name__}", f"From `{Turn.__module__}`.", _doc(Turn)]
    parts += [_member("turn", name, member) for name, member in public(Turn).items()]
    values = [getattr(ebbtide, name) for name in ebbtide.__all__]
    parts += [
        part for value in values if inspect.isclass(value) and value is not ebbtide.Mind for part in _class(value)
    ]
    parts += ["## What the verbs return", "These are values to read, not to make."]
    parts += [part for value in RETURNED for part in _class(value, "###")]
    return page_of(parts)


def public(value: type) -> dict[str, Any]:
    """What a class has for everybody: its own first, then what it has from others."""
    found = {name: member for base in reversed(value.__mro__[:-1]) for name, member in vars(base).items()}
    own = [*vars(value), *(name for name in found if name not in vars(value))]
    return {name: found[name] for name in own if not name.startswith("_")}


def _member(owner: str, name: str, member: Any) -> str:
    if isinstance(member, property):
        hint = _clean(inspect.signature(member.fget).return_annotation) if member.fget else ""
        return f"```python\n{owner}.{name}: {hint}\n```\n\n{_doc(member)}"
    return _callable(f"{owner}.{name}", member)


def _callable(name: str, function: Any) -> str:
    signature = inspect.signature(function)
    parameters = [p for p in signature.parameters.values() if p.name != "self"]
    returns = _clean(signature.return_annotation)
    shown = _clean(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))
    inner = inspect.unwrap(function)
    if inspect.isasyncgenfunction(inner) and inner is not function:
        line = f"async with {name}{shown} as mind"
    elif inspect.isgeneratorfunction(inner) and inner is not function:
        line = f"with {name}{shown} as mind"
    else:
        line = f"{'await ' if inspect.iscoroutinefunction(function) else ''}{name}{shown} -> {returns}"
    return f"```python\n{_wrapped(line)}\n```\n\n{_doc(function)}"


def _wrapped(line: str) -> str:
    """A long signature with one parameter a line."""
    if len(line) <= WIDTH:
        return line
    head, rest = line.split("(", 1)
    inside, tail = rest.rsplit(")", 1)
    parameters = re.split(r", (?![^\[]*\])", inside)
    return "\n".join([f"{head}(", *(f"    {parameter}," for parameter in parameters), f"){tail}"])


def _class(value: type, level: str = "##") -> Iterator[str]:
    yield f"{level} {value.__name__}"
    if doc := _doc(value):
        yield doc
    if issubclass(value, Enum):
        yield table(("member", "value"), [(f"`{m.name}`", f"`{m.value}`") for m in _members(value)])
    elif is_dataclass(value):
        yield _fields(fields(value))
    elif named := getattr(value, "_fields", ()):
        hints = get_type_hints(value)
        yield table(("field", "type"), [(f"`{name}`", f"`{_clean(hints[name])}`") for name in named])


def _fields(found: Sequence[Field[Any]]) -> str:
    rows = [(f"`{f.name}`", f"`{_clean(f.type)}`", _given(f)) for f in found]
    if any(default for _, _, default in rows):
        return table(("field", "type", "default"), rows)
    return table(("field", "type"), [row[:2] for row in rows])


def _members(value: type[Enum]) -> list[Any]:
    return list(value.__members__.values()) if issubclass(value, Flag) else list(value)


def _given(f: Field[Any]) -> str:
    return "" if f.default is MISSING else f"`{f.default!r}`"


def _clean(annotation: Any) -> str:
    """Types by their last name: `Sequence[str]`, not `collections.abc.Sequence[str]`."""
    text = annotation.__name__ if isinstance(annotation, type) and not get_args(annotation) else str(annotation)
    text = re.sub(r"<\w+\.\w+: ('[^']*'|\d+)>", r"\1", text)
    text = re.sub(r"<function .*? at 0x[0-9a-f]+>", "...", text)  # a default that is a function
    text = re.sub(r"\b(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_])", "", text)
    return text.replace("NoneType", "None")


def _doc(value: Any) -> str:
    """The docstring, unless a dataclass made one up."""
    doc = inspect.getdoc(value) or ""
    return "" if doc.startswith(f"{getattr(value, '__name__', '')}(") else _fenced(doc)


def _fenced(doc: str) -> str:
    """An example, which a docstring ends with, as a block of its own."""
    words, prompt, example = doc.partition("\n>>> ")
    return f"{words}\n```pycon\n>>> {example}\n```" if prompt else doc


# ---- errors


def errors_page() -> str:
    tree = (errors.__doc__ or "").split("\n\n", 1)[1].strip()
    rows = [(f"`{e.__name__}`", str(exit_code(_raised(e))), _message(e)) for e in error_types()]
    parts = [
        "# Errors",
        BANNER,
        "Every error Ebbtide raises on purpose is an `EbbtideError`; the others live in `ebbtide.core.errors`."
        " Nothing of a change that fails is kept. (`put_many` writes a thousand at a time: those before the one that"
        " failed stay.)",
        f"```text\n{tree}\n```",
        "The words in braces are facts about the case; an error carries them in `facts`."
        " The code is what the command line exits with.",
        table(("error", "code", "message"), rows),
    ]
    return page_of(parts)


def error_types() -> list[type[errors.EbbtideError]]:
    return [e for e in vars(errors).values() if inspect.isclass(e) and issubclass(e, errors.EbbtideError)]


def _raised(error: type[errors.EbbtideError]) -> errors.EbbtideError:
    return error.__new__(error)


def _message(error: type[errors.EbbtideError]) -> str:
    return re.sub(r"\{(\w+)(!r)?\}", r"{\1}", " ".join((error.__doc__ or "").split()))


# ---- writing


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def page_of(parts: Iterable[str]) -> str:
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


REGION = re.compile(r"(<!-- (?:parameters: (\w+)|changes|counted terms) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(text: str) -> str:
    """The page with its tables as the code has them."""
    return REGION.sub(lambda found: f"{found[1]}{_region(found[1], found[2])}\n{found[3]}", text)


def _region(mark: str, name: str | None) -> str:
    if name is None:
        return changes_table() if "changes" in mark else counted_table()
    return parameter_table(name, fields(Weights) if name == RANKING else own_parameters(METABOLISMS[name]))


def pages() -> dict[Path, str]:
    """Every page this script answers for, as it should be."""
    whole = {"cli": cli_page(), "parameters": parameters_page(), "python": python_page(), "errors": errors_page()}
    found = {DOCS / "reference" / f"{name}.md": text for name, text in whole.items()}
    for path in sorted((DOCS / "concepts").glob("*.md")):
        text = path.read_text("utf-8")
        if REGION.search(text):
            found[path] = filled(text)
    return found


def stale() -> list[Path]:
    return [path for path, text in pages().items() if not path.exists() or path.read_text("utf-8") != text]


def main(arguments: Sequence[str]) -> int:
    old = stale()
    names = ", ".join(str(path.relative_to(DOCS)) for path in old) or "nothing"
    if "--check" in arguments:
        sys.stdout.write(f"stale: {names}\n")
        return 1 if old else 0
    for path, text in pages().items():
        path.write_text(text, "utf-8")
    sys.stdout.write(f"written: {names}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
