"""Makers of gpt sources for tests."""

from __future__ import annotations

from gpts.document import Document
from gpts.reading import read_document


def source(
    header: str = "",
    *,
    system: str = "Be brief.",
    question: str = "What is {topic}?",
    body: str | None = None,
) -> str:
    """A whole file; `header` holds the lines below gpt, name and description."""
    if body is None:
        body = f"<!-- [system] -->\n{system}\n<!-- [question] -->\n{question}\n"
    more = f"{header.rstrip()}\n" if header else ""
    return f"---\ngpt: 1\nname: A name\ndescription: Says things.\n{more}---\n{body}"


def document(header: str = "", **parts: str) -> Document:
    """The document of `source(...)`, which must be readable."""
    parsed = read_document(source(header, **parts))
    assert parsed.document is not None, [p.message for p in parsed.problems]
    return parsed.document


def fatal(text: str | bytes) -> list[tuple[int | None, str]]:
    """Line and message of every fatal problem."""
    parsed = read_document(text)
    return [(p.line, p.message) for p in parsed.problems if p.fatal]


def warnings(text: str | bytes) -> list[tuple[int | None, str]]:
    parsed = read_document(text)
    return [(p.line, p.message) for p in parsed.problems if not p.fatal]
