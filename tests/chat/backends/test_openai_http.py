"""The whole backend against loopback servers that behave and misbehave."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib
from dataclasses import replace
from typing import Any

import pytest

from chat.backends.base import Request
from chat.backends.clients import close_clients
from chat.backends.openai_http import OpenAIBackend
from chat.backends.sending import Patience
from chat.errors import BackendError, Fault
from chat.events import Event, Final, Heartbeat, RateLimited, Started
from chat.turn import Ending, Outcome, Stop, drain
from servers.addresses import Origin
from servers.hosting import Hosting, Placed
from tests.chat.backends.asking import (
    DONE,
    Asked,
    ask,
    ask_at,
    at,
    chunk,
    cleared_for,
)
from tests.chat.backends.upstream_fake import Reply, Upstream, head, reply, upstream

GOOD = reply(chunk("Hi"), chunk(finish="stop"), DONE)
LOADING = reply(
    b'{"error":{"message":"Loading model","type":"unavailable_error","code":503}}',
    status=503,
    content_type="application/json",
)


def refusing(name: str, **more: Any) -> Reply:
    error = {"message": f"Unsupported parameter: '{name}'", "param": name, **more}
    body = json.dumps({"error": error}).encode()
    return reply(body, status=400, content_type="application/json")


class RequestTests:
    def test_it_sends_the_messages_and_asks_for_usage(self):
        asked = ask(GOOD, params={"temperature": 0.2, "top_k": 5, "num_ctx": 4096})

        assert asked.seen[0].path == "/v1/chat/completions"
        assert asked.sent == [
            {
                "model": "m-test",
                "messages": [{"role": "user", "content": "hello"}],
                "stream": True,
                "stream_options": {"include_usage": True},
                "temperature": 0.2,
                "top_k": 5,
                "num_ctx": 4096,
            }
        ]

    def test_it_asks_for_the_answer_whole_where_that_is_wanted(self):
        whole = {"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}]}
        asked = ask(reply(json.dumps(whole).encode()), stream=False)

        assert asked.outcome.text == "Hi"
        assert not asked.sent[0].get("stream")
        assert "stream_options" not in asked.sent[0]

    def test_it_sends_only_headers_of_the_list(self, monkeypatch):
        for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
            monkeypatch.setenv(name, "secret-of-the-environment")
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
        asked = ask(GOOD)
        headers = asked.seen[0].headers

        assert set(headers) == {
            "host", "user-agent", "accept", "accept-encoding", "content-type",
            "content-length",
        }  # fmt: skip
        assert headers["user-agent"] == "LLM-Hub"
        assert headers["accept-encoding"] == "identity"
        assert "secret" not in str(headers)

    def test_it_sends_the_key_of_this_server(self):
        asked = ask(GOOD, api_key="sk-of-this-server")

        assert asked.seen[0].headers["authorization"] == "Bearer sk-of-this-server"

    @pytest.mark.parametrize("key", ["schlüssel", "a\r\nx-evil: 1", " padded", "a\x00"])
    def test_it_sends_no_key_that_is_no_header(self, key):
        asked = ask(GOOD, api_key=key)

        assert asked.outcome.fault == Fault.KEY
        assert asked.connections == 0

    def test_it_sends_half_a_character_as_a_whole_one(self):
        asked = ask(GOOD, text="a\ud83cb")

        assert asked.sent[0]["messages"][0]["content"] == "a\ufffdb"

    @pytest.mark.parametrize("name", ["model", "messages", "stream", "timeout"])
    def test_it_refuses_a_parameter_that_makes_another_request(self, name):
        asked = ask(GOOD, params={name: "x"})

        assert asked.outcome.fault == Fault.PARAMETER
        assert asked.seen == []

    def test_it_takes_a_listed_chat_model_where_none_is_named(self):
        models = {"data": [{"id": "nomic-embed"}, {"id": "m-listed"}, {"id": "other"}]}
        listing = reply(json.dumps(models).encode(), content_type="application/json")
        asked = ask([listing, GOOD], model="")

        assert [request.path for request in asked.seen] == [
            "/v1/models",
            "/v1/chat/completions",
        ]
        assert json.loads(asked.seen[1].body)["model"] == "m-listed"

    @pytest.mark.parametrize("body", [b'{"data": []}', b"<html>", b"", b"{}"])
    def test_it_names_a_list_without_models(self, body):
        asked = ask([reply(body), GOOD], model="")

        assert asked.outcome.fault == Fault.MODEL
        assert len(asked.seen) == 1


class SendAgainTests:
    def test_it_waits_for_a_server_that_loads(self):
        asked = ask([LOADING, LOADING, GOOD], patience=Patience(9, 0.01))
        beats = [body for body in asked.bodies if isinstance(body, Heartbeat)]

        assert asked.outcome.ending is Ending.COMPLETED
        assert [beat.reason for beat in beats] == ["loading", "loading"]
        assert len(asked.seen) == 3

    def test_it_loses_patience_with_a_server_that_loads_for_ever(self):
        asked = ask(LOADING, patience=Patience(0.05, 0.01))

        assert asked.outcome.fault == Fault.LOADING
        assert "Loading model" in asked.outcome.error

    def test_it_can_be_stopped_while_a_server_loads(self):
        async def run() -> Asked:
            stop = Stop()
            async with upstream(LOADING) as fake:
                fake.on_request = stop.ask
                found = await ask_at(fake, stop=stop, patience=Patience(9, 5))
                await close_clients()
                return found

        assert asyncio.run(run()).outcome.ending is Ending.INTERRUPTED

    def test_it_sends_once_more_without_a_refused_parameter(self):
        asked = ask([refusing("top_k"), GOOD], params={"top_k": 5, "seed": 1})

        assert asked.outcome.ending is Ending.COMPLETED
        assert "top_k" not in asked.sent[1]
        assert asked.sent[1]["seed"] == 1
        assert "without top_k" in asked.outcome.notes[0]

    def test_it_sends_once_more_with_the_name_the_server_wants(self):
        text = "'max_tokens' is not supported. Use 'max_completion_tokens' instead."
        first = refusing("max_tokens", message=text)
        asked = ask([first, GOOD], params={"max_tokens": 9})

        assert asked.sent[1]["max_completion_tokens"] == 9
        assert "max_tokens" not in asked.sent[1]

    def test_it_leaves_the_stream_itself_out(self):
        whole = {"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}]}
        asked = ask([refusing("stream"), reply(json.dumps(whole).encode())])

        assert asked.outcome.text == "Hi"
        assert not asked.sent[1].get("stream")
        assert "stream_options" not in asked.sent[1]

    def test_it_leaves_out_one_parameter_and_no_more(self):
        replies = [refusing("top_k"), refusing("seed"), GOOD]
        asked = ask(replies, params={"top_k": 5, "seed": 1})

        assert asked.outcome.fault == Fault.PARAMETER
        assert len(asked.seen) == 2

    def test_it_sends_nothing_again_for_a_parameter_it_never_sent(self):
        asked = ask([refusing("min_p"), GOOD])

        assert asked.outcome.fault == Fault.PARAMETER
        assert "min_p" in asked.outcome.error
        assert len(asked.seen) == 1

    def test_it_remembers_what_a_server_refuses(self):
        async def run() -> tuple[Asked, Asked]:
            async with upstream([refusing("top_k"), GOOD]) as fake:
                first = await ask_at(fake, params={"top_k": 5})
                second = await ask_at(fake, params={"top_k": 5})
                await close_clients()
                return first, second

        _, second = asyncio.run(run())

        assert len(second.seen) == 3
        assert "top_k" not in second.sent[2]
        assert "without top_k" in second.outcome.notes[0]

    @pytest.mark.parametrize("status", [500, 502, 503, 504, 408, 409, 425, 429])
    def test_it_never_sends_a_generation_twice(self, status):
        asked = ask(reply(b'{"error": "boom"}', status=status))

        assert len(asked.seen) == 1

    @pytest.mark.parametrize("status", [301, 302, 307, 308])
    def test_it_follows_no_redirect(self, status):
        async def run() -> tuple[Asked, Upstream]:
            async with upstream(GOOD) as elsewhere:
                to = f"http://127.0.0.1:{elsewhere.port}/v1/chat/completions"
                async with upstream(reply(status=status, location=to)) as fake:
                    found = await ask_at(fake, api_key="sk-secret")
                    await close_clients()
                    return found, elsewhere

        asked, elsewhere = asyncio.run(run())

        assert asked.outcome.fault == Fault.PROTOCOL
        assert elsewhere.connections == 0


class ConnectionTests:
    def test_it_says_that_nobody_answers(self):
        async def run() -> Outcome:
            async with upstream(GOOD) as fake:
                port = fake.port
            backend = OpenAIBackend(at(port))
            outcome = await drain(backend, Request(cleared_for(at(port)), "m-test"))
            await close_clients()
            return outcome

        outcome = asyncio.run(run())

        assert (outcome.ending, outcome.fault) == (Ending.FAILED, "unreachable")
        assert (
            outcome.error == "m-test: the server does not answer: connection refused."
        )

    @pytest.mark.parametrize(
        ("pieces", "fault"),
        [
            ([], "cut"),
            ([b"SSH-2.0-OpenSSH_9.2\r\n\r\n"], "protocol"),
            ([b"HTTP/1.1 200 OK\r\ncontent-len"], "cut"),
            ([head() + b"zz\r\n"], "cut"),
            ([b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n" + chunk("Hi")], "cut"),
            ([b"HTTP/1.1 200 OK\r\n\r\n" + chunk("Hi")], "cut"),
            ([b"HTTP/1.1 204 No Content\r\n\r\n"], "protocol"),
            ([b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"], "protocol"),
            ([b"HTTP/1.1 500 X\r\ncontent-length: 900\r\n\r\n{\"err"], "server"),
        ],
    )  # fmt: skip
    def test_it_names_how_a_connection_broke(self, pieces, fault):
        asked = ask(Reply(list(pieces)))

        assert (asked.outcome.ending, asked.outcome.fault) == (Ending.FAILED, fault)
        assert len(asked.seen) == 1

    def test_it_completes_in_spite_of_a_cut_after_the_reason(self):
        asked = ask(reply(chunk("Hi", "stop"), cut=True))

        assert (asked.outcome.ending, asked.outcome.text) == (Ending.COMPLETED, "Hi")

    def test_it_loses_no_turn_to_a_socket_of_the_turn_before(self):
        body = chunk("Hi", "stop") + DONE
        kept = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body) + body

        async def run() -> list[Outcome]:
            async with upstream(Reply([kept])) as fake:
                found = [(await ask_at(fake)).outcome for _ in range(3)]
                await close_clients()
                return found

        assert {outcome.ending for outcome in asyncio.run(run())} == {Ending.COMPLETED}

    def test_it_waits_for_no_formality_after_done(self):
        asked = ask(reply(chunk("Hi"), DONE, hang=True), timeout_seconds=10)

        assert asked.outcome.ending is Ending.COMPLETED

    def test_it_goes_to_the_address_that_was_classified(self):
        async def run() -> tuple[Outcome, Upstream]:
            async with upstream(GOOD) as fake:
                origin = Origin("http", "model.lan", fake.port)
                target = replace(at(fake.port), origin=replace(origin, prefix="/v1"))
                placed = Placed("model.lan", ("127.0.0.1",), Hosting.LOOPBACK)
                backend = OpenAIBackend(target, placed=placed)
                outcome = await drain(backend, Request(cleared_for(target), "m-test"))
                await close_clients()
                return outcome, fake

        outcome, fake = asyncio.run(run())

        assert outcome.ending is Ending.COMPLETED
        assert fake.seen[0].headers["host"] == f"model.lan:{fake.port}"

    def test_it_tries_the_next_address_where_one_refuses(self):
        async def run() -> Outcome:
            async with upstream(GOOD) as fake:
                placed = Placed("x", ("127.0.0.2", "127.0.0.1"), Hosting.LOOPBACK)
                backend = OpenAIBackend(at(fake.port), placed=placed)
                request = Request(cleared_for(at(fake.port)), "m-test")
                outcome = await drain(backend, request)
                await close_clients()
                return outcome

        assert asyncio.run(run()).ending is Ending.COMPLETED

    @pytest.mark.parametrize(
        ("placed", "fault"),
        [
            (Placed("x", ("203.0.113.5",), Hosting.GLOBAL), Fault.DESTINATION),
            (Placed("x", ("10.0.0.5",), Hosting.LAN), Fault.DESTINATION),
            (Placed("x", (), Hosting.GLOBAL), Fault.UNREACHABLE),
        ],
    )
    def test_it_sends_nothing_to_a_place_more_public_than_cleared(self, placed, fault):
        backend = OpenAIBackend(at(1), placed=placed)
        outcome = asyncio.run(drain(backend, Request(cleared_for(at(1)), "m-test")))

        assert outcome.fault == fault
        assert "10.0.0.5" not in outcome.error

    def test_it_sends_nothing_that_was_cleared_for_another_server(self):
        backend = OpenAIBackend(at(2))
        outcome = asyncio.run(drain(backend, Request(cleared_for(at(1)), "m-test")))

        assert outcome.fault == Fault.DESTINATION

    def test_it_shows_no_key_in_its_repr(self):
        assert "sk-1" not in repr(at(1, api_key="sk-1"))
        assert "127.0.0.1" not in repr(at(1))


class StopTests:
    @pytest.mark.parametrize("after", ["started", "text"])
    def test_it_closes_the_upstream_at_once(self, after):
        async def run() -> Outcome:
            stop = Stop()

            def sink(event: Event) -> None:
                if event.kind == after:
                    asyncio.get_running_loop().call_later(0.05, stop.ask)

            async with upstream(reply(chunk("Hi"), hang=True)) as fake:
                target = at(fake.port)
                turn = drain(
                    OpenAIBackend(target),
                    Request(cleared_for(target), "m-test"),
                    sink=sink,
                    stop=stop,
                    timeout_seconds=30,
                )
                outcome = await turn
                await asyncio.wait_for(fake.hung_up.wait(), 5)
                await close_clients()
                return outcome

        outcome = asyncio.run(run())

        assert (outcome.ending, outcome.text) == (Ending.INTERRUPTED, "Hi")

    def test_it_closes_an_upstream_that_has_not_answered_yet(self):
        async def run() -> Outcome:
            stop = Stop()
            async with upstream(Reply([], hang=True)) as fake:
                fake.on_request = stop.ask
                asked = await ask_at(fake, stop=stop)
                await asyncio.wait_for(fake.hung_up.wait(), 5)
                await close_clients()
                return asked.outcome

        assert asyncio.run(run()).ending is Ending.INTERRUPTED

    def test_it_closes_the_upstream_when_the_reader_goes_away(self):
        async def run() -> bool:
            async with upstream(reply(chunk("Hi"), hang=True)) as fake:
                target = at(fake.port)
                request = Request(cleared_for(target), "m-test")
                bodies = OpenAIBackend(target).events(request)
                async for body in bodies:
                    if not isinstance(body, Started):
                        break
                await bodies.aclose()
                await asyncio.wait_for(fake.hung_up.wait(), 5)
                await close_clients()
                return True

        assert asyncio.run(run())

    def test_it_closes_the_upstream_at_the_timeout(self):
        async def run() -> Outcome:
            async with upstream(reply(chunk("Hi"), hang=True)) as fake:
                asked = await ask_at(fake, timeout_seconds=0.3)
                await asyncio.wait_for(fake.hung_up.wait(), 5)
                await close_clients()
                return asked.outcome

        outcome = asyncio.run(run())

        assert (outcome.ending, outcome.text) == (Ending.TIMEOUT, "Hi")


class CompressionTests:
    STREAM = chunk("Hi") + chunk(finish="stop") + DONE

    @pytest.mark.parametrize(
        ("name", "squeezed"),
        [
            ("gzip", gzip.compress(STREAM)),
            ("deflate", zlib.compress(STREAM)),
            ("deflate", zlib.compress(STREAM)[2:-4]),
        ],
    )
    def test_it_reads_a_compressed_stream(self, name, squeezed):
        parts = [squeezed[:20], squeezed[20:]]
        asked = ask(reply(*parts, content_encoding=name))

        assert asked.outcome.text == "Hi"

    @pytest.mark.parametrize("name", ["gzip", "br", "zstd"])
    def test_it_fails_on_compression_that_it_cannot_read(self, name):
        asked = ask(reply(b"\x93\x01garbage" * 9, content_encoding=name))

        assert asked.outcome.ending is Ending.FAILED
        assert asked.outcome.text == ""

    def test_it_inflates_no_bomb(self):
        bomb = gzip.compress(b"data: " + b"x" * 20_000_000, 1)
        asked = ask(reply(bomb, content_encoding="gzip"))

        assert asked.outcome.fault == Fault.PROTOCOL
        assert "8 MB" in asked.outcome.error

    def test_it_inflates_no_bomb_of_an_error_either(self):
        bomb = gzip.compress(b'{"error": "' + b"x" * 20_000_000, 1)
        asked = ask(reply(bomb, status=500, content_encoding="gzip"))

        assert asked.outcome.fault == Fault.SERVER
        assert len(asked.outcome.error) <= 500


class FloodTests:
    def test_it_reads_a_stream_that_drips_byte_by_byte(self):
        stream = chunk("Hé") + chunk(finish="stop") + DONE
        asked = ask(reply(*(bytes([byte]) for byte in stream)))

        assert asked.outcome.text == "Hé"

    def test_it_stops_at_a_line_of_a_hundred_megabytes(self):
        piece = b"x" * 1_000_000
        asked = ask(reply(b"data: ", *[piece] * 100), timeout_seconds=30)

        assert asked.outcome.fault == Fault.PROTOCOL
        assert "8 MB" in asked.outcome.error

    def test_it_stops_at_an_answer_without_end(self):
        many = chunk("word " * 2_000) * 10
        asked = ask(reply(*[many] * 100), timeout_seconds=30)

        assert asked.outcome.fault == Fault.PROTOCOL
        assert asked.outcome.text.startswith("word word")

    def test_it_takes_endless_comments_until_its_timeout(self):
        async def run() -> Outcome:
            endless: list[Any] = [head(content_type="text/event-stream")]
            endless += [b"2\r\n:\n\r\n"] * 200 + [0.5]
            async with upstream(Reply(endless, hang=True)) as fake:
                asked = await ask_at(fake, timeout_seconds=0.3)
                await close_clients()
                return asked.outcome

        assert asyncio.run(run()).ending is Ending.TIMEOUT

    def test_it_bounds_an_error_body_without_end(self):
        asked = ask(reply(*[b"x" * 100_000] * 50, status=500), timeout_seconds=30)

        assert asked.outcome.fault == Fault.SERVER

    def test_it_answers_other_turns_during_a_flood(self):
        async def run() -> tuple[Outcome, int]:
            many = chunk("word " * 2_000) * 10
            beats = 0

            async def beat() -> None:
                nonlocal beats
                while True:
                    await asyncio.sleep(0)
                    beats += 1

            async with upstream(reply(*[many] * 60, DONE)) as fake:
                other = asyncio.create_task(beat())
                asked = await ask_at(fake)
                other.cancel()
                await close_clients()
                return asked.outcome, beats

        outcome, beats = asyncio.run(run())

        assert outcome.ending is Ending.COMPLETED
        assert len(outcome.text) == 6_000_000
        assert beats > 60


class LimitTests:
    def test_it_says_until_when_without_waiting(self):
        asked = ask(reply(b'{"error":"slow"}', status=429, retry_after="30"))

        assert asked.outcome.ending is Ending.RATE_LIMITED
        assert asked.outcome.resets_at is not None
        assert isinstance(asked.bodies[-1], RateLimited)

    def test_it_keeps_the_text_before_a_limit_in_the_stream(self):
        limit = b'data: {"error": {"type": "rate_limit_error", "message": "slow"}}\n\n'
        asked = ask(reply(chunk("Hi"), limit))

        assert asked.outcome.ending is Ending.RATE_LIMITED
        assert asked.outcome.text == "Hi"


class ContractTests:
    def test_it_yields_started_first_and_one_final_last(self):
        asked = ask(GOOD)

        assert isinstance(asked.bodies[0], Started)
        assert [isinstance(b, Final) for b in asked.bodies] == [False, False, True]

    def test_it_raises_a_backend_error_where_it_is_read_without_drain(self):
        async def run() -> None:
            async with upstream(reply(b"", status=500)) as fake:
                target = at(fake.port)
                request = Request(cleared_for(target), "m-test")
                try:
                    async for _ in OpenAIBackend(target).events(request):
                        pass
                finally:
                    await close_clients()

        with pytest.raises(BackendError) as caught:
            asyncio.run(run())
        assert caught.value.fault is Fault.SERVER
