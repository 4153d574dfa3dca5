"""Drafts: what a caller may say about a memory, and that nobody writes signals (C3, C4)."""

import math
from dataclasses import fields
from typing import Any

import pytest

from ebbtide.core.draft import (
    MAX_KEY,
    MAX_KEYWORDS,
    MAX_LABEL,
    MAX_TEXT,
    Draft,
    require_key,
    require_strength,
    require_text,
)
from ebbtide.core.errors import InvalidInput, SignalRefused
from ebbtide.core.memory import Content, Meta, Policy
from ebbtide.core.metabolism import METABOLISMS
from ebbtide.core.signals import COMMON, OWN

INPUTS_OF_RETENTION = {"importance", "policy"}
SIGNALS = sorted(
    (COMMON.keys() | OWN.keys() | {f.name for f in fields(Meta)} | {"vitality", "meta", "links"}) - INPUTS_OF_RETENTION
)
SURROGATE = "\ud800"


def problem(given: dict[str, Any], metabolism: str = "activity") -> str:
    with pytest.raises(InvalidInput) as error:
        Draft.parse(given).check(metabolism)
    return str(error.value)


# ---- what is taken


def test_a_text_is_enough() -> None:
    assert Draft.parse({"text": "潮"}).check("activity").content("k") == Content("k", "潮")


def test_everything_that_may_be_said_is_kept() -> None:
    draft = Draft.parse(
        {
            "text": "The ebb follows the flood.", "key": "tide/1", "phrase": "ebb", "keywords": ["ebb", "潮"],
            "kind": "fact", "domain": "sea", "importance": 0.9, "policy": "persistent", "speaker": "Mei",
        }
    ).check("retention")  # fmt: skip
    assert draft == Draft(
        "The ebb follows the flood.", "tide/1", "ebb", ("ebb", "潮"), "fact", "sea", 0.9, "persistent", "Mei"
    )
    assert draft.content("tide/1") == Content(
        "tide/1", "The ebb follows the flood.", "ebb", ("ebb", "潮"), "fact", "sea", "Mei"
    )


# ---- C4: nobody writes signals


@pytest.mark.parametrize("signal", SIGNALS)
def test_every_signal_is_refused_by_its_name(signal: str) -> None:
    with pytest.raises(SignalRefused) as error:
        Draft.parse({"text": "x", signal: 1})
    assert error.value.facts["field"] == signal
    reasons = {"pinned": "`pin` protects a memory once it is there, and `unpin` ends it"}
    reason = reasons.get(signal, "signals, scores and states are the engine's own")
    assert str(error.value) == f"{signal!r} cannot be set: {reason}."


@pytest.mark.parametrize(("field", "value"), [("importance", 0.5), ("importance", 0), ("policy", "normal")])
@pytest.mark.parametrize("metabolism", sorted(METABOLISMS.keys() - {"retention"}))
def test_the_inputs_of_retention_are_refused_everywhere_else(metabolism: str, field: str, value: Any) -> None:
    with pytest.raises(SignalRefused) as error:
        Draft.parse({"text": "x", field: value}).check(metabolism)
    assert str(error.value) == (
        f"{field!r} cannot be set: it is an input of retention minds; this one is {metabolism}."
    )


def test_a_field_nobody_knows_is_a_typo_and_answered_with_those_there_are() -> None:
    assert problem({"text": "x", "keyword": ["a"]}) == (
        "'keyword' is not a field of a memory: there are text, key, phrase, keywords, kind, domain, speaker,"
        " importance, policy"
    )


# ---- the inputs of retention


@pytest.mark.parametrize("importance", [0, 0.0, 0.5, 1, 1.0])
def test_an_importance_from_nought_to_one_is_taken(importance: float) -> None:
    assert Draft("x", importance=importance).check("retention").importance == importance


@pytest.mark.parametrize("importance", [-0.001, 1.001, math.nan, math.inf, "0.5", True, [0.5]])
def test_any_other_importance_is_refused(importance: Any) -> None:
    assert problem({"text": "x", "importance": importance}, "retention") == (
        f"'importance' must be a number from 0 to 1, not {importance!r}"
    )


@pytest.mark.parametrize("policy", ["normal", "persistent", "ephemeral", Policy.NORMAL])
def test_the_three_policies_are_taken(policy: str) -> None:
    assert Draft("x", policy=policy).check("retention").policy == policy


@pytest.mark.parametrize("policy", ["", "Normal", "forever", 1, ["normal"]])
def test_any_other_policy_is_refused(policy: Any) -> None:
    assert problem({"text": "x", "policy": policy}, "retention") == (
        f"'policy' must be one of normal, persistent, ephemeral, not {policy!r}"
    )


# ---- texts and labels


def test_a_memory_needs_a_text() -> None:
    assert problem({}) == "a memory needs a 'text'"


