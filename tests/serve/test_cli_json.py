"""Every command answers programs too: valid JSON, moments in ISO 8601, errors still on standard error."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import METABOLISMS
from tests.serve.shell import PANELS, Shell, is_moment

ASKED: dict[str, tuple[str, ...]] = {
    "put": ("put", "渡轮八点四十分开。"),
    "get": ("get", "ferry"),
    "link": ("link", "lamma", "ferry", "属于"),
    "unlink": ("unlink", "ferry", "lamma", "leads to"),
    "follow": ("follow", "ferry"),
    "list": ("list",),
    "explain": ("explain", "ferry"),
    "search": ("search", "渡轮", "--explain"),
    "touch": ("touch", "ferry"),
    "pin": ("pin", "ferry", "lamma"),
    "unpin": ("unpin", "ferry"),
    "reembed": ("reembed",),
    "forecast": ("forecast",),
    "timeline": ("timeline",),
    "suggestions": ("suggestions",),
    "reap runs": ("reap", "runs"),
    "squeeze": ("squeeze",),
    "squeeze runs": ("squeeze", "runs"),
    "schedule": ("schedule",),
    "schedule trigger": ("schedule", "trigger"),
    "forget": ("forget", "ferry", "lamma"),
    "restore": ("restore", "gone"),
    "merge": ("merge", "ferry", "lamma"),
    "trash": ("trash",),
    "tick": ("tick",),
    "journal": ("journal",),
    "replay": ("replay", "--metabolism", "network"),
    "tune": ("tune", "--budget", "50%", "--metabolism", "tide"),
    "tune --apply": ("tune", "--apply", "2"),
    "check": ("check",),
    "compact": ("compact", "--older-than", "0s"),
    "init": ("init", "--agent", "ada"),
    "credit": ("credit", "It leaves at 8:40.", "--key", "ferry"),
    "minds": ("minds",),
    "config": ("config", "trash_days=60"),
    "stats": ("stats",),
    "version": ("version",),
}
ELSEWHERE = {"adopt", "demo", "mcp", "serve"}  # asked for JSON in test_cli_minds, or never done
NETWORK: dict[str, tuple[str, ...]] = {  # asked of network minds alone, where one task waits and one was set aside
    "remember": ("remember", "{lin}"),
    "recall": ("recall", "Lamma"),
    "focus": ("focus",),
    "traces": ("traces",),
    "compress": ("compress", "--cycles", "2"),
    "watch": ("watch", "--cycles", "2"),
    "queue": ("queue",),
    "queue list": ("queue", "list"),
    "queue retry": ("queue", "retry", "{failed}"),
    "queue drop": ("queue", "drop", "{failed}"),
}


def test_no_command_is_left_out() -> None:
    asked = {name for name in [*ASKED, *NETWORK] if " " not in name}
    assert asked | ELSEWHERE == PANELS.keys() | {"queue", "suggestions", "schedule", "squeeze"}
    assert [name for name, panel in PANELS.items() if panel == "Network minds"] == list(NETWORK)[1:6]


@pytest.mark.parametrize("metabolism", METABOLISMS)
def test_every_command_answers_in_json_in_every_kind_of_mind(
    ebbtide: Shell, metabolism: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EBBTIDE_EMBEDDER", "none")
    _make_mind(ebbtide, metabolism)
    for name, words in ASKED.items():
        copy = Shell(ebbtide.data.with_name(name), ebbtide.capsys)
        shutil.copytree(ebbtide.data, copy.data)
        assert [value for value in _moments(copy.json(*words)) if not is_moment(value)] == []


def test_every_command_of_network_minds_answers_in_json(
    ebbtide: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lin.txt").write_text("Lin moves to Lamma in March.")
    lin = str(tmp_path / "lin.txt")
    ebbtide.said("init", "--metabolism", "network", "--set", "max_retries=1")
    with monkeypatch.context() as patch:
        for name, value in (("MODEL", "openai"), ("MODEL_URL", "http://127.0.0.1:9/v1"), ("MODEL_NAME", "m")):
            patch.setenv(f"EBBTIDE_{name}", value)
        failed = str(ebbtide("remember", lin, "--json").json["task"])
    ebbtide.json("remember", lin, "--later")
    for name, words in NETWORK.items():
        copy = Shell(ebbtide.data.with_name(name), ebbtide.capsys)
        shutil.copytree(ebbtide.data, copy.data)
        found = copy.json(*(word.format(lin=lin, failed=failed) for word in words))
        assert [value for value in _moments(found) if not is_moment(value)] == []


def test_what_was_put_comes_back_whole(ferry: Shell) -> None:
    assert ferry.json("put", "渡轮", "--key", "渡轮") == ferry.json("list")["memories"][-1]


def test_links_are_answered_with_what_they_are(ferry: Shell) -> None:
    made = {"source": "lamma", "target": "ferry", "relation": "related", "strength": 0.5}
    assert ferry.json("link", "lamma", "ferry") == made
    assert ferry.json("unlink", "lamma", "ferry") == {name: made[name] for name in ("source", "target", "relation")}


def test_a_trace_is_a_step_that_leads_to_no_memory(ferry: Shell) -> None:
    ferry.said("forget", "lamma")
    trace = {"relation": "leads to", "strength": 0.8, "key": "lamma", "memory": None, "expired": False}
    assert ferry.json("follow", "ferry") == [trace]


def test_a_page_says_where_to_go_on(ferry: Shell) -> None:
    assert ferry.json("list", "--limit", "1")["next"] == 1
    assert ferry.json("list", "--limit", "2")["next"] is None


def test_an_explanation_has_the_curve_as_moments_and_values(ferry: Shell) -> None:
    found = ferry.json("explain", "ferry")
    assert len(found["curve"]) == 48
    assert all(is_moment(point["at"]) and isinstance(point["vitality"], float) for point in found["curve"])
    assert found["curve"][0]["vitality"] == pytest.approx(sum(found["terms"].values()))
    assert [coming["event"] for coming in found["forecast"]] == ["fading"]


def test_in_a_network_mind_the_curve_goes_by_scans(ebbtide: Shell) -> None:
    _make_mind(ebbtide, "network")
    first, second, *_ = ebbtide.json("explain", "ferry")["curve"]
    # one link of strength 0.5, worn by 0.97 at each scan
    assert first == {"scans": 0.0, "vitality": 0.5}
    assert second["vitality"] == pytest.approx(0.5 * 0.97 ** second["scans"])


def test_a_dry_run_lists_all_it_would_change(activity_ferry: Shell) -> None:
    report = activity_ferry.json("tick", "--dry-run", "--at", "+1y")
    assert [(shift["key"], shift["before"], shift["after"]) for shift in report["shifts"]] == [
        ("ferry", "active", "cold"),
        ("lamma", "active", "cold"),
    ]


def test_a_replay_lists_both_minds_and_what_differs(activity_ferry: Shell) -> None:
    assert activity_ferry.json("replay", "--set", "theta_active=9") == {
        "now": {"metabolism": "activity", "states": {"active": 2}},
        "then": {"metabolism": "activity", "states": {"cold": 2}},
        "differs": [
            {"key": "ferry", "now": "active", "then": "cold"},
            {"key": "lamma", "now": "active", "then": "cold"},
        ],
    }


def test_an_error_is_a_line_on_standard_error_for_programs_too(ferry: Shell) -> None:
    assert ferry.refused(3, "get", "nope", "--json") == "There is no memory 'nope' in this mind."


def _make_mind(ebbtide: Shell, metabolism: str) -> None:
    ebbtide.said("init", "--metabolism", metabolism)
    for key in ("ferry", "lamma", "gone"):
        ebbtide.said("put", f"about {key}", "--key", key)
    ebbtide.said("link", "ferry", "lamma", "leads to")
    ebbtide.said("link", "lamma", "gone")
    ebbtide.said("forget", "gone")


def _moments(value: Any, name: str = "") -> Iterator[Any]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _moments(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from _moments(inner)
    elif name == "at" or name.endswith("_at"):
        yield value
