"""The two conversations of the docs, and what in them must not be forgotten early."""

import json
import re
from pathlib import Path

from ebbtide.core.memory import Message

FOLDER = Path(__file__).parents[2] / "docs" / "conversations"

# Listed by hand, not found by the code under test. Days and months are names in English.
NAMES = {
    "zh": [
        *("林若溪", "滨江区", "江南大道", "郑", "豆豆", "安安宠物医院", "文三路", "王医生", "张伟", "陈晓彤", "赵敏"),
        *("小雨", "张记餐厅", "西湖", "顺安搬运", "上海", "虹桥", "杭州东站"),
    ],
    "en": [
        *("Copper Kettle", "Marlow Street", "Priya", "Okafor", "Biscuit", "Lindqvist", "Harbour Road", "Daniel"),
        *("Lisbon", "Marta", "Helen Brandt", "Leeds", "Monday", "Tuesday", "Thursday", "May", "June", "September"),
    ],
}
_NUMBER = re.compile(r"\d+(?:[,.:]\d+)*")


def conversation(language: str) -> list[Message]:
    lines = (FOLDER / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [Message(**json.loads(line)) for line in lines]


def names_and_numbers(text: str, language: str) -> set[str]:
    pattern = r"\b{}\b" if language == "en" else "{}"
    names = {name for name in NAMES[language] if re.search(pattern.format(re.escape(name)), text)}
    return names | set(_NUMBER.findall(text))
