"""Thinking taken out of the answer: split anywhere, and literal tags left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.backends.thinking import TAGS, ThinkSplitter


def split(*pieces: str) -> tuple[str, str]:
    splitter = ThinkSplitter()
    parts = [splitter.feed(piece) for piece in pieces]
    parts.append(splitter.finish())
    return "".join(r for r, _ in parts), "".join(a for _, a in parts)


class SplitterTests:
    @pytest.mark.parametrize(
        ("content", "reasoning", "answer"),
        [
            ("<think>plan</think>\n\nAnswer", "plan", "Answer"),
            ("<think>\nplan\n</think>\nAnswer", "plan\n", "Answer"),
            ("\n <think>plan</think> Answer", "plan", "Answer"),
            ("<think></think>\n\nAnswer", "", "Answer"),
            ("<think>plan</think>\n\n    code", "plan", "    code"),
            ("<thinking>plan</thinking>Answer", "plan", "Answer"),
            ("[THINK]plan[/THINK]Answer", "plan", "Answer"),
            ("◁think▷plan◁/think▷Answer", "plan", "Answer"),
            # the chat template had opened the block
            ("</think>Answer", "", "Answer"),
            ("\n</think>\n\nAnswer", "", "Answer"),
            ("<think><think>plan</think>Answer", "plan", "Answer"),
            ("<think>plan</think></think>Answer", "plan", "Answer"),
            # the first closing tag ends it, whatever the model thinks about tags
            ("<think>is <think> a tag?</think>Yes", "is <think> a tag?", "Yes"),
            ("<think>a < b</think>c", "a < b", "c"),
            # never closed: all of it is thinking
            ("<think>step one, step two", "step one, step two", ""),
            ("<think>one</thi", "one</thi", ""),
            ("<think>", "", ""),
        ],
    )
    def test_it_takes_the_thinking_out(self, content, reasoning, answer):
        assert split(content) == (reasoning, answer)
        assert split(*content) == (reasoning, answer)

    @pytest.mark.parametrize(
        "content",
        [
            "Use `<think>` and `</think>` in the template.",
            "```html\n<think>literal</think>\n```",
            "plan</think>Answer",
            "a <think>b</think>",
            "<thin air",
            "<",
            "<think",
            "< think>no</think>",
            "  ",
            " indented",
            "\n\nlater",
            "<thesis>x</thesis>",
            "[TH",
        ],
    )
    def test_it_leaves_every_other_tag_alone(self, content):
        assert split(content) == ("", content)
        assert split(*content) == ("", content)

    def test_it_lets_no_fragment_of_a_tag_out(self):
        splitter = ThinkSplitter()
        pieces = ["<th", "ink>pl", "an</thi", "nk>\n\nAn", "swer"]

        assert [splitter.feed(piece) for piece in pieces] == [
            ("", ""),
            ("pl", ""),
            ("an", ""),
            ("", "An"),
            ("", "swer"),
        ]

    def test_it_holds_no_white_space_back_without_end(self):
        splitter = ThinkSplitter()

        assert splitter.feed(" " * 999) == ("", "")
        assert splitter.feed(" ") == ("", " " * 1000)

    def test_it_holds_nothing_back_once_the_answer_began(self):
        splitter = ThinkSplitter()
        splitter.feed("Hello ")

        assert splitter.feed("<thi") == ("", "<thi")


WORDS = st.lists(
    st.sampled_from(["<think>", "</think>", "<", "thi", "nk>", " ", "\n", "a", "ü"])
    | st.sampled_from([tag for pair in TAGS for tag in pair]),
    max_size=10,
).map("".join)


class SplittingTests:
    @given(WORDS, st.lists(st.integers(0, 100), max_size=6))
    def test_it_splits_the_same_however_the_text_is_cut(self, text, cuts):
        bounds = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
        pieces = [text[a:b] for a, b in zip(bounds, bounds[1:], strict=False)]

        assert split(*pieces) == split(text) == split(*text)

    @given(WORDS)
    def test_it_invents_no_character(self, text):
        reasoning, answer = split(text)

        assert text.endswith(answer)
        rest = iter(text)
        assert all(character in rest for character in reasoning)
