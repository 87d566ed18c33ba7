"""`make bench`: every benchmark, or those named (`make bench ARGS="sweep gate"`)."""

from __future__ import annotations

import importlib
import os
import sys
import time
from pathlib import Path


def names() -> list[str]:
    files = Path(__file__).parent.glob("bench_*.py")
    return sorted(path.stem.removeprefix("bench_") for path in files)


def main(wanted: list[str]) -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    unknown = set(wanted) - set(names())
    if unknown:
        print(f"No benchmark {sorted(unknown)[0]}; there are: {', '.join(names())}.")
        return 2
    for name in wanted or names():
        started = time.perf_counter()
        print(f"== {name}")
        importlib.import_module(f"tests.bench.bench_{name}").main()
        print(f"   ({time.perf_counter() - started:.1f} s)\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
