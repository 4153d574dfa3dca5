"""Where the server listens, had before anything is loaded: whoever cannot have the address need not load anything."""

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from ebbtide.core.errors import Conflict, EbbtideError, InvalidInput
from ebbtide.settings import Settings

BACKLOG = 2048


@contextmanager
def listening(settings: Settings) -> Iterator[socket.socket]:
    """Raises Conflict if the address is taken, InvalidInput if there is none such."""
    family, kind, protocol, _, where = _found(settings)
    # With its protocol: only then does asyncio see that it is TCP, and send small answers at once, not 40 ms later.
    with socket.socket(family, kind, protocol) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(where)
            listener.listen(BACKLOG)  # two may be bound to one address; only one of them listens there
        except OSError as error:
            raise _taken(settings, error) from None
        listener.setblocking(False)
        yield listener


def url_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"


def _found(settings: Settings) -> tuple[int, int, int, str, tuple[object, ...]]:
    try:
        return socket.getaddrinfo(
            settings.host or None, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        problem = f"there is no host {settings.host!r:.80}: {error.strerror or error}"
    except UnicodeError:  # an empty label, or one of more than 63 characters
        problem = f"{settings.host!r:.80} cannot be a host's name"
    raise InvalidInput(problem=problem)


def _taken(settings: Settings, error: OSError) -> EbbtideError:
    place = f"{settings.host}:{settings.port}"
    if error.errno == errno.EADDRINUSE:
        return Conflict(problem=f"{place} is taken by another process: choose another with --port, or 0 for any")
    return InvalidInput(problem=f"no listening at {place}: {error.strerror or error}")
