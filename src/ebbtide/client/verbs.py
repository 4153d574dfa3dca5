"""Of the verbs a class has for `Mind`'s: what they take, what they say of themselves, and which there are not."""

import inspect
from collections.abc import Iterable
from functools import wraps
from typing import Any

from ebbtide.core.errors import InvalidInput
from ebbtide.mind import Mind


def furnish(kind: type[Any], not_served: Iterable[str]) -> None:
    """Verbs no route has say so, and all of them mind what they are asked."""
    for verb in not_served:
        setattr(kind, verb, _refusing(verb))
    for name, member in [*vars(kind).items()]:
        if inspect.isfunction(member) and not name.startswith("_") and hasattr(Mind, name):
            setattr(kind, name, _bound(name, member))


def _refusing(verb: str) -> Any:
    async def refuse(self: Any, *args: Any, **options: Any) -> Any:
        raise InvalidInput(problem=f"{verb!r} is not served over HTTP")

    return refuse


def _bound(verb: str, member: Any) -> Any:
    """Takes what the verb of `Mind` takes, and has its words unless it has its own.

    Without this a misspelt option would be left out on the way, and a dry run be a real one.
    """
    signature = inspect.signature(getattr(Mind, verb))

    @wraps(getattr(Mind, verb))
    def call(self: Any, *args: Any, **options: Any) -> Any:
        signature.bind(self, *args, **options)
        return member(self, *args, **options)

    call.__doc__ = member.__doc__ or call.__doc__
    return call
