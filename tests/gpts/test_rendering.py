from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpts.gate import Message
from gpts.rendering import fill, placeholders, read_values, render
from tests.gpts.sources import document

TOPIC = "inputs:\n  topic: {required: true}\n  tone: {default: calm}"


@dataclass(frozen=True)
class Read:
    label: str
    text: str


class RenderTests:
    def test_it_fills_declared_inputs_into_both_parts(self):
        found = render(document(TOPIC, system="Be {tone}."), {"topic": "a tree"})
        assert found.messages == (
            Message("system", "Be calm."),
            Message("user", "What is a tree?"),
        )
        assert not found.problems

    def test_it_leaves_everything_else_literal(self):
        question = "{topic} {other} {{topic}} {topic.x} {0} %s $topic {% topic %}"
        found = render(document(TOPIC, question=question), {"topic": "X"})
        assert found.question == "X {other} {X} {topic.x} {0} %s $topic {% topic %}"

    def test_it_never_looks_into_a_value(self):
        found = render(
            document(TOPIC, question="{topic} {tone}"), {"topic": "{tone}{topic}"}
        )
        assert found.question == "{tone}{topic} calm"

    def test_it_sends_no_system_message_without_a_system_part(self):
        read = document(body="<!-- [question] -->\nQ")
        assert [m.role for m in render(read, {}).messages] == ["user"]

    def test_it_ends_the_system_part_with_the_private_addition(self):
        found = render(document(TOPIC), {"topic": "x"}, private_addition="For {topic}.")
        assert found.system == "Be brief.\n\nFor {topic}."

    def test_it_fences_context_so_that_nothing_inside_can_close_it(self):
        pieces = [Read("The log", "a\n````\nb"), Read("x", "y\n")]
        found = render(document(TOPIC), {"topic": "x"}, context_pieces=pieces)
        assert found.question == (
            "What is x?\n\nThe log:\n`````\na\n````\nb\n`````\n\nx:\n```\ny\n```"
        )

    def test_it_passes_the_parameters_on(self):
        read = document(f"{TOPIC}\nparams: {{temperature: 0.2}}")
        assert render(read, {"topic": "x"}).params == {"temperature": 0.2}


class ValueTests:
    @pytest.mark.parametrize(
        ("inputs", "given_values", "problems"),
        [
            ("topic: {required: true}", {}, {"topic": "Please fill this in."}),
            (
                "topic: {required: true}",
                {"topic": " \n"},
                {"topic": "Please fill this in."},
            ),
            ("topic: {required: true, default: a}", {}, {}),
            ("topic: {}", {}, {}),
            (
                "topic: {choices: [a, b]}",
                {"topic": "c"},
                {"topic": "Please choose one of: a, b."},
            ),
            ("topic: {choices: [a, b]}", {}, {}),
            (
                "topic: {type: number}",
                {"topic": "x"},
                {"topic": "Please type a number."},
            ),
            (
                "topic: {type: number}",
                {"topic": "010"},
                {"topic": "Please type a number."},
            ),
            ("topic: {type: number}", {"topic": "-1.5"}, {}),
            ("topic: {}", {"colour": "x"}, {"colour": "There is no input colour."}),
        ],
    )
    def test_it_checks_what_was_typed(self, inputs, given_values, problems):
        found = read_values(document(f"inputs: {{{inputs}}}"), given_values)
        assert found.problems == problems

    def test_it_reads_the_line_ends_of_a_browser(self):
        found = read_values(document(TOPIC), {"topic": "a\r\nb"})
        assert found.by_name["topic"] == "a\nb"

    def test_it_names_the_inputs_of_a_template_once(self):
        read = document(TOPIC)
        assert placeholders("{tone} {topic} {tone} {x}", read) == ("tone", "topic")

    @given(st.text(), st.text())
    def test_it_substitutes_once_whatever_the_texts(self, before, value):
        literal = before.replace("{", "").replace("}", "")
        assert fill(f"{literal}{{a}}", {"a": value}) == literal + value
