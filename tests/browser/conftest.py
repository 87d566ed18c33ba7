"""A real hub in its own process, and a real Chromium: what every browser test uses.

    def test_it_...(hub, page_of):
        page = page_of(hub.person())          logged in, on the start page
        page.goto(hub.url + f"/?server={hub.server()}")

The hub is `manage.py serve` with a database of its own; people and servers are there
before it starts. Each test takes people and servers nobody else uses. A test that
leaves a script error, a refused policy or a failed request behind fails.
"""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.browser.upstream import Upstream

ROOT = Path(__file__).parent.parent.parent
PASSPHRASE = "a long passphrase"
PEOPLE = 120
SERVERS = 80  # one page of the admin
START_SECONDS = 30
FLAGS = [
    "--no-sandbox",  # Chromium as root
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]

# A busy machine answers late; what never comes still fails.
expect.set_options(timeout=20_000)


def chromium() -> str:
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        said = "No Chromium on this machine: the browser tests did NOT run."
        if os.environ.get("CI", "").lower() in {"1", "true"}:
            pytest.fail(said)
        pytest.skip(said)
    return found


@dataclass(slots=True)
class Hub:
    """`person` and `server` give out what no other test has."""

    url: str
    upstream: Upstream
    process: subprocess.Popen[str]
    settings: dict[str, str]
    third_party: int
    third_party_host: str
    _people: Iterator[int] = field(default_factory=lambda: iter(range(1, PEOPLE + 1)))
    _servers: Iterator[int] = field(default_factory=lambda: iter(range(1, SERVERS + 1)))

    def person(self) -> str:
        """The name of a member."""
        return f"member{next(self._people)}"

    def server(self) -> int:
        """The key of a loopback server: `server-N` is the N-th."""
        return next(self._servers)

    def restart(self) -> None:
        """Kill the process as a power cut would, and start it again."""
        self.process.kill()
        self.process.wait()
        _close(self.process)
        address = self.url.removeprefix("http://")
        self.process, _url = _serve(self.settings, address)


@pytest.fixture(scope="session")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    chromium()  # before anything is started in vain
    folder = tmp_path_factory.mktemp("hub")
    settings = _settings(folder)
    with Upstream() as upstream:
        _manage(settings, "migrate", "--verbosity", "0")
        seeded = _seed(settings, upstream.url)
        process, url = _serve(settings, "127.0.0.1:0")
        found = Hub(url, upstream, process, settings, **seeded)
        try:
            yield found
        finally:
            found.process.terminate()
            found.process.wait(10)
            _close(found.process)


def _settings(folder: Path) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k in {"PATH", "HOME", "LANG", "TMP"}}
    return {
        **kept,
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "DATABASE_URL": f"sqlite:///{folder / 'hub.sqlite3'}",
        "LLMHUB_VAR": str(folder),
        "PYTHONUNBUFFERED": "1",
    }


def _manage(settings: dict[str, str], *words: str, said: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=settings,
        input=said,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


_SEED = """
import json, sys
from django.contrib.auth.models import Group, User
from gpts.protected import add
from servers.addresses import parse_url
from servers.hosting import Hosting
from servers.retained import keep
asked = json.loads({asked!r})
for name, group in asked["people"]:
    user = User.objects.create_user(name, password=asked["passphrase"])
    user.groups.add(Group.objects.get(name=group))
for number in range(1, asked["servers"] + 1):
    keep(
        parse_url(asked["url"] + "/s" + str(number)),
        family="vllm",
        hosting=Hosting.LOOPBACK,
        label="Desk " + str(number),
        default_model="tiny",
    )
third = keep(
    parse_url(asked["third"]),
    family="openai",
    hosting=Hosting.GLOBAL,
    label="Far away",
    default_model="big",
)
add(["Project Halcyon"])
print(json.dumps({{"third_party": third.pk, "third_party_host": third.origin.host}}))
"""


def _seed(settings: dict[str, str], url: str) -> dict[str, Any]:
    people = [(f"member{n}", "members") for n in range(1, PEOPLE + 1)]
    asked = {
        "people": [*people, ("curator1", "curators")],
        "passphrase": PASSPHRASE,
        "servers": SERVERS,
        "url": url,
        "third": "https://far.example",
    }
    script = _SEED.format(asked=json.dumps(asked))
    printed = _manage(settings, "shell", "--no-imports", "-c", script)
    found: dict[str, Any] = json.loads(printed.splitlines()[-1])
    return found


def _close(process: subprocess.Popen[str]) -> None:
    """Its output, which nobody reads any more."""
    if process.stdout is not None:
        process.stdout.close()


def _serve(settings: dict[str, str], address: str) -> tuple[subprocess.Popen[str], str]:
    """The running hub and its address, once it says that it serves."""
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve", "--address", address],
        cwd=ROOT,
        env=settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    said, until = "", time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        if select.select([process.stdout], [], [], 0.2)[0]:
            said += process.stdout.readline()
            found = re.search(r"http://[^\s/]+", said)
            if found:
                return process, found[0]
    process.kill()
    pytest.fail(f"The hub did not start: {said}{process.stdout.read()}")


# --- the browser -------------------------------------------------------------------


# Not for the session: Playwright's event loop runs in this thread until it is closed,
# and tests of other files start loops of their own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    executable = chromium()
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def complaints() -> list[str]:
    """What the console said; a test that provokes an error clears it."""
    return []


@pytest.fixture
def context_of(
    hub: Hub, browser: Browser, complaints: list[str]
) -> Iterator[Callable[..., BrowserContext]]:
    """A browser of its own for a person, logged in."""
    opened: list[BrowserContext] = []

    def open_for(person: str, **options: Any) -> BrowserContext:
        context = browser.new_context(**options)
        context.set_default_timeout(30_000)
        opened.append(context)
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        context.on("console", lambda line: _note(complaints, line))
        page = context.new_page()
        page.goto(f"{hub.url}/accounts/login/")
        page.get_by_label("Username").fill(person)
        page.get_by_label("Password").fill(PASSPHRASE)
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url(f"{hub.url}/")
        return context

    yield open_for
    for context in opened:
        context.close()
    assert complaints == []


def _note(complaints: list[str], line: Any) -> None:
    if line.type in {"error", "warning"}:
        complaints.append(line.text)


@pytest.fixture
def page_of(
    context_of: Callable[..., BrowserContext],
) -> Callable[..., Page]:
    """A page of a person, logged in."""

    def open_for(person: str, **options: Any) -> Page:
        return context_of(person, **options).pages[0]

    return open_for


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
