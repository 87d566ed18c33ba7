"""Log records lose addresses and keys before they are written."""

from __future__ import annotations

import logging

import pytest

from llmhub.redaction import RedactionFilter, redact


class RedactTests:
    @pytest.mark.parametrize(
        "secret",
        [
            "192.168.4.7",
            "10.0.0.1:11434",
            "http://gpu.lan:8080/v1",
            "fd00::17",
            "fe80:1:2:3:4:5:6:7",
            "sk-abcdef0123456789",
            "Bearer abcdef123456",
        ],
    )
    def test_it_takes_out_addresses_and_keys(self, secret):
        assert secret not in redact(f"asked {secret} twice")

    @pytest.mark.parametrize("text", ["version 1.2.3", "a::b", "12:30:45", "server-1"])
    def test_it_leaves_plain_words(self, text):
        assert redact(text) == text


class RedactionFilterTests:
    def record(self, message: str, *args: object, exc_info=None) -> logging.LogRecord:
        return logging.LogRecord("n", logging.ERROR, "f", 1, message, args, exc_info)

    def test_it_reads_the_arguments_too(self):
        record = self.record("asked %s", "10.0.0.1")
        assert RedactionFilter().filter(record)
        assert record.getMessage() == "asked <address>"

    def test_it_reads_the_traceback_too(self):
        try:
            raise ValueError("no route to 10.9.8.7")
        except ValueError as error:
            info = (type(error), error, error.__traceback__)
        record = self.record("failed", exc_info=info)
        RedactionFilter().filter(record)
        written = logging.Formatter().format(record)
        assert "10.9.8.7" not in written
        assert "ValueError" in written
