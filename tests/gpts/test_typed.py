from __future__ import annotations

import pytest

from gpts.typed import BadInput, typed_inputs
from tests.gpts.sources import document

INPUTS = "inputs: {topic: {}, log: {type: file}}"


class TypedInputTests:
    def test_it_reads_values_with_equal_signs_in_them(self):
        assert typed_inputs(document(INPUTS), ["topic=a=b"]) == {"topic": "a=b"}

    def test_it_reads_the_file_that_a_person_names(self, tmp_path):
        path = tmp_path / "a.log"
        path.write_bytes(b"\xef\xbb\xbfgr\xc3\xbcn\n")
        assert typed_inputs(document(INPUTS), [f"log={path}"]) == {"log": "gr\u00fcn\n"}

    @pytest.mark.parametrize(
        ("typed", "message"),
        [
            (["topic"], "Write --input as name=value."),
            (["colour=red"], "There is no input colour; this gpt has: topic, log."),
            (["topic=a", "topic=b"], "--input topic is given twice."),
            (["log=/nowhere/at/all"], "--input log: No such file or directory."),
            (["log=/"], "--input log: Is a directory."),
        ],
    )
    def test_it_refuses_what_means_nothing(self, typed, message):
        with pytest.raises(BadInput) as caught:
            typed_inputs(document(INPUTS), typed)
        assert str(caught.value) == message

    @pytest.mark.parametrize(
        "raw", [b"\xff\xfe", b"a\0b", b"x" * (4 * 1024 * 1024 + 1)]
    )
    def test_it_refuses_a_file_that_is_no_text(self, tmp_path, raw):
        path = tmp_path / "a.bin"
        path.write_bytes(raw)
        with pytest.raises(BadInput, match="no text file of up to 4 MB"):
            typed_inputs(document(INPUTS), [f"log={path}"])

    def test_it_says_that_there_are_none(self):
        with pytest.raises(BadInput, match=r"This gpt has no inputs\."):
            typed_inputs(document(), ["topic=a"])
