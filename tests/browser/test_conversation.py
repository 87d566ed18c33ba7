"""The conversation page, walked through as people do."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import Hub

PageOf = Callable[..., Page]
ContextOf = Callable[..., BrowserContext]


def begin(hub: Hub, page: Page, question: str, server: int | None = None) -> int:
    """Ask the first question of a new conversation; gives the server's key."""
    chosen = server or hub.server()
    page.goto(f"{hub.url}/?server={chosen}")
    say(page, question)
    page.wait_for_url(f"{hub.url}/c/*")
    return chosen


def say(page: Page, text: str) -> None:
    page.get_by_label("Message", exact=True).fill(text)
    page.keyboard.press("Enter")


def answers(page: Page) -> list[str]:
    return page.locator("[data-answer]").all_inner_texts()


def words(count: int) -> str:
    return " ".join(f"w{n}" for n in range(1, count + 1))


def finished(page: Page, number: int = 1) -> None:
    expect(page.locator(f"#turn-{number} .facts-line")).to_be_visible()


class SendingTests:
    def test_it_streams_an_answer_and_says_who_gave_it(
        self, hub: Hub, page_of: PageOf
    ) -> None:
        page = page_of(hub.person())
        server = begin(hub, page, "words 60 every 0.03")
        turn = page.locator("#turn-1")
        expect(turn.locator("[data-answer]")).to_contain_text("w3")
        expect(turn.get_by_role("button", name="Stop")).to_be_visible()
        finished(page)
        assert answers(page) == [words(60)]
        expect(turn.locator(".who")).to_contain_text(f"server-{server}")
        expect(turn.locator(".who")).to_contain_text("tiny")
        expect(turn.locator(".facts-line")).to_contain_text("60 tokens")
        expect(turn.locator(".facts-line")).to_contain_text("first after")
        expect(turn.locator(".facts-line")).to_contain_text("tokens/s")

    def test_it_sends_one_request_for_one_message(
        self, hub: Hub, page_of: PageOf
    ) -> None:
        page = page_of(hub.person())
        begin(hub, page, "only once please")
        finished(page)
        assert hub.upstream.questions.count("only once please") == 1

    def test_it_goes_on_in_the_same_page(self, hub: Hub, page_of: PageOf) -> None:
        page = page_of(hub.person())
        begin(hub, page, "one")
        finished(page)
        place = page.url
        say(page, "two")
        finished(page, 2)
        assert page.url == place
        assert answers(page) == ["You said: one", "You said: two"]
        expect(page.get_by_label("Message", exact=True)).to_have_value("")

    def test_it_refuses_an_empty_message(self, hub: Hub, page_of: PageOf) -> None:
        page = page_of(hub.person())
        page.goto(f"{hub.url}/?server={hub.server()}")
        say(page, "   ")
        expect(page.locator("#panel")).to_contain_text("Write a message first")
        assert page.url.startswith(f"{hub.url}/?server=")

    def test_it_shows_code_and_copies_it(self, hub: Hub, context_of: ContextOf) -> None:
        context = context_of(hub.person())
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = context.pages[0]
        begin(hub, page, "markdown")
        finished(page)
        code = page.locator(".code")
        expect(code.locator(".t-k").first).to_have_text("def")
        code.get_by_role("button", name="Copy").click()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == "def answer() -> int:\n    return 42\n"

    def test_it_folds_the_reasoning(self, hub: Hub, page_of: PageOf) -> None:
        page = page_of(hub.person())
        begin(hub, page, "think")
        finished(page)
        assert answers(page) == ["Thought out."]
        reasoning = page.locator("[data-reasoning]")
        expect(reasoning.locator("[data-reasoning-text]")).to_be_hidden()
        reasoning.locator("summary").click()
        expect(reasoning.locator("[data-reasoning-text]")).to_contain_text("t0 t1 t2")

    def test_it_keeps_the_draft(self, hub: Hub, page_of: PageOf) -> None:
        page = page_of(hub.person())
        begin(hub, page, "one")
        finished(page)
        page.get_by_label("Message", exact=True).fill("half a thought")
        page.reload()
        expect(page.get_by_label("Message", exact=True)).to_have_value("half a thought")
        page.goto(hub.url)
        expect(page.get_by_label("Message", exact=True)).to_have_value("")

    def test_it_asks_again(self, hub: Hub, page_of: PageOf) -> None:
        page = page_of(hub.person())
        begin(hub, page, "fail")
        turn = page.locator("#turn-1")
        expect(turn.locator("[data-notice]")).to_contain_text("CUDA went away")
        turn.get_by_role("button", name="Ask again").click()
        expect(page.locator("#turn-2 [data-notice]")).to_contain_text("CUDA went away")

    def test_it_asks_another_server(self, hub: Hub, page_of: PageOf) -> None:
        page = page_of(hub.person())
        other = hub.server()
        begin(hub, page, "one")
        finished(page)
        page.get_by_role("button", name="Ask another server").click()
        page.get_by_label("Filter servers and models").fill(f"desk {other}")
        page.locator(f'[data-server="{other}"] .server-row').click()
        page.wait_for_url(lambda url: not url.endswith("/c/1"))
        finished(page)
        expect(page.locator("#turn-1 .who")).to_contain_text(f"server-{other}")


