"""The page of Claude sessions, on a machine that has some."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import PASSPHRASE, _manage, _serve, _settings
from tests.chat.claude.machine import FORK, SESSION, Machine, result

SAVED = "33333333-2222-4333-8444-555555555555"
_SEED = f"""
from django.contrib.auth.models import Group, Permission, User
from gpts.protected import add
user = User.objects.create_user("asker", password={PASSPHRASE!r})
user.groups.add(Group.objects.get(name="members"))
user.user_permissions.add(Permission.objects.get(codename="ask_claude"))
add(["Project Halcyon"])
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Machine]]:
    """A hub with the feature on, and its machine."""
    folder = tmp_path_factory.mktemp("claude")
    machine = Machine(folder).answer(result(result="It **waits** for Wi-Fi."))
    machine.save(SAVED, {"cwd": str(folder / "till"), "gitBranch": "dev"})
    now = int(time.time() * 1000)
    machine.announce(
        [
            {
                "pid": os.getpid(),
                "startedAt": now,
                "sessionId": SESSION,
                "cwd": str(folder),
                "name": "field notes",
                "status": "idle",
                "kind": "interactive",
                "version": "2.1.0",
            },
            {"pid": 2, "cwd": str(folder / "desk"), "kind": "interactive"},
        ]
    )
    settings = {
        **_settings(folder),
        "LLMHUB_CLAUDE": "1",
        "HOME": str(machine.home),
        "PATH": machine.environ["PATH"],
    }
    _manage(settings, "migrate", "--verbosity", "0")
    _manage(settings, "shell", "--no-imports", "-c", _SEED)
    process, url = _serve(settings, "127.0.0.1:0")
    try:
        yield url, machine
    finally:
        process.terminate()
        process.wait(10)
        if process.stdout is not None:
            process.stdout.close()


@pytest.fixture
def page(place: tuple[str, Machine], browser: Browser) -> Iterator[Page]:
    url, _machine = place
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(15_000)
    complaints: list[str] = []
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    found = context.new_page()
    found.goto(f"{url}/accounts/login/")
    found.get_by_label("Username").fill("asker")
    found.get_by_label("Password").fill(PASSPHRASE)
    found.get_by_role("button", name="Log in").click()
    found.wait_for_url(f"{url}/")
    yield found
    context.close()
    assert complaints == []


def row(page: Page, words: str) -> Locator:
    return page.locator("tr", has_text=words)


class SessionsTests:
    def test_it_lists_live_and_saved_sessions(
        self, place: tuple[str, Machine], page: Page
    ) -> None:
        page.get_by_role("link", name="Claude sessions").first.click()
        expect(row(page, "field notes")).to_contain_text(SESSION[:8])
        expect(row(page, "field notes")).to_contain_text("idle")
        expect(row(page, SAVED[:8])).to_contain_text("till")
        expect(row(page, SAVED[:8])).to_contain_text("saved")
        expect(row(page, "desk")).to_contain_text("cannot be asked")
        expect(page.locator("main")).to_contain_text(
            "claude -p under way is not listed"
        )

    def test_it_asks_a_session_after_the_word_was_typed(
        self, place: tuple[str, Machine], page: Page
    ) -> None:
        url, machine = place
        page.goto(f"{url}/claude/")
        row(page, "field notes").get_by_role("button", name="Ask").click()
        page.wait_for_url(f"{url}/c/*")
        expect(page.locator(".to")).to_contain_text("leaves your network")
        page.get_by_label("Message", exact=True).fill("Does it sync on Wi-Fi only?")
        page.keyboard.press("Enter")
        retype = page.get_by_label("Type claude to send it there")
        expect(retype).to_be_visible()
        assert not (Path(machine.folder) / "stdin").exists()
        retype.fill("claude")
        page.get_by_role("button", name="Confirm and send").click()
        turn = page.locator("#turn-1")
        expect(turn.locator("[data-answer] strong")).to_have_text("waits")
        expect(turn).to_contain_text("as of the last saved state of the session")
        assert machine.seen("stdin") == "Does it sync on Wi-Fi only?"
        page.get_by_label("Message", exact=True).fill("And photos?")
        page.keyboard.press("Enter")
        expect(page.locator("#turn-2 [data-answer] strong")).to_have_text("waits")
        assert f"--resume\n{FORK}\n--tools" in machine.seen("argv")
