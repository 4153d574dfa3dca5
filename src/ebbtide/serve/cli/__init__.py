"""The `ebbtide` command."""

from ebbtide.serve.cli.main import main

__all__ = ["main"]
