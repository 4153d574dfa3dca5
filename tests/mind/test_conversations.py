"""The two conversations of the docs, lived through by a mind with the built-in model: §N from end to end."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import batched, pairwise
from typing import Any

import pytest

from ebbtide.core.answers import segments_fault
from ebbtide.core.memory import Memory, Message
from ebbtide.core.ports import Distilled
from ebbtide.mind import Mind
from ebbtide.models.builtin import BuiltinModel
from tests.helpers import FakeClock, everything, store_of
from tests.models.conversations import conversation, names_and_numbers
from tests.scripted_model import network_in_ram, settle, tell, texts

LANGUAGES = ("zh", "en")
LATER = 1_800_000_000.0  # after all that was said

# Messages that turn to something new, by their places; in both languages the last ones come back to the first topic.
TURNS = {"zh": (6, 12, 18, 24), "en": (10, 16, 24, 28)}
