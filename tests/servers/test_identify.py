"""`identify`: for people, as JSON, and what it refuses."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.fakes import Replay


def identify(*args: str) -> str:
    out = io.StringIO()
    call_command("identify", *args, stdout=out)
    return out.getvalue()


def rows(*args: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(identify(*args, "--json"))
    return found


class IdentifyTests:
    def test_it_gives_stable_keys(self) -> None:
        with Replay.of_capture("source/vllm/0.20.1-ready.json") as server:
            (row,) = rows(server.url)
        assert set(row) == {
            "host",
            "port",
            "scheme",
            "kind",
            "family",
            "name",
            "version",
            "state",
            "models",
            "hosting",
            "api_root",
            "why",
            "unknown",
            "also_answers",
            "capabilities",
        }
        assert (row["host"], row["port"], row["scheme"]) == (
            "127.0.0.1",
            server.port,
            "http",
        )
        assert (row["family"], row["version"], row["state"]) == (
            "vllm",
            "0.20.1",
            "ready",
        )
        assert (row["kind"], row["hosting"], row["api_root"]) == (
            "llm",
            "loopback",
            "/v1",
        )
        assert row["models"] == ["acme/sparrow-8b-instruct"]
        assert row["why"][0] == {"path": "/v1/models", "fact": "data.*.owned_by = vllm"}

    def test_it_prints_who_and_why_for_people(self) -> None:
        with Replay.of_capture("source/ollama/0.33.0-ready.json") as server:
            text = identify(server.url)
        for word in (
            "Ollama 0.33.0 (llm)",
            "ready",
            "sparrow:8b",
            "/ text = Ollama is",
        ):
            assert word in text

    def test_it_says_that_a_gateway_passes_a_text_on(self) -> None:
        with Replay.of_capture("source/litellm/1.110.2-ready.json") as server:
            assert "where a text goes from there is not known" in identify(server.url)
        with Replay.of_capture("source/exo/1.0.71-ready.json") as server:
            assert "not known" not in identify(server.url)

    def test_it_reports_each_url_when_one_does_not_answer(self) -> None:
        with Replay.of_capture("source/exo/1.0.71-ready.json") as server:
            found = rows("http://127.0.0.1:1", server.url)
        assert [row["family"] for row in found] == [None, "exo"]
        assert "refused" in found[0]["problem"]

    def test_it_exits_with_1_when_nothing_was_recognised(self) -> None:
        with pytest.raises(SystemExit) as ended:
            identify("http://127.0.0.1:1")
        assert ended.value.code == 1

    @pytest.mark.parametrize(
        "url",
        [
            "http://user:hunter2@127.0.0.1:80",
            "http://127.0.0.1:0",
            "http://127.0.0.1:70000",
            "ftp://127.0.0.1",
            "http://[::1",
            "http://127.0.0.1?key=hunter2",
            "http://127.1",
            "",
        ],
    )
    def test_it_refuses_a_bad_address_without_echoing_it(self, url: str) -> None:
        with pytest.raises(CommandError) as refused:
            identify(url)
        assert refused.value.returncode == 2
        assert "hunter2" not in str(refused.value)
        assert "\n" not in str(refused.value)

    def test_it_refuses_a_key_for_several_servers(self, tmp_path) -> None:
        file = tmp_path / "key"
        file.write_text("k-1\n")
        with pytest.raises(CommandError) as refused:
            identify("http://a", "http://b", "--key-file", str(file))
        assert refused.value.returncode == 2

    @pytest.mark.parametrize("content", ["", "a b\x00", "ключ", "two\nlines"])
    def test_it_refuses_a_file_without_a_usable_key(self, tmp_path, content) -> None:
        file = tmp_path / "key"
        file.write_text(content)
        with pytest.raises(CommandError) as refused:
            identify("http://127.0.0.1", "--key-file", str(file))
        assert refused.value.returncode == 2
        assert not content or content not in str(refused.value)

    def test_it_refuses_a_key_file_that_is_not_there(self, tmp_path) -> None:
        with pytest.raises(CommandError) as refused:
            identify("http://127.0.0.1", "--key-file", str(tmp_path / "none"))
        assert refused.value.returncode == 2
