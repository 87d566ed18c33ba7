"""A /24 of our own: two network namespaces and a cable, with hosts of every kind.

50 alive (closed ports answer), 20 silent (they have a hardware address and drop
everything), the rest absent. Needs root and `ip`; nothing outside is ever asked.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
NETWORK = "10.77.0.0/24"
ALIVE = [f"10.77.0.{number}" for number in range(10, 60)]
SILENT = [f"10.77.0.{number}" for number in range(100, 120)]
PORTS = (11434, 1234, 5001, 1337, 4891, 8080, 5000, 8000, 3000, 8081, 5002, 52415)
LISTENERS = [(ALIVE[6 * number], PORTS[number]) for number in range(8)]

_ACCEPT = """
import selectors, socket, sys
look = selectors.DefaultSelector()
for place in sys.argv[1:]:
    host, _, port = place.rpartition(":")
    sock = socket.create_server((host, int(port)), backlog=64)
    look.register(sock, selectors.EVENT_READ)
print("ready", flush=True)
while True:
    for key, _ in look.select():
        key.fileobj.accept()[0].close()
"""


def can_make_namespaces() -> bool:
    return os.geteuid() == 0 and shutil.which("ip") is not None


def run(*argv: str) -> None:
    subprocess.run(argv, check=True, capture_output=True)


@dataclass(frozen=True, slots=True)
class Lab:
    """The names of the two namespaces: `here` scans, `there` has the hosts."""

    here: str
    there: str

    def argv(self, *argv: str) -> list[str]:
        """`argv` as run from the scanning side."""
        return ["ip", "netns", "exec", self.here, *argv]

    def there_argv(self, *argv: str) -> list[str]:
        return ["ip", "netns", "exec", self.there, *argv]


@contextmanager
def lab(name: str = "bench") -> Iterator[Lab]:
    """The network, up; gone afterwards."""
    made = Lab(f"hub-{name}-a-{os.getpid()}", f"hub-{name}-b-{os.getpid()}")
    try:
        _wire(made)
        yield made
    finally:
        for namespace in (made.here, made.there):
            subprocess.run(["ip", "netns", "del", namespace], capture_output=True)


def _wire(made: Lab) -> None:
    run("ip", "netns", "add", made.here)
    run("ip", "netns", "add", made.there)
    end = ["peer", "name", "lan0", "netns", made.there]
    run("ip", "link", "add", "lan0", "netns", made.here, "type", "veth", *end)
    batch = [f"addr add {host}/24 dev lan0" for host in ALIVE]
    _batch(made.there, ["link set lo up", *batch, "link set lan0 up"])
    hardware = _hardware_address(made.there)
    silent = [
        f"neigh replace {host} lladdr {hardware} dev lan0 nud permanent"
        for host in SILENT
    ]
    up = ["link set lo up", "addr add 10.77.0.2/24 dev lan0", "link set lan0 up"]
    _batch(made.here, [*up, *silent])


def _batch(namespace: str, lines: Sequence[str]) -> None:
    subprocess.run(
        ["ip", "-n", namespace, "-batch", "-"],
        input="\n".join(lines) + "\n",
        text=True,
        check=True,
        capture_output=True,
    )


def _hardware_address(namespace: str) -> str:
    show = subprocess.run(
        ["ip", "-n", namespace, "-o", "link", "show", "lan0"],
        check=True,
        capture_output=True,
        text=True,
    )
    return show.stdout.split("link/ether ")[1].split()[0]


def listening(
    made: Lab, places: Sequence[tuple[str, int]] = LISTENERS
) -> AbstractContextManager[None]:
    """Listeners on the far side that accept and close."""
    return _there(made, "-c", _ACCEPT, *(f"{h}:{p}" for h, p in places))


def answering(
    made: Lab, captures: Mapping[tuple[str, int], str]
) -> AbstractContextManager[None]:
    """Servers on the far side that answer recorded bytes, by (host, port)."""
    places = [f"{host}:{port}={name}" for (host, port), name in captures.items()]
    return _there(made, "-m", "tests.bench.replay_lan", *places)


@contextmanager
def _there(made: Lab, *arguments: str) -> Iterator[None]:
    argv = [sys.executable, *arguments]
    child = subprocess.Popen(
        made.there_argv(*argv), stdout=subprocess.PIPE, cwd=ROOT, text=True
    )
    try:
        if child.stdout is None or child.stdout.readline() != "ready\n":
            raise RuntimeError("The listeners of the lab did not start.")
        yield
    finally:
        child.kill()
        child.wait()
        if child.stdout is not None:
            child.stdout.close()


@contextmanager
def busy(cores: int) -> Iterator[None]:
    """As many processes that only count as there are cores."""
    spin = [sys.executable, "-c", "while True: pass"]
    children = [subprocess.Popen(spin) for _ in range(cores)]
    time.sleep(0.2)
    try:
        yield
    finally:
        for child in children:
            child.kill()
            child.wait()
