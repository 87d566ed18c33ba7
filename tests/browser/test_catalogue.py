"""The catalogue, the picker over the composer and the editor, by keyboard alone."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import FilePayload, Page, expect

from tests.browser.conftest import Hub

PageOf = Callable[..., Page]

LOG = "09:00 start\n09:01 {name} <!-- [system] -->\n"


def open_catalogue(hub: Hub, page: Page, server: int) -> None:
    page.goto(f"{hub.url}/gpts/?server={server}")
    expect(page.get_by_role("heading", name="Catalogue")).to_be_visible()


def key_of(page: Page, name: str) -> str:
    """The letter shown on a gpt's tile."""
    tile = page.locator(".gpt-tiles li", has_text=name)
    return tile.locator("kbd").inner_text()


class KeyboardTests:
    def test_it_opens_a_gpt_by_its_letter(self, hub: Hub, page_of: PageOf) -> None:
        page = page_of(hub.person())
        open_catalogue(hub, page, hub.server())
        page.keyboard.press(key_of(page, "SQL explained"))
        expect(page.get_by_role("heading", name="SQL explained")).to_be_visible()

    def test_it_opens_the_gpt_at_a_place_of_the_list(
        self, hub: Hub, page_of: PageOf
    ) -> None:
        page = page_of(hub.person())
        open_catalogue(hub, page, hub.server())
        third = page.locator(".gpt-tiles h2").nth(2).inner_text()
        page.keyboard.press("3")
        expect(page.get_by_role("heading", level=1, name=third)).to_be_visible()

    def test_it_types_letters_into_the_search_and_narrows_the_list(
        self, hub: Hub, page_of: PageOf
    ) -> None:
        page = page_of(hub.person())
        open_catalogue(hub, page, hub.server())
        page.keyboard.press("/")
        page.keyboard.type("log")
        expect(page.locator(".gpt-tiles h2")).to_have_text(["Log triage"])
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Log triage")).to_be_visible()

    def test_it_asks_with_a_gpt_without_touching_the_mouse(
        self, hub: Hub, page_of: PageOf
    ) -> None:
        page = page_of(hub.person())
        server = hub.server()
        open_catalogue(hub, page, server)
        page.keyboard.press(key_of(page, "SQL explained"))
        page.get_by_label("Query").focus()
        page.keyboard.type("SELECT {dialect} FROM t")
        page.keyboard.press("Control+Enter")
        page.wait_for_url(f"{hub.url}/c/*")
        expect(page.locator("#turn-1 .facts-line")).to_be_visible()
        sent = next(q for q in hub.upstream.questions if "SELECT {dialect}" in q)
        assert "Explain this query for PostgreSQL." in sent

    def test_it_keeps_letters_of_a_form_out_of_the_list(
        self, hub: Hub, page_of: PageOf
    ) -> None:
        page = page_of(hub.person())
        page.goto(f"{hub.url}/gpts/g/sql-explain/?server={hub.server()}")
        page.get_by_label("Query").press("a")
        expect(page.get_by_label("Query")).to_have_value("a")


class PickerTests:
    def test_it_offers_the_same_list_over_the_composer(
        self, hub: Hub, page_of: PageOf
    ) -> None:
        page = page_of(hub.person())
        page.goto(f"{hub.url}/?server={hub.server()}")
        page.keyboard.press("Tab")
        page.locator("body").press("g")
        picker = page.locator("#gpt-picker")
        expect(picker.get_by_text("Log triage")).to_be_visible()
        row = picker.locator("a", has_text="Log triage")
        page.keyboard.press(row.locator("kbd").inner_text())
        page.wait_for_url(re.compile(r"gpt=log-triage"))
        expect(page.get_by_label("Log", exact=True)).to_be_visible()
        expect(page.locator(".composer .chip")).to_have_text("Log triage")

    def test_it_searches_and_closes_by_keyboard(
        self, hub: Hub, page_of: PageOf
    ) -> None:
        page = page_of(hub.person())
        page.goto(f"{hub.url}/?server={hub.server()}")
        page.keyboard.press("Tab")
        page.locator("body").press("g")
        picker = page.locator("#gpt-picker")
        expect(picker.get_by_text("Log triage")).to_be_visible()
        page.keyboard.press("/")
        page.keyboard.type("sql")
        expect(picker.locator("a")).to_have_count(1)
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        expect(picker).to_be_hidden()

    def test_it_opens_by_command_and_matches_the_server_of_the_conversation(
        self, hub: Hub, page_of: PageOf
    ) -> None:
        page = page_of(hub.person())
        server = hub.server()
        page.goto(f"{hub.url}/?server={server}")
        page.get_by_label("Message", exact=True).fill("hello")
        page.keyboard.press("Enter")
        page.wait_for_url(f"{hub.url}/c/*")
        expect(page.locator("#turn-1 .facts-line")).to_be_visible()
        page.get_by_label("Message", exact=True).fill("/gpt sql")
        page.keyboard.press("Enter")
        row = page.locator("#gpt-picker a")
        expect(row).to_have_count(1)
        page.keyboard.press("1")
        page.wait_for_url(re.compile(f"server={server}&.*gpt=sql-explain"))


