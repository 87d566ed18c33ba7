"""A machine of the tests: its own HOME and PATH, with an executable `claude` on it."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

SESSION = "99999999-2222-4333-8444-555555555555"
FORK = "11111111-2222-4333-8444-555555555555"
HELP = """Usage: claude [options] [command] [prompt]
  -p, --print
  --output-format <format>  (choices: "text", "json")
  --fork-session
"""
STREAM_HELP = """Usage: claude [options] [command] [prompt]
  --output-format <format>           Output format: "text", "json",
                                     or "stream-json" (realtime streaming)
  --include-partial-messages         Include partial message chunks
  --strict-mcp-config                Only use MCP servers from --mcp-config
"""
# It says its options and sessions, writes down how it was asked, and plays `ask`.
SCRIPT = """#!/bin/sh
case "$1" in
--help) cat {folder}/help; exit 0 ;;
agents) cat {folder}/agents; exit $(cat {folder}/agents-code) ;;
esac
printf '%s\\n' "$@" > {folder}/argv
env > {folder}/env
pwd > {folder}/pwd
cat > {folder}/stdin
{ask}
"""


class Machine:
    """Its folder holds everything: `argv`, `env`, `pwd` and `stdin` of the last run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.home.mkdir()
        self.environ: dict[str, str] = {
            "PATH": f"{folder}/bin:{os.environ['PATH']}",
            "HOME": str(self.home),
            "SECRET_KEY": "canary-secret",
            "LLMHUB_KEYS": "canary-keys",
            "DATABASE_URL": "canary-database",
            "ANTHROPIC_API_KEY": "canary-anthropic",
            "OPENAI_API_KEY": "canary-openai",
        }

    def install(self, ask: str = "", *, help_text: str = HELP) -> Machine:
        """Put a `claude` on PATH whose answer to a question is the shell text `ask`."""
        (self.folder / "bin").mkdir(exist_ok=True)
        program = self.folder / "bin" / "claude"
        program.write_text(SCRIPT.format(folder=self.folder, ask=ask))
        program.chmod(0o755)
        (self.folder / "help").write_text(help_text)
        self.announce([])
        return self

    def answer(self, stdout: str, *, stderr: str = "", code: int = 0) -> Machine:
        """Install one that prints exactly this."""
        (self.folder / "out").write_text(stdout)
        (self.folder / "err").write_text(stderr)
        here = self.folder
        return self.install(f"cat {here}/err >&2; cat {here}/out; exit {code}")

    def announce(self, rows: list[dict[str, Any]] | str, *, code: int = 0) -> None:
        """What `claude agents --json` says."""
        text = rows if isinstance(rows, str) else json.dumps(rows)
        (self.folder / "agents").write_text(text)
        (self.folder / "agents-code").write_text(str(code))

    def save(
        self, session: str, *lines: Mapping[str, Any] | str, folder: str = "-p"
    ) -> Path:
        """A saved session; without lines it has the two fields that are read."""
        default = {"type": "user", "cwd": str(self.folder), "gitBranch": "main"}
        path = self.home / ".claude/projects" / folder / f"{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        texts = (x if isinstance(x, str) else json.dumps(x) for x in lines or [default])
        path.write_text("".join(f"{text}\n" for text in texts))
        return path

    def register(self, pid: int, /, **row: Any) -> Path:
        """The registry's file about one process."""
        path = self.home / ".claude/sessions" / f"{pid}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({**row, "pid": pid}))
        return path

    def seen(self, name: str) -> str:
        """`argv`, `env`, `pwd` or `stdin` of the last question."""
        return (self.folder / name).read_text()


def result(**more: Any) -> str:
    """A good envelope, with what a test wants different."""
    whole = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "num_turns": 1,
        "result": "Yes.",
        "stop_reason": "end_turn",
        "session_id": FORK,
        "total_cost_usd": 0.01,
        "usage": {"input_tokens": 5, "output_tokens": 3},
        "permission_denials": [],
    }
    return json.dumps({**whole, **more})


def until(condition: Callable[[], object]) -> bool:
    """True as soon as it holds; False when it did not within 10 s."""
    pause, deadline = threading.Event(), time.monotonic() + 10
    while not condition():
        if time.monotonic() > deadline:
            return False
        pause.wait(0.01)
    return True
