"""Finding memories, saying what was of use, and embedding. By words alone, where meaning is no matter."""

import pytest

from ebbtide.core.memory import DAY, HOUR
from ebbtide.serve.cli import render
from ebbtide.serve.cli.searching import _pattern, excerpt
from tests.helpers import FakeClock
from tests.serve.shell import Shell, is_moment


@pytest.fixture
def words(ferry: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """The ferry's mind, which goes by words alone."""
    monkeypatch.setenv("EBBTIDE_EMBEDDER", "none")
    return ferry


# ---- search


def test_a_search_tells_who_answers_best(words: Shell) -> None:
    words.said("put", "渡轮八点四十分开。", "--key", "渡轮")
    said = words.said("search", "when does the ferry leave?")
    assert said.startswith("key score similarity state text")
    assert said.index(" ferry ") < said.index(" lamma ")
    assert "active The ferry leaves at 8:40." in said
    assert words.said("search", "渡轮几点开", "-k", "1").endswith("渡轮八点四十分开。")


def test_meaning_finds_what_words_do_not(ferry: Shell) -> None:
    first = ferry.json("search", "boat departure time", "-k", "1")["hits"][0]
    assert (first["memory"]["key"], first["why"]) == ("ferry", None)


def test_a_search_in_json_has_memories_scores_and_what_to_know_about_them(words: Shell) -> None:
    found = words.json("search", "ferry")
    assert found.keys() == {"hits", "declined", "exact", "unembedded", "note", "left_out", "weak"}
    hit = found["hits"][0]
    assert (hit["memory"]["key"], hit["why"]) == ("ferry", None)
    assert hit["score"] > hit["similarity"] > 0.0
    assert (found["declined"], found["exact"], found["unembedded"], found["note"]) == ([], True, 0, "")


def test_explained_a_hit_has_every_component_of_its_rank(words: Shell) -> None:
    why = words.json("search", "ferry", "--explain")["hits"][0]["why"]
    assert why["similarity"] == why["by_words"] > 0.0
    assert (why["cosine"], why["by_meaning"]) == (None, None)
    said = words.said("search", "ferry", "--explain")
    assert f"words {why['by_words']:.3f} (BM25 {why['bm25']:.2f}): similarity {why['similarity']:.3f}" in said
    assert said.endswith("score = similarity + lift + terms + 0.2 × scaled")
    assert words.said("search", "ferry", "--explain", "--no-vitality").endswith("score = similarity + lift")


def test_explained_a_score_is_told_as_a_sum_of_its_terms(words: Shell) -> None:
    words.said("put", "Does the ferry leave on Sundays?", "--key", "asks")
    hits = {hit["memory"]["key"]: hit for hit in words.json("search", "ferry", "--explain")["hits"]}
    said = words.said("search", "ferry", "--explain")
    for hit in (hits["ferry"], hits["asks"]):
        similarity, points = hit["why"]["similarity"], {one["name"]: one["points"] for one in hit["why"]["terms"]}
        assert points["coverage"] == pytest.approx(hit["why"]["terms"][0]["weight"])  # it has the one word: 1 × weight
        told = f"{hit['score']:.3f} = similarity {similarity:.3f} + coverage {points['coverage']:.3f}"
        if points.get("question"):
            told += f" − question {-points['question']:.3f}"
        vitality = hit["score"] - similarity - sum(points.values())
        assert f"{told} + vitality {vitality:.3f} words" in said
    assert "question" in {one["name"] for one in hits["asks"]["why"]["terms"]}


def test_explained_a_neighbour_says_who_lifts_it(words: Shell) -> None:
    assert "by ferry; vitality" in words.said("search", "ferry", "--explain")


def test_what_is_cold_is_counted_and_shown_when_asked_for(
    activity_ferry: Shell, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EBBTIDE_EMBEDDER", "none")
    words = activity_ferry
    clock.forward(400 * DAY)
    said = words.said("search", "ferry")
    assert said.startswith("nothing found (--explain also looks in the trash) out of sight, but matching: 2 cold; ")
    assert "the best: ferry (0." in said
    assert "--all shows them" in said
    assert words.json("search", "ferry", "--all")["hits"][0]["memory"]["state"] == "cold"
    said = words.said("search", "ferry", "--explain")
    assert said.startswith("nothing found left out similarity why text")
    assert "ferry 0." in said
    assert "cold: score" in said
    assert words.json("search", "ferry", "--state", "cold")["hits"][0]["memory"]["key"] == "ferry"


def test_what_is_in_the_trash_is_left_out_with_the_way_back(words: Shell) -> None:
    words.said("forget", "ferry")
    found = words.json("search", "when does the ferry leave", "--explain")
    assert [(one["key"], one["state"]) for one in found["declined"]] == [("ferry", "trash")]
    assert "`restore` brings it back" in words.said("search", "ferry", "--explain")


def test_filters_narrow_a_search(words: Shell, clock: FakeClock) -> None:
    clock.forward(DAY)
    words.said("put", "The ferry is late.", "--key", "late", "--kind", "event", "--domain", "sea")

    def keys(*options: str) -> list[str]:
        return [hit["memory"]["key"] for hit in words.json("search", "ferry", *options)["hits"]]

    assert keys("--kind", "event") == keys("--domain", "sea") == keys("--since", "-1h") == ["late"]
    assert keys("--keyword", "travel") == ["ferry"]
    assert "late" not in keys("--until", "-1h")
    assert keys("--at-least", "1") == []
    assert len(keys("-k", "1")) == 1


def test_of_an_embedder_that_fails_a_search_says_so_and_goes_by_words(
    ferry: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    ferry.said("search", "ferry")  # by now everything has a vector of the built-in embedder
    for name, value in (("", "openai"), ("_URL", "http://127.0.0.1:9/v1"), ("_NAME", "m"), ("_DIMENSIONS", "4")):
        monkeypatch.setenv(f"EBBTIDE_EMBEDDER{name}", value)
    answer = ferry("search", "ferry")
    assert answer.code == 0
    assert "─ ferry " in answer.words
    assert "found by words only: " in answer.words
    assert "2 memories are not embedded yet and found by words only: `ebbtide reembed`" in answer.words


@pytest.mark.parametrize(
    ("asked", "code", "problem"),
    [
        (("search", "x", "-k", "0"), 2, "-k"),
        (("search", "x", "-k", "1001"), 2, "less than or equal to 1000"),
        (("search", "x", "--at-least", "2"), 2, "less than or equal to 1"),
        (("search", "x", "--since", "soon"), 2, "'soon' is not a moment"),
        (("search", "x", "--since", "-1d", "--until", "-2d"), 2, "`since` must lie before `until`"),
        (("search", "x", "--state", "expired"), 2, "no memory of this mind is ever expired"),
        (("search", "x", "--state", "asleep"), 2, "'asleep' is not one of"),
        (("search", ""), 2, "text"),
        (("search", "x", "--agent", "nobody"), 3, "There is no mind 'nobody'"),
        (("touch", "nobody"), 3, "There is no memory 'nobody'"),
        (("touch", "ferry", "nobody"), 3, "There is no memory 'nobody'"),
        (("touch",), 2, "Missing argument"),
        (("credit", "8:40"), 2, "give what was shown, as hits or keys, or the question"),
        (("credit", "8:40", "--question", " "), 2, "'question' is empty"),
        (("credit", "8:40", "--key", "ferry", "--as-of", "now"), 4, "nothing can be written to it"),
        (("touch", "ferry", "--as-of", "now"), 4, "nothing can be written to it"),
        (("reembed", "--as-of", "now"), 2, "--as-of only looks"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(words: Shell, asked: tuple[str, ...], code: int, problem: str) -> None:
    assert problem in words.refused(code, *asked)


def test_matching_words_stand_out_wherever_they_are_in_a_text() -> None:
    found = excerpt("The Ferry and the ferryman", _pattern("ferry"))
    assert found == "The [bold]Ferry[/] and the [bold]ferryman[/]"
    assert excerpt("明天的渡轮八点开", _pattern("渡轮几点")) == "明天的[bold]渡轮[/]八点开"
    assert excerpt("what is it?", _pattern("it")) == "what is [bold]it[/]?"
    long = f"{'word ' * 40}then the ferry leaves"
    assert render.drawn(excerpt(long, _pattern("ferry"))).plain == "… word word then the ferry leaves"
    assert render.drawn(excerpt("a [b] c", _pattern("b?!"))).plain == "a [b] c"
    assert excerpt("nothing to see", _pattern("?!")) == "nothing to see"


# ---- touch


def test_a_touch_counts_once_an_hour_and_says_when_the_next_one_does(words: Shell, clock: FakeClock) -> None:
    assert words.said("touch", "ferry", "lamma") == "touched ferry, lamma"
    clock.forward(HOUR / 4)
    again = words.said("touch", "ferry")
    assert again.startswith("ferry was touched a short while ago: the next touch counts in 45.0 minutes (")
    found = words.json("touch", "ferry")
    assert (found["counted"], [one["key"] for one in found["throttled"]]) == ([], ["ferry"])
    assert is_moment(found["throttled"][0]["counts_at"])
    clock.forward(HOUR)
    assert words.json("touch", "ferry") == {"counted": ["ferry"], "throttled": []}


def test_what_has_expired_is_touched_only_to_revive_it(ebbtide: Shell, clock: FakeClock) -> None:
    ebbtide.said("init", "--metabolism", "retention")
    ebbtide.said("put", "The ferry leaves at 8:40.", "--key", "ferry")
    clock.forward(30 * DAY)
    assert "'ferry' has expired" in ebbtide.refused(3, "touch", "ferry")
    assert ebbtide.said("touch", "ferry", "--revive") == "touched ferry"
    assert ebbtide.json("get", "ferry")["state"] == "active"


def test_a_touch_reaches_the_evidence_before_the_command_ends(ebbtide: Shell, clock: FakeClock) -> None:
    ebbtide.said("init", "--metabolism", "retention")
    for key in ("event", "proof"):
        ebbtide.said("put", f"The {key}.", "--key", key)
    ebbtide.said("link", "event", "proof", "SUPPORTED_BY")
    clock.forward(DAY)
    ebbtide.said("touch", "event")
    assert ebbtide.json("explain", "proof")["memory"]["meta"]["last_touched_at"] is not None


# ---- reembed


def test_without_an_embedder_there_is_nothing_to_embed(words: Shell) -> None:
    said = words.said("reembed")
    assert said == "2 memories can be found by words; there is no embedder (the setting `embedder` is none)"
    found = words.json("reembed")
    assert (found["embedder"], found["embedded"], found["memories"], found["unembedded"]) == (None, 0, 2, 0)


def test_reembedding_says_by_what_and_how_many(ferry: Shell) -> None:
    drafts = ferry.data.parent / "many.jsonl"
    drafts.write_text("\n".join(f'"memory number {number}"' for number in range(30)))
    ferry.said("put", "--from", str(drafts))
    found = ferry.json("reembed")
    assert (found["embedded"], found["memories"], found["unembedded"], found["dimensions"]) == (32, 32, 0, 512)
    said = ferry.said("reembed")
    assert said == f"32 memories can be found by words and meaning ({found['embedder']})"


def test_an_embedder_that_cannot_be_reached_is_one_line(ferry: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("", "openai"), ("_URL", "http://127.0.0.1:9/v1"), ("_NAME", "m")):
        monkeypatch.setenv(f"EBBTIDE_EMBEDDER{name}", value)
    answer = ferry("reembed")
    assert answer.code == 1
    assert "127.0.0.1:9" in answer.complaint


# ---- credit


def test_an_answer_touches_what_it_drew_on(words: Shell) -> None:
    asked = ("credit", "At 8:40.", "--question", "When does the ferry leave?")
    said = words.said(*asked, "--dry-run")
    assert said.startswith("key confidence similarity said explained rarest")
    assert " 1.000 1.000 0.793 would be touched lamma 0.000" in said
    assert " 0.793 touched lamma 0.000" in words.said(*asked)
    assert " 0.793 touched a short while ago lamma 0.000" in words.said(*asked)


def test_credit_tells_what_was_left_out_and_that_nothing_was_used(words: Shell) -> None:
    said = words.said("credit", "I do not know.", "--key", "ferry", "--key", "nobody")
    assert "nobody was left out: it is unknown" in said
    assert said.endswith("nothing was surely used: no confidence reaches 0.35")


def test_credit_in_json_has_every_component(words: Shell) -> None:
    found = words.json("credit", "At 8:40.", "--question", "When does the ferry leave?", "--key", "ferry")
    assert found.keys() == {"memories", "threshold", "touched", "throttled", "skipped"}
    (one,) = found["memories"]
    assert one.keys() == {"key", "confidence", "similarity", "said", "explained", "rarest", "credited"}
    assert (one["said"], one["explained"], found["touched"]) == (1.0, 1.0, ["ferry"])
