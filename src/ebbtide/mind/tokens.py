"""Names for batches that no other batch has, in this process or another."""

import itertools
import uuid

_origin = uuid.uuid4().hex[:12]
_numbers = itertools.count(1)


def new_token() -> str:
    return f"{_origin}-{next(_numbers)}"
