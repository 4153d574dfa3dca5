"""Names that another text does not have, as far as that can be told without a dictionary."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.names import invented_name

EN = (
    "Alice met Bob Miller in Paris on 3 March. She was ill, and Christopher paid the bill to the United Nations. "
    "We agreed with Ms. Carter on Fri. not to hire."
)
ZH = "昨天张伟和王老师在上海读《红楼梦》，又和Tom聊了约翰·史密斯的小说。"


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ("Carol met Bob.", "Carol"),  # took Alice's place
        ("Peter was ill.", "Peter"),  # took hers
        ("Peter Smith fell ill.", "Peter Smith"),
        ("In Berlin they met.", "Berlin"),
        ("They met Dr. Jones.", "Jones"),
        ("Alice met Bob, and IBM paid.", "IBM"),
        ("Alice used an iPhone.", "iPhone"),
        ("No hiring before Monday.", "Monday"),
    ],
)
def test_an_invented_name_in_english(answer: str, name: str) -> None:
    assert invented_name(EN, answer) == name


@pytest.mark.parametrize(
    "answer",
    [
        "Alice met Bob.", "alice met BOB.", "Bob's bill was paid.", "They met in Paris.", "She was ill.", "Both met.",
        "Meeting in Paris.", "Chris paid the UN.", "Agreed with Carter: no hiring. Paris trip.", "I met Bob.",
        "No hiring on Friday.", "Then Bob paid.", "User met Bob.", "In March, Alice met Bob.", "Ill. Paid. Agreed.",
    ],
)  # fmt: skip
def test_honest_english_passes(answer: str) -> None:
    assert invented_name(EN, answer) is None


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ("和李老师读小说", "李老师"),
        ("读《西游记》", "《西游记》"),
        ("和Bob聊小说", "Bob"),
        ("读了大卫·米勒的小说", "读了大卫·米勒的小说"),
    ],
)
def test_an_invented_name_in_chinese(answer: str, name: str) -> None:
    assert invented_name(ZH, answer) == name


@pytest.mark.parametrize(
    "answer",
    ["和王老师读《红楼梦》", "与tom聊小说", "聊约翰·史密斯的小说", "和老师读书", "昨天在上海读书，很开心"],
)
def test_honest_chinese_passes(answer: str) -> None:
    assert invented_name(ZH, answer) is None


@given(st.text(max_size=80))
def test_nobody_invents_his_own_names(text: str) -> None:
    assert invented_name(text, text) is None


@given(st.text(alphabet="ABab·《》王先生 '’.", max_size=60), st.text(alphabet="ABab·《》王先生 '’.", max_size=60))
def test_no_pair_of_texts_is_too_odd(original: str, answer: str) -> None:
    name = invented_name(original, answer)
    assert name is None or all(part in answer for part in name.split())
