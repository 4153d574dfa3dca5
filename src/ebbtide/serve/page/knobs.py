"""The parameters of a mind as something to turn: range, step, and in two languages what each does."""

import math
from collections.abc import Mapping
from dataclasses import Field, dataclass
from typing import Any

from ebbtide.core.parameters import Common, parameters_of, regime
from ebbtide.core.weights import Weights

OWN, COMMON, RANKING = GROUPS = ("own", "common", "ranking")  # of a metabolism, of every mind, of every search
_STEPS = 200  # of a slider, at most
_FAR = 1e15  # as far as any slider goes: numbers beyond it are typed


@dataclass(frozen=True, slots=True)
class Knob:
    """A number has `low`, `high` and `step`; a choice has `options`; a switch has neither."""

    name: str
    default: Any
    unit: str
    low: float = 0.0
    high: float = 0.0
    step: float = 0.0
    options: tuple[str, ...] = ()
    group: str = OWN

    @property
    def whole(self) -> bool:
        return isinstance(self.default, int) and not self.switch

    @property
    def switch(self) -> bool:
        return isinstance(self.default, bool)


def knobs(metabolism: str, params: dict[str, Any]) -> list[Knob]:
    """In the order in which the metabolism names them; those every mind has come last."""
    return [_knob(f, params[f.name], _group(f.name)) for f in parameters_of(metabolism)]


def _group(name: str) -> str:
    if name in Weights.__dataclass_fields__:
        return RANKING
    return COMMON if name in Common.__dataclass_fields__ else OWN


def _knob(f: Field[Any], value: Any, group: str) -> Knob:
    unit, options = f.metadata.get("unit", ""), f.metadata.get("options", ())
    if options or isinstance(f.default, bool):
        return Knob(f.name, f.default, unit, options=options, group=group)
    low, high = _range(f, float(value))
    whole = isinstance(f.default, int)
    step = 1.0 if whole and high - low <= _STEPS else _step(high - low, whole)
    low = min(step, float(value)) if f.metadata.get("above") is not None else low
    return Knob(f.name, f.default, unit, low, high, step, group=group)


def _range(f: Field[Any], value: float) -> tuple[float, float]:
    """As far as it is allowed, and not much farther than the default and what it is now."""
    low, high, above = (f.metadata.get(name) for name in ("low", "high", "above"))
    usual: Any = f.default
    far = min(max(abs(usual), abs(value), 10.0 if isinstance(usual, int) else 0.5), _FAR)
    bottom = low if low is not None else above if above is not None else -4.0 * far
    return float(bottom), min(float(high), 20.0 * far) if high is not None else 4.0 * far


def _step(span: float, whole: bool) -> float:
    """A round number that divides the span into at most so many."""
    exact = span / _STEPS
    power = 10.0 ** math.floor(math.log10(exact))
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= exact * (1 - 1e-9))
    return max(1.0, step) if whole else step


