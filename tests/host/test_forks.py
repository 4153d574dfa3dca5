"""A forked child has none of its parent's lines, and its own files are safe from what it inherited."""

import os
import socket
import tempfile

import pytest

from ebbtide.host import forks


@pytest.fixture
def no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """What happens in a child happens to this process here: only the test's own sockets are let go."""
    monkeypatch.setattr(forks, "_ours", set())


@pytest.mark.usefixtures("no_others")
def test_the_other_end_hears_that_a_socket_was_let_go() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, forks.not_for_children(ours):
        forks._let_go()
        assert theirs.recv(1) == b""


@pytest.mark.usefixtures("no_others")
def test_a_socket_that_was_let_go_takes_no_file_with_it() -> None:
    ours, theirs = socket.socketpair()
    with theirs, tempfile.TemporaryFile() as file:
        with ours, forks.not_for_children(ours):
            forks._let_go()
            with tempfile.TemporaryFile() as opened_after:
                assert opened_after.fileno() != ours.fileno()
        os.fstat(file.fileno())
        assert ours.fileno() == -1


@pytest.mark.usefixtures("no_others")
def test_what_is_closed_or_no_longer_ours_is_left_alone() -> None:
    closed, theirs = socket.socketpair()
    kept, others = socket.socketpair()
    with kept, others, theirs, forks.not_for_children(closed):
        with forks.not_for_children(kept):
            pass
        closed.close()
        forks._let_go()
        kept.sendall(b"x")
        assert others.recv(1) == b"x"
