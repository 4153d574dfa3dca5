"""Relations of order (C14): their names, and that outside network minds they count in no degree and no boost."""

from typing import Any

import pytest

from ebbtide.core.changes import Change, Forget, Merge, PutLink, Restore, Traverse, Unlink
from ebbtide.core.memory import DAY, Content
from ebbtide.core.relations import CHINESE_ORDER, ENGLISH_ORDER, is_order, order_in, spellings
from ebbtide.core.replay import fold
from ebbtide.core.snapshot import dump, load
from ebbtide.core.state import MindState
from tests.builders import BIRTH
from tests.helpers import born, configured

TIMED = ("activity", "score", "retention")


def lived(metabolism: str, *changes: Change) -> MindState:
    """Three memories, and what happened to them."""
    state = MindState()
    told = (configured(metabolism), born(1), born(2), born(3), *changes)
    for seq, change in enumerate(told, 1):
        fold(state, change, seq)
    return state


def linked(source: int, target: int, relation: str, at: float = BIRTH + 60.0) -> PutLink:
    return PutLink(at, source, target, relation, 0.5)


ORDERED = (linked(1, 2, "after"), linked(2, 1, "before"), linked(2, 3, "下文"), linked(3, 2, "上文"))


def rows(state: MindState) -> list[dict[str, Any]]:
    return [state.table.values(state.table.row(memory)) for memory in sorted(state.keys.values())]


def vitality(state: MindState, days: float) -> list[float]:
    found: list[float] = state.regime.metabolism.vitality(state.signals(), BIRTH + days * DAY).tolist()
    return found


def test_order_is_named_in_the_language_of_the_text() -> None:
    assert order_in("Lin took the ferry") == ENGLISH_ORDER == ("after", "before")
    assert order_in("小林坐渡轮去南丫岛") == CHINESE_ORDER == ("下文", "上文")
    assert order_in("") == ENGLISH_ORDER
    assert all(map(is_order, ("after", "before", "下文", "上文")))
    assert not any(map(is_order, ("about", "AFTER", "SUPPORTED_BY", "")))


def test_both_spellings_mean_the_same() -> None:
    assert spellings(["after"]) == spellings(["下文"]) == ["下文", "after"]
    assert spellings(["about", "before", "上文"]) == ["about", "上文", "before"]
    assert spellings([]) == []


@pytest.mark.parametrize("metabolism", TIMED)
def test_a_memory_with_order_links_alone_is_exactly_as_alive_as_one_without_links(metabolism: str) -> None:
    alone, ordered = lived(metabolism), lived(metabolism, *ORDERED)
    assert len(ordered.links) == 4
    assert rows(ordered) == rows(alone)  # no degree, no weight, no protection, no moment of linking, no new version
    for days in (0.0, 0.5, 7.0, 90.0):
        assert vitality(ordered, days) == vitality(alone, days)


def test_the_score_of_a_memory_with_order_links_after_ten_days() -> None:
    # No structure boost: 50 · 0.95^10 = 50 · 0.598737 = 29.936847. One other link of 0.5 slows it:
    # d = 0.95 + 0.04 · (1 − e^(−0.5/3)) = 0.95 + 0.04 · 0.153518 = 0.9561407, and 50 · d^10 = 31.929.
    assert vitality(lived("score", *ORDERED), 10.0)[0] == pytest.approx(29.936847, abs=1e-6)
    assert vitality(lived("score", linked(1, 2, "about", BIRTH)), 10.0)[0] == pytest.approx(31.929, abs=1e-3)


def test_an_activity_memory_with_order_links_has_no_link_terms() -> None:
    state = lived("activity", *ORDERED)
    terms = state.regime.metabolism.terms(state.signals_of([2]), BIRTH + 60.0)
    assert {name: float(column[0]) for name, column in terms.items() if "degree" in name or "unlinked" in name} == {
        "A·ln(1+in_degree)": 0.0,
        "B·ln(1+out_degree)": 0.0,
        "F·exp(−unlinked/T_link)": 0.0,
    }


