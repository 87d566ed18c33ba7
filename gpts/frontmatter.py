"""The YAML of a header as a tree of nodes that still know their text and their line.

Pure. Walks parser events and never constructs: YAML 1.1 reads NO as false, 22:22 as
1342 and 010 as 8. Refuses depth, duplicates, anchors, aliases, merge keys and tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml
from django.utils.translation import gettext_noop as _

from gpts.problems import Problems

# Deep enough for a JSON schema among the parameters of a request.
DEPTH_LIMIT = 32
KEY_LIMIT = 200
# Keys, values, lists: no header that a person wrote comes near it.
NODE_LIMIT = 5_000

# libyaml's event parser has no recursion (its composer has, and crashes); without
# libyaml the pure parser gives the same events, 8 times slower.
_LOADER: Any = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Scalar:
    """Text as written; `plain` without quotes, so that `NO` and `"NO"` differ."""

    text: str
    plain: bool
    line: int

    @property
    def is_null(self) -> bool:
        return self.plain and self.text in ("", "~", "null", "Null", "NULL")


@dataclass(frozen=True, slots=True)
class Sequence:
    items: tuple[Node, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Mapping:
    """Pairs in the order of the file; no key twice."""

    pairs: tuple[tuple[Scalar, Node], ...]
    line: int


Node = Scalar | Sequence | Mapping


class _RefusedError(Exception):
    """Reading stops here; the reason is already among the problems."""


def read_tree(header: str, first_line: int, problems: Problems) -> Node | None:
    """The one document of `header`; None if refused, with the reason noted."""
    events = yaml.parse(header, Loader=_LOADER)
    try:
        return _Builder(events, first_line, problems).document()
    except yaml.MarkedYAMLError as error:
        _report(error, header, first_line, problems)
    except (yaml.YAMLError, ValueError):
        # ValueError: an escape that the parser cannot turn into a character.
        problems.fatal(first_line, _("The header cannot be read as YAML."))
    except _RefusedError:
        pass
    return None


class _Builder:
    """Pulls events one by one, so that a refusal ends the reading at once."""

    def __init__(
        self, events: Iterator[Any], first_line: int, problems: Problems
    ) -> None:
        self.events = events
        self.first_line = first_line
        self.problems = problems
        self.nodes = 0

    def document(self) -> Node | None:
        node: Node | None = None
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                if node is not None:
                    raise self._refuse(event, _("The header is one document, not two."))
                node = self._node(next(self.events), depth=0)
        return node

    def _node(self, event: Any, depth: int) -> Node:
        self._check(event, depth)
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        if isinstance(event, yaml.SequenceStartEvent):
            items: list[Node] = []
            for inner in self.events:
                if isinstance(inner, yaml.SequenceEndEvent):
                    break
                items.append(self._node(inner, depth + 1))
            return Sequence(tuple(items), self._line(event))
        return self._mapping(event, depth)

    def _mapping(self, event: Any, depth: int) -> Mapping:
        pairs: list[tuple[Scalar, Node]] = []
        seen: dict[object, Scalar] = {}
        for inner in self.events:
            if isinstance(inner, yaml.MappingEndEvent):
                break
            key = self._key(inner, depth + 1)
            self._note_duplicate(key, seen)
            pairs.append((key, self._node(next(self.events), depth + 1)))
        return Mapping(tuple(pairs), self._line(event))

    def _key(self, event: Any, depth: int) -> Scalar:
        self._check(event, depth)
        if not isinstance(event, yaml.ScalarEvent):
            raise self._refuse(event, _("A key must be a word, not a list or mapping."))
        key = self._scalar(event)
        if key.plain and key.text == "<<":
            raise self._refuse(event, _("Merge keys (<<) are not accepted."))
        if len(key.text) > KEY_LIMIT:
            raise self._refuse(event, _("A key is longer than 200 characters."))
        if not key.text.isprintable():
            raise self._refuse(
                event, _('Key "%(key)s" contains an invisible character.'), key=key.text
            )
        return key

    def _note_duplicate(self, key: Scalar, seen: dict[object, Scalar]) -> None:
        """A key is taken by its text and, unquoted, by what YAML 1.1 makes of it."""
        names = dict.fromkeys([("text", key.text), _yaml_value(key)])
        first = next((seen[name] for name in names if name in seen), None)
        if first is not None:
            self.problems.fatal(
                key.line,
                _('Key "%(key)s" stands twice; first, as %(first)s, in line %(line)s.'),
                key=key.text,
                first=first.text,
                line=first.line,
            )
        for name in names:
            seen.setdefault(name, key)

    def _scalar(self, event: Any) -> Scalar:
        if event.value.isprintable():
            return Scalar(event.value, not event.style, self._line(event))
        hidden = _UNPRINTABLE.search(event.value)
        if hidden:
            raise self._refuse(
                event,
                _("Control character U+%(code)s in a value."),
                code=f"{ord(hidden.group()):04X}",
            )
        return Scalar(event.value, not event.style, self._line(event))

    def _check(self, event: Any, depth: int) -> None:
        self.nodes += 1
        if self.nodes > NODE_LIMIT:
            raise self._refuse(event, _("The header has too many entries."))
        if depth > DEPTH_LIMIT:
            raise self._refuse(event, _("The header is nested too deeply."))
        if isinstance(event, yaml.AliasEvent):
            raise self._refuse(event, _("Aliases (*) are not accepted."))
        if event.anchor is not None:
            raise self._refuse(event, _("Anchors (&) are not accepted."))
        if event.tag is not None:
            raise self._refuse(event, _("Tags (!) are not accepted."))

    def _line(self, event: Any) -> int:
        return self.first_line + int(event.start_mark.line)

    def _refuse(self, event: Any, sentence: str, **values: str) -> _RefusedError:
        self.problems.fatal(self._line(event), sentence, **values)
        return _RefusedError()


_INTEGER_BASES = (
    (re.compile(r"[-+]?0[xX][0-9a-fA-F_]+"), 16),
    (re.compile(r"[-+]?0[bB][01_]+"), 2),
    (re.compile(r"[-+]?0[oO][0-7_]+"), 8),
    (re.compile(r"[-+]?0[0-7_]+"), 8),
    (re.compile(r"[-+]?[0-9][0-9_]*"), 10),
)
_BOOLEANS = {"yes": True, "true": True, "on": True}
_BOOLEANS |= {"no": False, "false": False, "off": False}
_MEANT = frozenset(_BOOLEANS) | {"null"}
# Python refuses to read decimal numbers of more digits (ValueError).
_DIGITS_LIMIT = 4000


def _yaml_value(key: Scalar) -> tuple[str, object]:
    """What `1`, `0x1`, `on` or `~` stands for, unquoted; else the text itself."""
    if not key.plain or _is_word(key.text):
        return ("text", key.text)
    if key.is_null:
        return ("null", None)
    if key.text.lower() in _BOOLEANS:
        return ("boolean", _BOOLEANS[key.text.lower()])
    for pattern, base in _INTEGER_BASES:
        if len(key.text) < _DIGITS_LIMIT and pattern.fullmatch(key.text):
            digits = key.text.replace("_", "").lower().replace("0o", "0")
            return ("number", _integer(digits, base))
    try:
        return ("number", float(key.text))
    except ValueError:
        return ("text", key.text)


def _is_word(text: str) -> bool:
    """Most keys: words that stand for nothing but themselves."""
    return text[:1].isalpha() and text.lower() not in _MEANT


def _integer(digits: str, base: int) -> object:
    """An integer of that base; text that is none after all stays text."""
    try:
        return int(digits, base)
    except ValueError:
        return digits


_SENTENCES = (
    ("nesting depth", _("The header is nested too deeply.")),
    ("tab character", _("A tab cannot indent YAML: use spaces.")),
    (
        "mapping values are not allowed",
        _("A colon does not fit here: indent the line, or put the value in quotes."),
    ),
    ("unexpected end of stream", _("A quote that opens here is not closed.")),
    ("escape", _("An escape that YAML does not know: double the backslash.")),
    ("did not find expected key", _("Expected `key: value`; is the indent right?")),
    ("could not find expected ':'", _("Expected `key: value`: the colon is missing.")),
    ("did not find expected ',' or", _("A bracket or brace is not closed.")),
    ("did not find expected node content", _("A bracket or brace is not closed.")),
    ("expected <document start>", _("The header must be one mapping of `key: value`.")),
    ("expected '-' indicator", _("A list entry must begin with a dash.")),
    ("unknown directive", _("Directives (%%) are not accepted.")),
)


def _report(
    error: yaml.MarkedYAMLError, header: str, first_line: int, problems: Problems
) -> None:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line, mark.column) if mark else (0, 0)
    problem = str(error.problem or "")
    if "cannot start any token" in problem:
        character = header.split("\n")[line][column : column + 1]
        _report_token(character, first_line + line, problems)
        return
    # What never ends is reported where it begins, not where the header does.
    never_ends = "end of stream" in problem or "flow" in str(error.context)
    if never_ends and error.context_mark:
        line = error.context_mark.line
    for part, sentence in _SENTENCES:
        if part in problem:
            problems.fatal(first_line + line, sentence)
            return
    problems.fatal(
        first_line + line, _("The header is not valid YAML: %(why)s."), why=problem
    )


def _report_token(character: str, line: int, problems: Problems) -> None:
    if character == "\t":
        problems.fatal(line, _("A tab cannot indent YAML: use spaces."))
        return
    problems.fatal(
        line,
        _("A value cannot begin with %(character)s: put it in quotes."),
        character=character,
    )
