from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gpts.document import Command, Input, InputKind
from gpts.reading import read_document
from gpts.writing import write_document
from servers.hosting import Hosting
from tests.gpts.sources import document, fatal, source, warnings

CASES = Path(__file__).parent.parent / "cases" / "gptfile"


def case_files() -> list[tuple[str, bytes, bool | None]]:
    """Every stored file of the open cases in our schema, and whether it is refused."""
    found = []
    for path in sorted(CASES.glob("*.json")):
        case = json.loads(path.read_text())
        refused = case.get("checks", {}).get("refused")
        for number, one in enumerate(case["input"].get("variants", [case["input"]])):
            if "generate" in one:
                continue
            stored = one.get("file_b64")
            raw = base64.b64decode(stored) if stored else one["file_text"].encode()
            found.append((f"{path.stem}.{number}", in_our_schema(raw), refused))
    return found


def in_our_schema(raw: bytes) -> bytes:
    raw = re.sub(rb"(^|[\r\n])schema:", rb"\1gpt:", raw)
    raw = re.sub(rb"(^|[\r\n])title:", rb"\1name:", raw)
    more = b"" if re.search(rb"[\r\n]name:", raw) else rb"name: n\2"
    return re.sub(
        rb"((?:^|[\r\n])gpt:[^\r\n]*)(\r\n|\n|\r)",
        rb"\1\2" + more + rb"description: d\2",
        raw,
        count=1,
    )


class CaseTests:
    @pytest.mark.parametrize(
        ("raw", "refused"),
        [pytest.param(raw, refused, id=name) for name, raw, refused in case_files()],
    )
    def test_it_decides_as_the_case_says(self, raw, refused):
        parsed = read_document(raw)
        assert refused is None or parsed.ok is not refused
        assert parsed.ok or any(p.fatal for p in parsed.problems)
        assert "\x1b" not in "".join(p.message for p in parsed.problems)


class HeaderTests:
    @pytest.mark.parametrize(
        ("header", "found"),
        [
            ("- a\n- b", "a list"),
            ("just text", "text"),
            ("~", "nothing"),
            ("42", "a number"),
        ],
    )
    def test_it_says_what_stands_where_a_mapping_belongs(self, header, found):
        assert fatal(f"---\n{header}\n---\n<!-- [question] -->\nQ")[0] == (
            2,
            f"The header must be a mapping of `key: value`, found {found}.",
        )

    @pytest.mark.parametrize("header", ["", "# only a comment", "\n\n"])
    def test_it_refuses_an_empty_header(self, header):
        found = fatal(f"---\n{header}\n---\n<!-- [question] -->\nQ")
        assert found == [(1, "The header is empty: it needs gpt, name, description.")]

    @pytest.mark.parametrize(
        ("schema", "message"),
        [
            ("2", "Schema 2 is too new"),
            ("9007199254740993", "Schema 9007199254740993 is too new"),
            ("9" * 5000, "Schema 9999"),
            ("0", "gpt must be 1"),
            ("-1", "gpt must be 1"),
            ("1.0", "gpt must be 1"),
            ("01", "gpt must be 1"),
            ("true", "gpt must be 1"),
            ('"1"', "gpt must be 1"),
            ("[1]", "gpt must be 1"),
            ("~", "gpt must be 1"),
        ],
    )
    def test_it_reads_schema_one_alone(self, schema, message):
        text = source().replace("gpt: 1", f"gpt: {schema}")
        (found,) = fatal(text)
        assert found[0] == 2
        assert found[1].startswith(message)

    def test_it_wants_gpt_name_and_description(self):
        body = "---\n<!-- [question] -->\nQ"
        assert fatal(f"---\nname: n\ndescription: d\n{body}")[0][0] == 1
        assert [text for _, text in fatal(f"---\ngpt: 1\n{body}")] == [
            "name is missing in the header.",
            "description is missing in the header.",
        ]

    @pytest.mark.parametrize(
        ("value", "message"),
        [
            ("", "name must be text, found nothing."),
            ("null", "name must be text, found nothing."),
            ("[a]", "name must be text, found a list."),
            ("{a: b}", "name must be text, found a mapping."),
            ('" "', "name is empty."),
            ("x" * 121, "name is longer than 120 characters."),
        ],
    )
    def test_it_wants_text_in_a_name(self, value, message):
        text = source().replace("name: A name", f"name: {value}")
        assert fatal(text) == [(3, message)]

    @pytest.mark.parametrize("value", ["NO", "22:22", "2024-01-01", "1e3", "true"])
    def test_it_takes_a_name_as_written(self, value):
        text = source().replace("name: A name", f"name: {value}")
        found = read_document(text).document
        assert found is not None
        assert found.name == value

    def test_it_warns_of_unknown_keys_and_reads_on(self):
        assert warnings(source("colour: red", question="Q")) == [
            (5, 'Unknown key "colour".')
        ]

    def test_it_reads_translations(self):
        read = document("name_fr: Un nom\ndescription_de: Sagt Dinge")
        assert (read.name_in("fr"), read.name_in("de")) == ("Un nom", "A name")
        assert read.description_in("de") == "Sagt Dinge"


