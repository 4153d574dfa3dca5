"""Agent ids and the folders they name.   SPEC C1."""

import re
from pathlib import Path

from ebbtide.core.errors import Conflict, InvalidAgent

_AGENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
MARKER = "mind.db"


def folder_of(data: Path, agent: str) -> Path:
    """The agent's folder under DATA. No id that passes can lead anywhere else."""
    if not _AGENT.fullmatch(agent):
        raise InvalidAgent(agent=agent)
    return data / agent


def exists(data: Path, agent: str) -> bool:
    return (folder_of(data, agent) / MARKER).exists()


def agents(data: Path) -> list[str]:
    if not data.is_dir():
        return []
    return sorted(entry.name for entry in data.iterdir() if _AGENT.fullmatch(entry.name) and (entry / MARKER).exists())


def require_distinct(data: Path, agent: str) -> None:
    """Some file systems take Bob and bob for one folder; two minds must never share one."""
    for other in agents(data):
        if other != agent and other.casefold() == agent.casefold():
            raise Conflict(problem=f"the mind {other!r} differs from {agent!r} in case only: choose another id")
