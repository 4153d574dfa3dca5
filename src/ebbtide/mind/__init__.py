"""The orchestration of one mind. Knows ports, not stores."""

from ebbtide.core.draft import Draft
from ebbtide.mind.mind import Mind

__all__ = ["Draft", "Mind"]