class StoppingTests:
    def test_it_stops_and_keeps_what_came(self, hub: Hub, page_of: PageOf) -> None:
        page = page_of(hub.person())
        begin(hub, page, "words 500 every 0.05")
        expect(page.locator("[data-answer]")).to_contain_text("w3")
        page.get_by_role("button", name="Stop").click()
        notice = page.locator("[data-notice]")
        expect(notice).to_contain_text("You stopped this answer")
        kept = answers(page)[0]
        assert words(500).startswith(kept.strip())
        page.reload()
        assert answers(page) == [kept]

    def test_it_stops_with_escape(self, hub: Hub, page_of: PageOf) -> None:
        page = page_of(hub.person())
        begin(hub, page, "words 500 every 0.05")
        expect(page.locator("[data-answer]")).to_contain_text("w2")
        page.keyboard.press("Escape")
        expect(page.locator("[data-notice]")).to_contain_text("You stopped")


class FollowingTests:
    def test_it_goes_on_after_a_reload(self, hub: Hub, page_of: PageOf) -> None:
        page = page_of(hub.person())
        begin(hub, page, "words 80 every 0.04")
        for seen in ("w5", "w20", "w40"):
            expect(page.locator("[data-answer]")).to_contain_text(seen)
            page.reload()
        finished(page)
        assert answers(page) == [words(80)]
        assert hub.upstream.questions.count("words 80 every 0.04") == 1

    def test_it_shows_the_same_in_a_second_tab(
        self, hub: Hub, context_of: ContextOf
    ) -> None:
        context = context_of(hub.person())
        page = context.pages[0]
        begin(hub, page, "words 81 every 0.04")
        expect(page.locator("[data-answer]")).to_contain_text("w5")
        second = context.new_page()
        second.goto(page.url)
        expect(second.locator("[data-answer]")).to_contain_text("w10")
        finished(page)
        finished(second)
        assert answers(page) == answers(second) == [words(81)]

    def test_it_catches_up_after_the_network_was_gone(
        self, hub: Hub, context_of: ContextOf, complaints: list[str]
    ) -> None:
        context = context_of(hub.person())
        page = context.pages[0]
        begin(hub, page, "words 90 every 0.04")
        expect(page.locator("[data-answer]")).to_contain_text("w5")
        context.set_offline(True)
        assert page.evaluate("navigator.onLine") is False
        context.set_offline(False)
        finished(page)
        assert answers(page) == [words(90)]
        complaints.clear()  # the lost connection itself

    def test_it_answers_while_the_page_is_closed(
        self, hub: Hub, context_of: ContextOf
    ) -> None:
        context = context_of(hub.person())
        page = context.pages[0]
        begin(hub, page, "words 40 every 0.03")
        place = page.url
        page.close()
        again = context.new_page()
        again.goto(place)
        finished(again)
        assert answers(again) == [words(40)]


