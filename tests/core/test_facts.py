"""What can be wrong with a fact that a small model claims to have found in a segment (C14)."""

import pytest

from ebbtide.core.answers import MAX_FACT, MAX_FACTS, fact_fault, facts_fault, usable_facts

EN = "Lin moves to Lamma on 3 May with her brother Tom. She pays 9,200 dollars. The ferry does not run at night."
ZH = "小林五月三日和弟弟大卫搬到南丫岛，房租9200元。夜里没有渡轮。"


@pytest.mark.parametrize(
    ("segment", "fact"),
    [
        (EN, "Lin moves to Lamma on 3 May."),
        (EN, "Tom is Lin's brother."),
        (EN, "Lin pays 9,200 dollars."),
        (EN, "The ferry to Lamma does not run at night."),
        (ZH, "小林五月三日搬到南丫岛。"),
        (ZH, "大卫是小林的弟弟。"),
        (ZH, "小林的房租是9200元。"),
    ],
)
def test_what_the_segment_bears_out_is_taken(segment: str, fact: str) -> None:
    assert fact_fault(segment, fact) is None


@pytest.mark.parametrize(
    ("segment", "fact", "fault"),
    [
        (EN, "", "it is empty"),
        (EN, " … ", "it is empty"),
        (EN, "Lin moves to Lamma on 4 May.", "it gives the number '4', which the text does not"),
        (EN, "Lin pays 9,300 dollars.", "it gives the number '9,300', which the text does not"),
        (EN, "Lin moves to Cheung with Tom.", "it names 'Cheung', which the text does not"),
        (EN, "小林搬到南丫岛。", "it is written in Chinese, unlike the text"),
        (EN, "When does Lin move to Lamma?", "it is a question"),
        (EN, "Lin moves to Lamma.\nTom too.", "it is more than one line"),
        (EN, "Lin moves. " * 20, f"it has 220 characters, more than {MAX_FACT}"),
        (EN, "Sorry, helping with that request would be unsafe today.", "it speaks of something else"),
        (ZH, "小林的房租是9300元。", "it gives the number '9300', which the text does not"),
        (ZH, "Lin lives on the island with her brother.", "it is written in Latin letters, unlike the text"),
        (ZH, "小林搬到哪里？", "it is a question"),
    ],
)
def test_what_it_does_not_bear_out_is_refused(segment: str, fact: str, fault: str) -> None:
    assert fact_fault(segment, fact) == fault


def test_faulty_facts_are_left_out_and_each_of_the_others_is_kept_once() -> None:
    said = [" Lin pays 9,200 dollars. ", "Bo pays.", "lin pays 9,200 dollars", "Tom is Lin's brother."]
    assert usable_facts(EN, said) == ["Lin pays 9,200 dollars.", "Tom is Lin's brother."]
    assert facts_fault(EN, said) is None
    many = [f"Lin moves to Lamma with {' '.join(['Tom'] * n)}." for n in range(1, 12)]
    assert usable_facts(EN, many) == many[:MAX_FACTS]


def test_no_facts_are_an_answer_but_only_faulty_ones_are_not() -> None:
    assert facts_fault("Hello there!", []) is None
    assert facts_fault(EN, ["Lin pays 7 dollars."]) == (
        "none of the facts is usable: 'Lin pays 7 dollars.': it gives the number '7', which the text does not"
    )
