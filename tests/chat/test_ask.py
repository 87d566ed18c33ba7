"""`ask --url`: the whole road of the command, by exit code and document."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.chat.backends.asking import DONE, chunk, sse
from tests.chat.backends.recorded import chat
from tests.chat.backends.test_streaming_cases import answers, replay
from tests.fakes import Replay

ROOT = Path(__file__).parents[2]
CHAT = "POST /v1/chat/completions"
MODELS = {"json": {"object": "list", "data": [{"id": "m-listed"}]}}


def stream(*pieces: bytes | tuple[float, bytes], **more: Any) -> dict[str, Any]:
    return {
        "chunks": [*pieces],
        "headers": {"content-type": "text/event-stream"},
        **more,
    }


GOOD = stream(chunk("H"), chunk("i"), chunk(finish="stop"), DONE)


def run(*argv: str, **options: Any) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of one `ask`."""
    out, notes = StringIO(), StringIO()
    try:
        call_command("ask", *argv, stdout=out, stderr=notes, **options)
        code = 0
    except SystemExit as error:
        code = int(error.code or 0)
    except CommandError as error:
        return error.returncode, out.getvalue(), str(error)
    return code, out.getvalue(), notes.getvalue()


def document(*argv: str) -> tuple[int, dict[str, Any]]:
    code, out, _ = run(*argv, "--json")
    return code, json.loads(out)


