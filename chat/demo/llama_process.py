"""One llama.cpp server in this process: `python -m chat.demo.llama_process OPTIONS`.

Imports nothing of the hub: it is started by `llama_server` and ends with its parent's
signal. Options are one JSON object, see `llama_server.Options`.
"""

from __future__ import annotations

import json
import signal
import sys
from typing import Any

# Only `make demo` and the tests install it.
import xllamacpp


def main(argv: list[str]) -> int:
    options: dict[str, Any] = json.loads(argv[0])
    params = xllamacpp.CommonParams()
    params.model.path = options["model"]
    params.hostnames = ["127.0.0.1"]
    params.port = options["port"]
    params.n_ctx = options["context"]
    params.n_parallel = options["slots"]
    params.model_alias = {options["alias"]}
    params.embedding = options["embedding"]
    params.cpuparams.n_threads = 1
    params.n_predict = options["most_tokens"]
    if options["api_key"]:
        params.api_keys = [options["api_key"]]
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