def accepted(metabolism: str, now: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Of what somebody wrote down, the values this mind could live by."""
    known = {name: value for name, value in given.items() if name in now}
    lived, refused = regime(metabolism, {**now, **known})
    could_be = lived.params()
    return {name: could_be[name] for name in known if name not in {one.name for one in refused}}


def changed(now: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    """What differs from how the mind lives now."""
    return {name: value for name, value in wanted.items() if name in now and value != now[name]}


MEANINGS: dict[str, tuple[str, str]] = {
    "a": ("weight of links that point here", "指向它的链接的权重"),
    "b": ("weight of links that leave from here", "从它出发的链接的权重"),
    "c": ("weight of uses", "使用次数的权重"),
    "d": ("weight of walks along links to it", "沿链接走到它的次数的权重"),
    "e": ("weight of a recent use", "最近使用的权重"),
    "f": ("weight of a recent link", "最近有链接活动的权重"),
    "g": ("what age takes off", "年龄扣减的权重"),
    "t_access": ("how long a use stays recent", "一次使用多久算“最近”"),
    "t_link": ("how long a link stays recent", "一次链接活动多久算“最近”"),
    "t_age": ("the unit age is measured in", "计算年龄的单位"),
    "theta_active": ("score from which a memory is active", "达到此分即为活跃"),
    "theta_delete": ("score at which a memory may be suggested for deletion", "低于此分可能被建议删除"),
    "delete_idle": ("idle for so long before deletion is suggested", "闲置多久才建议删除"),
    "merge_idle": ("nothing happened for so long before merging is suggested", "平静多久才建议合并"),
    "merge_degree": ("at most so many links, for merging to be suggested", "链接不超过此数才建议合并"),
    "merge_overlap": ("how alike two must be for merging to be suggested", "相似到何种程度才建议合并"),
    "rank_bonus": ("how much vitality counts in search", "搜索排序中活力的分量"),
    "tick_every": ("how often states are written down", "多久记录一次状态"),
    "focus_limit": ("how many things are in focus at once", "同时处于焦点的数量"),
    "decay_rate": ("what a scan leaves of a link's strength", "每次扫描后链接强度保留的比例"),
    "link_initial_strength": ("strength of a link between neighbours", "相邻片段之间链接的初始强度"),
    "delete_threshold": ("a text that would be shorter is forgotten", "缩到比这更短就遗忘"),
    "link_break_threshold": ("a link weaker than this breaks", "比这更弱的链接会断开"),
    "time_slice": ("how long it may compress before others have their turn", "每轮压缩最多用时"),
    "default_search_depth": ("how many links a recall goes", "回忆默认走多少层链接"),
    "scan_budget": ("memories looked at in a cycle", "每轮扫描的记忆数"),
    "node_pool": ("the most memories it ever holds", "最多保有多少条记忆"),
    "basis": ("length a text shrinks from", "文本缩短以何长度为准"),
    "traces": ("what becomes of traces that were recalled", "被回忆到的痕迹如何处理"),
    "cue": ("recall from what the keywords name", "从关键词所指处回忆"),
    "initial": ("score at birth", "出生时的分数"),
    "daily_factor": ("what a day leaves of the score", "每过一天分数保留的比例"),
    "structure_gain": ("how much links slow the wear", "链接减缓衰减的程度"),
    "structure_scale": ("how many links it takes for that", "需要多少链接才显著减缓"),
    "usage_gain": ("points a well-spaced use adds", "间隔足够的一次使用加多少分"),
    "usage_spacing": ("how far apart uses must be to count fully", "使用间隔多久才充分计分"),
    "active_from": ("score from which a memory is active", "达到此分即为活跃"),
    "cold_from": ("score below which a memory is deprecated", "低于此分即为弃用"),
    "decay": ("whether time wears scores down", "分数是否随时间衰减"),
    "delete_below": ("retention at which a memory expires", "保持率低于此值即过期"),
    "initial_importance": ("importance at birth, unless given", "出生时的重要度（未给出时）"),
    "initial_strength": ("strength at birth", "出生时的强度"),
    "ephemeral_strength": ("strength at birth of what is ephemeral", "临时记忆出生时的强度"),
    "ephemeral_max": ("the most what is ephemeral ever reaches", "临时记忆的强度上限"),
    "max_strength": ("the most strength ever reaches", "强度上限"),
    "shortest_life": ("nothing expires sooner than this", "最短寿命"),
    "touch_gain": ("how much a well-spaced use strengthens", "间隔足够的一次使用增强多少"),
    "decay_weight": ("how much retention counts in search", "搜索排序中保持率的分量"),
    "reap_buffer": ("expired for so long before the reaper comes", "过期多久后才清理"),
    "delete_importance": ("less important than this is deleted", "重要度低于此值即删除"),
    "prune_importance": ("less important than this is pruned", "重要度低于此值即修剪"),
    "prune_days": ("a pruned memory is deleted after this", "修剪后多久删除"),
    "reap_pause": (
        "so long without a run: the first deletes nothing",
        "停止清理超过此时长后，首次清理不删除",
    ),
    "auto_reap": ("whether the reaper runs by itself", "是否自动清理"),
    "reap_every": ("how often the reaper comes", "多久清理一次"),
    "long_use": ("lasting regime: weight of uses", "看重持久时：使用的权重"),
    "long_prior": ("lasting regime: weight of content", "看重持久时：内容的权重"),
    "long_recent": ("lasting regime: weight of a recent use", "看重持久时：最近使用的权重"),
    "short_use": ("regime of the new: weight of uses", "看重新近时：使用的权重"),
    "short_prior": ("regime of the new: weight of content", "看重新近时：内容的权重"),
    "short_recent": ("regime of the new: weight of a recent use", "看重新近时：最近使用的权重"),
    "superseded": ("what being said again by a newer memory takes off", "被更新的记忆重述时的扣减"),
    "long_days": ("after so long a use counts half, lasting regime", "看重持久时，一次使用多久后减半"),
    "short_days": ("after so long a use counts half, regime of the new", "看重新近时，一次使用多久后减半"),
    "recent_days": ("idle for so long: half of the recency is left", "闲置多久后新近度减半"),
    "supersede_from": ("how alike a newer memory must be to supersede", "相似到何种程度才算取代"),
    "prior_length": ("content: weight of length", "内容：长度的权重"),
    "prior_idf": ("content: weight of rare words", "内容：罕见词的权重"),
    "prior_time": ("content: weight of saying when", "内容：提到时间的权重"),
    "prior_answers": ("content: weight of following a question", "内容：紧接提问的权重"),
    "prior_first": ("content: weight of the first person", "内容：第一人称的权重"),
    "prior_asks": ("content: weight of ending in a question", "内容：以问句结尾的权重"),
    "prior_second": ("content: weight of addressing you", "内容：第二人称的权重"),
    "regime_start": ("newness of uses before any is known", "尚无使用时假定的新近程度"),
    "regime_belief": ("how many uses that assumption counts for", "该假定相当于多少次使用"),
    "regime_from": ("newness of uses at which the new begins to count", "新近程度达到此值才开始看重新近"),
    "regime_width": ("over how much newness that grows", "从开始到完全看重新近的跨度"),
    "regime_most": ("the most that the new counts", "看重新近的上限"),
    "fading_share": ("share of the mind that is fading", "褪色记忆所占比例"),
    "trash_days": ("how long the trash keeps things", "回收站保留多久"),
    "touch_spacing": ("uses closer than this count once", "间隔小于此的使用只算一次"),
    "count_hits": ("whether being found counts as being used", "被搜到是否算被使用"),
    "candidates": ("how many candidates a search ranks", "搜索时参与排序的候选数"),
    "spread": ("how much links lift what is next to a hit", "链接对命中邻居的提升程度"),
    "rank_neighbour": ("weight of what stands before or after it in its conversation", "对话中前后相邻记忆的权重"),
    "rank_two_before": ("weight of what stands two places before it", "对话中往前第二条的权重"),
    "rank_two_after": ("weight of what stands two places after it", "对话中往后第二条的权重"),
    "rank_answer": ("weight of following a question that fits", "紧接相关提问的权重"),
    "rank_joint_words": ("weight of the query's words that the one before it adds", "前一条补足查询词的权重"),
    "rank_sentence": ("weight of the query's best-fitting sentence", "查询中最相符一句的权重"),
    "rank_last_sentence": ("weight of the query's last sentence", "查询最后一句的权重"),
    "rank_coverage": ("weight of having the query's rare words", "包含查询中罕见词的权重"),
    "rank_time": ("weight of being created when the query says", "创建于查询所说时间的权重"),
    "rank_when": ("weight of naming a time if the query asks for one", "查询询问时间时，提到时间的权重"),
    "rank_user": ("weight of being the user's words if the query says I", "查询说“我”时，由用户所说的权重"),
    "rank_speaker": ("weight of being said by the speaker the query names", "由查询点名的人所说的权重"),
    "rank_question": ("weight of ending in a question mark", "以问号结尾的权重"),
    "rank_first_person": ("weight of the first person", "第一人称的权重"),
    "rank_recency": ("weight of being recent", "新近创建的权重"),
    "rank_superseded": ("weight of being said again by a newer memory", "被更新的记忆重述的权重"),
    "match_floor": ("the similarity of a good match", "相似度达到多少才算匹配良好"),
    "max_retries": ("how often the small model is asked for one answer", "小模型每个问题最多询问次数"),
    "distil": ("what a conversation becomes", "对话保存为什么"),
    "credit_threshold": ("how sure credit must be to count a use", "归因置信度达到此值才记为使用"),
    "journal_entries": (
        "journal entries kept at least before the older half is folded; 0: all",
        "日志保留的条数，超过则折叠较旧的一半；0 为全部保留",
    ),
    "budget_memories": ("how many memories the mind may hold; 0: no limit", "最多保留多少条记忆；0 为不限"),
    "budget_characters": ("how many characters all texts may have; 0: no limit", "所有文本最多多少字符；0 为不限"),
}

VALUES: dict[str, tuple[str, str]] = {
    "true": ("true", "是"),
    "false": ("false", "否"),
    "original": ("original", "最初的"),
    "current": ("current", "当前的"),
    "keep": ("keep", "保留"),
    "when_empty": ("when_empty", "焦点处想不起来时"),
    "never": ("never", "从不"),
    "sweep": ("sweep", "清扫"),
    "segments": ("segments", "片段"),
    "facts": ("facts", "片段和事实"),
}

UNITS: dict[str, tuple[str, str]] = {
    "": ("", ""),
    "hours": ("hours", "小时"),
    "days": ("days", "天"),
    "links": ("links", "条链接"),
    "uses": ("uses", "次使用"),
    "characters": ("characters", "字"),
    "milliseconds": ("ms", "毫秒"),
    "nodes per cycle, 0: no limit": ("a cycle, 0: no limit", "条/轮，0 为不限"),
    "nodes, 0: no limit": ("memories, 0: no limit", "条，0 为不限"),
    "memories": ("memories", "条"),
    "entries": ("entries", "条日志"),
}