class RequirementTests:
    def test_it_has_none_but_the_network_by_default(self):
        requires = document().requires
        assert requires.hosting is Hosting.LAN
        assert requires.context_window is None
        assert not requires.vision

    def test_it_reads_each_of_them(self):
        read = document(
            "requires: {hosting: any, context_window: 8192, parameters: 0.5,"
            " tool_calling: yes, vision: no, json_output: true}"
        ).requires
        assert read.hosting is Hosting.GLOBAL
        assert (read.context_window, read.parameters) == (8192, 0.5)
        assert (read.tool_calling, read.vision, read.json_output) == (True, False, True)

    def test_it_takes_false_and_nothing_for_no_requirement(self):
        read = document("requires: {context_window: false, parameters: , hosting: ~}")
        assert read.requires == document().requires

    @pytest.mark.parametrize(
        "line",
        [
            "hosting: moon",
            "hosting: LAN",
            "hosting: [lan]",
            "context_window: 32k",
            "context_window: 0",
            "context_window: 0x2000",
            'context_window: "8192"',
            "context_window: 8192.5",
            "parameters: seven",
            "parameters: .nan",
            "parameters: -1",
            "tool_calling: 1",
            'vision: "true"',
            "json_output: maybe",
        ],
    )
    def test_it_refuses_wrong_values_with_their_line(self, line):
        assert [found for found, _ in fatal(source(f"requires:\n  {line}"))] == [6]

    def test_it_remembers_an_unknown_requirement_and_warns(self):
        text = source("requires:\n  contextwindow: 8192", question="Q")
        assert warnings(text)[0][0] == 6
        assert document("requires: {contextwindow: 1}").requires.unknown_keys == (
            "contextwindow",
        )

    @pytest.mark.parametrize("value", ["lan", "[hosting]", "42"])
    def test_it_refuses_requirements_that_are_no_mapping(self, value):
        assert fatal(source(f"requires: {value}"))[0][0] == 5


class ParameterTests:
    def test_it_passes_known_and_unknown_ones_on(self):
        read = document(
            "params: {temperature: 0.2, seed: 7, stop: [NO, '#'], mirostat: 2,"
            " response_format: {type: json_object}, note: 2024-01-01, off: null}"
        )
        assert read.params == {
            "temperature": 0.2,
            "seed": 7,
            "stop": ["NO", "#"],
            "mirostat": 2,
            "response_format": {"type": "json_object"},
            "note": "2024-01-01",
        }

    @pytest.mark.parametrize(
        "name",
        ["model", "messages", "stream", "headers", "extra_headers", "timeout"]
        + ["base_url", "BASE-URL", "extra_body", "api_key"],
    )
    def test_it_refuses_what_is_no_parameter(self, name):
        assert fatal(source(f"params:\n  {name}: x")) == [
            (6, f"params may not carry {name}.")
        ]

    @pytest.mark.parametrize(
        "line",
        [
            "seed: 010",
            "seed: 1_000",
            "seed: 0x10",
            "seed: 9999999999999999999999999999999999999999",
            "seed: " + "9" * 5000,
            "seed: 1.5",
            "temperature: hot",
            "temperature: -1",
            "temperature: .inf",
            "temperature: 1e999",
            "top_p: 2",
            "0,5: 1",
            "mirostat: 010",
            "mirostat: 22:22",
            "mirostat: NO",
            "mirostat: .nan",
            "mirostat: -.inf",
            "mirostat: 1e999",
            "mirostat: [1, [010]]",
            "mirostat: 123456789012345678901234567890",
        ],
    )
    def test_it_refuses_what_reads_in_two_ways_or_is_too_large(self, line):
        assert [found for found, _ in fatal(source(f"params:\n  {line}"))] == [6]