def test_a_walk_over_an_order_link_counts_as_a_walk() -> None:
    state = lived("activity", *ORDERED, Traverse(BIRTH + 120.0, (2,)))
    walked = rows(state)[1]
    assert (walked["traverse_count"], walked["last_linked_at"]) == (1, BIRTH + 120.0)
    assert (walked["in_degree"], walked["out_degree"]) == (0, 0)


def test_in_a_network_mind_order_links_are_links() -> None:
    state = lived("network", *ORDERED)
    assert [(row["in_degree"], row["out_degree"]) for row in rows(state)] == [(1, 1), (2, 2), (1, 1)]
    assert vitality(state, 0.0) == [0.5, 1.0, 0.5]


@pytest.mark.parametrize("metabolism", TIMED)
def test_unlinking_the_order_is_no_event_either(metabolism: str) -> None:
    gone = Unlink(BIRTH + DAY, 1, 2, "after")
    assert rows(lived(metabolism, *ORDERED, gone)) == rows(lived(metabolism))


@pytest.mark.parametrize("metabolism", TIMED)
def test_forgetting_and_restoring_brings_the_order_back_and_touches_no_neighbour(metabolism: str) -> None:
    ordered = lived(metabolism, *ORDERED)
    gone = lived(metabolism, *ORDERED, Forget(BIRTH + DAY, 2, "k2"))
    assert [link[:3] for link in gone.trash[2].removed] == [(2, 1, "before"), (2, 3, "下文")]
    assert gone.trash[2].echoes == ()  # nothing about a neighbour changed
    assert rows(gone) == [row for row in rows(ordered) if row["id"] != 2]
    assert gone.count_traces() == 2
    back = lived(metabolism, *ORDERED, Forget(BIRTH + DAY, 2, "k2"), Restore(BIRTH + 2 * DAY, 2, "k2"))
    assert sorted(back.links.rows()) == sorted(ordered.links.rows())
    restored = [{**row, "version": 0} for row in rows(back)]
    assert restored == [{**row, "version": 0} for row in rows(ordered)]


@pytest.mark.parametrize("metabolism", TIMED)
def test_other_links_of_the_same_memory_count_as_ever(metabolism: str) -> None:
    about = linked(1, 3, "about")
    mixed, plain = lived(metabolism, *ORDERED, about), lived(metabolism, about)
    assert [{**row, "version": 0} for row in rows(mixed)] == [{**row, "version": 0} for row in rows(plain)]


@pytest.mark.parametrize("metabolism", TIMED)
def test_merging_passes_the_order_on_without_counting_it(metabolism: str) -> None:
    said = Content("k1", "both")
    merged = lived(
        metabolism,
        *ORDERED,
        Merge(BIRTH + DAY, into=1, id=2, key="k2", content=said, before=Content("k1", "the text of k1")),
    )
    assert [link[:3] for link in sorted(merged.links.rows())] == [(1, 3, "下文"), (3, 1, "上文")]
    assert [(row["in_degree"], row["out_degree"]) for row in rows(merged)] == [(0, 0), (0, 0)]


def test_degrees_of_a_base_are_counted_anew() -> None:
    state = lived("network", *ORDERED, linked(1, 3, "about"))
    contents = {memory: Content(key, "") for key, memory in state.keys.items()}
    found = dump(state, contents, {})
    under_score = load(found.__class__(**{**_fields(found), "metabolism": "activity", "params": {}}))
    assert [(row["in_degree"], row["out_degree"]) for row in rows(under_score)] == [(0, 1), (0, 0), (1, 0)]
    assert [(row["in_degree"], row["out_degree"]) for row in rows(load(found))] == [(1, 2), (2, 2), (2, 1)]


def _fields(found: Any) -> dict[str, Any]:
    return {name: getattr(found, name) for name in found.__dataclass_fields__}


def test_links_are_found_by_either_spelling() -> None:
    state = lived("activity", *ORDERED)
    for name in ("after", "下文"):
        assert [link.relation for link in state.links_of(1, outgoing=True, relations=[name])] == ["after"]
        assert [link.relation for link in state.links_of(2, outgoing=True, relations=[name])] == ["下文"]
        assert state.walk(state.living(), [name]).target.tolist() == [3, 2]
