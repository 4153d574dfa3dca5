"""Relations: what a segment is to a thing, by the place the thing has in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.models.builtin.distil import distil
from ebbtide.models.builtin.relation import relation
from ebbtide.models.builtin.segment import segment
from tests.models.conversations import conversation


@pytest.mark.parametrize(
    ("text", "entity", "named"),
    [
        ("豆豆的疫苗上个月就该打了。", "豆豆", "属于"),
        ("他的合同丢了。", "他", "属于"),
        ("这架钢琴属于外婆。", "外婆", "属于"),
        ("我们在图书馆见面。", "图书馆", "位于"),
        ("我昨天去了上海。", "上海", "位于"),
        ("一直去的是文三路的宠物医院。", "文三路", "位于"),
        ("张伟负责后端接口。", "张伟", "关于"),
        ("我妹妹小雨对花生过敏。", "小雨", "涉及"),
        ("我们聊到预算。", "预算", "关于"),
        ("张伟负责后端接口。", "接口", "涉及"),
        ("我去找了张伟。", "张伟", "涉及"),
        ("今天下雨。", "张伟", "相关"),
    ],
)
def test_chinese_relations(text: str, entity: str, named: str) -> None:
    assert relation(text, entity) == named


@pytest.mark.parametrize(
    ("text", "entity", "named"),
    [
        ("We read Anna's lease.", "Anna", "belongs to"),
        ("Her cat is ill.", "she", "belongs to"),
        ("I fed her by mistake.", "she", "involves"),
        ("The roof of the bakery leaks.", "bakery", "belongs to"),
        ("She drank a lot of water.", "water", "involves"),
        ("They met at Central Pier 4.", "Central Pier 4", "located at"),
        ("He flies to Lisbon in June.", "Lisbon", "located at"),
        ("I talked to Anna.", "Anna", "involves"),
        ("The landlord wants more money.", "landlord", "about"),
        ("When is Anna coming?", "Anna", "about"),
        ("It is a book about elderflower.", "elderflower", "about"),
        ("Two leases were signed, one by Anna.", "lease", "about"),
        ("It rained.", "Anna", "related to"),
    ],
)
def test_english_relations(text: str, entity: str, named: str) -> None:
    assert relation(text, entity) == named


def test_the_segment_decides_the_language() -> None:
    assert relation("我们见到了Anna。", "Anna") == "涉及"
    assert relation("We met 张伟 there.", "张伟") == "involves"


def test_the_plainest_mention_counts() -> None:
    assert relation("我问了张伟，张伟的合同丢了。", "张伟") == "属于"


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_segment_is_more_than_vaguely_related_to_its_own_entities(language: str) -> None:
    for each in segment(conversation(language)):
        for entity in distil(each).entities:
            assert relation(each, entity) not in {"相关", "related to"}


@given(st.text(), st.text())
def test_there_is_always_a_relation(text: str, entity: str) -> None:
    assert relation(text, entity) in {
        *("属于", "位于", "关于", "涉及", "相关"),
        *("belongs to", "located at", "about", "involves", "related to"),
    }
