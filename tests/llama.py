"""Real llama.cpp servers for tests: `llama()` and `llama_router()` as contexts.

with llama(slots=2) as origin: ...      ready, with the tiny model
with llama(slow=True) as origin: ...    listens, and loads for seconds
"""

from __future__ import annotations

import socket
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chat.demo.llama_server import Options, running, running_router
from chat.demo.tiny_model import Shape, write_tiny_model
from servers.addresses import Origin

_FOLDER = Path(tempfile.gettempdir()) / "llmhub-test-models"
# About 250 MB: long enough in loading to be looked at, on any disk.
SLOW = Shape(layers=6, dim=512, feed_forward=6144)


def model_file(shape: Shape | None = None) -> Path:
    """The model's file, written once per machine."""
    path = _FOLDER / ("slow.gguf" if shape else "tiny.gguf")
    if not path.exists():
        _FOLDER.mkdir(mode=0o700, exist_ok=True)
        unfinished = path.with_suffix(f".{free_port()}")
        write_tiny_model(unfinished, shape)
        unfinished.rename(path)
    return path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def llama(*, slow: bool = False, **options: Any) -> Iterator[Origin]:
    """A server; unless `slow`, its model is loaded when the block begins."""
    path = model_file(SLOW if slow else None)
    chosen = Options(model=str(path), port=free_port(), **options)
    with running(chosen):
        origin = Origin("http", "127.0.0.1", chosen.port)
        if not slow:
            _until_loaded(origin)
        yield origin


@contextmanager
def llama_router() -> Iterator[Origin]:
    """A router over one model that nobody loaded."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "tiny.gguf").symlink_to(model_file())
        with running_router(Path(folder), port):
            yield Origin("http", "127.0.0.1", port)


def _until_loaded(origin: Origin) -> None:
    """llama.cpp answers /health with 503 until its model is there."""
    for _ in range(600):
        try:
            with urllib.request.urlopen(origin.url("/health"), timeout=5):
                return
        except urllib.error.HTTPError as error:
            error.close()
    raise AssertionError("llama.cpp did not load its model")
