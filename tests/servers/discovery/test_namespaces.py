"""A whole scan of a network of our own, with recorded servers on its machines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.bench.lab import (
    ALIVE,
    NETWORK,
    ROOT,
    Lab,
    answering,
    can_make_namespaces,
    lab,
)

pytestmark = [
    pytest.mark.netns,
    pytest.mark.skipif(not can_make_namespaces(), reason="needs root for namespaces"),
]
SERVERS = {
    (ALIVE[0], 11434): "source/ollama/0.33.0-ready.json",
    (ALIVE[9], 8000): "source/vllm/0.20.1-ready.json",
    (ALIVE[20], 8080): "real/llama.cpp/b10434-loading.json",
    (ALIVE[30], 8080): "real/llama.cpp/b10434-ready.json",
    (ALIVE[40], 5000): "real/neighbour-flask/3.1.3-ready.json",
}


# Runs its arguments and prints the largest memory they took, in KiB.
MEASURED = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def environment(folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "LLMHUB_ENV_FILE": "/nonexistent",
        "DATABASE_URL": f"sqlite:///{folder}/none.sqlite3",
    }


def scan(made: Lab, folder: Path, *argv: str) -> dict[str, Any]:
    out = subprocess.run(
        made.argv(sys.executable, "manage.py", "scan", "--json", *argv),
        cwd=ROOT,
        env=environment(folder),
        capture_output=True,
        text=True,
        check=False,
    )
    assert out.stderr == ""
    found: dict[str, Any] = json.loads(out.stdout)
    return found


def named(found: dict[str, Any]) -> dict[tuple[str, int], str]:
    return {(s["host"], s["port"]): s["family"] for s in found["servers"]}


FAMILIES = {
    place: name.split("/")[1].replace("llama.cpp", "llamacpp")
    for place, name in SERVERS.items()
    if "neighbour" not in name
}


class NetworkTests:
    def test_it_names_every_server_of_a_network_and_no_neighbour(self, tmp_path):
        with lab("scan") as made, answering(made, SERVERS):
            found = scan(made, tmp_path, "--network", NETWORK)
        assert named(found) == FAMILIES
        assert {server["hosting"] for server in found["servers"]} == {"lan"}
        (other,) = found["unrecognised"]
        assert (other["host"], other["port"]) == (ALIVE[40], 5000)
        states = {server["port"]: server["state"] for server in found["servers"]}
        assert states[11434] == "ready"

    def test_it_finds_the_network_the_machine_carries_and_not_itself(self, tmp_path):
        with lab("own") as made, answering(made, SERVERS):
            found = scan(made, tmp_path, "--source", "networks", "--port", "11434")
        assert set(named(found)) == {(ALIVE[0], 11434)}
        assert found["targets"] == 253

    def test_it_finds_a_server_among_those_that_have_spoken(self, tmp_path):
        with lab("neigh") as made, answering(made, SERVERS):
            scan(made, tmp_path, "--host", ALIVE[9], "--port", "9")
            found = scan(made, tmp_path, "--source", "neighbours", "--port", "8000")
        assert named(found) == {(ALIVE[9], 8000): "vllm"}

    def test_it_stays_small(self, tmp_path):
        with lab("small") as made, answering(made, SERVERS):
            argv = [sys.executable, "manage.py", "scan", "--network", NETWORK]
            out = subprocess.run(
                made.argv(sys.executable, "-c", MEASURED, *argv),
                cwd=ROOT,
                env=environment(tmp_path),
                capture_output=True,
                text=True,
                check=True,
            )
        assert int(out.stdout.splitlines()[-1]) < 120 * 1024
