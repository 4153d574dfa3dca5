"""To come."""

from ebbtide.serve.page.frame import Page


async def build(page: Page) -> None:
    raise NotImplementedError
