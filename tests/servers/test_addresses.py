"""Typed addresses become one value, or one clear refusal that echoes nothing."""

from __future__ import annotations

import pytest

from servers.addresses import Origin, parse_host, parse_port, parse_url
from servers.errors import AddressError


class ParseUrlTests:
    @pytest.mark.parametrize(
        ("text", "origin"),
        [
            ("http://10.0.0.1:8080", Origin("http", "10.0.0.1", 8080)),
            ("10.0.0.1:8080", Origin("http", "10.0.0.1", 8080)),
            ("gpu.lan", Origin("http", "gpu.lan", 80)),
            ("HTTPS://GPU.lan./", Origin("https", "gpu.lan", 443)),
            ("http://[::1]:11434", Origin("http", "::1", 11434)),
            ("http://[FD00:0:0::17]", Origin("http", "fd00::17", 80)),
            ("http://[fe80::1%eth0]:80", Origin("http", "fe80::1%eth0", 80)),
            ("http://h:1/olla/", Origin("http", "h", 1, "/olla")),
            ("http://bücher.example:1", Origin("http", "xn--bcher-kva.example", 1)),
        ],
    )
    def test_it_reads_the_forms_people_type(self, text, origin):
        assert parse_url(text) == origin

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "http://",
            "ftp://h",
            "file:///etc/passwd",
            "http://h:0",
            "http://h:70000",
            "http://h:port",
            "http://::1:80",
            "http://[::1",
            "http://127.1",
            "http://0x7f000001",
            "http://2130706433",
            "http://256.1.1.1",
            "http://h/?key=1",
            "http://h/#f",
            "http://h/../x",
            "http://-h",
            "http://a b",
            "http://[fe80::zz]",
        ],
    )
    def test_it_refuses_what_is_no_address(self, text):
        with pytest.raises(AddressError):
            parse_url(text)

    def test_it_refuses_credentials_without_echoing_them(self):
        with pytest.raises(AddressError) as caught:
            parse_url("http://user:hunter2@h:1")
        assert "hunter2" not in str(caught.value)
        assert "user:" not in str(caught.value)

    def test_it_brackets_ipv6_in_every_url(self):
        assert Origin("http", "::1", 80).url("/v1") == "http://[::1]:80/v1"


class ParseHostTests:
    @pytest.mark.parametrize("text", ["a..b", "a_b.c-", "x" * 64, "[]", "1.2.3"])
    def test_it_refuses_what_is_no_host(self, text):
        with pytest.raises(AddressError):
            parse_host(text)

    def test_it_keeps_underscores_of_container_names(self):
        assert parse_host("llm_box") == "llm_box"


class ParsePortTests:
    @pytest.mark.parametrize(
        "text", ["0", "65536", "-1", "1e3", "٣", "", "99999999999"]
    )
    def test_it_refuses_what_is_no_port(self, text):
        with pytest.raises(AddressError):
            parse_port(text)
