"""The built-in model's entities are names and things, and nothing else (N10): words in sentences, by hand."""

import pytest

from ebbtide.models.builtin.distil import distil


def each(text: str) -> list[str]:
    return text.split()


THINGS = each(
    "oven lease ferry bicycle laptop guitar novel recipe passport garden camera sandwich umbrella contract budget "
    "ticket sofa kitten medal festival journal animal hospital rehearsal tutorial vegetable table painting "
    "building wedding library butterfly picnic blanket lantern telescope necklace backpack vaccine prescription "
    "invoice mortgage password server database kettle scarf violin puzzle tent canoe helmet notebook balcony "
    "carpet mattress candle"
)
NAMES = each(
    "Priya Okafor Biscuit Leeds Lisbon Daniel Marta Copenhagen Yusuf Ingrid Kyoto Nairobi Chloe Grace Hope Mark "
    "Rose Jack Summer Amazon Spotify Netflix Toyota Oxford"
)
ADJECTIVES = each(
    "crucial amazing yummy scary agile awesome tired lovely gorgeous exhausted thrilled nervous grateful "
    "comfortable delicious hilarious ridiculous helpful stressful peaceful cozy weird annoying boring tough "
    "awkward lonely proud confident curious jealous cheerful dreadful foolproof easygoing breathtaking "
    "overwhelming unbelievable"
)
VERBS = each(
    "juggle consult capture visualize organize simplify embrace appreciate recommend celebrate explore discuss "
    "undergo originate sharpen adjust postpone negotiate clarify ignore"
)
SPOKEN = each(
    "Whoa Wow Yay Gonna Yup Nope Haha Hey Hi Ugh Oops Congrats Thanks Yeah Okay Lol Omg Kinda Gotcha Woohoo Aww "
    "Oof Phew"
)
FILLERS = each("thing stuff lot way kind time day week moment people fave vibe bit part reason guess")


@pytest.mark.parametrize("thing", THINGS)
def test_things_are_entities(thing: str) -> None:
    assert thing in distil(f"Lena forgot the {thing} yesterday.").entities


@pytest.mark.parametrize("name", NAMES)
def test_names_are_entities(name: str) -> None:
    assert name in distil(f"We spoke with Lena about {name} again.").entities


@pytest.mark.parametrize("word", ADJECTIVES)
def test_adjectives_are_none(word: str) -> None:
    assert distil(f"The lease is so {word}.").entities == ("lease",)
    assert distil(f"{word.capitalize()}! Lena signed it.").entities == ("Lena",)


@pytest.mark.parametrize("word", VERBS)
def test_verbs_are_none(word: str) -> None:
    assert distil(f"They really {word} the lease.").entities == ("lease",)
    assert distil(f"{word.capitalize()} the lease today.").entities == ("lease",)


@pytest.mark.parametrize("word", SPOKEN)
def test_interjections_and_slang_are_none(word: str) -> None:
    assert distil(f"{word}, Lena signed the lease.").entities == ("Lena", "lease")
    assert distil(f"{word} Lena! The lease is here.").entities == ("Lena", "lease")


@pytest.mark.parametrize("word", FILLERS)
def test_words_for_anything_are_none(word: str) -> None:
    assert distil(f"Lena told us about the {word}.").entities == ("Lena",)


HAN_THINGS = each(
    "钢琴 合同 疫苗 护照 押金 渡轮 电脑 手机 自行车 项链 花瓶 蛋糕 冰淇淋 披萨 香肠 帽子 裙子 眼镜 雨伞 书包 钢笔 "
    "风筝 灯笼 邮票 地图 照片 电影 小说 漫画书 足球 篮球 乒乓球 玩具 积木 恐龙 长颈鹿 大熊猫 企鹅 乌龟 贝壳 公园 "
    "医院 学校 图书馆 博物馆 动物园 餐厅 机场 厨房 花园 发票 预算 接口 数据库 密码 保险 签证 房租"
)
HAN_NAMES = each(
    "张伟 陈晓彤 林若溪 小雨 豆豆 赵敏 王医生 郑先生 上海 杭州 北京 南丫岛 西湖 文三路 微信 支付宝 李娜 老秦"
)
HAN_ADJECTIVES = each(
    "高兴 开心 难过 伤心 失望 紧张 生气 气愤 焦虑 尴尬 孤单 激动 感动 满意 幸福 无聊 无奈 疲惫 舒服 轻松 温暖 "
    "可爱 漂亮 好看 有趣 精彩 优秀 出色 厉害 聪明 勇敢 认真 热闹 安静 神秘 奇怪 特别 普通 简单 复杂 重要 危险 "
    "安全 干净 新鲜 美味"
)
HAN_FILLERS = each(
    "我 你 您 我们 你们 东西 时候 事情 地方 一下 今天 昨天 晚上 上周 感觉 样子 问题 办法 方面 情况 大家 自己"
)
HAN_PHRASES = each("打乒乓球 踢足球 画长颈鹿 放风筝 包饺子")


@pytest.mark.parametrize("thing", HAN_THINGS)
def test_chinese_things_are_entities(thing: str) -> None:
    assert thing in distil(f"张伟说的是{thing}。").entities


@pytest.mark.parametrize("name", HAN_NAMES)
def test_chinese_names_are_entities(name: str) -> None:
    assert name in distil(f"昨天说到了{name}，还有合同。").entities


@pytest.mark.parametrize("word", HAN_ADJECTIVES)
def test_chinese_adjectives_are_none(word: str) -> None:
    assert word not in distil(f"张伟觉得非常{word}。").entities
    assert word not in distil(f"真{word}啊，合同签好了。").entities


@pytest.mark.parametrize("word", HAN_FILLERS)
def test_chinese_speakers_days_and_words_for_anything_are_none(word: str) -> None:
    assert word not in distil(f"{word}和合同有关。").entities
    assert word not in distil(f"张伟问到{word}。").entities


@pytest.mark.parametrize("word", HAN_PHRASES)
def test_a_chinese_verb_is_no_part_of_its_object(word: str) -> None:
    assert word not in distil(f"张伟喜欢{word}。").entities


@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("她在书本上看到的。", ("书本", "她")),
        ("一棵树倒了。", ("树",)),
        ("角落里有一只猫。", ("角落", "猫")),
        ("在学校操场踢足球。", ("学校操场",)),
        ("I'm making progress with the lease.", ("progress", "lease")),
        ("Her friendship means so much.", ("friendship",)),
        ("The tomatoes and the movies.", ("tomato", "movie")),
    ],
)
def test_what_is_no_part_of_a_thing_is_taken_off(text: str, entities: tuple[str, ...]) -> None:
    assert set(entities) <= set(distil(text).entities)
