"""The older system's SQLite files, `memories(key, summary, text, meta, links, created_at)`: taken over, and given back.

SPEC S5.
"""

from ebbtide.stores.sqlite.legacy.files import adopt_file, give_back
from ebbtide.stores.sqlite.legacy.report import Progress, Takeover, Tally
from ebbtide.stores.sqlite.legacy.rollback import Since, roll_back
from ebbtide.stores.sqlite.legacy.takeover import take_over

__all__ = ["Progress", "Since", "Takeover", "Tally", "adopt_file", "give_back", "roll_back", "take_over"]
