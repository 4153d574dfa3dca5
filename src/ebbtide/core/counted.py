"""A number and what it counts, in the singular or the plural."""


def counted(count: float, one: str, many: str = "") -> str:
    """`1 link`, `2 links`, `1,000 memories`. `many` is only needed where it is not `one` with an s."""
    number = f"{count:,}" if isinstance(count, int) else f"{count:g}"
    return f"{number} {one if count == 1 else many or f'{one}s'}"