@pytest.mark.parametrize(
    ("name", "value"),
    [("text", ""), ("text", " \n\t"), ("key", ""), ("key", "  "), ("kind", ""), ("keywords", [""])],
)
def test_what_must_say_something_may_not_be_blank(name: str, value: Any) -> None:
    assert problem({"text": "x", name: value}) == f"{name!r} is empty"


@pytest.mark.parametrize("name", ["text", "key", "phrase", "kind", "domain"])
@pytest.mark.parametrize(("value", "kind"), [(0, "int"), (7, "int"), (b"x", "bytes"), ([], "list"), (False, "bool")])
def test_what_is_not_text_is_refused_by_its_type(name: str, value: Any, kind: str) -> None:
    assert problem({"text": "x", name: value}) == f"{name!r} must be text, not {kind}"


@pytest.mark.parametrize("name", ["text", "phrase", "kind", "domain"])
def test_nothing_at_all_is_not_text_either(name: str) -> None:
    assert problem({"text": "x", name: None}) == f"{name!r} must be text, not NoneType"


@pytest.mark.parametrize(
    ("name", "longest"),
    [("text", MAX_TEXT), ("key", MAX_KEY), ("phrase", MAX_TEXT), ("kind", MAX_LABEL), ("domain", MAX_LABEL)],
)
def test_the_longest_is_taken_and_one_character_more_is_not(name: str, longest: int) -> None:
    taken = Draft.parse({"text": "x", name: "潮" * longest}).check("activity")
    assert getattr(taken, name) == "潮" * longest
    assert problem({"text": "x", name: "潮" * (longest + 1)}) == (
        f"{name!r} has {longest + 1:,} characters; at most {longest:,} are taken"
    )


@pytest.mark.parametrize("name", ["text", "key", "phrase", "kind", "domain"])
@pytest.mark.parametrize("bad", ["a\0b", f"a{SURROGATE}b", "\udfff\ud800"])
def test_a_nul_or_half_a_surrogate_pair_is_refused(name: str, bad: str) -> None:
    assert problem({"text": "x", name: bad}) == (f"{name!r} holds a NUL or half a surrogate pair: not valid text")


def test_a_character_beyond_the_basic_plane_is_one_character() -> None:
    assert require_text("text", "🌊" * 10, 10) == "🌊" * 10


# ---- keywords


@pytest.mark.parametrize("keywords", ["tide", 7, None, {"a": 1}])
def test_keywords_come_as_a_list(keywords: Any) -> None:
    assert problem({"text": "x", "keywords": keywords}) == (f"'keywords' must be a list of strings, not {keywords!r}")


def test_each_keyword_is_text() -> None:
    assert problem({"text": "x", "keywords": ["ebb", 7]}) == "'keywords' must be text, not int"
    assert problem({"text": "x", "keywords": ["ebb", SURROGATE]}) == (
        "'keywords' holds a NUL or half a surrogate pair: not valid text"
    )


def test_keywords_have_their_limits_in_length_and_number() -> None:
    taken = Draft.parse({"text": "x", "keywords": ["潮" * MAX_LABEL] * MAX_KEYWORDS}).check("activity")
    assert len(taken.keywords) == MAX_KEYWORDS
    assert problem({"text": "x", "keywords": ["a"] * 257}) == "257 keywords are too many: at most 256"
    assert problem({"text": "x", "keywords": ["a" * 257]}) == ("'keywords' has 257 characters; at most 256 are taken")


# ---- keys


@pytest.mark.parametrize("key", ["k", "tide/2025-01-01", "潮汐 表", "a" * 512])
def test_keys_are_what_people_can_type_and_see(key: str) -> None:
    assert require_key(key) == key


@pytest.mark.parametrize("key", [" k", "k ", "k\n", "a\tb", "a\x1b[31mb", "a\u2028b"])
def test_a_key_has_no_blanks_at_its_ends_and_no_control_characters(key: str) -> None:
    with pytest.raises(InvalidInput) as error:
        require_key(key)
    assert str(error.value) == f"{key!r} is not a key: no blanks at its ends, no control characters"


def test_a_refused_key_is_shown_in_one_short_line() -> None:
    with pytest.raises(InvalidInput) as error:
        require_key("line\n" * 100)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 160


# ---- strengths of links


@pytest.mark.parametrize("strength", [0, 0.0, 0.5, 1, 1.0])
def test_a_strength_from_nought_to_one_is_taken(strength: float) -> None:
    taken = require_strength(strength)
    assert (taken, type(taken)) == (strength, float)


@pytest.mark.parametrize("strength", [-0.001, 1.001, math.nan, math.inf, "1", None, True])
def test_any_other_strength_is_refused(strength: Any) -> None:
    with pytest.raises(InvalidInput) as error:
        require_strength(strength)
    assert str(error.value) == f"a link's strength is a number from 0 to 1, not {strength!r}"
