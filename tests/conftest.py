"""How hypothesis looks for counter-examples, here and where a change has to pass."""

import os

from hypothesis import HealthCheck, settings

# Seconds say nothing about a law: on a busy machine any example may be slow, and so may making one up.
settings.register_profile("by-hand", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("fixed", settings.get_profile("by-hand"), derandomize=True, database=None)

settings.load_profile("fixed" if os.environ.get("EBBTIDE_TEST_SEED") == "fixed" else "by-hand")
