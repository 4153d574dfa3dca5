"""Chinese or not, told by the characters (C10)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.language import is_chinese, script_of, strange_script, weights


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("我喜欢苹果", "Chinese"),
        ("I like apples", "Latin"),
        ("Bart在圣诞节晚会上跳舞", "Chinese"),  # 9 characters against one word, 1.5
        ("我用Kubernetes部署", "Chinese"),  # 4 / 5.5 = 0.73 ≥ 2/3
        ("Мы любим яблоки", "other"),
        ("I like 苹果", None),  # 3 : 2, neither has two thirds
        ("12:30!", None),
        ("", None),
    ],
)
def test_the_script_a_text_is_clearly_written_in(text: str, script: str | None) -> None:
    assert script_of(text) == script


def test_weights_worked_by_hand() -> None:
    found = weights("我用Kubernetes和Docker部署 да")
    assert (found.chinese, found.latin, found.other) == (5, 3.0, 1.5)  # 我用和部署, two words, one word
    new = weights("我用Docker", without="我有docker")
    assert (new.chinese, new.latin, new.other) == (1, 0.0, 0.0)  # only 用 is new


@pytest.mark.parametrize(
    ("text", "chinese"),
    [("我们是 students", True), ("我 am", False), ("我是你 good friend", True), ("", False), ("123", False)],
)
def test_what_is_at_least_half_chinese_is_talked_about_in_chinese(text: str, chinese: bool) -> None:
    assert is_chinese(text) is chinese  # 3 : 1.5, 1 : 1.5, 3 : 3


@pytest.mark.parametrize(
    ("original", "answer", "strange"),
    [
        ("我喜欢喝茶", "I like tea", "Latin"),
        ("I like tea", "我喜欢喝茶", "Chinese"),
        ("I like tea", "Я люблю чай", "other"),
        ("Bart在学校获得第一名", "Bart第一", None),
        ("Bart在学校获得第一名", "Bart", None),  # the name is the text's own
        ("Tom likes tea (茶)", "茶", None),
        ("I like 苹果 and 香蕉", "喜欢苹果香蕉", None),  # a mixed text has two languages
        ("我喜欢喝茶", "12", None),
        ("我喜欢喝茶", "喜欢 tea", None),  # half and half: not clearly another language
    ],
)
def test_an_answer_in_another_language_is_strange(original: str, answer: str, strange: str | None) -> None:
    assert strange_script(original, answer) == strange


@given(st.text(max_size=50))
def test_nothing_is_strange_to_itself(text: str) -> None:
    assert strange_script(text, text) is None


@given(st.text(max_size=50), st.text(max_size=50))
def test_any_two_texts_can_be_compared(one: str, two: str) -> None:
    assert strange_script(one, two) in (None, "Chinese", "Latin", "other")
