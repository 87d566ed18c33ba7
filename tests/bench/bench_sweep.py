"""The sweep against a /24 x 12 ports, beside nmap in the same run.

`python -m tests.bench.bench_sweep`; as root, in namespaces it makes itself. With
`--inside` it is the scanning process and prints one line of JSON.
"""

from __future__ import annotations

import ipaddress
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from typing import Any

from servers.discovery.sweep import Done, Endpoint, Hit, sweep
from tests.bench.lab import (
    LISTENERS,
    NETWORK,
    PORTS,
    ROOT,
    Lab,
    busy,
    can_make_namespaces,
    lab,
    listening,
)

OWN = "10.77.0.2"


def inside() -> None:
    hosts = [str(h) for h in ipaddress.ip_network(NETWORK).hosts() if str(h) != OWN]
    endpoints = [Endpoint(host, port) for host in hosts for port in PORTS]
    found = []
    began = time.perf_counter()
    for event in sweep(endpoints):
        match event:
            case Hit(endpoint=endpoint):
                found.append([endpoint.host, endpoint.port])
            case Done() as done:
                pass
    seconds = time.perf_counter() - began
    print(
        json.dumps(
            {
                "seconds": seconds,
                "found": found,
                "not_asked": len(done.not_asked),
                "looked_twice": done.looked_twice,
            }
        )
    )


def one_sweep(made: Lab, *, descriptors: int = 0) -> dict[str, Any]:
    """One sweep in a process of its own, in the scanning namespace."""
    argv = [sys.executable, "-m", "tests.bench.bench_sweep", "--inside"]
    if descriptors:
        argv = ["sh", "-c", f'ulimit -n {descriptors}; exec "$@"', "sh", *argv]
    out = subprocess.run(
        made.argv(*argv), cwd=ROOT, check=True, capture_output=True, text=True
    )
    report: dict[str, Any] = json.loads(out.stdout)
    right = {(host, port) for host, port in report["found"]} & set(LISTENERS)
    report["recall"] = f"{len(right)} of {len(LISTENERS)}"
    return report


def one_nmap(made: Lab) -> tuple[float, int]:
    """Seconds and open ports of `nmap -sS -n -T4` on the same network."""
    ports = ",".join(str(port) for port in PORTS)
    argv = ["nmap", "-sS", "-n", "-T4", "-p", ports, "--open", "-oG", "-", NETWORK]
    began = time.perf_counter()
    out = subprocess.run(made.argv(*argv), check=True, capture_output=True, text=True)
    return time.perf_counter() - began, out.stdout.count("/open/")


def line(name: str, report: dict[str, Any]) -> str:
    twice = report["looked_twice"]
    return (
        f"{name:<24} {report['seconds']:6.2f} s  {report['recall']}"
        + (f"  looked twice at {twice}" if twice else "")
        + (f"  not asked {report['not_asked']}" if report["not_asked"] else "")
    )


def main() -> None:
    if not can_make_namespaces():
        print("sweep: needs root and ip (network namespaces); not measured")
        return
    with lab() as made, listening(made):
        runs = [one_sweep(made) for _ in range(5)]
        middle = sorted(runs, key=lambda report: report["seconds"])[2]
        print(line("sweep /24 x 12 ports", middle))
        print(line("  ulimit -n 256", one_sweep(made, descriptors=256)))
        with busy(os.cpu_count() or 1):
            print(line("  every core busy", one_sweep(made)))
        if shutil.which("nmap"):
            beside(made, statistics.median(report["seconds"] for report in runs))


def beside(made: Lab, seconds: float) -> None:
    theirs, found = one_nmap(made)
    print(f"{'nmap -sS -n -T4':<24} {theirs:6.2f} s  {found} of {len(LISTENERS)}")
    print(f"{'ratio to nmap':<24} {seconds / theirs:6.2f}")


if __name__ == "__main__":
    inside() if "--inside" in sys.argv else main()
