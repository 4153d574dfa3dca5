"""Draws bounded.svg: a network mind that is told of ever new things, and how large it stays.

    python docs/images/feed.py             feed it 3,000 times and draw (a minute or two)
    python docs/images/feed.py 60          feed it 60 times and print the figures

The mind is a real one, with default parameters and the built-in small model; its store is the one in RAM. What it is
told is made up here, in English and Chinese by turns, and is the same every time: names are put together by chance,
and a noun comes back after some four hundred remembers at the earliest.
"""

import asyncio
import random
import sys
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple

from ebbtide.core.changes import Batch, Configure
from ebbtide.core.memory import Message
from ebbtide.core.parameters import regime
from ebbtide.mind import Mind
from ebbtide.models.builtin import BuiltinModel
from ebbtide.stores.memory import MemoryStore

REMEMBERS = 3000
EVERY = 10  # remembers between two points of the plot
TALKS = 4  # remembers before the topic changes, at least


# ---- what it is told


def _words(text: str) -> list[str]:
    return text.split()


_EN_ENDS = ("ton", "field", "mere", "wick", "ford", "stead", "combe", "bury")
_EN_STARTS = ("Bran", "Cal", "Dor", "Ell", "Fen", "Gar", "Hol", "Ald", "Ken", "Lor", "Mar", "Nor", "Pem", "Rud", "Wex")
_EN_MIDDLES = ("", "a", "der", "ing", "le", "mar", "o", "ren", "sel", "ver")
_EN_NOUNS = _words(
    "lighthouse orchard harbour observatory brewery glasshouse archive windmill chapel vineyard foundry library barn "
    "tannery quarry greenhouse bakery forge cannery theatre museum stable cinema monastery castle tunnel bridge "
    "fountain tower garden cellar kitchen staircase chimney balcony ceiling basement gate fence terrace attic pump "
    "boiler furnace turbine engine lantern telescope piano organ clock mirror carpet curtain statue painting "
    "manuscript ledger contract invoice licence blueprint diary album catalogue map calendar ladder wheelbarrow "
    "tractor trailer canoe sailboat bicycle saddle harness anvil loom kiln oven barrel crate basket wardrobe cabinet "
    "chandelier violin trumpet drum flute easel canvas bust vase teapot kettle quilt blanket pillow hammock tent "
    "compass anchor rudder mast sail beehive henhouse scarecrow sundial weathervane birdbath trellis pergola"
)
_EN_TALK = (
    "{person} has bought the {thing} in {place} for {n},000 and wants to open on {day} June.",
    "The {part} of the {thing} is broken, and {person} cannot repair the {part} before {day} June.",
    "{person} knows that {other} used to run the {thing} and never mentioned the {part}.",
    "On {day} June {other} will bring {n} more to {place}, because the {thing} is empty.",
    "The {part} for {place} has not arrived yet; {person} will call {other} again on {day} June.",
    "{other} says the {thing} earned only {n},000 last winter, but {person} does not believe {other}.",
)
_SURNAMES = "沈韩唐冯邓曹彭萧董袁潘蔡蒋杜苏魏吕姚卢姜崔谭陆汪范金石廖贾夏"
_GIVEN = _words("志强 文斌 丽华 晓东 子涵 浩然 思雨 静怡 文博 雪梅 俊杰 欣怡 若溪 明远 海燕 玉兰 春生 国栋 佳宁 雨桐")
_PLACES = _words("青云 白石 兰亭 望海 松岭 梅溪 桂林 柳湾 荷塘 枫桥 龙泉 双林 清河 平湖 安吉 永康 长兴 德清 新昌 天台")
_KINDS = "镇村山街巷路湾岛"
_ZH_NOUNS = _words(
    "茶馆 书店 果园 码头 磨坊 画室 诊所 粮仓 酒厂 灯塔 戏院 祠堂 温室 牧场 矿井 染坊 窑厂 酱园 药铺 客栈 渡口 水库 "
    "鱼塘 菜园 花圃 竹林 凉亭 牌坊 石桥 钟楼 屋顶 烟囱 楼梯 地窖 阳台 围墙 大门 窗户 地板 水管 锅炉 电梯 水泵 发电机 "
    "拖拉机 三轮车 自行车 帆船 马车 卡车 钢琴 古筝 二胡 油画 书法 屏风 花瓶 茶壶 棋盘 砚台 地毯 窗帘 衣柜 书架 沙发 "
    "餐桌 吊灯 望远镜 显微镜 照相机 收音机 缝纫机 织布机 洗衣机 冰箱 烤箱 铁锅 蒸笼 陶罐 木桶 竹篮 梯子 帐篷 雨伞 毛毯 "
    "棉被 枕头 合同 账本 图纸 执照 发票 地契 日记 相册 地图 名册 族谱 剧本 乐谱 邮票 玉佩 香炉 铜镜 风筝 灯笼 鞭炮"
)
_ZH_TALK = (
    "{person}用{n}万买下{place}的{thing}，打算6月{day}日开张。",
    "{thing}的{part}坏了，{person}没能在6月{day}日之前把{part}修好。",
    "{person}说以前是{other}在打理{thing}，从来没有提过{part}。",
    "6月{day}日{other}会往{place}再送{n}个，因为{thing}已经不够。",
    "{place}要的{part}还没有送到，{person}6月{day}日会再打给{other}。",
    "{other}说{thing}去年冬天亏了{n}万，可是{person}不相信{other}。",
)


