"""Laws every metabolism keeps, whatever the parameters, the memories and the clock.

Numbers may differ in their last bits where a value was settled in two steps instead of one; ROUNDING allows for
that and for nothing else.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ebbtide.core.memory import CODE_OF, DAY, POLICIES, Mark, State
from ebbtide.core.metabolism import Activity, Metabolism, Network, Retention, Score, Verdicts
from ebbtide.core.metabolism.retention import DELETE, PRUNE
from ebbtide.core.signals import COMMON, NEVER, OWN, Column, LinkColumns, Signals
from tests.builders import BIRTH, forecast, rows

ROUNDING = 1e-11
YEAR = 365.25 * DAY

law = settings(deadline=None, max_examples=100)

# ---- any memories, at any moment, under any parameters


def numbers(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False, width=64)


MOMENT = numbers(BIRTH - YEAR, BIRTH + 5 * YEAR)
COUNT = st.integers(0, 50)
MEMORY = st.fixed_dictionaries(
    {
        "created_at": MOMENT,
        "in_degree": st.integers(0, 3),
        "out_degree": COUNT,
        "access_count": COUNT,
        "traverse_count": COUNT,
        "last_accessed_at": MOMENT,
        "last_linked_at": st.just(NEVER) | MOMENT,
        "scan_count": st.integers(0, 100),
        "original_length": st.integers(0, 2000),
        "length": st.integers(0, 2000),
        "base": numbers(0.0, 100.0),
        "scored_at": MOMENT,
        "weight": numbers(0.0, 20.0),
        "importance": st.just(0.0) | numbers(0.0, 1.0),
        "strength": numbers(0.01, 365.0),
        "policy": st.integers(0, len(POLICIES) - 1),
    }
)
LINK = st.tuples(numbers(0.0, 1.0), st.integers(0, 100), st.booleans())


@st.composite
def memories(draw: st.DrawFn) -> Signals:
    each = draw(st.lists(MEMORY, min_size=1, max_size=4))
    columns: dict[str, Any] = {name: [memory[name] for memory in each] for name in each[0]}
    s = rows(len(each), **columns)
    focus = draw(st.lists(st.sampled_from(s.id.tolist()), max_size=1))
    return replace(s, links=draw(outgoing(s)), focus=tuple(focus))


@st.composite
def outgoing(draw: st.DrawFn, s: Signals) -> LinkColumns:
    """Up to four links for each row; none was set after the last scan of its source."""
    of_row = [draw(st.lists(LINK, max_size=4)) for _ in range(len(s))]
    flat = [(row, *each) for row, found in enumerate(of_row) for each in found]
    row = np.array([each[0] for each in flat], np.int64)
    return LinkColumns(
        row,
        np.array([each[1] for each in flat], np.float64),
        np.minimum(np.array([each[2] for each in flat], np.int64), s.scan_count[row]),
        np.array([each[3] for each in flat], np.bool_),
    )


COEFFICIENT = st.just(0.0) | numbers(0.01, 3.0)
HOURS = numbers(1.0, 1000.0)
ACTIVITIES: st.SearchStrategy[Metabolism] = st.builds(
    Activity, a=COEFFICIENT, b=COEFFICIENT, c=COEFFICIENT, d=COEFFICIENT, e=COEFFICIENT, f=COEFFICIENT,
    g=COEFFICIENT, t_access=HOURS, t_link=HOURS, t_age=HOURS,
    theta_active=numbers(0.0, 3.0), theta_delete=numbers(-3.0, -0.1), delete_idle=numbers(0.0, 60.0),
)  # fmt: skip
SCORES: st.SearchStrategy[Metabolism] = st.builds(
    Score, daily_factor=numbers(0.0, 1.0), structure_gain=numbers(0.0, 1.0), structure_scale=numbers(0.1, 10.0),
    usage_gain=numbers(0.0, 100.0), usage_spacing=HOURS, active_from=numbers(51.0, 100.0),
    cold_from=numbers(0.0, 50.0), decay=st.booleans(),
)  # fmt: skip
RETENTIONS: st.SearchStrategy[Metabolism] = st.builds(
    Retention, delete_below=numbers(0.001, 1.0), shortest_life=numbers(0.0, 48.0)
)
NETWORKS: st.SearchStrategy[Metabolism] = st.builds(
    Network, decay_rate=st.sampled_from([0.3, 0.9, 0.97, 0.999, 1.0]), delete_threshold=st.integers(0, 50),
    link_break_threshold=st.just(0.0) | numbers(0.0, 1.0), basis=st.sampled_from(["original", "current"]),
)  # fmt: skip
_CLOCKED = [
    pytest.param(st.just(Activity()) | ACTIVITIES, id="activity"),
    pytest.param(st.just(Score()) | SCORES, id="score"),
    pytest.param(st.just(Retention()) | RETENTIONS, id="retention"),
]
_SCANNED = pytest.param(st.just(Network()) | NETWORKS, id="network")
CLOCKED = pytest.mark.parametrize("metabolisms", _CLOCKED)
ALL = pytest.mark.parametrize("metabolisms", [*_CLOCKED, _SCANNED])
Metabolisms = st.SearchStrategy[Metabolism]


# ---- what happens to memories


def changed(s: Signals, **columns: Any) -> Signals:
    return replace(s, **columns)


def accessed(metabolism: Metabolism, s: Signals, at: float) -> Signals:
    own = metabolism.used(s, np.full(len(s), at))
    last = np.maximum(s.last_accessed_at, at)
    return changed(s, access_count=s.access_count + 1, last_accessed_at=last, **own)


def walked(s: Signals, at: float) -> Signals:
    return changed(s, traverse_count=s.traverse_count + 1, last_linked_at=np.maximum(s.last_linked_at, at))


def scanned(s: Signals, times: int) -> Signals:
    return changed(s, scan_count=s.scan_count + times)


def repeated(s: Signals, times: int) -> Signals:
    """The same memories, with the same links and the same ids, over and over."""
    columns = {name: np.tile(getattr(s, name), times) for name in COMMON | OWN}
    rows_moved = np.repeat(np.arange(times) * len(s), len(s.links.row))
    many = LinkColumns(
        np.tile(s.links.row, times) + rows_moved,
        np.tile(s.links.strength, times),
        np.tile(s.links.since, times),
        np.tile(s.links.pinned, times),
    )
    return changed(s, **columns, links=many)


def row_of(s: Signals, row: int) -> Signals:
    return s.take(np.array([row]))


# ---- use


@ALL
@law
@given(data=st.data(), s=memories(), at=MOMENT, wait=numbers(0.0, YEAR))
def test_use_never_lowers_vitality(
    metabolisms: Metabolisms, data: st.DataObject, s: Signals, at: float, wait: float
) -> None:
    metabolism = data.draw(metabolisms)
    for used in (accessed(metabolism, s, at), walked(s, at)):
        assert (metabolism.vitality(used, at) >= metabolism.vitality(s, at)).all()
        later = at + wait
        lost = metabolism.vitality(s, later) - metabolism.vitality(used, later)
        assert (lost <= ROUNDING).all()


@law
@given(score=st.just(Score()) | SCORES, s=memories(), at=MOMENT)
def test_use_keeps_a_score_within_its_bounds(score: Metabolism, s: Signals, at: float) -> None:
    used = accessed(score, s, at)
    assert ((used.base >= 0.0) & (used.base <= 100.0)).all()


@law
@given(retention=st.just(Retention()) | RETENTIONS, s=memories(), at=MOMENT)
def test_use_never_brings_expiry_nearer(retention: Metabolism, s: Signals, at: float) -> None:
    before = forecast(retention, s, at)["expired"]
    after = forecast(retention, accessed(retention, s, at), at)["expired"]
    assert all(new >= old for old, new in zip(before, after, strict=True))


# ---- time and scans


@CLOCKED
@law
@given(data=st.data(), s=memories(), now=MOMENT, wait=numbers(0.0, 3 * YEAR))
def test_without_use_vitality_never_rises_as_time_passes(
    metabolisms: Metabolisms, data: st.DataObject, s: Signals, now: float, wait: float
) -> None:
    metabolism = data.draw(metabolisms)
    gained = metabolism.vitality(s, now + wait) - metabolism.vitality(s, now)
    assert (gained <= ROUNDING).all()


@law
@given(network=st.just(Network()) | NETWORKS, s=memories(), scans=st.integers(0, 300), more=st.integers(0, 300))
def test_without_new_links_importance_never_rises_as_scans_pass(
    network: Metabolism, s: Signals, scans: int, more: int
) -> None:
    gained = network.vitality(scanned(s, scans + more), BIRTH) - network.vitality(scanned(s, scans), BIRTH)
    assert (gained <= ROUNDING).all()


@law
@given(network=st.just(Network()) | NETWORKS, s=memories(), now=MOMENT, then=MOMENT)
def test_time_does_nothing_to_a_network(network: Metabolism, s: Signals, now: float, then: float) -> None:
    assert_same(network.judge(s, now), network.judge(s, then))


@CLOCKED
@law
@given(data=st.data(), s=memories(), wait=numbers(0.0, YEAR))
def test_a_clock_that_stands_before_everything_counts_as_no_time_at_all(
    metabolisms: Metabolisms, data: st.DataObject, s: Signals, wait: float
) -> None:
    metabolism = data.draw(metabolisms)
    before_all = BIRTH - 2 * YEAR
    np.testing.assert_array_equal(metabolism.vitality(s, before_all - wait), metabolism.vitality(s, before_all))


@law
@given(score=st.just(Score()) | SCORES, s=memories(), at=MOMENT, wait=numbers(0.0, YEAR), heavier=numbers(0.0, 20.0))
def test_a_link_more_never_lowers_a_score_and_settling_it_changes_nothing(
    score: Metabolism, s: Signals, at: float, wait: float, heavier: float
) -> None:
    settled = changed(s, **score.relinked(s, at, s.weight))
    linked = changed(s, **score.relinked(s, at, s.weight + heavier))
    later = max(at, float(s.scored_at.max())) + wait
    np.testing.assert_allclose(score.vitality(settled, later), score.vitality(s, later), ROUNDING, ROUNDING)
    np.testing.assert_array_equal(score.vitality(linked, at), score.vitality(s, at))
    assert (score.vitality(linked, later) >= score.vitality(s, later) - ROUNDING).all()


# ---- the forecast

_ACTIVE = CODE_OF[State.ACTIVE]
REACHED: dict[str, Callable[[Verdicts], bool]] = {
    "cold": lambda v: bool(v.state[0] != _ACTIVE),
    "delete_candidate": lambda v: bool(v.marks[0] & Mark.DELETE),
    "deprecated": lambda v: bool(v.state[0] == CODE_OF[State.DEPRECATED]),
    "expired": lambda v: bool(v.state[0] == CODE_OF[State.EXPIRED]),
    "fading": lambda v: bool(v.state[0] != _ACTIVE),
    "vanishing": lambda v: bool(v.state[0] == CODE_OF[State.VANISHING]),
}


REAPED = {"pruned": PRUNE, "deleted": DELETE}


def pruned_when_due(s: Signals, due: list[float]) -> Signals:
    """Nothing of middling importance is deleted before it was pruned; a forecast assumes that the reaper is in time."""
    moments = np.array(due)
    return changed(s, pruned_at=np.where(np.isfinite(moments), moments, s.pruned_at))


@CLOCKED
@law
@given(data=st.data(), s=memories(), now=MOMENT)
def test_the_state_changes_exactly_at_the_forecast_moment(
    metabolisms: Metabolisms, data: st.DataObject, s: Signals, now: float
) -> None:
    metabolism = data.draw(metabolisms)
    foretold = forecast(metabolism, s, now)
    for event, moments in foretold.items():
        for row, moment in enumerate(moments):

            def reached(at: float, row: int = row, event: str = event) -> bool:
                if isinstance(metabolism, Retention) and event in REAPED:
                    seen = s if event == "pruned" else pruned_when_due(s, foretold["pruned"])
                    return bool(metabolism.reaping(row_of(seen, row), at)[0] >= REAPED[event])
                return REACHED[event](metabolism.judge(row_of(s, row), at))

            assert moment >= now
            if moment == np.inf:
                assert event == "pruned" or not reached(now + 999 * YEAR)
            elif moment == now:
                assert reached(now)
            else:
                assert reached(moment)
                assert not reached(float(np.nextafter(moment, -np.inf)))
                assert not reached(now)


@law
@given(network=st.just(Network()) | NETWORKS, s=memories())
def test_the_state_of_a_network_memory_changes_exactly_at_the_forecast_scan(network: Metabolism, s: Signals) -> None:
    for event, scans in forecast(network, s, BIRTH).items():
        for row, scan in enumerate(scans):

            def reached(after: float, row: int = row, event: str = event) -> bool:
                return REACHED[event](network.judge(row_of(scanned(s, int(after)), row), BIRTH))

            assert scan >= 0
            if scan == np.inf:
                assert not reached(2_000_000)
            else:
                assert reached(scan)
                assert scan == 0 or not reached(scan - 1)


@ALL
@settings(law, max_examples=40)
@given(data=st.data(), s=memories(), now=MOMENT)
def test_the_forecast_of_many_is_the_forecast_of_each(
    metabolisms: Metabolisms, data: st.DataObject, s: Signals, now: float
) -> None:
    metabolism = data.draw(metabolisms)
    of_each = [forecast(metabolism, row_of(s, row), now) for row in range(len(s))]
    assert forecast(metabolism, s, now) == {event: [each[event][0] for each in of_each] for event in of_each[0]}


# ---- columns and rows


def assert_same(one: Verdicts, other: Verdicts) -> None:
    np.testing.assert_array_equal(one.state, other.state)
    np.testing.assert_array_equal(one.marks, other.marks)
    np.testing.assert_array_equal(
        one.score if one.score is not None else [], other.score if other.score is not None else []
    )
    np.testing.assert_allclose(one.vitality, other.vitality, rtol=1e-14, atol=0.0)


@ALL
@law
@given(data=st.data(), s=memories(), now=MOMENT)
def test_judging_columns_is_judging_row_by_row(
    metabolisms: Metabolisms, data: st.DataObject, s: Signals, now: float
) -> None:
    metabolism = data.draw(metabolisms)
    whole = metabolism.judge(s, now)
    for row in range(len(s)):
        assert_same(metabolism.judge(row_of(s, row), now), _picked(whole, np.array([row])))


@ALL
@settings(law, max_examples=10)
@given(data=st.data(), s=memories(), now=MOMENT)
def test_a_hundred_thousand_memories_are_judged_as_one_is(
    metabolisms: Metabolisms, data: st.DataObject, s: Signals, now: float
) -> None:
    metabolism = data.draw(metabolisms)
    times = 100_000 // len(s)
    whole = metabolism.judge(repeated(s, times), now)
    assert_same(whole, _picked(metabolism.judge(s, now), np.tile(np.arange(len(s)), times)))


@ALL
@law
@given(data=st.data(), s=memories(), now=MOMENT)
def test_taking_rows_and_judging_them_is_judging_and_taking_rows(
    metabolisms: Metabolisms, data: st.DataObject, s: Signals, now: float
) -> None:
    metabolism = data.draw(metabolisms)
    chosen = np.array(data.draw(st.lists(st.integers(0, len(s) - 1), unique=True)), np.int64)
    assert_same(metabolism.judge(s.take(chosen), now), _picked(metabolism.judge(s, now), chosen))


@ALL
@law
@given(data=st.data(), s=memories(), now=MOMENT)
def test_the_terms_of_the_formula_add_up_to_vitality(
    metabolisms: Metabolisms, data: st.DataObject, s: Signals, now: float
) -> None:
    metabolism = data.draw(metabolisms)
    combine = np.prod if metabolism.name == "retention" else np.sum
    terms = np.array(list(metabolism.terms(s, now).values()))
    np.testing.assert_allclose(combine(terms, axis=0), metabolism.vitality(s, now), ROUNDING, ROUNDING)


@ALL
@law
@given(data=st.data(), s=memories(), now=MOMENT)
def test_only_states_of_the_metabolism_occur(
    metabolisms: Metabolisms, data: st.DataObject, s: Signals, now: float
) -> None:
    metabolism = data.draw(metabolisms)
    known = {CODE_OF[state] for state in metabolism.states}
    assert set(metabolism.judge(s, now).state.tolist()) <= known


def _picked(v: Verdicts, chosen: Column) -> Verdicts:
    score = None if v.score is None else v.score[chosen]
    return Verdicts(v.vitality[chosen], v.state[chosen], v.marks[chosen], score)
