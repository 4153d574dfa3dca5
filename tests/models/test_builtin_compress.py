"""Shortening: what goes first, what goes last, and what may never happen on the way."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ebbtide.models.builtin.compress import compress
from ebbtide.models.builtin.segment import segment
from tests.models.conversations import conversation, names_and_numbers

LEASE = (
    "I did not sign the lease with Ms Chan on 5 May, because the landlord wanted 900 pounds a month "
    "and I honestly thought it was far too much."
)
CONTRACT = "请把合同发给李娜女士（电话13800138000），她明天下午3点在中环4号码头等我们，别忘了带护照。"
SAMPLES = [
    LEASE,
    CONTRACT,
    "Oh wow, that sounds really great! We are going to meet Anna and her brother at Central Pier 4 on Saturday.",
    "我们团队下周五之前必须把支付接口的3个漏洞修好，张伟负责后端，陈晓彤负责前端，预算不能超过2万元。",
    'She said "no" (twice), didn\'t she? See https://example.org/a/very/long/path?with=query for the 12 details.',
    "用 Python 3.11 跑 `make test`，不要用 3.10；结果发到 a.b@c.com。",
]


def letters(text: str) -> str:
    return "".join(char for char in text if char.isalnum())


def within(short: str, long: str) -> bool:
    """Whether all letters of the one occur in the other, in order."""
    rest = iter(letters(long))
    return all(char in rest for char in letters(short))


# ---- golden


@pytest.mark.parametrize(
    ("text", "length", "shorter"),
    [
        (CONTRACT, 40, "把合同发给李娜女士，电话13800138000，她明天下午3点在中环4号码头等。"),
        (CONTRACT, 30, "李娜，电话13800138000，明天下午3点中环4号码头。"),
        (CONTRACT, 10, "李娜，中环4号码头。"),
        ("我今天去了公园，看到了很多花。然后去了图书馆。", 12, "我今天去公园。去图书馆。"),
        (LEASE, 95, "I did not sign the lease with Ms Chan on 5 May, because the landlord wanted 900 pounds a month."),
        (LEASE, 40, "I did not sign lease Ms Chan 5 May."),
        ("Oh wow, that sounds great! We are going to meet Anna at the pier.", 22, "We meet Anna at pier."),
        ("The oven, which is huge, costs 6,400 pounds.", 30, "oven, costs 6,400 pounds."),
    ],
)  # fmt: skip
def test_shortening_by_example(text: str, length: int, shorter: str) -> None:
    assert compress(text, length) == shorter


def test_a_text_that_is_short_enough_is_left_alone() -> None:
    assert compress("  a  “b” ", 9) == "  a  “b” "
    assert compress("", 0) == ""


def test_courtesy_goes_before_content() -> None:
    assert compress("好的，没问题，谢谢！张伟明天去上海。", 9) == "张伟明天去上海。"
    assert compress("Oh, thanks a lot! Anna moves to Leeds.", 21) == "Anna moves to Leeds."


def test_a_name_that_was_said_twice_may_go_once() -> None:
    assert compress("张伟说张伟的合同丢了，合同编号4471。", 14).count("张伟") == 1


def test_the_noun_that_says_what_a_number_is_stays_with_it() -> None:
    assert "漏洞" in compress("退款接口现在真的还有3个很麻烦的漏洞。", 7)
    assert compress("There are really quite a lot of problems, but only 12 guests.", 16) == "only 12 guests."


def test_a_limit_stays_with_its_date() -> None:
    assert "until Friday" in compress("The very friendly shop in the old town holds the oven until Friday.", 30)
    assert "之前" in compress("我们整个团队下周五之前必须非常努力地完成工作。", 12)


def test_quotes_and_brackets_are_never_left_open() -> None:
    text = "他说：“我真的不去了（因为下雨）。”然后张伟就一个人走了。"
    for length in range(1, len(text)):
        assert not re.search("[“”（）]", compress(text, length))


def test_a_question_stays_a_question() -> None:
    text = "Did Anna really sign the lease for the shop in Leeds yesterday?"
    for length in range(12, len(text)):
        assert compress(text, length).endswith("?")


def test_a_statement_does_not_become_a_question() -> None:
    assert compress("红包我准备包888元，你觉得会不会太少了？", 12) == "红包准备包888元。"
    assert compress("Anna paid 900 pounds, do you think that is too much?", 25) == "Anna paid 900 pounds."


def test_english_words_are_never_cut() -> None:
    whole = set(re.findall(r"[A-Za-z]+", LEASE))
    for length in range(len(LEASE)):
        assert set(re.findall(r"[A-Za-z]+", compress(LEASE, length))) <= whole


def test_chinese_is_cut_between_words() -> None:
    shorter = {compress("我们昨天在图书馆讨论了服务器的登录问题。", length) for length in range(20)}
    assert all(not each.endswith(("图", "图书", "讨", "服", "服务", "登")) for each in shorter)


def test_marks_stay_tidy() -> None:
    for text in SAMPLES:
        for length in range(1, len(text)):
            short = compress(text, length)
            assert short == short.strip()
            assert not re.search(r"[，。、；,;]{2}|^[，。、；：,.;:!?！？]|\s[,.;，。]|  ", short), short


def test_a_text_without_words_is_just_cut() -> None:
    assert compress("？？？！！！", 4) == "？？？！"


def test_what_has_no_borders_is_cut_anyway() -> None:
    assert 0 < len(compress("x" * 300, 100)) <= 100


# ---- negation


SUBJECTS_ZH, OBJECTS_ZH = ["我", "张伟", "他妈妈"], ["花生", "合同", "那份报告", "3张票"]
NEGATED_ZH = [
    ("不", "喜欢"),
    ("没有", "签"),
    ("不要", "点"),
    ("别", "买"),
    ("不会", "取消"),
    ("从来不", "检查"),
    ("无法", "确认"),
]
SUBJECTS_EN, OBJECTS_EN = ["I", "Anna", "my old landlord"], ["the lease", "peanuts", "Ms Chan", "12 chairs"]
NEGATED_EN = [
    "did not sign",
    "didn't order",
    "never liked",
    "cannot accept",
    "won't cancel",
    "has not paid",
    "refused not to take",
]
AROUND_ZH = st.sampled_from(["", "昨天下了很大的雨，", "好的，", "王医生8:40到，", "但是"])
AROUND_EN = st.sampled_from(["", "It rained a lot, ", "Oh well, ", "Priya came at 8:40, ", "By the way, "])
LENGTHS = st.integers(1, 60)


@given(AROUND_ZH, st.sampled_from(SUBJECTS_ZH), st.sampled_from(NEGATED_ZH), st.sampled_from(OBJECTS_ZH), LENGTHS)
def test_chinese_never_loses_a_negation_alone(
    around: str, subject: str, negated: tuple[str, str], thing: str, length: int
) -> None:
    negation, verb = negated
    short = compress(f"{around}{subject}{negation}{verb}{thing}。", length)
    if verb in short or thing[-2:] in short:
        assert f"{negation}{verb}" in short


@given(AROUND_EN, st.sampled_from(SUBJECTS_EN), st.sampled_from(NEGATED_EN), st.sampled_from(OBJECTS_EN), LENGTHS)
def test_english_never_loses_a_negation_alone(around: str, subject: str, negated: str, thing: str, length: int) -> None:
    short = compress(f"{around}{subject} {negated} {thing}.", length)
    verb = negated.split()[-1]
    if verb in short or thing.split()[-1] in short:
        assert re.search(rf"(not( to)?|n't|never|cannot) {verb}", short)


@pytest.mark.parametrize(
    ("text", "said", "denied"),
    [
        ("They ate no peanuts at the party last night.", "peanuts", "no"),
        ("Nobody signed the lease for the shop.", "signed", "Nobody"),
        ("She drinks her tea without sugar every morning.", "sugar", "without"),
        ("He signed nothing at the office of the landlord.", "signed", "nothing"),
        ("她现在吃不完这么多的菜。", "完", "不"),
        ("他并没有去过上海的新办公室。", "去过", "没有"),
    ],
)
def test_no_none_and_without_are_negations_too(text: str, said: str, denied: str) -> None:
    for length in range(len(text)):
        short = compress(text, length)
        assert said not in short or denied in short


def test_doubt_and_condition_stay_with_what_they_qualify() -> None:
    for text, verb, qualifier in [
        ("张伟下个星期可能会去上海的新公司上班。", "去", "可能"),
        ("If Anna calls the office tomorrow, tell her about the lease.", "calls", "If"),
        ("She might cancel the whole wedding in Lisbon.", "cancel", "might"),
    ]:
        for length in range(len(text)):
            short = compress(text, length)
            assert verb not in short or qualifier in short


# ---- laws


@given(st.sampled_from(SAMPLES), st.integers(0, 120), st.integers(0, 120))
def test_whatever_a_shorter_version_keeps_every_longer_one_keeps(text: str, one: int, two: int) -> None:
    short, long = compress(text, min(one, two)), compress(text, max(one, two))
    assert within(short, long)
    assert within(long, text)


@given(st.sampled_from(SAMPLES), st.integers(5, 120))
def test_there_is_always_something_left_of_a_text_with_short_words(text: str, length: int) -> None:
    assert compress(text, length)


@given(st.sampled_from(SAMPLES), st.integers(5, 120), st.integers(5, 120))
def test_shortening_what_was_shortened_keeps_the_order_and_the_limit(text: str, one: int, two: int) -> None:
    once = compress(text, max(one, two))
    twice = compress(once, min(one, two))
    assert len(twice) <= min(one, two)
    assert within(twice, once)


@given(st.text(), st.integers(-2, 80))
def test_any_text_can_be_shortened_and_is_never_longer_than_asked(text: str, length: int) -> None:
    short = compress(text, length)
    assert len(short) <= max(length, 0) or short == text
    assert compress(text, length) == short


@given(st.text(), st.integers(0, 40), st.integers(0, 40))
def test_the_subset_law_holds_for_any_text(text: str, one: int, two: int) -> None:
    assume(max(one, two) < len(text))
    assert within(compress(text, min(one, two)), compress(text, max(one, two)))


# ---- the conversations of the docs


def survivors(segments: list[str], language: str, *, gradually: bool) -> float:
    """The share of the segments, of those that have any, whose names and numbers are all there at half the length."""
    kept = []
    for each in segments:
        keys = names_and_numbers(each, language)
        half = (len(each) + 1) // 2
        short = _faded(each, half) if gradually else compress(each, half)
        if keys:
            kept.append(all(key in short for key in keys))
    return sum(kept) / len(kept)


def _faded(text: str, half: int) -> str:
    """As in a mind: a little at a time, each time from what is left."""
    length = float(len(text))
    short = text
    while (length := length * 0.97) > half:
        short = compress(short, int(length))
    return compress(short, half)


@pytest.mark.parametrize("gradually", [False, True])
@pytest.mark.parametrize("turns", [1, 2, 30])
@pytest.mark.parametrize("language", ["zh", "en"])
def test_names_and_numbers_survive_to_half_the_length(language: str, turns: int, gradually: bool) -> None:
    talk = conversation(language)
    segments = [each for i in range(0, len(talk), turns) for each in segment(talk[i : i + turns])]
    assert survivors(segments, language, gradually=gradually) >= 0.9
