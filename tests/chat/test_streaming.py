"""The renderer of arriving text, on its own: the same HTML, frozen, bounded."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chat.markdown import render
from chat.streaming import LONG_TAIL, SHORT_TAIL, StreamingMarkdown
from tests.chat.test_markdown import HOSTILE, read

ANSWER = """\
Intro with *emphasis*,
over two lines.

Title
-----

1. one

   ```python
   def f():

       return "x"
   ```
2. two
   - inner

     loose

| a | b |
|---|--:|
| 1 | 2 |
after the table

```sql
select 1;

-- not the end
```
~~~
``` tilde
~~~

> quote
lazy

    indented

    code
***
end https://a.example/x and [b](https://b.example)
"""

PIECES = st.lists(
    st.sampled_from(
        [
            *("a", "b | c", "-", "|", "-|-", "\n", "\n\n", "# ", "```", "````", "~~~"),
            *("> ", "- ", "* ", "1. ", "2) ", "    ", "\t", "===", "---", "`", "**"),
            *("[x](", "https://a.example", ")", "<", "&", "\\", "\r", "\r\n", " ", "é"),
            *("[1]: https://a.example\n", "  \n", "| a |\n|---|\n", "```\ncode\n```\n"),
        ]
    ),
    max_size=40,
)


def streamed(pieces: list[str]) -> str:
    """What has been frozen when the last piece came and the end was told."""
    streaming = StreamingMarkdown()
    frozen = []
    for piece in pieces:
        streaming.feed(piece)
        fragment = streaming.update()
        if fragment:
            frozen.append(fragment.frozen)
    frozen.append(streaming.close().frozen)
    return "".join(frozen)


def cut(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


class SameAsWholeTests:
    @pytest.mark.parametrize("size", [1, 2, 3, 7, 50, 10_000])
    def test_it_gives_the_same_html_however_the_text_is_cut(self, size):
        assert streamed(cut(ANSWER, size)) == render(ANSWER)

    @pytest.mark.parametrize("text", HOSTILE)
    def test_it_gives_the_same_html_of_hostile_text(self, text):
        for size in (1, 5):
            assert streamed(cut(text, size)) == render(text)

    @given(PIECES)
    @example(["p\n", "#", "x"])
    @example(["p\na|b\n", "-|-", " x"])
    @example(["a\r", "\nb\r", "c\r"])
    @example(["- a\n\n\n", "    b"])
    def test_it_gives_the_same_html_of_any_pieces(self, pieces):
        assert streamed(pieces) == render("".join(pieces))

    @given(PIECES, st.integers(1, 9))
    def test_it_gives_the_same_html_of_long_texts(self, pieces, size):
        text = "".join(pieces) * 60
        assert streamed(cut(text, size * 40)) == render(text)


class SafetyTests:
    @pytest.mark.parametrize("text", HOSTILE)
    def test_it_never_makes_markup_of_half_a_text(self, text):
        streaming = StreamingMarkdown()
        for character in f"before\n\n{text}\n\nafter":
            streaming.feed(character)
            fragment = streaming.update()
            assert fragment is not None
            read(fragment.frozen)
            read(fragment.tail)

    @given(PIECES)
    def test_it_makes_allowed_markup_at_every_moment(self, pieces):
        streaming = StreamingMarkdown()
        for piece in pieces:
            streaming.feed(piece)
            fragment = streaming.update()
            if fragment:
                read(fragment.frozen)
                read(fragment.tail)


class UpdateTests:
    def test_it_freezes_a_block_when_the_next_one_begins(self):
        streaming = StreamingMarkdown()
        streaming.feed("one\n\ntw")
        first = streaming.update()
        assert first is not None
        assert first.frozen == ""
        assert "<p>one</p>" in first.tail and "<p>tw</p>" in first.tail
        streaming.feed("o\n")
        second = streaming.update()
        assert second is not None
        assert second.frozen == "<p>one</p>\n"
        assert second.tail == "<p>two</p>\n"

    def test_it_freezes_nothing_that_a_half_line_could_still_change(self):
        streaming = StreamingMarkdown()
        streaming.feed("one\n#")
        first = streaming.update()
        assert first is not None and first.frozen == ""

    def test_it_says_when_text_belongs_into_open_code(self):
        streaming = StreamingMarkdown()
        streaming.feed("```python\nx = 1\n")
        opened = streaming.update()
        assert opened is not None and opened.in_code
        streaming.feed("```\n")
        closed = streaming.update()
        assert closed is not None and not closed.in_code

    def test_it_colours_code_when_it_is_finished(self):
        streaming = StreamingMarkdown()
        streaming.feed("```python\ndef f(): pass\n```\n")
        unfinished = streaming.update()
        assert unfinished is not None and "t-k" not in unfinished.tail
        assert "t-k" in streaming.close().frozen

    def test_it_has_nothing_to_say_without_news(self):
        streaming = StreamingMarkdown()
        assert streaming.update() is None
        streaming.feed("x")
        assert streaming.update() is not None
        assert streaming.update() is None

    def test_it_tells_a_newcomer_everything_so_far(self):
        streaming = StreamingMarkdown()
        streaming.feed("one\n\ntwo\n\nthree")
        streaming.update()
        streaming.feed(" and more")
        so_far = streaming.so_far()
        assert so_far.frozen + so_far.tail == render("one\n\ntwo\n\nthree and more")
        # Looking changes nothing for the others.
        update = streaming.update()
        assert update is not None and "three and more" in update.tail


def work(text: str, size: int = 20) -> tuple[int, int]:
    """Updates made while `text` arrived, and the characters they gave out."""
    streaming = StreamingMarkdown()
    updates = given_out = 0
    for piece in cut(text, size):
        streaming.feed(piece)
        fragment = streaming.update()
        if fragment:
            updates += 1
            given_out += len(fragment.frozen) + len(fragment.tail)
    return updates, given_out


class BoundTests:
    @pytest.mark.parametrize(
        "line",
        [
            "- one more item\n",
            "- one more item\n\n",
            "| a | b |\n|---|---|\n",
            "x" * 40,
            "[[[[[[[[[[[[[[[[[[[[",
            "*a **a ",
            "````\n```\n\n",
            "> quoted\n",
        ],
    )
    def test_it_does_work_in_proportion_to_the_text(self, line):
        """Twice the text is about twice the work: measured in characters given out
        and updates made, beyond what a short tail may cost each time."""
        once, twice = line * 2_000, line * 4_000
        updates_once, out_once = work(once)
        updates_twice, out_twice = work(twice)
        assert updates_twice <= 2.5 * updates_once + 10
        assert out_twice <= 2.5 * out_once + 20 * LONG_TAIL

    def test_it_stays_prompt_for_many_short_blocks(self):
        text = "A paragraph of some words.\n\n" * 500
        updates, _ = work(text)
        assert updates == len(cut(text, 20))

    def test_it_shows_long_open_code_without_reading_it_again_each_time(self):
        text = "```python\n" + "x = 1  # and some words\n" * 4_000
        updates, given_out = work(text)
        assert updates < 200
        assert given_out < 40 * len(text)

    def test_it_sees_the_end_of_long_code(self):
        streaming = StreamingMarkdown()
        for piece in cut("```\n" + "x = 1\n" * (SHORT_TAIL // 2), 30):
            streaming.feed(piece)
            streaming.update()
        streaming.feed("```\n\nAnd ")
        streaming.feed("then\n\nmore")
        fragment = streaming.update()
        assert fragment is not None
        assert "</code></pre>" in fragment.frozen
