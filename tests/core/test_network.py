"""Network: golden numbers of N5 and N6, in scans, not seconds."""

import math

import numpy as np
import pytest

from ebbtide.core.memory import DAY, State
from ebbtide.core.metabolism import Network
from ebbtide.core.parameters import regime
from ebbtide.core.signals import Signals
from tests.builders import BIRTH, COMMON_DEFAULTS, forecast, links, one, rows, states

NETWORK = Network()
HALVING = Network(decay_rate=0.5, link_break_threshold=0.125)  # powers of two: exact in a float


def importance(s: Signals, network: Network = NETWORK) -> list[float]:
    return [float(value) for value in network.vitality(s, BIRTH)]


def state(s: Signals, network: Network = NETWORK) -> State:
    return states(network.judge(s, BIRTH))[0]


def target(length: int, strength: float, scans: int) -> int:
    s = one(original_length=length, scan_count=scans, links=links(strength))
    return int(NETWORK.target_length(s, NETWORK.vitality(s, BIRTH))[0])


def scans_until(event: str, s: Signals, network: Network = NETWORK) -> list[float]:
    return forecast(network, s, BIRTH)[event]


def test_the_defaults_are_those_of_the_specification() -> None:
    assert regime("network", {})[0].params() == {
        "focus_limit": 5, "decay_rate": 0.97, "link_initial_strength": 0.5, "delete_threshold": 5,
        "link_break_threshold": 0.01, "time_slice": 30_000, "default_search_depth": 2, "cue": "when_empty",
        "scan_budget": 0, "node_pool": 0, "basis": "original", "traces": "keep",
        "rank_bonus": 0.1, "tick_every": 6.0,
    } | COMMON_DEFAULTS  # fmt: skip


# ---- N5: importance


def test_importance_is_the_sum_of_a_memorys_own_links() -> None:
    s = rows(3, links=links(0.5, 0.25, 0.125, row=[0, 0, 2]))
    assert importance(s) == [0.75, 0.0, 0.125]  # row 0: 0.5 + 0.25; row 1 has none


def test_importance_has_no_upper_bound() -> None:
    assert importance(one(links=links(1.0, 1.0, 1.0))) == [3.0]


def test_time_is_no_input() -> None:
    s = one(links=links(0.5))
    then, much_later = (NETWORK.judge(s, BIRTH + days * DAY) for days in (-100, 36_500))
    assert (then.vitality[0], states(then)) == (0.5, [State.FADING])
    assert (much_later.vitality[0], states(much_later)) == (0.5, [State.FADING])


# ---- N6: what a scan does to links


def test_every_scan_of_its_source_takes_three_hundredths_of_a_link() -> None:
    # 0.5 · 0.97 = 0.485;  0.5 · 0.97² = 0.5 · 0.9409 = 0.47045
    # 0.5 · 0.97¹⁰ = 0.5 · 0.7374241269 = 0.3687120634
    for scans, strength in ((0, 0.5), (1, 0.485), (2, 0.47045), (10, 0.3687120634)):
        assert importance(one(scan_count=scans, links=links(0.5))) == pytest.approx([strength], abs=1e-9)


def test_only_scans_since_the_link_was_set_count() -> None:
    s = one(scan_count=12, links=links(0.5, 1.0, since=[10, 12]))
    # 0.5 · 0.97² = 0.47045, and 1.0 not scanned since
    assert NETWORK.strengths(s).tolist() == pytest.approx([0.47045, 1.0], abs=1e-12)


def test_a_pinned_link_stands_at_one_and_does_not_decay() -> None:
    s = one(scan_count=1000, links=links(0.5, 0.001, 0.0, pinned=True))
    assert NETWORK.strengths(s).tolist() == [1.0, 1.0, 1.0]
    assert importance(s) == [3.0]


