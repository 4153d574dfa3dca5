"""Values that are made by the thousand."""

from dataclasses import MISSING, fields
from typing import Any, TypeVar

T = TypeVar("T")


def quick(cls: type[T]) -> type[T]:
    """Half the time to make an instance of a frozen dataclass with slots: its `__init__` fills the slots directly.

    The one `dataclass` writes has to go around its own freezing and sets every field by name. What a `default_factory`
    makes is made once, and shared: it must be a value that does not change.
    """
    known: dict[str, Any] = {}
    parameters, body = ["self"], []
    for f in fields(cls):  # type: ignore[arg-type]
        known[f"set_{f.name}"] = getattr(cls, f.name).__set__
        default = f.default if f.default_factory is MISSING else f.default_factory()
        known[f"default_{f.name}"] = default
        parameters.append(f.name if default is MISSING else f"{f.name}=default_{f.name}")
        body.append(f"    set_{f.name}(self, {f.name})")
    exec("\n".join([f"def __init__({', '.join(parameters)}):", *body]), known)
    init = known["__init__"]
    init.__qualname__, init.__annotations__ = cls.__init__.__qualname__, cls.__init__.__annotations__
    setattr(cls, "__init__", init)  # noqa: B010 — a method is not to be assigned to, and here is
    return cls
