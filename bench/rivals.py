"""Other libraries, asked the same questions about the same memories: each in a process of its own, for `bench.search`.

    python bench/rivals.py NAME FOLDER

FOLDER has texts.json, vectors.npy, questions.json and asked.npy; what was measured is printed as one line of JSON. All
get the vectors made beforehand through an embedding function that looks them up, and none reaches any network.
"""

import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

import numpy as np

K = 10
BATCH = 1000
SECONDS = 60.0  # to put memories in; whoever has not done by then is asked about what there is
_AGENT = "bench"

os.environ |= {
    "ANONYMIZED_TELEMETRY": "False",
    "MEM0_TELEMETRY": "False",
    "HF_HUB_OFFLINE": "1",
    "OPENAI_API_KEY": "none",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "HTTP_PROXY": "http://127.0.0.1:9",
}

if not hasattr(sqlite3.Connection, "enable_load_extension"):  # some Pythons are built without, and sqlite-vec needs it
    sys.modules["sqlite3"] = import_module("pysqlite3")

Look = Callable[[str], list[float]]


class Rival(Protocol):
    package: str

    def __init__(self, folder: Path, look: Look, dimensions: int) -> None: ...
    def put(self, first: int, texts: Sequence[str]) -> None: ...
    def search(self, text: str) -> int: ...


class Chroma:
    package = "chromadb"

    def __init__(self, folder: Path, look: Look, dimensions: int) -> None:
        chromadb = import_module("chromadb")
        client = chromadb.PersistentClient(str(folder), chromadb.Settings(anonymized_telemetry=False))
        self._look = look
        self._all = client.create_collection("memories", metadata={"hnsw:space": "cosine"}, embedding_function=None)

    def put(self, first: int, texts: Sequence[str]) -> None:
        ids = [f"m{first + place}" for place in range(len(texts))]
        self._all.add(ids=ids, documents=list(texts), embeddings=[self._look(text) for text in texts])

    def search(self, text: str) -> int:
        return len(self._all.query(query_embeddings=[self._look(text)], n_results=K)["ids"][0])


class LangGraph:
    package = "langgraph-checkpoint-sqlite"

    def __init__(self, folder: Path, look: Look, dimensions: int) -> None:
        def embed(texts: Sequence[str]) -> list[list[float]]:
            return [look(text) for text in texts]

        index = {"dims": dimensions, "embed": embed, "text_fields": ["text"]}
        self._opened = import_module("langgraph.store.sqlite").SqliteStore.from_conn_string(
            str(folder / "store.db"), index=index
        )
        self._store = self._opened.__enter__()
        self._store.setup()

    def put(self, first: int, texts: Sequence[str]) -> None:
        put = import_module("langgraph.store.base").PutOp
        self._store.batch([put((_AGENT,), f"m{first + at}", {"text": text}) for at, text in enumerate(texts)])

    def search(self, text: str) -> int:
        return len(self._store.search((_AGENT,), query=text, limit=K))


class PyLethe:
    package = "pylethe"

    def __init__(self, folder: Path, look: Look, dimensions: int) -> None:
        self._lethe = import_module("lethe").Lethe(str(folder / "lethe.db"), vector_dim=dimensions, embedder=look)

    def put(self, first: int, texts: Sequence[str]) -> None:
        self._lethe.inscribe_many(list(texts))

    def search(self, text: str) -> int:
        return len(self._lethe.recall(text, k=K))


class Mem0:
    """Without its language model: texts are kept as they are (`infer=False`)."""

    package = "mem0ai"

    def __init__(self, folder: Path, look: Look, dimensions: int) -> None:
        os.environ["MEM0_DIR"] = str(folder)
        store = {"path": str(folder / "qdrant"), "embedding_model_dims": dimensions, "on_disk": True}
        self._memory = import_module("mem0").Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = _Looking(look)

    def put(self, first: int, texts: Sequence[str]) -> None:
        for text in texts:
            self._memory.add(text, user_id=_AGENT, infer=False)

    def search(self, text: str) -> int:
        return len(self._memory.search(text, top_k=K, filters={"user_id": _AGENT}, threshold=0.0)["results"])


class _Looking:
    def __init__(self, look: Look) -> None:
        self._look = look

    def embed(self, text: str, memory_action: Any = None) -> list[float]:
        return self._look(text)

    def embed_batch(self, texts: Sequence[str], memory_action: Any = None) -> list[list[float]]:
        return [self._look(text) for text in texts]


RIVALS: dict[str, type[Rival]] = {"chromadb": Chroma, "langgraph": LangGraph, "pylethe": PyLethe, "mem0": Mem0}


def measured(kind: type[Rival], folder: Path) -> dict[str, Any]:
    texts, asked = (json.loads((folder / name).read_text("utf-8")) for name in ("texts.json", "questions.json"))
    vectors = np.concatenate([np.load(folder / "vectors.npy"), np.load(folder / "asked.npy")])
    known = dict(zip([*texts, *asked], vectors.tolist(), strict=True))
    own = folder / kind.package
    own.mkdir()
    rival = kind(own, known.__getitem__, vectors.shape[1])
    put, taken = _put(rival, texts)
    rival.search(asked[0])
    times = [_timed(rival, text) for text in asked]
    p50, p95 = np.percentile(times, [50, 95]).tolist()
    return {"version": version(kind.package), "memories": put, "rate": put / taken, "p50": p50, "p95": p95}


def _put(rival: Rival, texts: Sequence[str]) -> tuple[int, float]:
    start = time.perf_counter()
    for first in range(0, len(texts), BATCH):
        rival.put(first, texts[first : first + BATCH])
        if (taken := time.perf_counter() - start) > SECONDS:
            return min(first + BATCH, len(texts)), taken
    return len(texts), time.perf_counter() - start


def _timed(rival: Rival, text: str) -> float:
    start = time.perf_counter()
    found = rival.search(text)
    taken = time.perf_counter() - start
    assert found == K, f"{found} hits"
    return taken


if __name__ == "__main__":
    print(json.dumps(measured(RIVALS[sys.argv[1]], Path(sys.argv[2]))))