def talk(chance: random.Random) -> Iterator[list[Message]]:
    """What the mind is told, one remember after the other, without end."""
    tongues = (_EN_TALK, _english, cycle(_EN_NOUNS)), (_ZH_TALK, _chinese, cycle(_ZH_NOUNS))
    for lines, names, nouns in cycle(tongues):
        topic = {**names(chance), "thing": next(nouns), "part": next(nouns)}
        for _ in range(chance.randint(TALKS, 2 * TALKS)):
            said = chance.sample(lines, 2)
            facts = [{"n": chance.randint(2, 90), "day": chance.randint(2, 29)} for _ in said]
            texts = [line.format(**topic, **fact) for line, fact in zip(said, facts, strict=True)]
            yield [Message("user", texts[0]), Message("assistant", texts[1])]


def _english(chance: random.Random) -> dict[str, str]:
    def name() -> str:
        return chance.choice(_EN_STARTS) + chance.choice(_EN_MIDDLES)

    people = [f"{name()} {name()}{chance.choice(_EN_ENDS)}" for _ in range(2)]
    return {"person": people[0], "other": people[1], "place": f"{name()}{chance.choice(_EN_ENDS)}"}


def _chinese(chance: random.Random) -> dict[str, str]:
    people = [chance.choice(_SURNAMES) + chance.choice(_GIVEN) for _ in range(2)]
    return {"person": people[0], "other": people[1], "place": chance.choice(_PLACES) + chance.choice(_KINDS)}


# ---- feeding


class Point(NamedTuple):
    """The mind after so many remembers; `told` is every character it was ever told."""

    remembers: int
    nodes: int
    characters: int
    traces: int
    told: int


class _Clock:
    def now(self) -> float:
        return 0.0  # a network mind does not look at it


async def feed(remembers: int, every: int = EVERY) -> list[Point]:
    """Tell it, let the cycle that follows finish, look; so many times."""
    store = MemoryStore()
    await store.apply(Batch((Configure(0.0, "network", regime("network", {})[0].params()),), "made"))
    mind = Mind("fed", store, _Clock(), MemoryStore, model=BuiltinModel())
    points, told = [Point(0, 0, 0, 0, 0)], 0
    for number, messages in enumerate(islice(talk(random.Random(7)), remembers), 1):
        await mind.remember(messages)
        await mind.idle()
        await mind.compress()
        told += sum(len(message.content) for message in messages)
        if number % every == 0:
            info, signals = await store.info(), await store.signals()
            points.append(Point(number, info.memories, int(signals.length.sum()), info.traces, told))
    await mind.close()
    return points


# ---- drawing

