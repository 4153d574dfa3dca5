"""One turn of an agent: context before the answer, credit after it."""

import pytest

from ebbtide.core.changes import Touch
from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import DAY
from ebbtide.mind import Mind
from tests.helpers import METABOLISMS, FakeClock, able_to_search, mind_in_ram

QUESTION = "When does the ferry to Lamma go?"


async def furnished(metabolism: str = "activity") -> Mind:
    mind = await mind_in_ram(metabolism, tools=able_to_search())
    await mind.put("The ferry to Lamma leaves at 8:40.", key="ferry", kind="fact")
    await mind.put("小林对花生过敏。", key="过敏")
    return mind


async def touches(mind: Mind) -> int:
    return len([entry async for entry in mind.entries() if isinstance(entry.change, Touch)])


@pytest.mark.parametrize("metabolism", METABOLISMS)
async def test_what_the_answer_drew_on_is_touched_when_the_block_ends(metabolism: str) -> None:
    mind = await furnished(metabolism)
    async with mind.turn(QUESTION) as turn:
        assert "[2025-06-15] The ferry to Lamma leaves at 8:40." in turn.context
        assert (turn.question, turn.used) == (QUESTION, None)
        assert turn.hits[0].memory.key == "ferry"
        turn.answered("It leaves at 8:40.")
        assert await touches(mind) == 0
    assert turn.used is not None
    assert (turn.used.touched, await touches(mind)) == (("ferry",), 1)
    await mind.close()


async def test_it_works_in_chinese() -> None:
    mind = await furnished()
    async with mind.turn("小林不能吃什么？") as turn:
        turn.answered("他对花生过敏。")
    assert turn.used is not None
    assert turn.used.touched == ("过敏",)


async def test_of_several_answers_the_last_counts() -> None:
    mind = await furnished()
    async with mind.turn(QUESTION) as turn:
        turn.answered("It leaves at 8:40.")
        turn.answered("I do not know.")
    assert turn.used is not None
    assert turn.used.touched == ()


async def test_the_context_says_that_memories_which_match_are_hidden() -> None:
    clock = FakeClock()
    mind = await mind_in_ram("activity", clock=clock, tools=able_to_search())
    await mind.put("The ferry to Lamma leaves at 8:40.", key="ferry")
    clock.forward(90 * DAY)  # 0 − 0.3 · 90/30 = −0.9 < θ_active −0.2: cold
    async with mind.turn(QUESTION) as turn:
        assert turn.context == "1 memory that matches is not shown because of the state (1 cold)."
        assert turn.hits == ()


async def test_the_context_says_that_no_memory_is_a_good_match() -> None:
    mind = await furnished()
    await mind.configure(match_floor=1.0)
    async with mind.turn("Who won the chess tournament in Reykjavik?") as turn:
        assert turn.context.startswith("None of these memories is a good match: ")
        assert len(turn.hits) == 2


async def test_without_an_answer_nothing_is_credited() -> None:
    mind = await furnished()
    async with mind.turn(QUESTION) as turn:
        pass
    assert (turn.used, await touches(mind)) == (None, 0)


async def test_after_an_error_nothing_is_credited_and_the_error_goes_on() -> None:
    mind = await furnished()
    turn = mind.turn(QUESTION)

    async def fails() -> None:
        async with turn:
            turn.answered("It leaves at 8:40.")
            raise RuntimeError("the model failed")

    with pytest.raises(RuntimeError, match="the model failed"):
        await fails()
    assert (turn.used, await touches(mind)) == (None, 0)


async def test_only_what_the_context_shows_can_be_credited() -> None:
    mind = await furnished()
    async with mind.turn(QUESTION, k=1) as turn:
        turn.answered("It leaves at 8:40. 小林对花生过敏。")
    assert turn.used is not None
    assert [one.key for one in turn.used.memories] == [hit.memory.key for hit in turn.hits] == ["ferry"]


async def test_what_was_looked_up_meanwhile_can_be_credited_too() -> None:
    mind = await furnished()
    async with mind.turn(QUESTION, k=1) as turn:
        assert "花生" not in turn.context
        assert "[2025-06-15] 小林对花生过敏。" in await turn.look_up("小林对什么过敏？", 200)
        await turn.look_up(QUESTION)
        assert [hit.memory.key for hit in turn.hits] == ["ferry", "过敏"]
        turn.answered("The ferry leaves at 8:40, and take no peanuts: 花生过敏。")
    assert turn.used is not None
    assert set(turn.used.touched) == {"ferry", "过敏"}


async def test_options_of_search_and_a_tokenizer_are_passed_on() -> None:
    mind = await furnished()
    counted = list[str]()

    def count(text: str) -> int:
        counted.append(text)
        return 1

    async with mind.turn(QUESTION, tokens=100, count=count, kind="fact") as turn:
        assert [hit.memory.key for hit in turn.hits] == ["ferry"]
    assert counted == [turn.context]


async def test_what_cannot_be_is_a_clear_error() -> None:
    mind = await furnished()
    with pytest.raises(InvalidInput, match="'text' is empty"):
        async with mind.turn(" "):
            pass
    with pytest.raises(InvalidInput, match="at least 100 tokens, not 5"):
        async with mind.turn(QUESTION, tokens=5):
            pass
    with pytest.raises(TypeError, match="knd"):
        async with mind.turn(QUESTION, knd="fact"):
            pass
    with pytest.raises(InvalidInput, match="an answer is a text, not None"):
        mind.turn(QUESTION).answered(None)  # type: ignore[arg-type]


async def test_an_empty_mind_has_an_empty_context() -> None:
    mind = await mind_in_ram(tools=able_to_search())
    async with mind.turn(QUESTION) as turn:
        turn.answered("I do not know.")
    assert (turn.context, turn.hits) == ("", ())
    assert turn.used is not None
    assert turn.used.memories == ()
