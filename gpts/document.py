"""A gpt as a value: what its file says, after `reading.read_document` understood it.

Pure, and frozen: everything downstream (matching, context, rendering, pages) takes
this and never looks into a header again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from gpts.fields import Json
from gpts.problems import Problem
from gpts.requirements import Requirements

# The schema of `gpt: 1`.
SCHEMA = 1


class InputKind(StrEnum):
    """What a person fills in. A file's value is its text; a path is one in the root."""

    TEXT = "text"
    CHOICE = "choice"
    NUMBER = "number"
    FILE = "file"
    REPO_PATH = "repo_path"


@dataclass(frozen=True, slots=True)
class Input:
    """One declared input; `{name}` stands for it. `default` None is no default."""

    name: str
    kind: InputKind = InputKind.TEXT
    required: bool = False
    default: str | None = None
    choices: tuple[str, ...] = ()
    label: str = ""
    help: str = ""
    translations: Mapping[str, str] = field(default_factory=dict)

    def label_in(self, language: str) -> str:
        found = self.translations.get(f"label_{language}", self.label)
        return found or self.name.replace("_", " ").capitalize()

    def help_in(self, language: str) -> str:
        return self.translations.get(f"help_{language}", self.help)


@dataclass(frozen=True, slots=True)
class Command:
    """A declared command: an argument list, never a line for a shell."""

    label: str
    argv: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """What a reviewed gpt may read besides its inputs: paths and commands."""

    files: tuple[str, ...] = ()
    commands: tuple[Command, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """One gpt. `translations` holds `name_fr`, `description_fr` and the like."""

    name: str
    description: str
    question: str
    system: str = ""
    requires: Requirements = Requirements()
    params: Mapping[str, Json] = field(default_factory=dict)
    inputs: tuple[Input, ...] = ()
    context: Context = Context()
    translations: Mapping[str, str] = field(default_factory=dict)

    def name_in(self, language: str) -> str:
        return self.translations.get(f"name_{language}", self.name)

    def description_in(self, language: str) -> str:
        return self.translations.get(f"description_{language}", self.description)

    def input(self, name: str) -> Input | None:
        return next((item for item in self.inputs if item.name == name), None)


@dataclass(frozen=True, slots=True)
class Parsed:
    """What came of one source: a document unless a problem is fatal."""

    document: Document | None
    problems: tuple[Problem, ...] = ()

    @property
    def ok(self) -> bool:
        return self.document is not None