class WaitingTests:
    def test_it_tells_the_place_in_the_queue(self, hub: Hub, page_of: PageOf) -> None:
        first, second = page_of(hub.person()), page_of(hub.person())
        server = begin(hub, first, "words 600 every 0.05")
        expect(first.locator("[data-answer]")).to_contain_text("w2")
        begin(hub, second, "me too", server)
        notice = second.locator("[data-notice]")
        expect(notice).to_contain_text("1 person is ahead of you")
        expect(notice).to_contain_text(f"on server-{server}, which answers one")
        expect(notice).to_contain_text("You may close this page")
        first.keyboard.press("Escape")
        finished(second)
        assert answers(second) == ["You said: me too"]

    def test_it_leaves_the_queue(self, hub: Hub, page_of: PageOf) -> None:
        first, second = page_of(hub.person()), page_of(hub.person())
        server = begin(hub, first, "words 601 every 0.05")
        expect(first.locator("[data-answer]")).to_contain_text("w2")
        begin(hub, second, "never mind", server)
        second.get_by_role("button", name="Leave the queue").click()
        expect(second.locator("[data-notice]")).to_contain_text("You left the queue")
        first.keyboard.press("Escape")
        expect(first.locator("[data-notice]")).to_contain_text("You stopped")
        assert "never mind" not in hub.upstream.questions

    def test_it_counts_the_silence(self, hub: Hub, page_of: PageOf) -> None:
        page = page_of(hub.person())
        begin(hub, page, "quiet 6")
        pulse = page.locator("[data-pulse]")
        expect(pulse).to_contain_text(re.compile(r"Nothing new for [345] s"))
        finished(page)
        assert answers(page) == ["At last."]

    def test_it_counts_a_rate_limit_down_and_goes_on(
        self, hub: Hub, page_of: PageOf
    ) -> None:
        page = page_of(hub.person())
        begin(hub, page, "limit 4")
        notice = page.locator("[data-notice]")
        expect(notice).to_contain_text("asks to wait until")
        expect(notice).to_contain_text(re.compile(r"[1-4] s left"))
        expect(notice.get_by_label("Continue by itself then")).to_be_checked()
        finished(page)
        assert answers(page) == ["You said: limit 4"]

    def test_it_does_not_go_on_by_itself_when_told_so(
        self, hub: Hub, page_of: PageOf
    ) -> None:
        page = page_of(hub.person())
        begin(hub, page, "limit 3")
        page.get_by_label("Continue by itself then").uncheck()
        button = page.get_by_role("button", name="Continue now")
        expect(button).to_be_visible()
        page.reload()
        expect(page.get_by_label("Continue by itself then")).not_to_be_checked()
        page.get_by_role("button", name="Continue now").click()
        finished(page)
        assert answers(page) == ["You said: limit 3"]

    def test_it_waits_for_the_person_when_no_end_is_known(
        self, hub: Hub, page_of: PageOf
    ) -> None:
        page = page_of(hub.person())
        begin(hub, page, "limit unknown")
        notice = page.locator("[data-notice]")
        expect(notice).to_contain_text("does not say how long")
        page.get_by_role("button", name="Continue now").click()
        finished(page)
        assert answers(page) == ["You said: limit unknown"]


class DestinationTests:
    def test_it_wants_a_third_party_typed_once(
        self, hub: Hub, page_of: PageOf, complaints: list[str]
    ) -> None:
        page = page_of(hub.person())
        page.goto(f"{hub.url}/?server={hub.third_party}")
        expect(page.locator(".to")).to_contain_text("leaves your network")
        say(page, "nothing private here")
        panel = page.locator("#panel")
        expect(panel).to_contain_text("This leaves your network")
        field = page.get_by_label(f"Type {hub.third_party_host} to send it there")
        field.fill("another.example")
        field.press("Enter")
        expect(panel).to_contain_text("That is not the host")
        page.get_by_label(f"Type {hub.third_party_host}").fill(hub.third_party_host)
        page.keyboard.press("Enter")
        page.wait_for_url(f"{hub.url}/c/*")
        # Sent, though nobody answers there; and not asked for again.
        expect(page.locator("[data-notice]")).to_be_visible()
        say(page, "and again")
        expect(page.locator("#turn-2")).to_be_visible()

    def test_it_shows_what_would_be_sent_and_marks_what_is_private(
        self, hub: Hub, page_of: PageOf
    ) -> None:
        page = page_of(hub.person())
        page.goto(f"{hub.url}/?server={hub.server()}")
        page.get_by_label("Message", exact=True).fill("Ask ada@mail.example about it")
        page.get_by_role("button", name="What will be sent").click()
        look = page.locator(".look")
        expect(look.locator("mark")).to_have_text("ada@mail.example")
        expect(look).to_contain_text("1 message to server-")
        page.keyboard.press("Escape")
        expect(look).to_be_hidden()

    def test_it_sends_findings_within_the_network_only_when_told_so(
        self, hub: Hub, page_of: PageOf
    ) -> None:
        page = page_of(hub.person())
        page.goto(f"{hub.url}/?server={hub.server()}")
        say(page, "Ask ada@mail.example")
        expect(page.locator("#panel")).to_contain_text("e-mail address")
        page.get_by_role("button", name="Send as it is").click()
        finished(page)
        assert answers(page) == ["You said: Ask ada@mail.example"]


