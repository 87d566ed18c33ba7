"""Makes `.env` with fresh keys: `python -m llmhub.make_env`. Never overwrites one.

Imports no settings: they cannot be read before the file is there.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from pathlib import Path

from cryptography.fernet import Fernet

TEMPLATE = Path(__file__).resolve().parent.parent / ".env.example"


def env_text(template: str) -> str:
    """The example with SECRET_KEY and LLMHUB_KEYS filled in."""
    fresh = {
        "SECRET_KEY=": f"SECRET_KEY={secrets.token_urlsafe(50)}",
        "LLMHUB_KEYS=": f"LLMHUB_KEYS={Fernet.generate_key().decode()}",
    }
    lines = template.splitlines()[1:]
    return "\n".join(fresh.get(line, line) for line in lines) + "\n"


def make_env(path: Path) -> bool:
    """Write `path` (0600) unless it is there. True if it was written."""
    try:
        # O_EXCL: two runs at once cannot both write, and no link is followed.
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return False
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(env_text(TEMPLATE.read_text(encoding="utf-8")))
    return True


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Make .env with fresh keys.")
    parser.add_argument("path", nargs="?", default=".env", type=Path)
    parser.add_argument(
        "--print-key",
        action="store_true",
        help="print one fresh key for LLMHUB_KEYS and write nothing",
    )
    options = parser.parse_args(argv)
    if options.print_key:
        sys.stdout.write(Fernet.generate_key().decode() + "\n")
    elif make_env(options.path):
        sys.stdout.write(f"Made {options.path} with fresh keys.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
