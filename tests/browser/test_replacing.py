"""What the gate found, replaced with one click, and put back for the eye."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import Hub

PageOf = Callable[..., Page]
MAIL = "bob@acme-works.com"


class ReplacingTests:
    def test_it_sends_placeholders_and_shows_the_originals(
        self, hub: Hub, page_of: PageOf
    ) -> None:
        page = page_of(hub.person())
        page.goto(f"{hub.url}/?server={hub.server()}")
        page.get_by_label("Message", exact=True).fill(f"Thank {MAIL} for replacing")
        page.keyboard.press("Enter")
        expect(page.locator("[data-refusal] mark")).to_have_text(MAIL)
        assert not [q for q in hub.upstream.questions if "for replacing" in q]
        page.get_by_role("button", name="Replace them").click()
        page.wait_for_url(f"{hub.url}/c/*")
        expect(page.locator("#turn-1 .facts-line")).to_be_visible()
        (sent,) = [q for q in hub.upstream.questions if "for replacing" in q]
        assert sent == "Thank <email-1> for replacing"
        expect(page.locator("#turn-1 [data-answer]")).to_contain_text(f"Thank {MAIL}")
