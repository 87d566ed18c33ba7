"""Streams beside Django: who may open one, what it says, and what ends it."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session

from chat import sse, transcript
from chat.engine import current
from chat.events import Heartbeat, RateLimited, Text
from chat.sse import Streams, turn_of_path
from tests.chat.asgi import Browser, cookie_of, heard_from
from tests.chat.makers import (
    a_conversation,
    a_person,
    a_server,
    a_turn,
    an_engine,
    in_thread,
    run,
    until,
)
from tests.chat.scripted import Scripted, answer

pytestmark = pytest.mark.django_db(transaction=True, serialized_rollback=True)


@asynccontextmanager
async def a_hub(backend, *turns):
    """Streams over an engine that answers these turns."""
    async with an_engine(backend) as engine:
        current.use(engine)
        streams = Streams()
        try:
            for turn in turns:
                await in_thread(engine.submit)(turn.pk)
            yield streams
        finally:
            streams.close()
            current.use(None)


def events_of(turn, query: str = "") -> str:
    return f"/turns/{turn.pk}/events{query}"


def asked(path, backend=None, turns=(), **headers):
    """The whole of one stream, or its refusal."""

    async def play():
        async with a_hub(backend or Scripted([answer("Hi", " there")]), *turns) as app:
            return await heard_from(app, path, **headers)

    return run(play)


class PathTests:
    @pytest.mark.parametrize(
        "path",
        [
            "/turns/events",
            "/turns/x/events",
            "/turns/-1/events",
            "/turns/1/events/",
            "/turns/1/events/../../2/events",
            "/turns/1/fragment",
            f"/turns/{'9' * 20}/events",
            "//turns/1/events",
            "/turns/1/events\n",
        ],
    )
    def test_it_leaves_other_paths_to_django(self, path):
        assert turn_of_path(path) is None

    def test_it_takes_a_turn_by_its_key(self):
        assert turn_of_path("/turns/17/events") == 17


class AdmissionTests:
    def test_it_sends_strangers_to_the_login(self):
        turn = a_turn(a_conversation())
        heard = asked(events_of(turn))
        assert heard.status == 302
        assert heard.headers["location"].startswith("/accounts/login/?next=/turns/")

    def test_it_sends_a_made_up_session_to_the_login(self):
        turn = a_turn(a_conversation())
        assert asked(events_of(turn), cookie="sessionid=" + "a" * 32).status == 302

    @pytest.mark.parametrize("group", ["members", "curators"])
    def test_it_hides_a_turn_from_everybody_but_its_owner(self, group):
        turn = a_turn(a_conversation(a_person("ada")))
        other = cookie_of(a_person("eve", group))
        assert asked(events_of(turn), cookie=other).status == 404

    def test_it_hides_a_turn_from_a_superuser(self):
        turn = a_turn(a_conversation(a_person("ada")))
        root = User.objects.create_superuser("root")
        assert asked(events_of(turn), cookie=cookie_of(root)).status == 404

    def test_it_hides_a_temporary_turn_from_others(self):
        turn = a_turn(a_conversation(a_person("ada"), temporary=True))
        other = cookie_of(a_person("eve"))
        assert asked(events_of(turn), cookie=other).status == 404

    def test_it_does_not_know_a_turn_that_is_not_there(self):
        cookie = cookie_of(a_person())
        for key in (404, 2**52 + 7, 2**62):
            assert asked(f"/turns/{key}/events", cookie=cookie).status == 404

    def test_it_hides_their_own_turn_from_who_may_not_read_any_more(self):
        person = a_person("ada")
        turn, cookie = a_turn(a_conversation(person)), cookie_of(person)
        person.groups.clear()
        assert asked(events_of(turn), cookie=cookie).status == 404

    def test_it_knows_no_deactivated_person(self):
        person = a_person("ada")
        turn, cookie = a_turn(a_conversation(person)), cookie_of(person)
        User.objects.update(is_active=False)
        assert asked(events_of(turn), cookie=cookie).status == 302

    def test_it_ends_sessions_with_a_changed_password(self):
        person = a_person("ada")
        turn, cookie = a_turn(a_conversation(person)), cookie_of(person)
        person.set_password("another long passphrase")
        person.save()
        assert asked(events_of(turn), cookie=cookie).status == 302


class StrictnessTests:
    @pytest.mark.parametrize(
        ("headers", "status"),
        [
            ({"host": "evil.example"}, 400),
            ({"host": ""}, 400),
            ({"origin": "http://evil.example"}, 403),
            ({"origin": "null"}, 403),
            ({"sec_fetch_site": "cross-site"}, 403),
            ({"sec_fetch_site": "same-site"}, 403),
            ({"method": "POST"}, 405),
            ({"method": "HEAD"}, 405),
            ({"method": "DELETE"}, 405),
            ({"last_event_id": "x"}, 400),
            ({"last_event_id": "-1"}, 400),
            ({"last_event_id": "9" * 30}, 400),
        ],
    )
    def test_it_refuses_what_no_page_of_the_hub_asks(self, headers, status):
        turn = a_turn(a_conversation())
        cookie = cookie_of(a_person())
        assert asked(events_of(turn), cookie=cookie, **headers).status == status

    @pytest.mark.parametrize("query", ["?after=x", "?after=-1", "?after=1.5"])
    def test_it_refuses_a_place_that_is_no_number(self, query):
        turn = a_turn(a_conversation())
        cookie = cookie_of(a_person())
        assert asked(events_of(turn, query), cookie=cookie).status == 400

    def test_it_serves_its_own_pages(self):
        turn = a_turn(a_conversation())
        heard = asked(
            events_of(turn),
            turns=[turn],
            cookie=cookie_of(a_person()),
            origin="http://127.0.0.1",
            sec_fetch_site="same-origin",
        )
        assert heard.status == 200

    def test_it_bounds_the_streams_of_one_person(self, monkeypatch):
        monkeypatch.setattr(sse, "STREAMS_PER_PERSON", 1)
        turn, cookie = a_turn(a_conversation()), cookie_of(a_person())

        async def play():
            never = asyncio.Event()
            async with a_hub(Scripted([[never]]), turn) as app:
                first = Browser(app, events_of(turn), cookie=cookie)
                await until(lambda: first.heard.body)
                second = await heard_from(app, events_of(turn), cookie=cookie)
                first.leave()
                await first.task
                third = Browser(app, events_of(turn), cookie=cookie)
                await until(lambda: third.heard.body)
                third.leave()
                await third.task
                return second.status, third.heard.status

        assert run(play) == (429, 200)


class EventTests:
    def own(self, script, query="", turn=None, **headers):
        turn = turn or a_turn(a_conversation())
        cookie = cookie_of(a_person())
        backend = Scripted([script])
        return asked(events_of(turn, query), backend, [turn], cookie=cookie, **headers)

    def test_it_tells_a_turn_from_start_to_end(self):
        heard = self.own(answer("Hi", " there"))
        assert [k for k in heard.kinds if k != "queue"] == [
            "started",
            "text",
            "text",
            "final",
            "end",
        ]
        texts = [data["text"] for data in heard.all_of("text")]
        assert "".join(texts) == "Hi there"
        assert heard.over

    def test_it_numbers_what_can_be_asked_for_again(self):
        numbers = [n for _k, n, _d in self.own(answer("a", "b")).events if n]
        assert numbers == [1, 2, 3, 4]

    def test_it_says_where_the_finished_turn_is(self):
        turn = a_turn(a_conversation())
        end = self.own(answer("a"), turn=turn).all_of("end")[0]
        assert end == {"state": "completed", "url": f"/turns/{turn.pk}/fragment"}

    def test_it_is_neither_stored_nor_buffered_on_the_way(self):
        headers = self.own(answer("a")).headers
        assert headers["cache-control"] == "no-store"
        assert headers["x-accel-buffering"] == "no"
        assert headers["content-type"].startswith("text/event-stream")

    @pytest.mark.parametrize(
        "text", ["a\nb", "\n\nevent: end\n", "a\r\ndata: x", "\u2028", "é🙂", "\ud800"]
    )
    def test_it_lets_no_text_become_an_event(self, text):
        heard = self.own([Text(text), *answer("")])
        assert heard.all_of("text")[0]["text"] == text
        assert heard.kinds.count("end") == 1

    def test_it_passes_on_signs_of_life_and_limits(self):
        heard = self.own([Heartbeat(4.0), RateLimited(None, "Slow down.")])
        assert heard.all_of("heartbeat")[0]["quiet_seconds"] == 4.0
        assert heard.all_of("rate_limited")[0]["message"] == "Slow down."
        assert heard.all_of("end")[0]["state"] == "rate_limited"

    @pytest.mark.parametrize("how", ["header", "query"])
    def test_it_goes_on_after_the_last_event_heard(self, how):
        turn, cookie = a_turn(a_conversation()), cookie_of(a_person())

        async def play():
            gate = asyncio.Event()
            script = [Text("a"), Text("b"), gate, *answer("c")]
            async with a_hub(Scripted([script]), turn) as app:
                first = Browser(app, events_of(turn), cookie=cookie)
                await until(lambda: "text" in first.heard.kinds)
                first.leave()
                await first.task
                gate.set()
                if how == "query":
                    path = events_of(turn, "?after=2")
                    return await heard_from(app, path, cookie=cookie)
                return await heard_from(
                    app, events_of(turn), cookie=cookie, last_event_id="2"
                )

        heard = run(play)
        numbers = [number for _k, number, _d in heard.events if number]
        assert numbers == [3, 4, 5]
        assert [data["text"] for data in heard.all_of("text")] == ["b", "c"]

    def test_it_tells_two_tabs_the_same(self):
        turn, cookie = a_turn(a_conversation()), cookie_of(a_person())

        async def play():
            script = [0.05, *answer(*"abcdef")]
            async with a_hub(Scripted([script]), turn) as app:
                return await asyncio.gather(
                    *(heard_from(app, events_of(turn), cookie=cookie) for _ in "12")
                )

        one, two = run(play)
        assert one.all_of("text") == two.all_of("text")

    def test_it_ends_at_once_for_a_turn_that_is_over(self):
        turn, cookie = a_turn(a_conversation()), cookie_of(a_person())
        asked(events_of(turn), turns=[turn], cookie=cookie)
        later = asked(events_of(turn), cookie=cookie)
        assert later.kinds == ["end"]

    def test_it_says_how_many_are_ahead(self):
        server = a_server()
        first = a_turn(a_conversation(a_person("bob"), server))
        mine = a_turn(a_conversation(a_person("ada"), server))
        heard = asked(
            events_of(mine),
            Scripted([[0.1, *answer("x")]]),
            [first, mine],
            cookie=cookie_of(a_person("ada")),
        )
        assert heard.all_of("queue")[0] == {
            "ahead": 0,
            "running": 1,
            "lanes": 1,
            "resumes_at": None,
        }

    def test_it_renders_for_those_who_want_html(self):
        heard = self.own([Text("Some *bold*"), 0.3, *answer(" <script>")], "?html=1")
        html = "".join(d["frozen"] + d["tail"] for d in heard.all_of("html"))
        assert "<em>bold</em>" in html
        assert "<script" not in html

    def test_it_renders_for_nobody_else(self):
        assert "html" not in self.own(answer("a")).kinds


class EndingTests:
    """A stream outlives its request; nothing else."""

    def ended_by(self, change, monkeypatch):
        monkeypatch.setattr(sse, "RECHECK_SECONDS", 0.05)
        person = a_person("ada")
        turn, cookie = a_turn(a_conversation(person)), cookie_of(person)

        async def play():
            never = asyncio.Event()
            async with a_hub(Scripted([[Text("a"), never]]), turn) as app:
                browser = Browser(app, events_of(turn), cookie=cookie)
                await until(lambda: "text" in browser.heard.kinds)
                await asyncio.sleep(0.2)
                open_before = not browser.task.done()
                await in_thread(change)(person, turn)
                async with asyncio.timeout(5):
                    await browser.task
                return open_before, browser.heard

        open_before, heard = run(play)
        assert open_before
        assert heard.over
        assert "end" not in heard.kinds

    def test_it_ends_with_the_permission(self, monkeypatch):
        self.ended_by(lambda person, turn: person.groups.clear(), monkeypatch)

    def test_it_ends_with_the_account(self, monkeypatch):
        def deactivate(person, turn):
            User.objects.filter(pk=person.pk).update(is_active=False)

        self.ended_by(deactivate, monkeypatch)

    def test_it_ends_with_the_session(self, monkeypatch):
        self.ended_by(lambda person, turn: Session.objects.all().delete(), monkeypatch)

    def test_it_ends_with_the_password(self, monkeypatch):
        def change(person, turn):
            person.set_password("another long passphrase")
            person.save()

        self.ended_by(change, monkeypatch)

    def test_it_ends_with_the_conversation(self, monkeypatch):
        def delete(person, turn):
            transcript.delete(turn.conversation)

        self.ended_by(delete, monkeypatch)

    def test_it_lets_a_page_go_without_stopping_the_turn(self):
        turn, cookie = a_turn(a_conversation()), cookie_of(a_person())

        async def play():
            gate = asyncio.Event()
            async with a_hub(Scripted([[gate, *answer("Done.")]]), turn) as app:
                browser = Browser(app, events_of(turn), cookie=cookie)
                await until(lambda: browser.heard.status)
                browser.leave()
                await browser.task
                gate.set()
                return await heard_from(app, events_of(turn), cookie=cookie)

        assert run(play).all_of("end")[0]["state"] == "completed"

    def test_it_comments_so_that_no_proxy_closes_it(self, monkeypatch):
        monkeypatch.setattr(sse, "RECHECK_SECONDS", 0.02)
        monkeypatch.setattr(sse, "COMMENT_SECONDS", 0.05)
        turn, cookie = a_turn(a_conversation()), cookie_of(a_person())

        async def play():
            async with a_hub(Scripted([[asyncio.Event()]]), turn) as app:
                browser = Browser(app, events_of(turn), cookie=cookie)
                await until(lambda: browser.heard.body.count(": still here") > 1)
                browser.leave()
                await browser.task

        run(play)

    def test_it_lets_all_go_when_the_hub_stops(self):
        turn, cookie = a_turn(a_conversation()), cookie_of(a_person())

        async def play():
            async with a_hub(Scripted([[asyncio.Event()]]), turn) as app:
                browser = Browser(app, events_of(turn), cookie=cookie)
                await until(lambda: browser.heard.body)
                app.close()
                await browser.task
                late = await heard_from(app, events_of(turn), cookie=cookie)
                return browser.heard.over, late.status

        assert run(play) == (True, 503)
