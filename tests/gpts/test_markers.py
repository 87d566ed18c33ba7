from __future__ import annotations

import pytest

from tests.gpts.sources import document, fatal, source, warnings

QUESTION = "<!-- [question] -->"


class AcceptedMarkerTests:
    @pytest.mark.parametrize(
        ("system", "question"),
        [
            ("<!--[system]-->", "<!--   [QUESTION]   -->"),
            ("<!-- [ System ] -->  ", "   <!-- [question] -->\t"),
        ],
    )
    def test_it_reads_spacing_and_capitals_alike(self, system, question):
        read = document(body=f"{system}\nS\n{question}\nQ\n")
        assert (read.system, read.question) == ("S", "Q")

    def test_it_allows_a_missing_system_part(self):
        read = document(body=f"\n{QUESTION}\nQ")
        assert (read.system, read.question) == ("", "Q")

    def test_it_takes_off_blank_lines_and_keeps_the_indent(self):
        read = document(body=f"{QUESTION}\n \n\n    code\n\n text\n\n\n")
        assert read.question == "    code\n\n text"

    @pytest.mark.parametrize(
        "literal",
        [
            "```\n<!-- [question] -->\n```",
            "~~~ md\n<!-- [system] -->\n```\n~~~~",
            "````\n```\n<!-- [question] -->\n```\n````",
            "Write `<!-- [question] -->` for it.",
            "<!-- a note -->",
            "<!-- [1] see the manual -->",
            "<question>\nx\n</question>",
            "a <! b",
            "```` ` <!-- [x] -->",
        ],
    )
    def test_it_leaves_what_is_no_marker_as_text(self, literal):
        read = document(body=f"{QUESTION}\n{literal}\nend\n")
        assert read.question == f"{literal}\nend"

    def test_it_warns_of_a_marker_that_is_indented_code(self):
        text = source(body=f"{QUESTION}\n    {QUESTION}\nQ")
        assert warnings(text) == [
            (7, "An indented marker is code, and is sent as text.")
        ]


class RefusedMarkerTests:
    @pytest.mark.parametrize(
        ("body", "line", "message"),
        [
            (f"{QUESTION}\nQ1\n{QUESTION}\nQ2\n", 8, "A second marker [question]"),
            ("<!-- [sytem] -->\nS\n" + QUESTION + "\nQ", 6, "Unknown marker [sytem]"),
            (f"{QUESTION}\nQ\n<!-- [/question] -->", 8, "Unknown marker [/question]"),
            (f"{QUESTION}\nQ\n<!-- [note] -->", 8, "Unknown marker [note]: use"),
            (f"<!-- a note {QUESTION} -->\nQ", 6, "A marker must stand alone"),
            (f"{QUESTION} Q\nQ", 6, "A marker must stand alone"),
            (f"<!-- note\n{QUESTION}\nQ", 7, "A marker inside the comment that"),
            (f"{QUESTION}\nQ\n<!-- system -->\nS", 8, "A misspelt marker"),
            ("<!- [question] ->\nQ", 6, "A misspelt marker"),
            ("<!-- [question]\nQ", 6, "A misspelt marker"),
            ("<!\u2014 [question] \u2014>\nQ", 6, "A misspelt marker"),
            ("&lt;!-- [question] --&gt;\nQ", 6, "A misspelt marker"),
            ("<!-- (question) -->\nQ", 6, "A misspelt marker"),
            (f"hello\n{QUESTION}\nQ", 6, "Text before the first marker"),
            (f"\n\nhello\n{QUESTION}\nQ", 8, "Text before the first marker"),
            (f"{QUESTION}\nQ\n<!-- [system] -->\nS", 8, "[system] comes before"),
            ("<!-- [system] -->\nS\n", 6, "There is no question"),
            ("just text\n", 6, "There is no question"),
            ("", 6, "There is no question"),
            (f"{QUESTION}\n \n\t\n", 6, "The question is empty."),
            (f"{QUESTION}\n\u200b\u00a0\n", 6, "The question is empty."),
            (
                f"<!-- [system] -->\n```\nS\n{QUESTION}\nQ\n",
                7,
                "The code fence that begins here is not closed",
            ),
        ],
    )
    def test_it_refuses_with_the_line(self, body, line, message):
        found = fatal(source(body=body))
        assert found[0][0] == line
        assert found[0][1].startswith(message)

    def test_it_stops_at_twenty_thousand_fences(self):
        body = f"{QUESTION}\n" + "```\nx\n```\n" * 20_001
        assert fatal(source(body=body)) == [
            (None, "The body has too many code fences and comments.")
        ]