def test_a_link_of_exactly_the_break_threshold_holds_and_one_under_it_is_gone() -> None:
    # 1.0 · 0.5³ = 0.125 is not under 0.125; 0.5⁴ is
    assert importance(one(scan_count=3, links=links(1.0)), HALVING) == [0.125]
    assert importance(one(scan_count=4, links=links(1.0)), HALVING) == [0.0]


def test_a_link_breaks_at_its_hundred_and_twenty_ninth_scan() -> None:
    # ln(0.01/0.5) / ln 0.97 = −3.9120230054 / −0.0304592075 = 128.435
    # 0.5 · 0.97¹²⁸ = 0.0101333254;  0.5 · 0.97¹²⁹ = 0.0098293257
    assert importance(one(scan_count=128, links=links(0.5))) == pytest.approx([0.0101333254], abs=1e-9)
    assert importance(one(scan_count=129, links=links(0.5))) == [0.0]


def test_the_terms_are_what_focus_holds_and_what_fades() -> None:
    s = one(scan_count=1, links=links(0.5, 0.2, 0.7, pinned=[True, False, False]))
    terms = NETWORK.terms(s, BIRTH)
    # pinned 1.0; (0.2 + 0.7) · 0.97 = 0.873
    assert {name: float(column[0]) for name, column in terms.items()} == pytest.approx(
        {"Σ pinned links": 1.0, "Σ fading links": 0.873}, abs=1e-12
    )


# ---- N6: what importance does to the text


def test_a_text_shrinks_with_its_importance() -> None:
    # 100 · 0.5 · 0.97ᵏ = 50, 48.5, 47.045, 45.63365, 44.26464, 42.93670, 41.64860, 40.39914; then whole
    assert [target(100, 0.5, scans) for scans in range(8)] == [50, 48, 47, 45, 44, 42, 41, 40]


def test_a_text_is_never_to_grow_beyond_its_length() -> None:
    s = one(original_length=100, links=links(1.0, 1.0))
    assert NETWORK.target_length(s, NETWORK.vitality(s, BIRTH)).tolist() == [100]


def test_the_basis_is_the_original_length_unless_the_current_one_is_asked_for() -> None:
    s = one(original_length=100, length=40, links=links(0.5))
    half = np.array([0.5])
    assert NETWORK.target_length(s, half).tolist() == [50]
    assert Network(basis="current").target_length(s, half).tolist() == [20]


def test_an_importance_of_exactly_one_protects() -> None:
    assert state(one(links=links(0.5, 0.5))) is State.ACTIVE
    assert state(one(links=links(float(np.nextafter(1.0, 0.0))))) is State.FADING


def test_protection_does_not_ask_for_a_length() -> None:
    assert state(one(original_length=3, length=3, links=links(1.0))) is State.ACTIVE


def test_a_target_of_exactly_the_delete_threshold_is_kept() -> None:
    # 10 · 0.5 = 5 is not under 5; 9 · 0.5 = 4.5 is
    assert state(one(original_length=10, links=links(0.5))) is State.FADING
    assert state(one(original_length=9, links=links(0.5))) is State.VANISHING


def test_a_memory_without_links_is_forgotten_by_the_next_scan() -> None:
    assert state(one()) is State.VANISHING


def test_a_memory_without_importance_vanishes_even_if_no_text_is_too_short() -> None:
    patient = Network(delete_threshold=0)
    assert state(one(), patient) is State.VANISHING
    assert state(one(links=links(0.01)), patient) is State.FADING  # 100 · 0.01 = 1 character


def test_a_memory_in_focus_is_neither_scanned_nor_shortened() -> None:
    s = rows(2, focus=(2,))
    assert states(NETWORK.judge(s, BIRTH)) == [State.VANISHING, State.ACTIVE]
    assert NETWORK.judge(s, BIRTH).vitality.tolist() == [0.0, 0.0]


# ---- the forecast, in scans