class InputTests:
    def test_it_reads_both_forms_alike(self):
        listed = document(
            "inputs:\n  - {name: topic, type: choice, required: true,"
            " choices: [a, b], default: a, label: L, help: H, help_fr: A}"
        )
        mapped = document(
            "inputs:\n  topic: {type: choice, required: true,"
            " choices: [a, b], default: a, label: L, help: H, help_fr: A}"
        )
        assert listed.inputs == mapped.inputs
        assert listed.inputs[0] == Input(
            "topic",
            InputKind.CHOICE,
            required=True,
            default="a",
            choices=("a", "b"),
            label="L",
            help="H",
            translations={"help_fr": "A"},
        )
        assert listed.inputs[0].help_in("fr") == "A"

    def test_it_takes_text_for_the_kind_that_is_not_named(self):
        read = document("inputs:\n  topic:\n  other: {choices: [a]}")
        assert [item.kind for item in read.inputs] == [
            InputKind.TEXT,
            InputKind.CHOICE,
        ]

    @pytest.mark.parametrize(
        "inputs",
        [
            "topic: text",
            "topic: [a]",
            "my-topic: {}",
            "1: {}",
            "topic: {type: colour}",
            "topic: {type: choice}",
            "topic: {choices: [a], default: b}",
            "topic: {choices: a}",
            "topic: {choices: [a, '']}",
            "topic: {type: number, default: 1_000}",
            "topic: {type: file, default: x}",
            "topic: {required: maybe}",
            "topic: {default: {a: b}}",
            "- {type: text}",
            "- topic",
        ],
    )
    def test_it_refuses_inputs_that_mean_nothing(self, inputs):
        assert [line for line, _ in fatal(source(f"inputs:\n  {inputs}"))] == [6]

    def test_it_refuses_two_inputs_of_one_name(self):
        text = source("inputs:\n  - {name: topic}\n  - {name: topic}")
        assert fatal(text) == [(7, "Input topic stands twice; first in line 6.")]

    def test_it_warns_of_undeclared_and_unused_ones(self):
        text = source("inputs:\n  other: {}", system="Say {topic} and {topic}.")
        assert warnings(text) == [
            (9, "{topic} is no declared input: it is sent as it stands."),
            (None, "Input other is used nowhere."),
        ]

    def test_it_counts_an_input_used_by_the_context_alone(self):
        text = source("inputs: {p: {}}\ncontext: {files: ['{p}']}", question="Q")
        assert not warnings(text)


class ContextTests:
    def test_it_reads_files_and_commands(self):
        read = document(
            "context:\n  files: [README.md, 'docs/{topic}.md']\n  commands:\n"
            "    - {label: The log, argv: [git, log, -n, 5]}\n"
            "    - {argv: [git, diff, --staged]}"
        ).context
        assert read.files == ("README.md", "docs/{topic}.md")
        assert read.commands == (
            Command("The log", ("git", "log", "-n", "5")),
            Command("git diff --staged", ("git", "diff", "--staged")),
        )

    @pytest.mark.parametrize(
        "argument", ["a;b", "a|b", "a&b", "a>b", "a<b", "a`b", "a$b", '"a\\nb"']
    )
    def test_it_refuses_shell_characters_with_their_line(self, argument):
        if not argument.startswith('"'):
            argument = f"'{argument}'"
        text = source(f"context:\n  commands:\n    - argv: [git, {argument}]")
        ((line, message),) = fatal(text)
        assert line == 7
        assert "no shell runs a command here" in message

    @pytest.mark.parametrize(
        "commands",
        [
            "git diff",
            "[git diff]",
            "[[git, diff]]",
            "[{label: x}]",
            "[{argv: git diff}]",
            "[{argv: []}]",
            "[{argv: ['{topic}', x]}]",
            "[{argv: [' ', x]}]",
            "[{argv: [{a: b}]}]",
        ],
    )
    def test_it_refuses_commands_that_are_no_argument_list(self, commands):
        assert fatal(source(f"context: {{commands: {commands}}}"))[0][0] == 5

    def test_it_says_that_a_placeholder_wants_quotes(self):
        text = source("inputs: {p: {}}\ncontext:\n  files:\n    - {p}", question="Q")
        assert fatal(text) == [
            (8, 'context.files: put the placeholder in quotes, "{p}".')
        ]

    @pytest.mark.parametrize(
        "context", ["[a]", "{files: a.md}", "{files: ['']}", "{files: [{a: b}]}"]
    )
    def test_it_refuses_files_that_are_no_list_of_paths(self, context):
        assert fatal(source(f"context: {context}"))[0][0] == 5


