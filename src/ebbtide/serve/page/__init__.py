"""The page: the minds of a house in a browser. NiceGUI on the server's own FastAPI app, with all assets inside."""

from ebbtide.serve.page.shell import mount

__all__ = ["mount"]
