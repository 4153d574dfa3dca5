"""Entry point: global options, the commands, and how errors become one line and an exit code.

0 done · 1 something is wrong with the mind (check) · 2 not understood · 3 not found · 4 refused by the
present state · 5 the disk · 130 interrupted
"""

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from ebbtide.core.errors import Conflict, EbbtideError, InvalidInput, NotFound, StoreError
from ebbtide.serve.cli import forgetting, history, memories, minds
from ebbtide.serve.cli.caller import Caller

_EXIT_CODES: tuple[tuple[type[EbbtideError], int], ...] = (
    (InvalidInput, 2),
    (NotFound, 3),
    (Conflict, 4),
    (StoreError, 5),
)
_ANYWHERE = {"--data": 1, "--agent": 1, "-a": 1, "--as-of": 1, "--json": 0}

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
    as_of: Annotated[str | None, typer.Option(help="Look at the mind as it was: a date, a time, or -3d.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON.")] = False,
) -> None:
    """Long-term memory for agents that forgets on purpose, can say why, and can undo it.

    Try it:  ebbtide put "The ferry to Lamma leaves at 8:40." --key ferry  &&  ebbtide explain ferry
    """
    context.obj = Caller(data=data, agent=agent, as_of=as_of, as_json=as_json)


for module in (memories, forgetting, history, minds):
    module.register(app)


def main(arguments: Sequence[str] | None = None) -> None:
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """Runs one command. Whatever goes wrong is one line on standard error; nothing leaves a traceback but a bug."""
    try:
        return int(app(hoisted(arguments), standalone_mode=False) or 0)
    except typer.TyperException as error:
        return _complain(error.format_message(), error.exit_code)
    except EbbtideError as error:
        return _complain(str(error), exit_code(error))
    except (KeyboardInterrupt, typer.Abort):
        return _complain("interrupted; what was acknowledged is on disk", 130)
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def exit_code(error: EbbtideError) -> int:
    return next((code for kind, code in _EXIT_CODES if isinstance(error, kind)), 1)


def hoisted(arguments: Sequence[str]) -> list[str]:
    """Global options to the front, wherever they were typed; after `--` everything is as it is."""
    front: list[str] = []
    rest: list[str] = []
    remaining = list(arguments)
    while remaining:
        word = remaining.pop(0)
        if word == "--":
            return [*front, *rest, word, *remaining]
        name = word.partition("=")[0]
        takes = _ANYWHERE.get(name)
        if takes is None:
            rest.append(word)
            continue
        front.append(word)
        if takes and "=" not in word and remaining:
            front.append(remaining.pop(0))
    return [*front, *rest]


def _complain(message: str, code: int) -> int:
    if message:
        sys.stderr.write(f"ebbtide: {' '.join(message.split())}\n")
    return code