WIDTH, HEIGHT = 880, 540
LEFT, PLOT_W, PLOT_H = 76, 780, 110
TOPS = (84, 234, 384)
STYLE = """
  .paper { fill: #ffffff }
  text { font: 12px system-ui, -apple-system, 'Segoe UI', 'Noto Sans', sans-serif; fill: #3b4148 }
  .title { font-size: 14px; font-weight: 600; fill: #1f2328 }
  .small { font-size: 11px }
  .axis { stroke: #9aa3ad; fill: none }
  .grid { stroke: #9aa3ad; stroke-dasharray: 2 4; fill: none }
  .line { stroke-width: 1.5; fill: none; stroke-linejoin: round }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117 }
    text { fill: #b7bec7 } .title { fill: #f0f3f6 }
  }
"""


def draw(points: Sequence[Point]) -> str:
    last = points[-1]
    panels = (
        ("nodes (memories alive)", [p.nodes for p in points], "#2f9e6e"),
        ("characters (all texts together)", [p.characters for p in points], "#4a86c5"),
        ("traces (links to what is forgotten)", [p.traces for p in points], "#c98a1b"),
    )
    drawn = "\n".join(
        draw_panel(title, values, colour, top) for (title, values, colour), top in zip(panels, TOPS, strict=True)
    )
    marks = (tick(LEFT + PLOT_W * i / 6, TOPS[-1] + PLOT_H + 18, f"{last.remembers * i // 6:,}") for i in range(6))
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img">
<title>A network mind that is fed for ever stays bounded</title>
<desc>Nodes, characters and traces of a network mind over {last.remembers:,} remembers of ever-changing topics.</desc>
<style>{STYLE}</style>
<rect class="paper" width="{WIDTH}" height="{HEIGHT}" rx="8"/>
<text class="title" x="{LEFT}" y="24">One mind, {last.remembers:,} remembers, ever new topics</text>
<text class="small" x="{LEFT}" y="42">told {last.told:,} characters; holds {last.characters:,} at the end</text>
{drawn}
{"".join(marks)}{tick(LEFT + PLOT_W, TOPS[-1] + PLOT_H + 18, f"{last.remembers:,} remembers", "end")}
</svg>
"""


def draw_panel(title: str, values: Sequence[int], colour: str, top: float) -> str:
    highest = ceiling(max(values))
    step = PLOT_W / (len(values) - 1)
    line = "L".join(f"{LEFT + step * i:.1f} {top + PLOT_H * (1 - v / highest):.1f}" for i, v in enumerate(values))
    grid = "".join(f"M{LEFT} {top + PLOT_H * share:.1f}h{PLOT_W}" for share in (0.0, 0.5))
    half = highest / 2
    return "\n".join(
        [
            f'<text class="title" x="{LEFT}" y="{top - 10}">{title}</text>',
            f'<text class="small" x="{LEFT + PLOT_W}" y="{top - 10}" text-anchor="end">most: {max(values):,}</text>',
            f'<path class="grid" d="{grid}"/>',
            f'<path class="line" stroke="{colour}" d="M{line}"/>',
            f'<path class="axis" d="M{LEFT} {top}V{top + PLOT_H}H{LEFT + PLOT_W}"/>',
            tick(LEFT - 6, top + 4, f"{highest:,}", "end"),
            tick(LEFT - 6, top + PLOT_H / 2 + 4, f"{half:,.0f}", "end"),
            tick(LEFT - 6, top + PLOT_H + 4, "0", "end"),
        ]
    )


def ceiling(value: int) -> int:
    """The next round number: 1, 2, 4, 6, 8 or 10 times a power of ten."""
    power = int("1".ljust(len(str(max(value, 1))), "0"))
    return next(step * power for step in (1, 2, 4, 6, 8, 10) if step * power >= value)


def tick(x: float, y: float, label: str, anchor: str = "middle") -> str:
    return f'<text class="small" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{label}</text>'


def main(arguments: Sequence[str]) -> None:
    if arguments:
        for point in asyncio.run(feed(int(arguments[0]))):
            sys.stdout.write(f"{point}\n")
        return
    (Path(__file__).parent / "bounded.svg").write_text(draw(asyncio.run(feed(REMEMBERS))), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