def test_the_forecast_counts_scans() -> None:
    s = one(original_length=100, links=links(1.0, 1.0))
    # 2 · 0.97ᵏ < 1: ln 0.5 / ln 0.97 = 0.6931471806 / 0.0304592075 = 22.757, so k = 23
    assert scans_until("fading", s) == [23]
    # 100 · 2 · 0.97ᵏ < 5: ln 0.025 / ln 0.97 = 3.6888794541 / 0.0304592075 = 121.109, so k = 122
    assert scans_until("vanishing", s) == [122]


def test_a_hundred_characters_on_one_link_vanish_at_the_seventy_sixth_scan() -> None:
    # 100 · 0.5 · 0.97⁷⁵ = 5.0915507 is 5 characters; 100 · 0.5 · 0.97⁷⁶ = 4.9388042 is 4
    assert (target(100, 0.5, 75), target(100, 0.5, 76)) == (5, 4)
    assert scans_until("vanishing", one(original_length=100, links=links(0.5))) == [76]


def test_a_long_text_vanishes_when_its_link_breaks() -> None:
    # 10,000 · 0.5 · 0.97¹²⁸ = 101 characters are left when the 129th scan breaks the link
    assert target(10_000, 0.5, 128) == 101
    assert scans_until("vanishing", one(original_length=10_000, links=links(0.5))) == [129]


def test_the_strongest_link_is_the_last_to_break() -> None:
    # ln 0.01 / ln 0.97 = 4.6051701860 / 0.0304592075 = 151.19, so 152
    assert scans_until("vanishing", one(original_length=10_000, links=links(1.0))) == [152]
    # 0.5³ is exactly the break threshold and holds; 0.5⁴ is under it
    assert scans_until("vanishing", one(original_length=10_000, links=links(1.0)), HALVING) == [4]


def test_scans_already_made_are_not_counted_again() -> None:
    # 76 scans in all: 70 are past for a link of the first scan, none for one set just now
    assert scans_until("vanishing", one(scan_count=70, links=links(0.5))) == [6]
    assert scans_until("vanishing", one(scan_count=70, links=links(0.5, since=70))) == [76]


def test_what_has_come_already_is_zero_scans_away_and_what_focus_holds_is_never_reached() -> None:
    s = rows(3, focus=(3,), links=links(1.0, row=1, pinned=True))
    # no links at all; one link held at 1.0 by focus; itself in focus
    assert scans_until("fading", s) == [0, math.inf, math.inf]
    assert scans_until("vanishing", s) == [0, math.inf, math.inf]


def test_without_decay_nothing_is_ever_reached_that_is_not_so_now() -> None:
    still = Network(decay_rate=1.0)
    s = rows(2, links=links(0.5))
    assert scans_until("fading", s, still) == [0, 0]
    assert scans_until("vanishing", s, still) == [math.inf, 0]


def test_links_that_never_break_still_fade_away() -> None:
    # 100 · 0.5 · 0.999999ᵏ < 5: ln 0.1 / ln 0.999999 = 2.302585093 / 0.0000010000005 = 2302583.94
    patient = Network(decay_rate=0.999999, link_break_threshold=0.0)
    assert scans_until("vanishing", one(original_length=100, links=links(0.5)), patient) == [2_302_584]


# ---- why


@pytest.mark.parametrize(
    ("s", "reason"),
    [
        (one(focus=(1,)), "in focus: neither scanned nor shortened"),
        (one(links=links(0.5, 0.5)), "importance 1.000 ≥ 1: the text is protected"),
        (one(links=links(0.5)), "importance 0.500 < 1 leaves 50 of 100 characters"),
        (one(links=links(0.04)), "importance 0.040 leaves 4 characters: the next scan forgets it"),
        (one(), "importance 0.000 leaves 0 characters: the next scan forgets it"),
    ],
)
def test_why_names_the_importance_and_what_it_leaves(s: Signals, reason: str) -> None:
    assert NETWORK.why(s, BIRTH) == reason


def test_why_measures_by_the_basis() -> None:
    s = one(original_length=100, length=40, links=links(0.5))
    assert Network(basis="current").why(s, BIRTH) == "importance 0.500 < 1 leaves 20 of 40 characters"