class HostileAnswerTests:
    def test_it_shows_hostile_text_as_text(self, hub: Hub, page_of: PageOf) -> None:
        page = page_of(hub.person())
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        begin(hub, page, "hostile")
        finished(page)
        answer = page.locator("[data-answer]")
        expect(answer).to_contain_text("<img src=x onerror=")
        assert "taken" not in page.title()
        assert answer.locator("img, svg, script, iframe").count() == 0
        hrefs = [link.get_attribute("href") for link in answer.locator("a").all()]
        assert all(href and href.startswith("https://") for href in hrefs)
        expect(answer.locator(".host").last).to_have_text("evil.example")
        assert not [url for url in asked if not url.startswith(hub.url)]
        page.reload()
        assert "taken" not in page.title()


class KeyboardTests:
    def test_it_needs_no_mouse(self, hub: Hub, page_of: PageOf) -> None:
        page = page_of(hub.person())
        other = hub.server()
        page.goto(f"{hub.url}/?server={hub.server()}")
        expect(page.get_by_label("Message", exact=True)).to_be_focused()
        page.keyboard.type("/srv")
        page.keyboard.press("Enter")
        expect(page.get_by_label("Filter servers and models")).to_be_focused()
        page.keyboard.type(f"desk {other}")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.locator(".to .handle")).to_have_text(f"server-{other}")
        page.keyboard.type("one")
        page.keyboard.press("Enter")
        finished(page)
        expect(page.get_by_label("Message", exact=True)).to_be_focused()
        page.keyboard.type("line one")
        page.keyboard.press("Shift+Enter")
        page.keyboard.type("line two")
        page.keyboard.press("Enter")
        finished(page, 2)
        assert hub.upstream.questions[-1] == "line one\nline two"

    def test_it_lists_commands_and_completes_them(
        self, hub: Hub, page_of: PageOf
    ) -> None:
        page = page_of(hub.person())
        page.goto(f"{hub.url}/?server={hub.server()}")
        page.keyboard.type("/")
        commands = page.get_by_role("listbox", name="Commands")
        expect(commands.get_by_role("option")).to_have_count(9)
        page.keyboard.type("ne")
        expect(commands.get_by_role("option")).to_have_count(1)
        page.keyboard.press("Escape")
        expect(commands).to_be_hidden()

    @pytest.mark.parametrize("message", ["/foo", "/nothing here"])
    def test_it_names_an_unknown_command_and_sends_nothing(
        self, hub: Hub, page_of: PageOf, message: str
    ) -> None:
        page = page_of(hub.person())
        page.goto(f"{hub.url}/?server={hub.server()}")
        say(page, message)
        name = message.split()[0]
        expect(page.locator("#panel")).to_contain_text(f"{name} is no command here")
        expect(page.get_by_label("Message", exact=True)).to_have_value(message)
        assert message not in hub.upstream.questions

    def test_it_shows_all_keys(self, hub: Hub, page_of: PageOf) -> None:
        page = page_of(hub.person())
        page.goto(f"{hub.url}/?server={hub.server()}")
        say(page, "/?")
        expect(page.locator("#keys")).to_be_visible()
        expect(page.locator("#keys")).to_contain_text("/ctx")
        page.keyboard.press("Escape")
        expect(page.locator("#keys")).to_be_hidden()


