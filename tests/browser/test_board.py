"""A board, developed by two people who see each other's decisions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Hub
from tests.chat.cards.makers import NOTES

PageOf = Callable[..., Page]
WIFI = {
    "id": "k1",
    "rules": ["Notes sync on Wi-Fi only.", "Nothing is lost."],
    "functions": [
        {"title": "Sync now"},
        {"title": "Allow mobile data", "tests": ["Turn Wi-Fi off.", "See it sync."]},
    ],
}
PHOTOS = {"id": "k2", "goal": "Pictures, and <b>videos</b>."}


@pytest.fixture
def board_file(tmp_path: Path) -> Path:
    path = tmp_path / "board.json"
    path.write_text(json.dumps(NOTES.as_json()))
    return path


def begin(hub: Hub, page: Page, file: Path) -> str:
    """A board of the group, from a file, that asks a server of its own."""
    page.goto(f"{hub.url}/boards/")
    page.get_by_label("Or from a file").set_input_files(file)
    page.get_by_label("Whose it is").select_option(label="members")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url(f"{hub.url}/boards/*/")
    page.get_by_text("Another server").click()
    page.get_by_label("Server", exact=True).select_option(str(hub.server()))
    page.get_by_role("button", name="Choose").click()
    page.wait_for_url(f"{hub.url}/boards/*/")
    return page.url


def say(page: Page, *cards: Mapping[str, object], answer: str = "I would.") -> None:
    reply = json.dumps({"answer": answer, "cards": list(cards)})
    page.get_by_label("Message", exact=True).fill(f"reply {reply}")
    page.keyboard.press("Enter")


def proposal(page: Page, words: str) -> Locator:
    return page.locator(".proposal", has_text=words)


class BoardTests:
    def test_it_shows_two_people_the_same_board(
        self, hub: Hub, page_of: PageOf, board_file: Path
    ) -> None:
        ada, bob = page_of(hub.person()), page_of(hub.person())
        bob.goto(begin(hub, ada, board_file))
        expect(ada.locator("[data-here]")).to_contain_text("You and member")
        say(ada, WIFI, PHOTOS, answer="I would add one rule.")
        expect(ada.locator("#board-talk")).to_contain_text("I would add one rule.")
        expect(bob.locator("#board-talk")).to_contain_text("I would add one rule.")
        expect(ada.locator(".proposal")).to_have_count(3)
        expect(bob.locator(".proposal")).to_have_count(3)
        rules = proposal(bob, "rules")
        expect(rules.locator("del")).to_have_text("as soon as there is a connection")
        expect(rules.locator("ins")).to_have_text("on Wi-Fi only")
        rules.get_by_role("button", name="Accept").click()
        expect(ada.locator(".proposal")).to_have_count(2)
        card = ada.locator("#card-k1")
        expect(card).to_contain_text("Notes sync on Wi-Fi only.")
        proposal(ada, "Allow mobile data").get_by_role("button", name="Refuse").click()
        expect(bob.locator(".proposal")).to_have_count(1)
        proposal(ada, "videos").get_by_role("button", name="Accept").click()
        expect(bob.locator("#card-k2")).to_contain_text("Pictures, and <b>videos</b>.")
        ada.get_by_role("button", name="Undo last").click()
        expect(bob.locator("#card-k2")).to_contain_text("Pictures in notes.")
        expect(bob.locator(".proposal")).to_have_count(1)

    def test_it_says_that_a_proposal_no_longer_fits(
        self, hub: Hub, page_of: PageOf, board_file: Path
    ) -> None:
        ada, bob = page_of(hub.person()), page_of(hub.person())
        bob.goto(begin(hub, ada, board_file))
        say(ada, PHOTOS)
        expect(ada.locator(".proposal")).to_have_count(1)
        card = bob.locator("#card-k2")
        card.get_by_text("Edit", exact=True).click()
        text = bob.get_by_label("The card as Markdown")
        text.fill(text.input_value().replace("Pictures in notes.", "Drawings."))
        bob.get_by_role("button", name="Keep").click()
        expect(card).to_contain_text("Drawings.")
        expect(ada.locator(".proposal")).to_contain_text("no longer fits")
        expect(ada.get_by_role("button", name="Accept")).to_have_count(0)
        ada.get_by_role("button", name="Drop").click()
        expect(bob.locator(".proposal")).to_have_count(0)

    def test_it_takes_nothing_away_that_is_being_typed(
        self, hub: Hub, page_of: PageOf, board_file: Path
    ) -> None:
        ada, bob = page_of(hub.person()), page_of(hub.person())
        bob.goto(begin(hub, ada, board_file))
        card = bob.locator("#card-k1")
        card.get_by_text("Edit", exact=True).click()
        text = bob.get_by_label("The card as Markdown")
        text.fill("half a thought")
        bob.get_by_label("Message", exact=True).fill("another half")
        say(ada, PHOTOS)
        expect(bob.locator(".proposal")).to_have_count(1)
        expect(text).to_have_value("half a thought")
        message = bob.get_by_label("Message", exact=True)
        expect(message).to_have_value("another half")

    def test_it_decides_by_keyboard(
        self, hub: Hub, page_of: PageOf, board_file: Path
    ) -> None:
        page = page_of(hub.person())
        begin(hub, page, board_file)
        say(page, WIFI, PHOTOS)
        expect(page.locator(".proposal")).to_have_count(3)
        page.locator("h1").click()
        page.keyboard.press("Escape")
        page.keyboard.press("a")
        expect(page.locator("#card-k1")).to_contain_text("Notes sync on Wi-Fi only.")
        expect(page.locator(".proposal")).to_have_count(2)
        page.keyboard.press("r")
        expect(page.locator(".proposal")).to_have_count(1)
        page.keyboard.press("u")
        expect(page.locator("#card-k1")).to_contain_text("as soon as there is")
        page.keyboard.press("m")
        expect(page.get_by_label("Message", exact=True)).to_be_focused()

    def test_it_keeps_the_message_of_a_round_that_failed(
        self, hub: Hub, page_of: PageOf, board_file: Path
    ) -> None:
        page = page_of(hub.person())
        begin(hub, page, board_file)
        page.get_by_label("Message", exact=True).fill("fail please")
        page.keyboard.press("Enter")
        talk = page.locator("#board-talk")
        expect(talk).to_contain_text("Nothing on the board was changed.")
        expect(talk).to_contain_text("CUDA went away")
        expect(talk).to_contain_text("fail please")
        expect(talk.get_by_role("button", name="Ask again")).to_be_visible()

    def test_it_stops_an_answer(
        self, hub: Hub, page_of: PageOf, board_file: Path
    ) -> None:
        page = page_of(hub.person())
        begin(hub, page, board_file)
        page.get_by_label("Message", exact=True).fill("quiet 60")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Stop").click()
        expect(page.locator("#board-talk")).to_contain_text("interrupted")

    def test_it_works_without_script(
        self, hub: Hub, page_of: PageOf, context_of, board_file: Path
    ) -> None:
        person = hub.person()
        place = begin(hub, page_of(person), board_file)
        plain = context_of(person, java_script_enabled=False).pages[0]
        plain.goto(place)
        say_plainly(plain, PHOTOS)
        for _ in range(20):
            plain.goto(place)
            if plain.locator(".proposal").count():
                break
        plain.get_by_role("button", name="Accept").click()
        expect(plain.locator("#card-k2")).to_contain_text("Pictures, and")
        plain.get_by_role("button", name="mark as built").or_(
            plain.get_by_role("button", name="order it again")
        ).first.click()
        expect(plain.locator("#card-k1 .chip")).to_have_text("ordered")


def say_plainly(page: Page, card: Mapping[str, object]) -> None:
    reply = json.dumps({"answer": "Yes.", "cards": [card]})
    page.get_by_label("Message", exact=True).fill(f"reply {reply}")
    page.get_by_role("button", name="Send").click()
