"""Why a memory is what it is, in the reader's language. The engine gives its reasons in English."""

import re

from ebbtide.core.memory import State
from ebbtide.serve.page import texts
from ebbtide.serve.page.frame import Page

_STATES = {state.value: texts.said(f"state.{state}", "zh") for state in State}
# One English reason, or part of one, and the same in Chinese.
_CHINESE = [
    (re.compile(pattern), chinese)
    for pattern, chinese in (
        (r"pinned; without the pin (\w+): ", lambda found: f"已固定；不固定则为{_STATES.get(found[1], found[1])}："),
        (r"score (\S+) \(exactly (\S+)\) lies between (\S+) and (\S+)", r"分数 \1（精确值 \2）在 \3 与 \4 之间"),
        (r"score (\S+) \(exactly (\S+)\)", r"分数 \1（精确值 \2）"),
        (r"score (\S+) lies between (θ_delete \S+) and (θ_active \S+)", r"分数 \1 在 \2 与 \3 之间"),
        (r"score (\S+) (≥|≤)", r"分数 \1 \2"),
        (r", nothing links to it, and it has long been idle", "，没有链接指向它，且闲置已久"),
        (r", but something links to it or it was used lately", "，但有链接指向它，或最近用过"),
        (r", nothing links to it, idle for (\S+) ≥ (\S+) days", r"，没有链接指向它，已闲置 \1 天（≥ \2 天）"),
        (r"overlap (\S+) ≥ (\S+), same kind and domain", r"重合 \1 ≥ \2，同类型同领域"),
        (r", at most (\S+) links each", r"，各自至多 \1 条链接"),
        (r", both below (θ_active \S+), nothing happened for (\S+) days", r"，都低于 \1，\2 天内无任何动静"),
        (r"R (\S+); the policy is persistent: it never expires", r"R \1；策略为持久：永不过期"),
        (
            r"R (\S+); it does not expire while something is SUPPORTED_BY it or EQUIV to it",
            r"R \1；只要有记忆以它为证（SUPPORTED_BY）或与它等价（EQUIV），就不会过期",
        ),
        (r"R (\S+), T_delete (\S+): (\S+) days left", r"R \1，T_delete \2：还剩 \3 天"),
        (r"R (\S+), T_delete (\S+): (\S+) days over", r"R \1，T_delete \2：已过期 \3 天"),
        (r"; pruned (\S+) days ago", r"；\1 天前被修剪"),
        (r"in focus: neither scanned nor shortened", "在焦点中：不扫描，也不缩短"),
        (r"importance (\S+) ≥ 1: the text is protected", r"重要性 \1 ≥ 1：文字受保护"),
        (
            r"importance (\S+) leaves (\S+) characters: the next scan forgets it",
            r"重要性 \1 只够留下 \2 个字：下次扫描时遗忘",
        ),
        (r"importance (\S+) < 1 leaves (\S+) of (\S+) characters", r"重要性 \1 < 1，\3 个字留下 \2 个"),
        (r"importance (\S+) then", r"届时重要性 \1"),
        (r"never used, put (\d+) days? ago", r"从未使用，\1 天前存入"),
        (
            r"not used itself, but an older memory that it replaces was, put (\d+) days? ago",
            r"自身未使用，但它取代的旧记忆用过，\1 天前存入",
        ),
        (
            r"not used itself, but an older memory that it replaces was, put today",
            "自身未使用，但它取代的旧记忆用过，今天存入",
        ),
        (r"not used yet, put today", "今天存入，尚未使用"),
        (r"used once, (\d+) days? ago", r"用过一次，在 \1 天前"),
        (r"used once, today", "今天用过一次"),
        (r"used (\d+) times, last (\d+) days? ago", r"用过 \1 次，最近一次在 \2 天前"),
        (r"used (\d+) times, last today", r"用过 \1 次，最近一次在今天"),
        (r"; its words are not read yet, so its content counts as average", "；尚未分析文字，内容按平均值计"),
        (r"; content rated (\S+) %", r"；内容评分 \1 %"),
        (r" \(content rated (\S+) %\)", r"（内容评分 \1 %）"),
        (r"([;,]) says when and where", r"\1提到时间和地点"),
        (r"([;,]) says when", r"\1提到时间"),
        (r"([;,]) says where", r"\1提到地点"),
        (r"([;,]) follows a question", r"\1紧接一个问题"),
        (r"([;,]) speaks in the first person", r"\1用第一人称"),
        (r"([;,]) addresses a reader", r"\1用第二人称"),
        (r"([;,]) ends in a question", r"\1以问句结尾"),
        (r"([;,]) is longer than most", r"\1比多数记忆长"),
        (r"([;,]) is shorter than most", r"\1比多数记忆短"),
        (r"; the only memory of this mind", "；这个心智中唯一的记忆"),
        (r"; needed as much as every other memory of this mind", "；需要度与其他记忆相同"),
        (r"; needed (most|least) in this mind", lambda found: f"；需要度{'最高' if found[1] == 'most' else '最低'}"),
        (r"; needed more than (\S+) % of this mind", r"；需要度高于 \1 % 的记忆"),
        (r" \(need (\S+)\)", r"（\1）"),
        (r": among the lowest (\S+) %, so it fades", r"，属于最低的 \1 %，因此正在褪色"),
        (
            r"\. What this agent lives by is not known yet \(w (\S+)\)\.",
            r"。尚不清楚这个智能体更常用新的还是长久的记忆（w \1）。",
        ),
        (
            r"\. This agent lives by what lasts and by what is new alike \(w (\S+)\)\.",
            r"。这个智能体既用长久的记忆，也用新的记忆（w \1）。",
        ),
        (r"\. This agent lives by what lasts \(w (\S+)\)\.", r"。这个智能体多用长久的记忆（w \1）。"),
        (r"\. This agent lives by what is new \(w (\S+)\)\.", r"。这个智能体多用新的记忆（w \1）。"),
        (r" If nothing happens, it does not fade\.", "若什么都不发生，它不会褪色。"),
        (r" If nothing happens, it begins to fade in (\d+) years?\.", r"若什么都不发生，\1 年后开始褪色。"),
        (r"; the budget is nearly full, and it is number (\d+) to leave", r"；预算将满，它排在第 \1 个离开"),
        (r" The budget is nearly full, and it is number (\d+) to leave\.", r"预算将满，它排在第 \1 个离开。"),
        (r" If nothing happens, it begins to fade in (\d+) days?\.", r"若什么都不发生，\1 天后开始褪色。"),
        (r" If nothing happens, it begins to fade in (\d+) hours?\.", r"若什么都不发生，\1 小时后开始褪色。"),
    )
]
_SEPARATED = re.compile("([,;])(?=[\u4e00-\u9fff])")  # what lists leave between two parts


_NEWER = re.compile("; a newer memory, (.+), says nearly the same")


def told(page: Page, reason: str) -> str:
    if page.language == "en":
        return reason
    if newer := _NEWER.search(reason):  # a key is not translated, whatever it says
        return (
            f"{_chinese(reason[: newer.start()])}；更新的记忆 {newer[1]} 说的几乎相同{_chinese(reason[newer.end() :])}"
        )
    return _chinese(reason)


def _chinese(reason: str) -> str:
    for pattern, chinese in _CHINESE:
        reason = pattern.sub(chinese, reason)
    return _SEPARATED.sub(lambda found: {",": "，", ";": "；"}[found[1]], reason)
