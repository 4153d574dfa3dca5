"""The schedule kept in the foreground: each run told as it ends, until somebody says stop."""

import asyncio
import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ebbtide.app import scheduler
from ebbtide.host.schedule import Scheduler
from ebbtide.host.timetable import Figures, Jobs
from ebbtide.serve.cli import render
from ebbtide.serve.cli.caller import Caller
from ebbtide.serve.cli.schedule import line

LOOK_EVERY = 0.5  # seconds between two looks at what has been done


async def keep(caller: Caller) -> None:
    async with caller.host(open_minds=0) as host:
        keeper, count = scheduler(host, caller.settings), len(host.agents())
        _say(caller, f"[dim]looking after {'1 mind' if count == 1 else f'{count} minds'}; Ctrl-C stops it[/]")
        keeper.start()
        try:
            await _watched(keeper, caller)
        finally:
            await keeper.stop()
    _say(caller, "[dim]stopped; what was not finished is still due[/]")


async def _watched(keeper: Scheduler, caller: Caller) -> None:
    """Tell each run that has come to an end, until somebody says stop."""
    stopped = asyncio.Event()
    before = keeper.status().minds
    with _signals(stopped):
        while not stopped.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_EVERY):
                    await stopped.wait()
            now = keeper.status().minds
            for agent, job, done in _news(before, now):
                _tell(caller, agent, job, done)
            before = now


@contextmanager
def _signals(stopped: asyncio.Event) -> Iterator[None]:
    """Stopping is how this ends, so it is no error; a second Ctrl-C does not wait. Elsewhere asyncio does its best."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        stopped.set()
        clear()

    def clear() -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)

    with suppress(NotImplementedError):
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        with suppress(NotImplementedError):
            clear()


def _news(before: dict[str, Jobs], now: dict[str, Jobs]) -> Iterator[tuple[str, str, Figures]]:
    for agent, jobs in now.items():
        for name, job in jobs.items():
            known = before.get(agent, {}).get(name)
            if job.last is not None and (known is None or known.runs < job.runs):
                yield agent, name, job.last


def _tell(caller: Caller, agent: str, job: str, done: Figures) -> None:
    if caller.as_json:
        told = json.dumps({"agent": agent, "job": job, **render.plain(done)}, ensure_ascii=False)
        sys.stdout.write(f"{told}\n")
        sys.stdout.flush()
    else:
        _say(caller, line(agent, job, done))


def _say(caller: Caller, text: str) -> None:
    """At once, also into a pipe: whoever reads it is waiting."""
    if not caller.as_json:
        render.say(text)
        sys.stdout.flush()
