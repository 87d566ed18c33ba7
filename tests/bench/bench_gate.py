"""The gate's detectors: speed on ordinary and hostile text, and what they find.

`python -m tests.bench gate`. Where detect-secrets is installed, the same labelled set
goes through it as well (it is no dependency of the hub: `pip install detect-secrets`).
"""

from __future__ import annotations

import importlib.util
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.gpts.labelled import NEGATIVES, POSITIVES

CORPUS = Path(__file__).parent.parent / "gpts" / "corpus"
MEGABYTE = 1_000_000
# What detect-secrets looks for as well; addresses and names are no secrets to it.
SECRETS = [
    text
    for kind, text in POSITIVES
    if kind.removeprefix("possible-") in {"token", "private-key", "connection"}
]
HOSTILE = ("a.", "@", "1", ":", "a@", "1.", "::", "-", "/", "=", "a" * 40 + " ")


def main() -> None:
    import django

    django.setup()
    _speed()
    _found()


def _speed() -> None:
    text = "\n".join(path.read_text() for path in sorted(CORPUS.glob("*.txt")))
    ordinary = (text * (1 + 2 * MEGABYTE // len(text)))[: 2 * MEGABYTE]
    seconds = _seconds(ordinary)
    print(f"ordinary text: {2 / seconds:.1f} MB/s of CPU (target 1)")
    worst = max((_seconds(unit * (MEGABYTE // len(unit))), unit) for unit in HOSTILE)
    print(f"hostile megabyte: {worst[0]:.2f} s, slowest of {worst[1]!r} (target 2)")
    alarms = len(_hits(text))
    print(
        f"{len(text) // 1000} kB of code and lock files: {alarms} findings (target 4)"
    )


def _seconds(text: str) -> float:
    """Of CPU, for a text not seen before."""
    started = time.process_time()
    _hits(f"{time.perf_counter_ns()}\n{text}")
    return time.process_time() - started


def _hits(text: str) -> tuple[object, ...]:
    from gpts.detectors.names import NOT_CHECKED
    from gpts.detectors.scan import scan

    return scan(text, NOT_CHECKED.matcher)


def _found() -> None:
    """Found positives and false alarms of the labelled set."""
    found = sum(bool(_hits(text)) for _kind, text in POSITIVES)
    secrets = sum(bool(_hits(text)) for text in SECRETS)
    alarms = sum(bool(_hits(text)) for text in NEGATIVES)
    print(
        f"ours: {found} of {len(POSITIVES)} found, {secrets} of the {len(SECRETS)} "
        f"secrets, {alarms} false alarms in {len(NEGATIVES)} texts"
    )
    if importlib.util.find_spec("detect_secrets") is None:
        print("detect-secrets: not installed, not compared")
        return
    for name, left_out in (
        ("default", ()),
        ("without entropy and keywords", _GUESSING),
    ):
        _compare(name, left_out)


_GUESSING = ("Base64HighEntropyString", "HexHighEntropyString", "KeywordDetector")


def _compare(name: str, left_out: tuple[str, ...]) -> None:
    from detect_secrets import SecretsCollection  # type: ignore[import-not-found]
    from detect_secrets.settings import (  # type: ignore[import-not-found]
        default_settings,
    )

    def alarmed(text: str) -> bool:
        secrets = SecretsCollection()
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(text)
            file.flush()
            with default_settings() as settings:
                settings.disable_plugins(*left_out)
                secrets.scan_file(file.name)
        return bool(secrets.data)

    found = sum(alarmed(text) for text in SECRETS)
    alarms = sum(alarmed(text) for text in NEGATIVES)
    seconds = _timed(lambda: alarmed("\n".join(p.read_text() for p in _corpus())))
    size = sum(path.stat().st_size for path in _corpus()) / MEGABYTE
    print(
        f"detect-secrets, {name}: {found} of the {len(SECRETS)} secrets, "
        f"{alarms} false alarms, {size / seconds:.2f} MB/s"
    )


def _corpus() -> list[Path]:
    return sorted(CORPUS.glob("*.txt"))


def _timed(run: Callable[[], object]) -> float:
    started = time.process_time()
    run()
    return time.process_time() - started


if __name__ == "__main__":
    main()
