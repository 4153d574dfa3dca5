"""Which spans of time a question names. SPEC K3. The questions are in time_tables.py."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.memory import DAY
from ebbtide.core.spans import Span
from ebbtide.models.analysis import Analyzer
from ebbtide.models.times import named_times
from ebbtide.models.timewords.english_pattern import EXPRESSION, STARTS, TOKEN
from tests.models.time_tables import CHINESE, ENGLISH, NO_TIME

ASKED = datetime(2023, 6, 15, 12, tzinfo=UTC)
AT = ASKED.timestamp()


def _shown(spans: tuple[Span, ...]) -> str:
    """As calendar days, the last one included."""
    return " ".join(f"{_day(span.since)}..{_day(span.until - DAY)}" for span in spans)


def _day(at: float) -> date:
    moment = datetime.fromtimestamp(at, UTC)
    assert moment == datetime.combine(moment.date(), datetime.min.time(), UTC), "a span has whole days"
    return moment.date()


def test_the_tables_are_as_long_as_they_have_to_be() -> None:
    assert len(dict(ENGLISH)) >= 85
    assert len(dict(CHINESE)) >= 85
    assert len(set(NO_TIME)) >= 30


@pytest.mark.parametrize(("question", "expected"), ENGLISH)
def test_an_english_question_names_these_days(question: str, expected: str) -> None:
    assert _shown(named_times(question, AT)) == expected


@pytest.mark.parametrize(("question", "expected"), CHINESE)
def test_a_chinese_question_names_these_days(question: str, expected: str) -> None:
    assert _shown(named_times(question, AT)) == expected


@pytest.mark.parametrize("question", NO_TIME)
def test_futures_frequencies_durations_and_other_words_name_no_span(question: str) -> None:
    assert named_times(question, AT) == ()


@pytest.mark.parametrize("question", [question for question, _ in ENGLISH] + NO_TIME)
def test_an_expression_begins_with_a_word_at_which_one_is_looked_for(question: str) -> None:
    small = question.lower()
    begins = {token[0] for token in TOKEN.finditer(small) if EXPRESSION.match(small, token.start())}
    assert begins <= STARTS


# ---- relative to the question, and to nothing else


RELATIVE = [
    "What did I eat yesterday?", "What did I eat three days ago?", "What did I cook two weeks ago?",
    "What did I do over the past 10 days?", "What did I do recently?", "What did we say last time?",
    "昨天我吃了什么？", "前天我见了谁？", "三天前我买了什么？", "两周前我买了什么？", "最近我在忙什么？",
    "前几天我见了谁？",
]  # fmt: skip
OF_A_WEEK = [
    "What did we discuss last week?",
    "Who came last weekend?",
    "Who came on Tuesday?",
    "上周三我去了哪里？",
    "周末我做了什么？",
]
OF_A_YEAR = [
    "What did I read in May?",
    "Where did we go last summer?",
    "What did I get for Christmas?",
    "去年五月我在哪里？",
    "年初我在哪里？",
]

_days = st.integers(-20_000, 20_000)
_questions = st.sampled_from([question for question, _ in ENGLISH + CHINESE] + NO_TIME)
_fragments = st.tuples(_questions, st.integers(0, 50), st.integers(1, 30)).map(lambda cut: cut[0][cut[1] :][: cut[2]])
_PIECES = st.sampled_from(["0", "31", "99", "2023", "9999", "年", "月", "日", "号", "前", "to", "and", "到", "/"])
_mixed = st.lists(
    st.one_of(_fragments, st.text(max_size=4), _PIECES),
    max_size=12,
)


@given(st.sampled_from(RELATIVE), _days)
def test_asked_some_days_later_the_same_words_mean_as_many_days_later(question: str, days: int) -> None:
    assert named_times(question, AT + days * DAY) == _shifted(named_times(question, AT), days)


@given(st.sampled_from(OF_A_WEEK), st.integers(-3_000, 3_000))
def test_asked_some_weeks_later_on_the_same_weekday_they_mean_as_many_weeks_later(question: str, weeks: int) -> None:
    assert named_times(question, AT + 7 * weeks * DAY) == _shifted(named_times(question, AT), 7 * weeks)


@given(st.sampled_from(OF_A_YEAR), st.integers(-80, 80))
def test_asked_some_years_later_on_the_same_day_they_mean_as_many_years_later(question: str, years: int) -> None:
    # every span that begins on the last day of a month begins on the last day of that month again
    ((since, until),) = named_times(question, AT)
    ((since_later, until_later),) = named_times(question, ASKED.replace(year=ASKED.year + years).timestamp())
    for before, after in ((since, since_later), (until, until_later)):
        follows, followed = _day(before + DAY), _day(after + DAY)
        assert followed == follows.replace(year=follows.year + years)


@given(st.sampled_from(ENGLISH + CHINESE), st.integers(0, 86_399))
def test_the_hour_of_the_question_makes_no_difference(row: tuple[str, str], seconds: int) -> None:
    midnight = AT - 12 * 3600
    assert named_times(row[0], midnight + seconds) == named_times(row[0], midnight)


def _shifted(spans: tuple[Span, ...], days: int) -> tuple[Span, ...]:
    return tuple(Span(since + days * DAY, until + days * DAY) for since, until in spans)


# ---- any text, any time


@given(st.one_of(_mixed.map(" ".join), _mixed.map("".join), st.text()), st.floats(-5e9, 1e10))
def test_every_span_is_one_and_begins_before_the_question(text: str, at: float) -> None:
    for span in named_times(text, at):
        assert span.since < span.until
        assert span.since <= at


@pytest.mark.parametrize("at", [1e15, -1e15, 1e308, -1e308, float("inf"), float("nan"), -62135596800.0, 253402300799.0])
@pytest.mark.parametrize("question", ["What did I do yesterday?", "在2023年5月我做了什么？", "last winter", "三百年前"])
def test_a_question_from_outside_of_the_calendar_names_nothing(question: str, at: float) -> None:
    assert named_times(question, at) == ()


@pytest.mark.parametrize(
    "text",
    [
        "on 31 February 2023", "in 0000-01", "on 2023-13-45", "9999-12-31", "9999年12月31日", "0年0月0日", "13月45号",
        "99/99/99",
        "999 years ago", "九百九十九年前", "1024年我在哪里", "on the 32nd", "二零零零零年",
    ],
)  # fmt: skip
def test_what_is_no_date_names_nothing(text: str) -> None:
    assert named_times(text, AT) == ()


def test_a_question_of_1971_or_of_2150_is_read_as_well() -> None:
    in_1971, in_2150 = (datetime(year, 3, 1, tzinfo=UTC).timestamp() for year in (1971, 2150))
    assert _shown(named_times("What did I do last year?", in_1971)) == "1969-12-31..1971-01-07"
    assert (
        _shown(named_times("去年春节我在哪里？去年五月呢？", in_2150)) == "2149-04-30..2149-06-07"
    )  # the table ends with 2050


def test_only_the_first_two_thousand_characters_are_read() -> None:
    assert named_times("x" * 1_989 + " yesterday" + " tea" * 250_000, AT) != ()
    assert named_times("x" * 1_999 + " yesterday", AT) == ()


def test_at_most_eight_spans_are_given_each_once() -> None:
    years = " ".join(f"in {year}" for year in range(2000, 2020))
    assert len(named_times(years, AT)) == 8
    assert len(named_times("yesterday, yesterday, 昨天", AT)) == 1


def test_the_analyzer_gives_the_same() -> None:
    assert Analyzer().question("What did I eat yesterday?", AT).spans == named_times("What did I eat yesterday?", AT)
    assert _shown(Analyzer().question("What did I eat yesterday?", AT).spans) == "2023-06-13..2023-06-15"
