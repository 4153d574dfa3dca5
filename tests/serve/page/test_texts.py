"""The page's words of one thing and of several."""

import re

import ebbtide.serve.page.shell  # noqa: F401 — the views bring their own words
from ebbtide.serve.page import texts
from ebbtide.serve.page.texts import said


def test_one_scan_is_singular() -> None:
    assert [said("after_scans", "en", n=n) for n in (1, 2)] == ["after 1 scan", "after 2 scans"]
    assert said("overview.outlook_scans", "en", scans=1) == "if it is scanned once more"
    assert said("overview.outlook_days", "en", days="1") == "if nothing happens in the next day"
    assert said("memories_count", "en", n=1) == "memory"
    assert said("travel.memories", "en", n="1") == "1 memory"


NEVER_OF_ONE = (
    "growth.weeks",
    "growth.days",
    "growth.hours",
    "growth.minutes",
    "apply.done",
    "did.times",
    "travel.days",
    "travel.ahead_days",
)


def test_no_text_says_one_things() -> None:
    wrong = []
    for name, (english, _) in texts._TEXTS.items():
        both = english + texts._TEXTS.get(f"{name}_one", ("",))[0]
        facts = {fact: 1 if fact in ("n", "days", "scans") else "x" for fact in re.findall(r"{(\w+)}", both)}
        words = said(name, "en", **facts)
        if re.search(r"\b1 (?:more |other )?(?:(?!is\b)\w+s|are)\b", words) and not name.startswith("unit."):
            wrong.append(name)
    assert set(wrong) <= set(NEVER_OF_ONE)
