"""Finding servers from the admin, walked through as a curator does."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Hub
from tests.fakes import Replay
from tests.llama import llama
from tests.servers.discovery.test_sweep import listener

PageOf = Callable[..., Page]
OLLAMA = "source/ollama/0.33.0-ready.json"
LOADING = "real/llama.cpp/b10434-loading.json"


@pytest.fixture
def opened(hub: Hub, page_of: PageOf) -> Iterator[Page]:
    """The scan page, with nothing chosen and no scan running."""
    page = page_of("curator1")
    page.goto(f"{hub.url}/admin/")
    page.get_by_role("link", name="Find servers").click()
    expect(page.locator("#counted")).to_contain_text("ports on")
    page.get_by_text("This machine").click()
    yield page
    if page.locator("#stop button").is_enabled():
        page.locator("#stop button").click()
    expect(page.get_by_role("button", name="Find servers")).to_be_enabled()


def choose(page: Page, typed: str) -> None:
    page.get_by_label("Network or host").fill(typed)
    page.keyboard.press("Tab")


def look(page: Page, typed: str) -> None:
    page.get_by_label("Network or host").fill(typed)
    page.get_by_role("button", name="Find servers").click()


class ScanPageTests:
    def test_it_shows_servers_as_they_are_named_and_after_a_reload(
        self, opened: Page
    ) -> None:
        with Replay.of_capture(OLLAMA) as server:
            look(opened, f"127.0.0.1:{server.port}")
            row = opened.locator("#rows tr")
            expect(row).to_contain_text(f"127.0.0.1:{server.port}")
            expect(row).to_contain_text("Ollama 0.33.0")
            expect(row.locator(".chip")).to_have_text("ready")
            expect(row.locator(".place")).to_have_text("loopback")
        opened.reload()
        expect(opened.locator("#rows tr")).to_contain_text("Ollama")

    def test_it_keeps_what_is_ticked_with_a_label(self, hub: Hub, opened: Page) -> None:
        with Replay.of_capture(LOADING) as server:
            look(opened, f"127.0.0.1:{server.port}")
            keep = opened.locator("#keep-button")
            expect(opened.locator("#rows tr")).to_contain_text("llama.cpp")
            expect(keep).to_be_disabled()
            opened.locator("#rows input").check()
            expect(keep).to_have_text("Keep 1 server")
            opened.get_by_label("as", exact=True).fill("Under the desk")
            keep.click()
            expect(opened.locator(".messagelist")).to_contain_text("Kept: server-")
            expect(opened.locator("#rows tr")).to_contain_text("already kept as")
            expect(opened.locator("#rows input")).to_be_disabled()
        opened.goto(f"{hub.url}/admin/servers/server/")
        expect(opened.locator("#result_list")).to_contain_text("Under the desk")
        opened.go_back()

    @pytest.mark.llama
    def test_it_finds_keeps_and_shows_a_real_server(
        self, hub: Hub, opened: Page
    ) -> None:
        with llama() as origin:
            look(opened, f"127.0.0.1:{origin.port}")
            row = opened.locator("#rows tr")
            expect(row).to_contain_text("llama.cpp")
            expect(row.locator(".chip")).to_have_text("ready")
            expect(row).to_contain_text("tiny")
            row.locator("input").check()
            opened.get_by_label("as", exact=True).fill("The real one")
            opened.locator("#keep-button").click()
            expect(opened.locator(".messagelist")).to_contain_text("Kept: server-")
        opened.goto(f"{hub.url}/admin/servers/server/")
        expect(opened.locator("#result_list")).to_contain_text("The real one")
        opened.go_back()

    def test_it_stops_at_once_and_says_so(self, opened: Page) -> None:
        with listener() as quiet:
            look(opened, f"127.0.0.1:{quiet.port}")
            opened.get_by_role("button", name="Stop").click()
            expect(opened.get_by_role("button", name="Find servers")).to_be_enabled()
            expect(opened.locator("#words")).to_contain_text("1 of 1 asked")

    def test_a_refusal_stands_beside_what_was_typed(
        self, opened: Page, complaints: list[str]
    ) -> None:
        choose(opened, "10.0.0.0/8")
        problem = opened.locator("#problem")
        expect(problem).to_contain_text("10.0.0.0/8 is wider than a /24")
        expect(opened.get_by_label("Network or host")).to_have_value("10.0.0.0/8")
        said_400(complaints)

    def test_a_public_host_is_asked_for_twice(
        self, opened: Page, complaints: list[str]
    ) -> None:
        again = opened.get_by_label("Public: type the host once more")
        expect(again).to_be_hidden()
        choose(opened, "203.0.113.9")
        expect(again).to_be_visible()
        expect(opened.locator("#problem")).to_contain_text("type it once more")
        said_400(complaints)

    def test_it_counts_a_network_before_anything_is_sent(self, opened: Page) -> None:
        with Replay.of_capture(OLLAMA) as server:
            choose(opened, f"127.0.0.1:{server.port}")
            expect(opened.locator("#counted")).to_have_text("1 port on 1 address")
            assert server.connections == 0

    def test_it_works_without_a_script(self, hub: Hub, page_of: PageOf) -> None:
        with Replay.of_capture(OLLAMA) as server:
            page = page_of("curator1", java_script_enabled=False)
            page.goto(f"{hub.url}/admin/servers/server/scan/")
            page.get_by_text("This machine").click()
            look(page, f"127.0.0.1:{server.port}")
            row = page.locator("#rows tr")  # the page reloads itself while it runs
            expect(row).to_contain_text("Ollama", timeout=15_000)

    @pytest.mark.parametrize("width", [390, 1180])
    def test_nothing_is_wider_than_the_screen(
        self, hub: Hub, page_of: PageOf, width: int
    ) -> None:
        with Replay.of_capture(OLLAMA) as server:
            page = page_of("curator1", viewport={"width": width, "height": 800})
            page.goto(f"{hub.url}/admin/servers/server/scan/")
            page.get_by_text("This machine").click()
            look(page, f"127.0.0.1:{server.port}")
            expect(page.locator("#rows tr")).to_contain_text("Ollama")
            expect(page.get_by_role("button", name="Find servers")).to_be_enabled()
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width


def said_400(complaints: list[str]) -> None:
    """The console tells of the refusal; that is all it tells."""
    until = time.monotonic() + 5
    while not complaints and time.monotonic() < until:
        time.sleep(0.02)
    assert all(re.search("status of 400", line) for line in complaints)
    complaints.clear()
