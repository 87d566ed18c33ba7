"""A scan as a person meets it: the command when idle, its memory, the page's speed."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import django

from tests.bench.lab import NETWORK, ROOT, can_make_namespaces, lab

CHOICES = 200
_MEASURED = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def idle_scan(folder: Path) -> tuple[float, float]:
    """Seconds of `scan` of a loopback where nothing listens, start-up included: by
    the clock, and of one core."""
    port = ["--port", "9"]
    used = _children_seconds()
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "manage.py", "scan", *port],
        cwd=ROOT,
        env=environment(folder),
        capture_output=True,
        check=False,
    )
    return time.perf_counter() - began, _children_seconds() - used


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def environment(folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "DATABASE_URL": f"sqlite:///{folder}/none.sqlite3",
    }


def peak_mib(folder: Path) -> float:
    """The largest memory of a /24 scan."""
    with lab("memory") as made:
        argv = [sys.executable, "manage.py", "scan", "--network", NETWORK]
        out = subprocess.run(
            made.argv(sys.executable, "-c", _MEASURED, *argv),
            cwd=ROOT,
            env=environment(folder),
            capture_output=True,
            text=True,
            check=True,
        )
    return int(out.stdout) / 1024


def crowd(folder: Path) -> None:
    """An ssh configuration and an `ip` that offer 200 things to choose from."""
    (folder / ".ssh").mkdir()
    hosts = "".join(f"Host machine{n}\n" for n in range(CHOICES // 2))
    (folder / ".ssh" / "config").write_text(hosts)
    lines = "".join(
        f"{n}: eth{n} inet 10.0.{n}.2/24 scope global eth{n}\n"
        for n in range(CHOICES // 2)
    )
    (folder / "lines").write_text(lines)
    (folder / "ip").write_text(f"#!/bin/sh\ncat {folder}/lines\n")
    (folder / "ip").chmod(0o755)
    os.environ["HOME"] = str(folder)
    os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"


def page_seconds() -> float:
    """The middle of ten renderings of the page with 200 choices."""
    from django.contrib.auth.models import Group, User
    from django.core.management import call_command
    from django.test import Client
    from django.test.utils import setup_test_environment

    setup_test_environment()
    call_command("migrate", verbosity=0)
    user = User.objects.create_user("ada")
    user.groups.add(Group.objects.get(name="curators"))
    client = Client()
    client.force_login(user)
    times = []
    for _ in range(10):
        began = time.perf_counter()
        answer = client.get("/admin/servers/server/scan/")
        times.append(time.perf_counter() - began)
        assert answer.status_code == 200
        assert answer.content.count(b'name="source"') > CHOICES // 2
    return statistics.median(times)


def shown_seconds() -> float:
    """From the recognition of a server to its row in an answer the page asked for."""
    from servers.discovery.targets import Found, Here, Target, make_plan
    from servers.family import Kind
    from servers.identity import Identity
    from servers.scanning import Numbers, Scanner
    from tests.servers.discovery.test_sweep import listener

    named: list[float] = []

    async def recognise(origin, seconds):
        named.append(time.perf_counter())
        return Identity(Kind.LLM, "x", "X", origin=origin)

    scanner = Scanner(recognise)
    with listener() as one:
        target = Target(one.host, one.port, "host")
        plan = make_plan([("host", Found((target,)))], Here())
        scanner.start(plan, "ada", Numbers())
        while not ((seen := scanner.follow()) and seen.servers):
            threading.Event().wait(0.001)
    return time.perf_counter() - named[0]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = [idle_scan(folder) for _ in range(5)]
        seconds, cpu = (statistics.median(column) for column in zip(*runs, strict=True))
        words = "scan, idle loopback"
        print(f"{words:<34} {seconds:6.2f} s      (at most 1.5; {cpu:.2f} s of a core)")
        if can_make_namespaces():
            print(f"{'peak memory of a /24':<34} {peak_mib(folder):6.0f} MiB    (120)")
        crowd(folder)
        os.environ["DATABASE_URL"] = f"sqlite:///{folder}/hub.sqlite3"
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
        django.setup()
        words = f"scan page with {CHOICES} choices"
        print(f"{words:<34} {page_seconds() * 1000:6.0f} ms     (100)")
        words = "named to told (page asks each 150)"
        print(f"{words:<34} {shown_seconds() * 1000:6.0f} ms     (300)")


if __name__ == "__main__":
    main()