@pytest.mark.django_db
class AskTests:
    def test_it_streams_the_answer_and_says_where_it_goes(self):
        with Replay({CHAT: GOOD}) as server:
            code, out, notes = run("--url", server.url, "--model", "m", "hello")

        assert (code, out) == (0, "Hi\n")
        assert "stays on this machine" in notes
        assert json.loads(server.seen[0].body)["messages"] == [
            {"role": "user", "content": "hello"}
        ]

    def test_it_gives_one_document_to_programs(self):
        usage = sse(
            {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 1}}
        )
        answer = stream(chunk("Hi", reasoning="hm"), chunk(finish="stop"), usage, DONE)
        with Replay({CHAT: answer}) as server:
            code, said = document("--url", server.url, "--model", "m", "hello")

        assert code == 0
        assert said["outcome"] == "completed"
        assert (said["text"], said["reasoning"]) == ("Hi", "hm")
        assert said["finish_reason"] == "stop"
        assert said["usage"] == {"prompt_tokens": 5, "completion_tokens": 1}

    @pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/", "/v1/chat/completions"])
    def test_it_takes_the_root_of_the_server_or_of_its_api(self, path):
        with Replay({CHAT: GOOD}) as server:
            code, _, _ = run("--url", server.url + path, "--model", "m", "hello")

        assert code == 0

    def test_it_asks_the_first_listed_model_where_none_is_named(self):
        with Replay({CHAT: GOOD, "/v1/models": MODELS}) as server:
            code, _ = document("--url", server.url, "hello")

        assert code == 0
        assert json.loads(server.seen[-1].body)["model"] == "m-listed"

    def test_it_reads_the_question_from_standard_input(self, monkeypatch, tmp_path):
        asked = tmp_path / "question.txt"
        asked.write_bytes("\ufeffGrüße\n".encode())
        with Replay({CHAT: GOOD}) as server, asked.open() as typed:
            monkeypatch.setattr(sys, "stdin", typed)
            code, _, _ = run("--url", server.url, "--model", "m", "-")

        assert code == 0
        assert json.loads(server.seen[0].body)["messages"][0]["content"] == "Grüße\n"

    @pytest.mark.parametrize(
        ("answer", "outcome"),
        [
            ({"status": 500, "json": {"error": "disk full"}}, "failed"),
            ({"status": 429, "json": {"error": "slow"}}, "rate_limited"),
            ({"status": 200, "body": "<html>Sign in</html>"}, "failed"),
            (stream(chunk("Hi")), "failed"),
            ({"silent": True}, "timeout"),
        ],
    )
    def test_it_says_by_exit_code_that_there_is_no_answer(self, answer, outcome):
        with Replay({CHAT: answer}) as server:
            code, said = document(
                "--url", server.url, "--model", "m", "--timeout", "0.5", "hello"
            )

        assert (code, said["outcome"]) == (1, outcome)

    def test_it_never_waits_for_a_reset(self):
        limit = {
            "status": 429,
            "json": {"error": "x"},
            "headers": {"retry-after": "90"},
        }
        with Replay({CHAT: limit}) as server:
            code, said = document("--url", server.url, "--model", "m", "hello")

        assert (code, said["outcome"]) == (1, "rate_limited")
        assert said["resets_at"].endswith("+00:00")

    def test_it_says_that_nobody_answers(self):
        with Replay() as server:
            url = server.url
        code, said = document("--url", url, "--model", "m", "hello")

        assert (code, said["outcome"]) == (1, "failed")
        assert "127.0.0.1" not in said["error"]

    def test_it_sends_what_was_found_private_only_with_yes(self):
        question = "mail ada@example.org about it"
        with Replay({CHAT: GOOD}) as server:
            options = ("--url", server.url, "--model", "m", question)
            refused, said = document(*options)
            asked = len(server.seen)
            sent, _ = document(*options, "--yes")

        assert (refused, said["outcome"], asked) == (1, "refused", 0)
        assert "--yes" in said["error"]
        assert (sent, len(server.seen)) == (0, 1)

    def test_it_cuts_a_recorded_stream_anywhere(self):
        body = chat("b11434-stream.txt").body
        for cut in range(0, len(body), len(body) // 20):
            with Replay({CHAT: stream(body[:cut])}) as server:
                code, said = document("--url", server.url, "--model", "m", "hello")
            assert code == (0 if said["outcome"] == "completed" else 1)
            assert said["outcome"] in {"completed", "failed"}

    def test_it_reads_every_case_as_a_user_would_see_it(self):
        for number, (response, checks) in enumerate(values(case) for case in answers()):
            with Replay({CHAT: replayed(response)}) as server:
                options = ("--url", server.url, "--model", "m-test", "--timeout", "8")
                code, said = document(*options, "hello")
            assert said["text"] == checks.get("text", said["text"]), number
            assert checks.get("error_contains", "") in (said["error"] or ""), number
            assert code == (0 if said["outcome"] == "completed" else 1), number
            assert code == 1 or response["status"] == 200, number


def values(case: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    response, checks = case.values
    return response, checks


def replayed(response: dict[str, Any]) -> dict[str, Any]:
    """The bytes of a case's answer, at once."""
    return {"raw": b"".join(p for p in replay(response).pieces if isinstance(p, bytes))}


class UnusableTests:
    @pytest.mark.parametrize(
        ("argv", "said"),
        [
            (["--url", "ftp://127.0.0.1", "hello"], "http"),
            (["--url", "http://u:p@127.0.0.1", "hello"], "user name"),
            (["--url", "http://127.0.0.1:99999", "hello"], "port"),
            (["--url", "http://127.0.0.1"], "question"),
            (["--url", "http://127.0.0.1", "  "], "question"),
            (["--url", "http://127.0.0.1", "--timeout", "0", "hello"], "seconds"),
            (["--url", "http://127.0.0.1", "--timeout", "nan", "hello"], "seconds"),
            (["--url", "http://127.0.0.1", "--timeout", "soon", "hello"], "seconds"),
            (["--url", "http://203.0.113.5", "hello"], "--confirm-destination"),
            (["--url", "http://203.0.113.5", "--confirm-destination", "203.0.113.6",
              "hello"], "--confirm-destination"),
        ],
    )  # fmt: skip
    def test_it_refuses_arguments_in_one_line(self, argv, said):
        code, out, notes = run(*argv)

        assert (code, out) == (2, "")
        assert said in notes
        assert len(notes.splitlines()) == 1

    @pytest.mark.parametrize(
        "argv", [["hello"], ["--url", "http://x", "--server", "server-1", "hello"]]
    )
    def test_it_takes_exactly_one_road(self, argv):
        code, out, notes = run(*argv)

        assert code != 0
        assert out == ""
        assert "--url" in notes

    @pytest.mark.django_db
    def test_it_sends_nothing_abroad_while_no_name_is_protected(self):
        code, said = document(
            "--url", "http://203.0.113.5", "--confirm-destination", "203.0.113.5", "hi"
        )

        assert (code, said["outcome"]) == (1, "refused")
        assert "protected" in said["error"].lower()


def spawned(url: str, *argv: str, database: Path) -> subprocess.Popen[str]:
    """The command as a process of its own, with a database that was never made."""
    env = {
        "PATH": os.environ["PATH"],
        "SECRET_KEY": "x",
        "LLMHUB_KEYS": os.environ["LLMHUB_KEYS"],
        "LLMHUB_ENV_FILE": "/nonexistent",
        "DATABASE_URL": f"sqlite:///{database}",
        "OPENAI_API_KEY": "sk-of-the-environment",
    }
    command = [sys.executable, "manage.py", "ask", "--url", url, "--model", "m", *argv]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=env,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


class ProcessTests:
    def test_it_needs_no_database(self, tmp_path):
        with Replay({CHAT: GOOD}) as server:
            child = spawned(server.url, "hello", database=tmp_path / "none.sqlite3")
            out, notes = child.communicate(timeout=60)

        assert (child.returncode, out) == (0, "Hi\n")
        assert "not checked" in notes
        assert "authorization" not in server.seen[0].headers
        assert not (tmp_path / "none.sqlite3").exists()

    def test_it_keeps_the_text_when_interrupted(self, tmp_path):
        endless = stream(chunk("Hi"), (60, DONE))
        with Replay({CHAT: endless}) as server:
            child = spawned(server.url, "hello", database=tmp_path / "none.sqlite3")
            assert child.stdout is not None
            said = child.stdout.read(2)
            child.send_signal(signal.SIGINT)
            out, notes = child.communicate(timeout=60)

        assert (said + out, child.returncode) == ("Hi\n", 1)
        assert "interrupted" in notes
        assert "Traceback" not in notes
