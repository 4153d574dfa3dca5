"""What the page is made of, without a browser: texts in two languages, reasons, spans of time, curves."""

import math
import re
import string

import pytest

from ebbtide.core.changes import KINDS
from ebbtide.core.errors import KeyTaken, StoreUnreadable, UnknownMind
from ebbtide.core.memory import DAY, HOUR
from ebbtide.core.parameters import regime
from ebbtide.core.whatif import ASKED, CASCADE, COMPRESSED, PRUNED, REVIVED, UNFADED, UNMERGED, UNPRUNED
from ebbtide.mind import Mind
from ebbtide.serve.page import curve, knobs, life, parts, reasons, texts
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.shell import _within
from ebbtide.serve.page.texts import Language
from tests.builders import BIRTH
from tests.helpers import METABOLISMS, FakeClock, mind_in_ram


def page(language: Language = "en") -> Page:
    return Page(None, "ada", language)  # type: ignore[arg-type]


def names(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_every_text_is_there_in_both_languages_and_asks_for_the_same_facts() -> None:
    for name, (english, chinese) in texts.every().items():
        assert bool(english) == bool(chinese), name
        assert names(english) == names(chinese), name


def test_a_text_nobody_wrote_is_a_slip_of_ours() -> None:
    with pytest.raises(KeyError):
        page().t("no.such.text")


def test_a_memory_that_looks_like_a_template_is_told_as_it_is() -> None:
    assert page().t("memory.unknown", key="{now} {0}") == "There is no memory called “{now} {0}”."


@pytest.mark.parametrize(
    ("seconds", "english", "chinese"),
    [
        (1.0, "a moment", "片刻"),
        (60.0, "1 minute", "1 分钟"),
        (5400.0, "1.5 hours", "1.5 小时"),
        (12 * DAY, "12 days", "12 天"),
        (400 * DAY, "1.1 years", "1.1 年"),
    ],
)
def test_spans_are_told_in_the_largest_unit_that_fits(seconds: float, english: str, chinese: str) -> None:
    assert (parts.span(page("en"), seconds), parts.span(page("zh"), seconds)) == (english, chinese)


def test_moments_lie_behind_ahead_or_here() -> None:
    assert parts.ago(page(), BIRTH - 2 * DAY, BIRTH) == "2 days ago"
    assert parts.ago(page("zh"), BIRTH + 3 * HOUR, BIRTH) == "3 小时后"
    assert parts.ago(page(), BIRTH, BIRTH) == "just now"
    assert parts.ago(page(), None, BIRTH) == "never"


@pytest.mark.parametrize("typed", ["", "yesterday", "2026-13-01T00:00", "9" * 40])
def test_what_is_no_moment_is_none(typed: str) -> None:
    assert parts.moment_typed(typed) is None


def test_a_moment_typed_and_told_is_the_same() -> None:
    moment = parts.moment_typed("2026-03-01T08:30")
    assert moment is not None
    assert parts.moment(moment) == "2026-03-01 08:30"


def test_addresses_carry_any_key_and_leave_out_what_is_not_chosen() -> None:
    assert page().url("memory", key="a/b?c&d=#é") == "/minds/ada/memory?key=a%2Fb%3Fc%26d%3D%23%C3%A9"
    assert page().url("memories", state="", kind=None) == "/minds/ada/memories"
    assert page().url() == "/minds/ada"
    assert page().url(agent="") == "/"


@pytest.mark.parametrize("address", ["https://elsewhere.example", "//elsewhere.example", "/\\elsewhere", "", "/a\nb"])
def test_after_the_login_one_stays_on_this_host(address: str) -> None:
    assert _within(address) == "/"
    assert _within("/minds/ada?x=1") == "/minds/ada?x=1"


def test_folders_of_the_server_are_not_told(caplog: pytest.LogCaptureFixture) -> None:
    for error in (
        UnknownMind(agent="eve", data="/srv/secret"),
        StoreUnreadable(path="/srv/secret/eve", detail="no permission for /srv/secret"),
    ):
        assert "secret" not in page().refusal(error)
        assert "secret" not in page("zh").refusal(error)
    assert page().refusal(UnknownMind(agent="eve", data="/srv")) == "There is no mind called eve."
    assert "/srv/secret/eve" in caplog.text
    assert page().refusal(KeyTaken(key="ferry")) == str(KeyTaken(key="ferry"))


@pytest.mark.parametrize("cause", [ASKED, CASCADE, COMPRESSED, PRUNED, REVIVED, UNFADED, UNMERGED, UNPRUNED])
def test_every_cause_has_its_words(cause: str) -> None:
    assert texts.known(f"cause.{cause}")


@pytest.mark.parametrize("metabolism", METABOLISMS)
def test_rules_and_what_their_parameters_may_be_have_their_chinese(metabolism: str) -> None:
    assert page("zh").t(f"rule.{metabolism}") != metabolism
    for knob in knobs.knobs(metabolism, regime(metabolism, {})[0].params()):
        for value in ("true", "false") if knob.switch else knob.options:
            assert page("zh").t(f"value.{value}") != page("en").t(f"value.{value}") == value


def test_every_kind_of_journal_entry_has_its_name_in_both_languages() -> None:
    for kind in KINDS:
        assert page("zh").t(f"kind.{kind}") != page("en").t(f"kind.{kind}")


# ---- reasons


async def aged(metabolism: str, clock: FakeClock) -> Mind:
    mind = await mind_in_ram(metabolism, clock)
    await mind.put("The ferry leaves at 8:40.", key="ferry")
    await mind.put("Lamma is an island.", key="lamma")
    await mind.link("ferry", "lamma", "SUPPORTED_BY", 0.8)
    return mind


@pytest.mark.parametrize("metabolism", METABOLISMS)
@pytest.mark.parametrize("days", [0.0, 1.0, 3.0, 10.0, 40.0, 400.0])
async def test_every_reason_of_the_engine_has_its_chinese(metabolism: str, days: float) -> None:
    clock = FakeClock()
    mind = await aged(metabolism, clock)
    clock.forward(days * DAY)
    for key in ("ferry", "lamma"):
        why = (await mind.explain(key)).why
        told = reasons.told(page("zh"), why)
        assert reasons.told(page("en"), why) == why
        left = set(re.findall(r"[A-Za-z_]{2,}", told)) - {"SUPPORTED_BY", "EQUIV", "T_delete", "_active", "_delete"}
        assert not left, told


# ---- curves


@pytest.mark.parametrize("metabolism", METABOLISMS)
async def test_a_curve_is_a_chart_in_which_every_number_is_one(metabolism: str) -> None:
    clock = FakeClock()
    mind = await aged(metabolism, clock)
    clock.forward(2 * DAY)
    ahead = await mind.explain("ferry")
    chart = curve.options(page(), (), ahead, mind.params)
    points = chart["series"][-1]["data"]
    assert len(points) == len(ahead.curve)
    assert all(isinstance(value, int | float) for point in points for value in point)
    low, high = chart["yAxis"]["min"], chart["yAxis"]["max"]
    assert all(low <= value <= high for _, value in points)


async def test_the_horizon_lies_a_little_beyond_the_last_thing_to_come() -> None:
    mind = await aged("activity", FakeClock())
    explained = await mind.explain("ferry")
    last = max(coming.at for coming in explained.forecast if coming.at is not None)
    assert explained.at + curve.horizon(explained) * DAY > last
    assert 7.0 <= curve.horizon(explained) <= 365.0


async def test_the_horizon_of_what_expires_lies_a_little_beyond_that() -> None:
    mind = await aged("retention", FakeClock())
    # I = 0.5, S = 1 day: it expires after ln(0.5 / 0.05) = 2.303 days, and is deleted a month later.
    assert curve.horizon(await mind.explain("ferry")) == pytest.approx(1.25 * math.log(10.0))
    # What is protected never expires: five times its strength, by when e⁻⁵ of it is left.
    assert curve.horizon(await mind.explain("lamma")) == pytest.approx(5.0)
    # What has expired: as much again as its strength.
    later = await mind.explain("ferry", at=BIRTH + 9 * DAY)
    assert curve.horizon(later) == pytest.approx(1.0)


async def test_moments_of_a_curve_are_utc_and_names_of_events_stand_beside() -> None:
    mind = await aged("retention", FakeClock())
    chart = curve.options(page(), (), await life.closely(mind, "ferry", BIRTH, 4.0), mind.params)
    assert chart["useUTC"] is True
    pins = chart["series"][-1]["markPoint"]
    assert pins["label"] == {"show": False}
    assert [pin["name"] for pin in pins["data"]] == ["expires", "is pruned"]


async def test_time_in_the_trash_is_a_gap_in_the_chart() -> None:
    mind = await aged("activity", FakeClock())
    past = ((BIRTH - 2 * DAY, 3.0), (BIRTH - DAY, math.nan), (BIRTH, 2.0))
    chart = curve.options(page(), past, await mind.explain("ferry"), mind.params)
    assert [value for _, value in chart["series"][0]["data"]] == [3.0, None, 2.0]
    assert not math.isnan(chart["yAxis"]["max"])