LINES = st.sampled_from(
    [
        "---",
        "...",
        "gpt: 1",
        "name: n",
        "description: d",
        "requires: {hosting: lan, x: 1}",
        "params: {temperature: 1, a: [1, {b: NO}]}",
        "inputs:",
        "  topic: {default: 010}",
        "  - {name: other}",
        "<!-- [system] -->",
        "<!-- [question] -->",
        "<!-- note",
        "-->",
        "```",
        "    {topic} {other}",
        "",
        "text",
        "\t",
        "&a [*a]",
        "\u2028 \x85 \ufeff",
    ]
)
PIECES = st.lists(LINES | st.text(max_size=20), max_size=30)
CALM = st.lists(
    st.sampled_from(
        [
            "```\n<!-- [system] -->\n```",
            "---",
            "    {topic}",
            "",
            "text",
            "é\u2028",
            "`<!-- x` a",
        ]
    ),
    max_size=12,
)
TEXT = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Cn", "Zl", "Zp"]), max_size=40
)
HEADERS = st.fixed_dictionaries(
    {},
    optional={
        "name_fr": TEXT,
        "requires": st.fixed_dictionaries(
            {},
            optional={
                "context_window": st.integers(1, 10**9),
                "hosting": st.sampled_from(["loopback", "lan", "global", "any"]),
                "parameters": st.floats(0, 1e4),
                "vision": st.booleans(),
                "tols": st.booleans(),
            },
        ),
        "params": st.dictionaries(
            st.text("abcdefgh_", min_size=1, max_size=5),
            st.recursive(
                st.booleans()
                | st.integers(-(2**63) + 1, 2**63 - 1)
                | st.floats(allow_nan=False, allow_infinity=False)
                | TEXT,
                lambda inner: (
                    st.lists(inner, max_size=3)
                    | st.dictionaries(st.text("abc", min_size=1), inner, max_size=3)
                ),
                max_leaves=6,
            ),
            max_size=4,
        ),
        "inputs": st.dictionaries(
            st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True),
            st.fixed_dictionaries(
                {},
                optional={
                    "required": st.booleans(),
                    "default": TEXT,
                    "help": TEXT.filter(str.strip),
                },
            ),
            max_size=3,
        ),
    },
)


class PropertyTests:
    @given(st.binary(max_size=300))
    @settings(max_examples=300, deadline=None)
    def test_it_never_raises_whatever_the_bytes(self, raw):
        parsed = read_document(raw)
        assert parsed.ok or any(problem.message for problem in parsed.problems)

    @given(PIECES, st.sampled_from(["\n", "\r\n", "\r"]))
    @settings(max_examples=400, deadline=None)
    def test_it_never_raises_on_pieces_of_real_files(self, pieces, end):
        parsed = read_document("---\ngpt: 1\n" + end.join(pieces))
        lines = len(pieces) * 20 + 50
        assert all(1 <= (p.line or 1) <= lines for p in parsed.problems)
        assert all(p.message.isprintable() for p in parsed.problems)

    @given(HEADERS, CALM, CALM | PIECES)
    @example({}, [], ["```", "<!-- note"])
    @settings(max_examples=300, deadline=None)
    def test_it_reads_back_what_it_writes(self, header, system, question):
        lines = [
            f"{key}: {json.dumps(value, ensure_ascii=False)}"
            for key, value in header.items()
        ]
        text = source(
            "\n".join(lines),
            system="\n".join(system),
            question="\n".join([*question, "end"]),
        )
        first = read_document(text).document
        if first is not None:
            again = read_document(write_document(first))
            assert again.document == first
