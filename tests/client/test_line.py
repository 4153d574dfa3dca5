"""Requests to one server: where to, how often, how long, and what becomes of those nobody waits for."""

import pytest

from ebbtide.client.line import Line
from ebbtide.core.errors import InvalidInput


@pytest.mark.parametrize("port", ["abc", "99999", "0", "-1", "80x"])
def test_a_port_that_is_none_is_no_address(port: str) -> None:
    with pytest.raises(InvalidInput, match="no server's address"):
        Line(f"http://127.0.0.1:{port}", None, 30.0, 1)


@pytest.mark.parametrize("address", ["http://[::1", "http://a\x00b", "http://xn--\ud800"])
def test_what_no_host_is_called_is_no_address(address: str) -> None:
    with pytest.raises(InvalidInput, match="no server's address"):
        Line(address, None, 30.0, 1)
