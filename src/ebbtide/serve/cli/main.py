"""Entry point: global options, the commands, and how errors become one line and an exit code.

0 done · 1 something is wrong with the mind (check) · 2 not understood · 3 not found · 4 refused by the
present state · 5 the disk · 130 interrupted
"""

import errno
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ebbtide.core.errors import (
    Conflict,
    EbbtideError,
    Expired,
    InvalidInput,
    KeyTaken,
    NotFound,
    SignalRefused,
    StoreError,
)
from ebbtide.serve.cli import (
    forgetting,
    history,
    mcp,
    memories,
    minds,
    network,
    pinning,
    reaping,
    render,
    schedule,
    searching,
    serving,
    squeezing,
    tending,
    tuning,
)
from ebbtide.serve.cli.caller import Caller

_EXIT_CODES: tuple[tuple[type[EbbtideError], int], ...] = (
    (InvalidInput, 2),
    (NotFound, 3),
    (Conflict, 4),
    (StoreError, 5),
)
# Where the error's own words name the Python way out.
_WORDS: dict[type[EbbtideError], str] = {
    Expired: "{key!r} has expired: `ebbtide explain` says why, and `ebbtide touch KEY --revive` brings it back.",
    KeyTaken: "The key {key!r} is taken: choose another (`restore` takes --as), or overwrite that memory with `put"
    " --replace`.",
}
_ANYWHERE = {"--data": 1, "--agent": 1, "-a": 1, "--as-of": 1, "--json": 0}
_NO_ROOM = (errno.ENOSPC, errno.EFBIG, errno.EIO, errno.EBADF)
_LONGEST_COMPLAINT = 1000  # what was typed may be quoted in it

app = typer.Typer(
    name="ebbtide",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="--data, --agent, --as-of and --json may stand anywhere. EBBTIDE_DATA and EBBTIDE_AGENT do the same.",
)


@app.callback()
def root(
    context: typer.Context,
    data: Annotated[str | None, typer.Option(help="Folder the minds live in (default ~/.ebbtide).")] = None,
    agent: Annotated[str | None, typer.Option("--agent", "-a", help="Whose mind (default 'default').")] = None,
    as_of: Annotated[
        str | None, typer.Option(help="Look at the mind at another moment: a date, a time, -3d, or +90d.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON.")] = False,
) -> None:
    """Long-term memory for agents that forgets on purpose, can say why, and can undo it.

    Try it:  ebbtide put "The ferry to Lamma leaves at 8:40." --key ferry  &&  ebbtide explain ferry
    """
    context.obj = Caller(data=data, agent=agent, as_of=as_of, as_json=as_json)


for module in (
    memories,
    pinning,
    searching,
    network,
    tending,
    reaping,
    squeezing,
    schedule,
    forgetting,
    history,
    tuning,
    minds,
    serving,
    mcp,
):
    module.register(app)


def main(arguments: Sequence[str] | None = None) -> None:
    _ready_streams()
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """Runs one command. Whatever goes wrong is one line on standard error; nothing leaves a traceback but a bug."""
    try:
        code = _invoke(hoisted(arguments))
        sys.stdout.flush()  # here, where its failure can still be told
        return code
    except typer.TyperException as error:
        return _complain(_worded(error), error.exit_code)
    except EbbtideError as error:
        return _complain(worded(error), exit_code(error))
    except (KeyboardInterrupt, typer.Abort) as error:
        return _complain(str(error) or "interrupted; what was acknowledged is on disk", 130)
    except BrokenPipeError:  # the reader of our output has seen enough
        _drop_output()
        return 0
    except OSError as error:
        return _complain(_os_trouble(error), 5)


def _invoke(arguments: list[str]) -> int:
    """What Typer's own `main` does, without what that does to interrupts and broken pipes."""
    try:
        with typer.main.get_command(app).make_context("ebbtide", arguments) as context:
            context.command.invoke(context)
    except typer.Exit as leaving:
        return int(leaving.exit_code)
    except SystemExit:  # so Rich leaves when the reader of its output has gone
        raise BrokenPipeError from None
    return 0


def worded(error: EbbtideError) -> str:
    """What went wrong, with the way out that this interface has."""
    words = _WORDS.get(type(error))
    return str(error) if words is None else words.format(**error.facts)


def exit_code(error: EbbtideError) -> int:
    return next((code for kind, code in _EXIT_CODES if isinstance(error, kind)), 1)


def hoisted(arguments: Sequence[str]) -> list[str]:
    """Global options to the front, wherever they were typed; after `--` everything is as it is.

    A key may be for several agents, so `keys` has an --agent of its own.
    """
    front: list[str] = []
    rest: list[str] = []
    remaining = list(arguments)
    while remaining:
        word = remaining.pop(0)
        if word == "--":
            return [*front, *rest, word, *remaining]
        takes = _takes(word)
        if takes is None or (rest[:1] == ["keys"] and word.startswith(("--agent", "-a"))):
            rest.append(word)
            continue
        front.append(word)
        if takes and not remaining:
            return front  # and Typer says what is missing
        front += remaining[:takes]
        del remaining[:takes]
    return [*front, *rest]


def _takes(word: str) -> int | None:
    """How many words a global option takes after this one; None: it is no global option."""
    if word.startswith("-a") and len(word) > 2:  # -aada
        return 0
    name, equals, _ = word.partition("=")
    return 0 if equals and name in _ANYWHERE else _ANYWHERE.get(name)


def _worded(error: typer.TyperException) -> str:
    """Typer's words, unless ours say more: whoever tries to `put` a signal is to know why that cannot be."""
    message = error.format_message().replace("Value error, ", "")
    context, option = getattr(error, "ctx", None), str(getattr(error, "option_name", ""))
    if context is None or context.info_name != "put" or not message.startswith("No such option"):
        return message
    from ebbtide.core.draft import Draft

    try:
        Draft.parse({"text": "", option.lstrip("-").replace("-", "_"): ""})
    except SignalRefused as refused:
        return str(refused)
    except InvalidInput:
        return f"{message}; a text that begins with a dash goes after --"
    return message


def _os_trouble(error: OSError) -> str:
    if error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if error.errno not in _NO_ROOM:
        return str(error)
    _drop_output()  # it has no name, so it is standard output
    return f"the answer could not be written: {error.strerror}; the command itself was carried out"


def _complain(message: str, code: int) -> int:
    line = render.printable(" ".join(message.split()))
    if len(line) > _LONGEST_COMPLAINT:
        line = f"{line[:_LONGEST_COMPLAINT]}…"
    if line:
        sys.stderr.write(f"ebbtide: {line}\n")
    return code


def _ready_streams() -> None:
    """Streams that were closed lead nowhere, and a letter that standard output cannot say becomes a question mark."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 — open to the end
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _drop_output() -> None:
    """Nobody reads on, or nothing more fits: what is still buffered must not fail once more at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
