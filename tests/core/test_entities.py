"""Which answers of a small model may become entities (N10)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.entities import PRONOUNS, nameless, usable


@pytest.mark.parametrize(
    "word",
    [
        "I",
        "me",
        "You",
        "we",
        "gonna",
        "fave",
        "Whoa",
        "crucial",
        "yummy",
        "thing",
        "stuff",
        "lot",
        "way",
        "Monday",
        "today",
        "5th",
        "12:40",
        "amazing",
        "decided",
        "went",
        "lol",
        "我",
        "你",
        "您",
        "我们",
        "你们",
        "东西",
        "时候",
        "一下",
        "开心",
        "气愤",
        "红色",
        "今天",
        "哈哈",
        "谢谢",
        "三点",
    ],
)
def test_words_that_name_nothing(word: str) -> None:
    assert nameless(word)
    assert usable([word, "Biscuit"], f"{word} Biscuit") == ("Biscuit",)


@pytest.mark.parametrize(
    "word",
    [
        "Will",
        "Grace",
        "Leeds",
        "oven",
        "Mr.",
        "Okafor",
        "painting",
        "ferry",
        "张伟",
        "钢琴",
        "南丫岛",
        "疫苗",
        "novel",
        "routine",
    ],
)
def test_names_and_things_stay(word: str) -> None:
    assert usable([word], word) == (word,)


def test_a_capital_letter_makes_a_name_of_an_adjective_only_inside_a_sentence() -> None:
    assert usable(["Central"], "Tickets are sold at Central.") == ("Central",)
    assert usable(["Crucial"], "Yes. Crucial point!") == ()


@pytest.mark.parametrize(
    ("entities", "segment", "before", "kept"),
    [
        (["he"], "He will come.", [], ["he"]),  # there is no name
        (["he"], "He will come.", ["Daniel"], []),  # the segment before has one
        (["Daniel", "he"], "Daniel said he will come.", [], ["Daniel"]),
        (["Leeds", "he"], "He moved to Leeds.", [], ["Leeds", "he"]),  # a place is nobody
        (["he"], "He will come.", ["ferry"], ["he"]),  # nor is a thing
        (["he"], "He will come.", ["sister"], ["he"]),  # a sister is no he
        (["she"], "She will come.", ["sister"], []),
        (["she"], "She will come.", ["Mr Okafor"], ["she"]),
        (["they"], "They are late.", ["ferry"], []),
        (["they"], "They are late.", [], ["they"]),
        (["他"], "他会来。", [], ["他"]),
        (["他"], "他会来。", ["张伟"], []),
        (["上海", "他"], "他去了上海。", [], ["上海", "他"]),
        (["她"], "她会来。", ["爸爸"], ["她"]),
        (["她"], "她会来。", ["妈妈"], []),
        (["它"], "它很吵。", ["冰箱"], []),
    ],
)
def test_a_pronoun_counts_only_where_no_name_fits_it(
    entities: list[str], segment: str, before: list[str], kept: list[str]
) -> None:
    assert list(usable(entities, segment, before)) == kept


@given(st.lists(st.text(max_size=12), max_size=8), st.text(max_size=40), st.lists(st.text(max_size=12), max_size=4))
def test_what_is_usable_is_a_part_in_order_and_stays_so(names: list[str], segment: str, before: list[str]) -> None:
    found = usable(names, segment, before)
    rest = iter(names)
    assert all(name in rest for name in found)
    assert usable(found, segment, before) == found
    assert all(not nameless(name) or name.strip().casefold() in PRONOUNS for name in found)