class ShapeTests:
    def test_it_fits_a_phone(self, hub: Hub, page_of: PageOf) -> None:
        page = page_of(hub.person(), viewport={"width": 390, "height": 820})
        begin(hub, page, "markdown")
        finished(page)
        overflow = "document.documentElement.scrollWidth - innerWidth"
        assert page.evaluate(overflow) <= 0
        expect(page.locator("#side")).to_be_hidden()
        page.get_by_role("button", name="Menu").click()
        expect(page.locator("#side")).to_be_visible()
        expect(page.locator("#conversations")).to_contain_text("markdown")

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_it_follows_the_systems_theme_and_a_choice(
        self, hub: Hub, page_of: PageOf, scheme: str
    ) -> None:
        page = page_of(hub.person(), color_scheme=scheme)
        background = "getComputedStyle(document.body).backgroundColor"
        light, dark = "rgb(251, 251, 249)", "rgb(24, 25, 26)"
        assert page.evaluate(background) == (dark if scheme == "dark" else light)
        other = "Light" if scheme == "dark" else "Dark"
        page.get_by_text("You", exact=True).click()
        page.get_by_label(other, exact=True).check()
        page.reload()
        assert page.evaluate(background) == (light if scheme == "dark" else dark)

    def test_it_takes_a_megabyte_without_freezing(
        self, hub: Hub, context_of: ContextOf
    ) -> None:
        context = context_of(hub.person())
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = context.pages[0]
        page.goto(f"{hub.url}/?server={hub.server()}")
        box = page.get_by_label("Message", exact=True)
        pasted = "one line of a very long log, with some words in it\n" * 20_000
        page.evaluate("text => navigator.clipboard.writeText(text)", pasted)
        box.focus()
        page.keyboard.press("Control+v")
        # The page answers to keys at once: the list of keys opens and closes.
        page.keyboard.press("Escape")
        page.locator("#transcript").click()
        page.keyboard.press("?")
        expect(page.locator("#keys")).to_be_visible()
        expect(box).to_have_value(pasted)


class ListTests:
    def test_it_finds_a_conversation_by_its_words(
        self, hub: Hub, page_of: PageOf
    ) -> None:
        page = page_of(hub.person())
        begin(hub, page, "the heron stands in the reeds")
        finished(page)
        begin(hub, page, "something else altogether")
        finished(page)
        search = page.get_by_role("searchbox", name="Search your conversations")
        search.fill("heron")
        listed = page.locator("#conversations .side-link[title]:visible")
        expect(listed).to_have_count(1)
        search.press("Enter")
        expect(page.locator(".found li")).to_have_count(1)
        page.locator(".found a").click()
        finished(page)

    def test_it_renames_and_deletes(self, hub: Hub, page_of: PageOf) -> None:
        page = page_of(hub.person())
        begin(hub, page, "call me something else")
        finished(page)
        place = page.url
        page.locator(".title-menu summary").click()
        page.get_by_label("Title").fill("Herons")
        page.get_by_role("button", name="Rename").click()
        expect(page.locator(".bar h1")).to_have_text("Herons")
        page.locator(".title-menu summary").click()
        page.get_by_role("link", name="Delete").click()
        page.get_by_role("button", name="Delete it").click()
        expect(page.locator("#conversations")).not_to_contain_text("Herons")
        gone = page.request.get(place)
        assert gone.status == 404

    def test_it_leaves_nothing_of_a_temporary_one(
        self, hub: Hub, page_of: PageOf
    ) -> None:
        page = page_of(hub.person())
        page.goto(f"{hub.url}/?server={hub.server()}")
        page.get_by_label("Temporary").check()
        say(page, "between us")
        finished(page)
        expect(page.locator(".kept")).to_have_text("not kept")
        assert answers(page) == ["You said: between us"]

    def test_it_saves_markdown(self, hub: Hub, page_of: PageOf) -> None:
        page = page_of(hub.person())
        begin(hub, page, "save me")
        finished(page)
        with page.expect_download() as download:
            say(page, "/save")
        text = download.value.path().read_text()
        assert download.value.suggested_filename.startswith("save-me-")
        assert "> save me" in text and "You said: save me" in text


class WithoutScriptTests:
    def test_it_works_without_script(self, hub: Hub, page_of: PageOf) -> None:
        page = page_of(hub.person(), java_script_enabled=False)
        page.goto(f"{hub.url}/?server={hub.server()}")
        page.get_by_label("Message", exact=True).fill("plain old forms")
        page.get_by_role("button", name="Send").click()
        page.wait_for_url(f"{hub.url}/c/*")
        # The page loads itself anew until the answer is there.
        finished(page)
        assert answers(page) == ["You said: plain old forms"]
        page.get_by_label("Message", exact=True).fill("Ask ada@mail.example")
        page.get_by_role("button", name="Send").click()
        expect(page.locator("#panel")).to_contain_text("e-mail address")
        box = page.get_by_label("Message", exact=True)
        expect(box).to_have_value("Ask ada@mail.example")
        page.get_by_role("button", name="Send as it is").click()
        finished(page, 2)
