"""Recorded servers on given addresses: `HOST:PORT=capture ...`, until it is ended."""

from __future__ import annotations

import sys
import threading
from contextlib import ExitStack

from tests.fakes import Replay, capture, routes_of


def main(places: list[str]) -> None:
    with ExitStack() as stack:
        for place in places:
            where, _, name = place.partition("=")
            host, _, port = where.rpartition(":")
            routes = routes_of(capture(name))
            stack.enter_context(Replay(routes, host=host, port=int(port)))
        print("ready", flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1:])