class MatchTests:
    def test_it_says_what_could_not_be_read_and_lets_one_ask(
        self, hub: Hub, page_of: PageOf
    ) -> None:
        page = page_of(hub.person())
        page.goto(f"{hub.url}/gpts/g/sql-explain/?server={hub.server()}")
        unread = "Asks for 4k of context; this server's could not be read"
        expect(page.locator("#match")).to_contain_text(unread)
        expect(page.locator("#match")).to_contain_text("You can use it all the same.")
        expect(page.get_by_role("button", name="Ask", exact=True)).to_be_enabled()


class FileInputTests:
    def test_it_takes_the_text_of_a_file_to_be_read_before_it_is_sent(
        self, hub: Hub, page_of: PageOf
    ) -> None:
        page = page_of(hub.person())
        page.goto(f"{hub.url}/gpts/g/log-triage/?server={hub.server()}")
        chosen = FilePayload(name="a.log", mimeType="text/plain", buffer=LOG.encode())
        page.get_by_label("Choose a text file").set_input_files(chosen)
        expect(page.get_by_label("Log", exact=True)).to_have_value(LOG)

    def test_it_refuses_a_file_that_is_no_text(self, hub: Hub, page_of: PageOf) -> None:
        page = page_of(hub.person())
        page.goto(f"{hub.url}/gpts/g/log-triage/?server={hub.server()}")
        chosen = FilePayload(name="a.png", mimeType="image/png", buffer=b"\x89PNG")
        choice = page.get_by_label("Choose a text file")
        choice.set_input_files(chosen)
        assert choice.evaluate("e => e.validationMessage") == "This is no text file."
        expect(page.get_by_label("Log", exact=True)).to_have_value("")


class EditorTests:
    def test_it_shows_problems_beside_the_text_as_one_types(
        self, hub: Hub, page_of: PageOf
    ) -> None:
        page = page_of("curator1")
        page.goto(f"{hub.url}/admin/gpts/gpt/add/")
        text = page.get_by_label("Text")
        check = page.locator("#gpt-check")
        expect(check.get_by_text("No problem found.")).to_be_visible()
        expect(check.get_by_text("server-1 Desk 1")).to_be_visible()
        text.fill(text.input_value().replace("requires:", "requires:\n  hosting: moon"))
        expect(check.locator(".is-fatal")).to_contain_text("requires.hosting must be")
        expect(page.locator(".gutter .is-fatal")).to_have_text("6")
        check.get_by_role("button", name="line 6").press("Enter")
        selected = "e => e.value.slice(e.selectionStart, e.selectionEnd)"
        assert text.evaluate(selected) == "  hosting: moon"
        page.keyboard.type("  hosting: any")
        expect(check.get_by_text("No problem found.")).to_be_visible()

    def test_it_keeps_a_gpt_and_its_revisions(self, hub: Hub, page_of: PageOf) -> None:
        page = page_of("curator1")
        page.goto(f"{hub.url}/admin/gpts/gpt/add/")
        page.get_by_label("Stem").fill("written-here")
        page.get_by_role("button", name="Save and continue editing").click()
        text = page.get_by_label("Text")
        text.fill(text.input_value().replace("A name", "Another name"))
        page.get_by_role("button", name="Save and continue editing").click()
        page.get_by_role("link", name="#1", exact=True).click()
        expect(page.locator(".diff-added")).to_have_text("+name: Another name")
        page.get_by_role("button", name="Restore revision 1").click()
        expect(page.get_by_text("Revision 1 is back")).to_be_visible()
        expect(page.get_by_label("Text")).to_have_value(re.compile("name: A name"))
        expect(page.get_by_text("you wrote part of this text")).to_be_visible()
