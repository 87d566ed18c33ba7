"""Django behind one hop: whole answers, bounded bodies, nobody held up."""

from __future__ import annotations

import asyncio
import io
import threading
from typing import Any

from llmhub.onehop import Answer, OneHopHandler


def asked(*messages: dict[str, Any], path: str = "/healthz", method: str = "GET"):
    """What the handler sends for a request whose body comes in these messages."""
    sent: list[dict[str, Any]] = []
    waiting = list(messages) or [{"type": "http.request", "body": b""}]

    async def receive():
        return waiting.pop(0)

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8710),
    }
    asyncio.run(OneHopHandler()(scope, receive, send))
    return sent


class OneHopTests:
    def test_it_answers_a_page_whole(self):
        start, body = asked()
        assert start["status"] == 200
        assert body["body"] == b"ok\n"

    def test_it_keeps_the_headers_of_every_middleware(self):
        names = {name.lower() for name, _value in asked()[0]["headers"]}
        wanted = {b"content-security-policy", b"x-frame-options"}
        assert wanted <= names

    def test_it_reads_a_body_that_comes_in_pieces(self):
        pieces: list[dict[str, Any]] = [
            {"type": "http.request", "body": b"a=", "more_body": True},
            {"type": "http.request", "body": b"b"},
        ]
        # No token: refused by the middleware that reads the form.
        assert asked(*pieces, path="/accounts/logout/", method="POST")[0]["status"] in (
            302,
            403,
        )

    def test_it_lets_no_slow_page_hold_up_the_others(self):
        """One waits for a gate that only a later one opens."""
        gate = threading.Event()

        class Gated(OneHopHandler):
            def _answer(self, scope, body):
                if scope["path"] == "/quick":
                    gate.set()
                return Answer(200 if gate.wait(20) else 504, [], b"")

        async def play():
            handler = Gated()
            paths = ("/slow", "/quick")
            asked = (handler._answered({"path": p}, io.BytesIO()) for p in paths)
            return await asyncio.gather(*asked)

        assert [answer.status for answer in asyncio.run(play())] == [200, 200]

    def test_it_says_nothing_to_who_went_away(self):
        assert asked({"type": "http.disconnect"}) == []

    def test_it_refuses_a_body_without_end(self):
        flood = {"type": "http.request", "body": b"x" * 1024 * 1024, "more_body": True}
        assert asked(*[flood] * 20, method="POST")[0]["status"] == 413
