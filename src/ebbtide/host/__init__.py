"""Many minds: opening, closing, and how many stay open."""

from ebbtide.host.host import Host

__all__ = ["Host"]
