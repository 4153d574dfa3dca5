"""The `ebbtide` command."""

import sys

try:
    from ebbtide.serve.cli.main import main
except KeyboardInterrupt:  # before there was anything to interrupt
    sys.stderr.write("ebbtide: interrupted\n")
    sys.exit(130)

__all__ = ["main"]
