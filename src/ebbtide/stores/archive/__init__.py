"""Archives: memories written down before they are removed for good, in a folder or in a bucket."""

from ebbtide.stores.archive.archive import FsspecArchive

__all__ = ["FsspecArchive"]
