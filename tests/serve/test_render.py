"""What people and programs get to see, whatever somebody wrote into a memory."""

import json
from dataclasses import dataclass
from io import StringIO

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.console import Console

from ebbtide.core.memory import Mark, State
from ebbtide.serve.cli import render


@dataclass(frozen=True)
class Seen:
    at: float
    created_at: float
    gone_at: float | None
    state: State
    marks: Mark
    counts: dict[State, int]
    vitality: float


@given(st.text("\\[]/=#@ ab") | st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"])))
@example("[bold]not ours[/bold]")
@example("[/] [link=https://example.org]here[/link]")
@example("ends in a backslash \\")
@example("in three \\\\\\")
@example("\\[bold] \\\\[bold] \\\\\\[bold]")
@example("[red")
@example("小林对花生过敏　聚餐时不要点")
def test_what_people_wrote_is_shown_as_they_wrote_it_inside_our_own_markup(text: str) -> None:
    shown = render.drawn(f"[bold]{render.safe(text)}[/] [dim]{render.safe(text)}")
    assert shown.plain == f"{text} {text}"
    assert [str(span.style) for span in shown.spans] == ["bold", "dim"]


@pytest.mark.parametrize("char", "\x1b\x07\x08\r\0\x7f\x9b\x85\u2028\u202e\ud800\ufeff\ue000")
def test_what_a_terminal_would_obey_becomes_a_replacement_mark(char: str) -> None:
    assert render.safe(f"a{char}b") == "a�b"


@pytest.mark.parametrize(
    "text", ["two\nlines", "a\ttab", "　", "a\u00a0b", "👩\u200d👧", "می\u200cخواهم", "café 渡轮 🚢"]
)
def test_blanks_joiners_and_every_script_are_left_alone(text: str) -> None:
    assert render.safe(text) == text


def test_line_ends_of_another_system_are_line_ends() -> None:
    assert render.safe("one\r\ntwo") == "one\ntwo"


def test_a_preview_is_one_line_of_at_most_so_many_characters() -> None:
    assert render.preview("one\n two\t three", 60) == "one two three"
    assert render.preview("渡" * 61) == "渡" * 59 + "…"
    assert render.preview("x" * 60) == "x" * 60


def test_no_escape_sequence_reaches_a_terminal_that_understands_them() -> None:
    out = StringIO()
    text = render.drawn(render.safe("\x1b[31mred\x1b]8;;x\x07"))
    Console(file=out, force_terminal=True, color_system=None).print(text)
    assert out.getvalue() == "�[31mred�]8;;x�\n"


def test_emoji_codes_are_left_as_they_were_typed(capsys: pytest.CaptureFixture[str]) -> None:
    render.say(render.safe(":warning: [:smile:]"))
    render.table(("text",), [(render.safe(":ship:"),)])
    out = capsys.readouterr().out
    assert ":warning: [:smile:]" in out
    assert ":ship:" in out


def test_values_become_json_with_moments_in_iso_and_marks_by_name() -> None:
    seen = Seen(0.0, 86400.5, None, State.COLD, Mark.DELETE | Mark.MERGE, {State.COLD: 2}, 0.5)
    assert render.plain([seen]) == [
        {
            "at": "1970-01-01T00:00:00Z",
            "created_at": "1970-01-02T00:00:00Z",
            "gone_at": None,
            "state": "cold",
            "marks": ["delete_candidate", "merge_candidate"],
            "counts": {"cold": 2},
            "vitality": 0.5,
        }
    ]


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan")])
def test_a_number_that_json_does_not_have_is_null(number: float) -> None:
    assert render.plain({"value": number, "at": number}) == {"value": None, "at": None}


def test_json_is_readable_where_standard_output_can_say_it(capsys: pytest.CaptureFixture[str]) -> None:
    render.as_json({"text": "渡轮"})
    assert '"渡轮"' in capsys.readouterr().out


def test_json_is_escaped_where_standard_output_cannot(capsys: pytest.CaptureFixture[str]) -> None:
    render.as_json({"file": "\udcff"})
    out = capsys.readouterr().out
    assert "\\udcff" in out
    assert json.loads(out) == {"file": "\udcff"}


def test_a_sparkline_runs_from_the_lowest_bar_to_the_highest() -> None:
    # eighths of the range from 0 to 8: 0 → 1st bar, 4 → 5th, 7.9 and 8 → the last
    assert render.sparkline([0.0, 4.0, 7.9, 8.0]) == "▁▅██"
    assert render.sparkline([3.0, -5.0]) == "█▁"


def test_a_flat_curve_stays_flat() -> None:
    assert render.sparkline([2.0, 2.0, 2.0]) == "▄▄▄"
    assert render.sparkline([0.0]) == "▄"
