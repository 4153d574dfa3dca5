"""A llama.cpp server on loopback, run by the Python of .venv-model: server.py WEIGHTS.

Writes its address on a line of its own when it is ready, and ends when its standard input does, so that it cannot
outlive whoever started it.
"""

import os
import sys

import xllamacpp  # type: ignore[import-not-found, unused-ignore]  # only .venv-model has it

CONTEXT = 4096  # tokens: what Ollama gives a model unless told otherwise


def main(weights: str) -> None:
    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.verbosity = 0
    # Threads wait for each other by spinning: on a machine with other work, one too many costs a tenfold.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = max(1, (os.cpu_count() or 2) - 1)
    server = xllamacpp.Server(params)
    sys.stdout.write(f"listening at {server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)  # tearing llama.cpp down properly takes longer than anybody wants to wait


if __name__ == "__main__":
    main(sys.argv[1])
