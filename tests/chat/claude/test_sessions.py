"""The listing: what was announced, what runs, and what was saved, each once."""

from __future__ import annotations

import os
import subprocess
import time

import pytest

from chat.claude.liveness import running
from chat.claude.sessions import NoSession, Session, find_session, list_sessions
from tests.chat.claude.machine import FORK, SESSION

OTHER = "99999999-7777-4333-8444-555555555555"


def me(**more):
    """A row about this very process."""
    return {"pid": os.getpid(), "startedAt": int(time.time() * 1000), **more}


def listed(machine):
    return list_sessions(machine.environ).sessions


class ListingTests:
    def test_it_says_that_there_is_no_program(self, machine):
        machine.save(SESSION)
        machine.environ["PATH"] = str(machine.home)
        listing = list_sessions(machine.environ)
        assert listing.sessions == ()
        assert "no claude program" in listing.notes[0]

    def test_it_joins_a_live_session_and_its_transcript(self, machine):
        machine.install().save(SESSION)
        machine.announce([me(sessionId=SESSION, cwd="/srv/shop", name="till")])
        [row] = listed(machine)
        assert row.as_json() == {
            "id": SESSION,
            "pid": os.getpid(),
            "kind": "",
            "status": "",
            "dir": "shop",
            "name": "till",
            "version": "",
            "branch": "main",
            "live": True,
        }

    def test_it_adds_what_the_registry_knows(self, machine):
        machine.install()
        machine.announce([me(sessionId=SESSION)])
        process = running(os.getpid())
        assert process is not None
        ticks = str(process.start_ticks)
        machine.register(
            os.getpid(), sessionId=SESSION, version="2.1.9", procStart=ticks
        )
        [row] = listed(machine)
        assert (row.version, row.live) == ("2.1.9", True)

    def test_it_calls_a_recycled_pid_not_live(self, machine):
        machine.install()
        machine.announce([me(sessionId=SESSION)])
        machine.register(os.getpid(), sessionId=SESSION, procStart="1")
        [row] = listed(machine)
        assert not row.live

    def test_it_calls_a_dead_process_not_live(self, machine):
        ended = subprocess.Popen(["true"])
        ended.wait()
        machine.install()
        machine.announce([{**me(sessionId=SESSION), "pid": ended.pid}])
        [row] = listed(machine)
        assert not row.live

    def test_it_puts_live_rows_first_and_then_the_latest_saved(self, machine):
        machine.install()
        os.utime(machine.save(OTHER), (5, 5))
        os.utime(machine.save(FORK), (9, 9))
        machine.announce([{"pid": 1, "sessionId": "x"}, me(sessionId=SESSION)])
        rows = listed(machine)
        assert [row.session_id for row in rows] == [SESSION, "", FORK, OTHER]
        assert [row.live for row in rows] == [True, False, False, False]

    def test_it_lists_the_saved_ones_where_live_ones_cannot_be(self, machine):
        machine.install().save(SESSION)
        machine.announce("Agents:\n  reviewer (project)\n")
        listing = list_sessions(machine.environ)
        assert [row.session_id for row in listing.sessions] == [SESSION]
        assert "cannot list" in listing.notes[0]

    def test_it_knows_the_holder_of_a_session_that_is_not_announced(self, machine):
        machine.install().save(SESSION)
        machine.register(os.getpid(), **me(sessionId=SESSION, status="busy"))
        [row] = listed(machine)
        assert (row.live, row.pid, row.status) == (True, os.getpid(), "busy")

    def test_it_completes_a_short_identifier_from_the_saved_ones(self, machine):
        machine.install().save(SESSION)
        machine.announce([me(id=SESSION[:8])])
        [row] = listed(machine)
        assert row.session_id == SESSION

    def test_it_keeps_a_row_that_cannot_be_asked(self, machine):
        machine.install()
        machine.announce([me(cwd="/srv/p")])
        [row] = listed(machine)
        assert row.as_json()["id"] is None

    def test_it_gives_the_program_no_key_of_the_hub(self, machine):
        machine.install()
        script = machine.folder / "bin/claude"
        script.write_text(f"#!/bin/sh\nenv > {machine.folder}/env\necho '[]'\n")
        assert listed(machine) == ()
        assert "canary" not in machine.seen("env")

    def test_it_does_not_wait_for_a_program_that_hangs(self, machine, monkeypatch):
        monkeypatch.setattr("chat.claude.sessions.LIST_SECONDS", 0.2)
        machine.install().save(SESSION)
        (machine.folder / "bin/claude").write_text("#!/bin/sh\nsleep 60 & sleep 60\n")
        listing = list_sessions(machine.environ)
        assert [row.session_id for row in listing.sessions] == [SESSION]
        assert "in time" in listing.notes[0]


class FindTests:
    SESSIONS = (
        Session(session_id=SESSION, live=True),
        Session(),
        Session(session_id=FORK),
        Session(session_id=OTHER),
        Session(session_id=SESSION),
    )

    def test_it_finds_by_identifier_and_by_a_beginning(self):
        assert find_session(FORK.upper(), self.SESSIONS).session_id == FORK
        assert find_session(FORK[:8], self.SESSIONS).session_id == FORK

    def test_it_prefers_the_first_of_two_rows(self):
        assert find_session(SESSION, self.SESSIONS).live

    @pytest.mark.parametrize(
        "text", ["", "999", "99999999", "no-such", "../../etc/passwd", "--help", "*"]
    )
    def test_it_finds_nothing_else(self, text):
        with pytest.raises(NoSession):
            find_session(text, self.SESSIONS)
