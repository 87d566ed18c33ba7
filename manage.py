#!/usr/bin/env python
"""Run one of the hub's commands."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    try:
        from llmhub.commandline import run
    except ImportError as error:
        raise SystemExit(
            f"{error.name or error} is not installed here: run `make setup`, "
            "then use .venv/bin/python."
        ) from None
    sys.exit(run(sys.argv))
