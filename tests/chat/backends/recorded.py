"""The recorded chats of tests/wire/real: real servers' answers, byte for byte."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from tests.chat.backends.upstream_fake import Reply, head

WIRE = Path(__file__).parents[2] / "wire" / "real"


@dataclass(frozen=True)
class Recorded:
    """One recorded exchange of POST /v1/chat/completions."""

    name: str
    status: int
    headers: dict[str, str]
    body: bytes

    def reply(self) -> Reply:
        kept = {"content_type": self.headers["content-type"]}
        framed = b"%x\r\n%s\r\n" % (len(self.body), self.body) if self.body else b""
        return Reply([head(self.status, **kept) + framed + b"0\r\n\r\n"])


def chats() -> list[Recorded]:
    """Every recorded answer to a chat completion, whole and streamed."""
    found = []
    for folder in sorted(WIRE.glob("*/chat")):
        index = json.loads((folder / "index.json").read_text())
        for name, exchange in sorted(index.items()):
            path = folder / name
            if "/v1/chat/completions" in exchange["request"] and path.is_file():
                found.append(_read(f"{folder.parent.name}/{name}", path.read_bytes()))
    return found


def chat(name: str) -> Recorded:
    return next(found for found in chats() if found.name.endswith(name))


def _read(name: str, raw: bytes) -> Recorded:
    top, _, body = raw.replace(b"\r\n", b"\n").partition(b"\n\n")
    first, *lines = top.decode("latin-1").split("\n")
    headers = {k.lower(): v.strip() for k, _, v in (x.partition(":") for x in lines)}
    return Recorded(name, int(first.split()[1]), headers, body)
