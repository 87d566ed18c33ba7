"""The gpt catalogue: hostile megabytes, a thousand files cold and warm.

`python -m tests.bench gpts`. Memory is what Python allocates during one reading.
"""

from __future__ import annotations

import os
import random
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

HEADER = "---\ngpt: 1\nname: n\ndescription: d\n"
BODY = "---\n<!-- [system] -->\nS\n<!-- [question] -->\n"
MEGABYTE = 1024 * 1024
FILES = 1_000


@dataclass(frozen=True, slots=True, order=True)
class Took:
    """Milliseconds of CPU, which other programs do not change much, and passed."""

    cpu_ms: float
    passed_ms: float

    def __str__(self) -> str:
        return f"{self.cpu_ms:6.0f} ms of CPU ({self.passed_ms:.0f} passed)"


def main() -> None:
    os.environ["DATABASE_URL"] = f"sqlite:///{tempfile.mkdtemp()}/bench.sqlite3"
    import django

    django.setup()
    _hostile()
    with tempfile.TemporaryDirectory() as folder:
        _thousand(Path(folder))


def hostile_files() -> dict[str, bytes]:
    """Bodies of one megabyte and headers of nearly 64 KiB, by what fills them."""
    found: dict[str, bytes] = {}
    for unit in BODIES:
        room = MEGABYTE - len(HEADER) - len(BODY)
        text = HEADER + BODY + unit * (room // len(unit.encode()))
        found[f"body of {unit!r}"] = text.encode()
    for unit in HEADERS:
        header = HEADER + "x: " + unit * (65_000 // len(unit))
        found[f"header of {unit!r}"] = f"{header}\n{BODY}q\n".encode()
    names = "".join(f"{{a{number:x}}}" for number in range(200_000))
    found["distinct placeholders"] = (HEADER + BODY + names).encode()[:MEGABYTE]
    keys = "".join(f"k{number}: v\n" for number in range(6_000))
    found["distinct keys"] = (HEADER + keys + BODY + "q").encode()
    found["one key"] = (HEADER + "k: v\n" * 9_000 + BODY + "q").encode()
    found["random bytes"] = random.Random(1).randbytes(MEGABYTE)  # noqa: S311
    return found


BODIES = (
    ["a", "\n", "```\n", "~~~\n````\n", "<!-- a\n", "<!-- a -->\n", "<!--", "-->"]
    + ["<!-- [question] --> ", "`<!-- [question] -->` ", "<!-- [x] -->\n"]
    + ["<!-- [question] -->\n", "<! question\n", "    <!-- [question] -->\n"]
    + [
        "<!-- a\n<!-- [question] -->\n",
        "{a}",
        "{",
        "&lt;!",
        "`",
        "\u00e9",
        "\U0001f600",
    ]
)
HEADERS = [
    "[",
    "{",
    "[{",
    "&a ",
    "*a ",
    "- ",
    "? ",
    "a: ",
    '"',
    "'",
    "!",
    "|\n ",
    "[,",
] + ["{a: b, ", "\\", "%", "#", "\n  ", "\n? ", "\n- ", "[]", "\t", "a\n", "\n a: b"]


def _hostile() -> None:
    from gpts.reading import read_document

    times: list[tuple[Took, str]] = []
    for name, raw in hostile_files().items():
        times.append((_timed(partial(read_document, raw)), name))
    peaks = [(_peak(partial(read_document, raw)), n) for n, raw in _heavy()]
    print(f"{len(times)} hostile files; slowest (target 500 ms each):")
    for took, name in sorted(times, reverse=True)[:3]:
        print(f"   {took}  {name}")
    print("most memory (target 100 MB each):")
    for size, name in sorted(peaks, reverse=True)[:2]:
        print(f"   {size / MEGABYTE:6.0f} MB  {name}")


def _heavy() -> list[tuple[str, bytes]]:
    wanted = ("placeholders", "'\\n'", "\U0001f600", "keys", "? ", "'a'")
    return [
        pair
        for pair in hostile_files().items()
        if any(part in pair[0] for part in wanted)
    ]


def _peak(run: Callable[[], object]) -> int:
    tracemalloc.start()
    run()
    size = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return size


def _thousand(folder: Path) -> None:
    """A thousand ordinary files: read cold, seen again, one changed, as a page."""
    from gpts.catalogue import LIBRARY, Folder, Shelf

    texts = [path.read_text() for path in sorted(LIBRARY.glob("*.md"))]
    for number in range(FILES):
        text = texts[number % len(texts)].replace("name: ", f"name: {number} ", 1)
        (folder / f"gpt-{number}.md").write_text(text)
    _prepare_database()
    shelf = Shelf((Folder(folder, reviewed=True),))
    print(f"{FILES} files:")
    print(f"   {_timed(shelf.catalogue)}  cold (target 1,500)")
    print(f"   {_timed(shelf.catalogue)}  nothing changed")
    changed = folder / "gpt-7.md"
    changed.write_text(changed.read_text() + "More.\n")
    before = shelf.parses
    took = _timed(shelf.catalogue)
    print(f"   {took}  one changed, {shelf.parses - before} read again")
    _page(folder)


def _prepare_database() -> None:
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def _page(folder: Path) -> None:
    """Server time of the catalogue page, 30 times after the first."""
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.test import Client

    from servers.addresses import Origin
    from servers.hosting import Hosting
    from servers.retained import keep

    settings.LLMHUB_GPT_FOLDERS = [f"{folder}=reviewed"]
    settings.ALLOWED_HOSTS = ["testserver"]
    keep(Origin("http", "127.0.0.1", 8080), hosting=Hosting.LOOPBACK)
    client = Client()
    client.force_login(User.objects.create_superuser("bench"))
    first = _timed(lambda: client.get("/gpts/"))
    times = [_timed(lambda: client.get("/gpts/")) for _ in range(30)]
    size = len(client.get("/gpts/").content)
    middle = statistics.median_low(times)
    print(f"   {first}  first page, {size // 1024} KiB")
    print(f"   {middle}  warm page, median (target 50)")


def _timed(run: Callable[[], object]) -> Took:
    passed, used = time.perf_counter(), time.process_time()
    run()
    return Took(
        (time.process_time() - used) * 1000, (time.perf_counter() - passed) * 1000
    )


if __name__ == "__main__":
    main()
