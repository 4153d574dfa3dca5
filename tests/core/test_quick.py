"""`quick` changes how a value is made, and nothing else about it."""

from dataclasses import FrozenInstanceError, dataclass, replace

import pytest

from ebbtide.core.quick import quick


@dataclass(frozen=True, slots=True)
class Plain:
    name: str
    size: int = 3
    tags: tuple[str, ...] = ()


@quick
@dataclass(frozen=True, slots=True)
class Quick:
    name: str
    size: int = 3
    tags: tuple[str, ...] = ()


def test_fields_are_taken_by_place_by_name_and_by_default() -> None:
    assert Quick("a") == Quick(name="a", size=3, tags=())
    assert Quick("a", 4, ("x",)) == replace(Quick("a", tags=("x",)), size=4)
    assert repr(Quick("a", 4)) == repr(Plain("a", 4)).replace("Plain", "Quick")
    assert hash(Quick("a")) == hash(Plain("a"))


def test_it_stays_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Quick("a").size = 4  # type: ignore[misc]


@pytest.mark.parametrize(("arguments", "named"), [((), {}), (("a", 1, (), 2), {}), (("a",), {"colour": "red"})])
def test_missing_and_unknown_fields_are_refused(arguments: tuple[object, ...], named: dict[str, object]) -> None:
    with pytest.raises(TypeError):
        Quick(*arguments, **named)  # type: ignore[arg-type]


def test_the_signature_is_the_one_that_was_written() -> None:
    assert Quick.__init__.__annotations__ == Plain.__init__.__annotations__
