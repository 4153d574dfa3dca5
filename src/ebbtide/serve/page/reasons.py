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
        (r"need (\S+), among the lowest (\S+) % of this mind: ", r"需要度 \1，属于最低的 \2 %："),
        (r"need (\S+): ", r"需要度 \1："),
        (r"never used, from (\d+) days? ago", r"从未使用，\1 天前存入"),
        (r"never used, from today", "从未使用，今天存入"),
        (r"used once, (\d+) days? ago", r"用过一次，在 \1 天前"),
        (r"used once, today", "今天用过一次"),
        (r"used (\d+) times, last (\d+) days? ago", r"用过 \1 次，最近在 \2 天前"),
        (r"used (\d+) times, last today", r"用过 \1 次，最近在今天"),
        (r"; content above that of (\S+) % of earlier memories", r"；内容高于此前 \1 % 的记忆"),
        (r"; says when", "；提到时间"),
        (r"; speaks in the first person", "；第一人称"),
        (r"; addresses you", "；第二人称"),
        (r"; ends in a question", "；以问句结尾"),
        (r"; a newer memory, (.+), says nearly the same", r"；更新的记忆 \1 说的几乎相同"),
    )
]


def told(page: Page, reason: str) -> str:
    if page.language == "en":
        return reason
    for pattern, chinese in _CHINESE:
        reason = pattern.sub(chinese, reason)
    return reason
