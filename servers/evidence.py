"""The replies of one (host, port) by path, each parsed once: a value.

Knows what an answer IS (a JSON value, a page, nothing), not whose it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from servers.bodies import MISSING, decoded, parsed, routes_of, title_of
from servers.wire import Reply, Silence

OPENAPI = "/openapi.json"
# LM Studio's answer to a path it has not, with status 200.
_NO_ROUTE = "Unexpected endpoint or method."


@dataclass(frozen=True, slots=True)
class Answer:
    """One reply, read.

    `json` is what the body parses as, whatever its Content-Type says; MISSING when
    it is no JSON, or when it says with status 200 that there is no such path.
    `raw_json` keeps the latter. A page (HTML) has no JSON. `routes` are the paths of
    an OpenAPI document.
    """

    status: int
    headers: Mapping[str, str]
    text: str
    json: Any = MISSING
    raw_json: Any = MISSING
    title: str = ""
    size: int = 0
    cut: bool = False
    routes: frozenset[str] = frozenset()

    @property
    def page(self) -> bool:
        return self.text.lstrip()[:1] == "<"


def read(reply: Reply) -> Answer:
    """A reply as an answer."""
    text = decoded(reply.body)
    value = parsed(text, cut=reply.cut)
    page = text.lstrip()[:1] == "<"
    return Answer(
        status=reply.status,
        headers=reply.headers,
        text=text,
        json=MISSING if _says_no_route(reply.status, value) else value,
        raw_json=value,
        title=title_of(text[:4096]) if page else "",
        size=len(reply.body),
        cut=reply.cut,
        routes=routes_of(text) if reply.path == OPENAPI else frozenset(),
    )


def _says_no_route(status: int, value: Any) -> bool:
    error = value.get("error") if isinstance(value, dict) else None
    return status == 200 and isinstance(error, str) and error.startswith(_NO_ROUTE)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one (host, port) said so far. `silences` are paths that gave no reply."""

    answers: Mapping[str, Answer] = field(default_factory=dict)
    silences: Mapping[str, Silence] = field(default_factory=dict)

    def with_reply(self, *replies: Reply | Silence) -> Evidence:
        """A new value with these replies added; a late reply ends a silence."""
        answers, silences = dict(self.answers), dict(self.silences)
        for reply in replies:
            if isinstance(reply, Reply):
                answers[reply.path] = read(reply)
                silences.pop(reply.path, None)
            else:
                silences[reply.path] = reply
        return Evidence(answers, silences)

    def asked(self, path: str) -> bool:
        return path in self.answers or path in self.silences

    def json(self, path: str, *, status: int = 200) -> Any:
        """The JSON value `path` answered with that status, or MISSING."""
        answer = self.answers.get(path)
        return answer.json if answer and answer.status == status else MISSING

    def status(self, path: str) -> int | None:
        answer = self.answers.get(path)
        return answer.status if answer else None

    def __iter__(self) -> Iterator[str]:
        return iter(self.answers)
