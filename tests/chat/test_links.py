"""Which addresses become links, and what of them is shown."""

from __future__ import annotations

import pytest

from chat.links import bare_end, read_link, says_its_host

REFUSED = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\tscript:alert(1)",
    "\x01javascript:alert(1)",
    " javascript:alert(1)",
    "vbscript:x",
    "data:text/html;base64,PHNjcmlwdD4=",
    "data:image/svg+xml,<svg onload=alert(1)>",
    "file:///etc/passwd",
    "blob:https://a.example/x",
    "ftp://a.example/x",
    "/accounts/logout/",
    "//evil.example",
    "\\\\evil.example",
    "https:evil.example",
    "https:/evil.example",
    "https:///evil.example",
    "https://",
    "https://good.example@evil.example",
    "https://good.example\\@evil.example",
    "https://user:secret@evil.example/",
    "https://evil.example\n.good.example",
    "https://ev\u202eil.example",
    "https://a b.example",
    "https://-/",
    "https://a.example/" + "x" * 3000,
    "mailto:",
    "mailto:nobody",
    "mailto:a@b@c",
    "",
]


class LinkTests:
    @pytest.mark.parametrize("address", REFUSED)
    def test_it_refuses_what_is_no_plain_web_or_mail_address(self, address):
        link = read_link(address)
        # A leading space is trimmed, and then judged like the rest.
        assert link is None

    @pytest.mark.parametrize(
        ("address", "href", "shown"),
        [
            ("https://a.example", "https://a.example", "a.example"),
            ("HTTPS://A.Example/X?y=1#z", "https://a.example/X?y=1#z", "a.example"),
            ("http://10.0.0.1:8080/", "http://10.0.0.1:8080/", "10.0.0.1:8080"),
            ("http://[::1]:80/x", "http://[::1]:80/x", "[::1]:80"),
            ("https://аpple.example", "https://xn--pple-43d.example", None),
            ("https://a.example/é <", None, None),
            ("https://a.example/é", "https://a.example/%C3%A9", "a.example"),
            ('https://a.example/"x', "https://a.example/%22x", "a.example"),
            ("mailto:ada@a.example?subject=x", "mailto:ada@a.example", "ada@a.example"),
        ],
    )
    def test_it_writes_an_address_in_one_form(self, address, href, shown):
        link = read_link(address)
        assert (link.href if link else None) == href
        if shown:
            assert link is not None and link.shown == shown

    def test_it_shows_look_alike_letters_for_what_they_are(self):
        link = read_link("https://аpple.example/login")
        assert link is not None
        assert link.shown == "xn--pple-43d.example"

    @pytest.mark.parametrize(
        ("words", "says"),
        [
            ("https://a.example", True),
            ("https://a.example/path", True),
            ("a.example/path", True),
            ("https://a.example.evil.example", False),
            ("https://a.example@evil.example", False),
            ("click here", False),
            ("", False),
        ],
    )
    def test_it_knows_whether_the_words_tell_the_host(self, words, says):
        link = read_link("https://a.example/somewhere")
        assert link is not None
        assert says_its_host(words, link) is says

    @pytest.mark.parametrize(
        ("text", "address"),
        [
            ("https://a.example/x.", "https://a.example/x"),
            ("https://a.example/x).", "https://a.example/x"),
            ("https://a.example/x_(y)", "https://a.example/x_(y)"),
            ("https://a.example/x**", "https://a.example/x"),
            ("...", ""),
        ],
    )
    def test_it_leaves_the_prose_out_of_a_bare_address(self, text, address):
        assert text[: bare_end(text)] == address
