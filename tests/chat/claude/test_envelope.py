"""What `claude -p` printed, in every dress it came in."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from chat.claude.envelope import Answered, Failed, Printed, folded, read_envelope
from chat.claude.limits import Limit
from chat.errors import Fault
from tests.chat.claude.machine import FORK, result

CASES = Path(__file__).resolve().parents[2] / "cases" / "claude-cli"
NOW = datetime(2026, 11, 30, 23, 30, tzinfo=UTC)
# (case, run): what the reading is, by the words of the case.
EXPECTED = {
    ("01", 1): "the session could not answer: Your organization has disabled access"
    " (status 403)",
    ("01", 2): "the session could not answer: API Error: 529 overloaded",
    ("02", 1): Answered,
    ("02", 2): "no result in the output",
    ("02", 3): "no result in the output",
    ("04", 1): datetime(2026, 12, 1, 4, 0, tzinfo=UTC),
    ("04", 2): datetime(2026, 12, 1, 8, 50, tzinfo=UTC),
    ("04", 3): Limit,
    ("04", 4): Answered,
    ("05", 1): Answered,
    ("05", 2): Answered,
    ("05", 3): Answered,
    ("05", 4): Answered,
    ("07", 1): Answered,
    ("07", 2): Answered,
    ("11", 1): "stopped after 3 turns",
    ("11", 2): "budget used up",
    ("11", 3): "no output",
    ("11", 4): "stopped by the time limit",
}


def runs():
    for path in sorted(CASES.glob("*.json")):
        case = json.loads(path.read_text())
        for number, run in enumerate(case["input"].get("runs", []), 1):
            yield path.stem[:2], number, run


def read(stdout, stderr="", code=0):
    return read_envelope(Printed(stdout, stderr, code), NOW)


class CaseTests:
    @pytest.mark.parametrize(("case", "number", "run"), list(runs()))
    def test_it_reads_every_run_as_the_case_says(self, case, number, run):
        found = read(run["stdout"], run["stderr"], run["exit_code"])
        expected = EXPECTED[(case, number)]
        if isinstance(expected, str):
            assert isinstance(found, Failed)
            assert found.message == expected
        elif isinstance(expected, datetime):
            assert isinstance(found, Limit)
            assert found.resets_at == expected
        else:
            assert type(found) is expected

    def test_it_takes_the_last_result_and_no_quoted_one(self):
        case = json.loads((CASES / "02-array-instead-of-object.json").read_text())
        assert read(case["input"]["runs"][0]["stdout"]).text == "Yes."

    def test_it_names_refused_tools_and_no_path(self):
        case = json.loads((CASES / "07-denied-tools-count-as-success.json").read_text())
        found = read(case["input"]["runs"][0]["stdout"])
        assert found.denied == ("Bash", "Read")
        assert "mira" not in repr(found)


class DressTests:
    @pytest.mark.parametrize(
        "before",
        [
            "",
            "\ufeff",
            "Warning: no stdin data received\n",
            "[WARN] {your note} [1]\n",
            "\x1b[2K\x1b[1G",
            '{"level":"info","msg":"starting"}\n',
            "{'type': 'result'}\n",
            '{"type":"result","result":"an earlier one"}\n',
        ],
    )
    @pytest.mark.parametrize("after", ["", "\n", "\nbye {now}", "\n[hook] done]"])
    def test_it_reads_through_noise(self, before, after):
        found = read(before + result() + after)
        assert isinstance(found, Answered)
        assert found.text == "Yes."
        assert found.session_id == FORK

    def test_it_reads_lines_of_json(self):
        lines = ['{"type":"system","subtype":"init","model":"m-1"}', result(), ""]
        found = read("\n".join(lines))
        assert isinstance(found, Answered)
        assert found.models == ("m-1",)

    def test_it_reads_an_object_over_many_lines(self):
        assert read(json.dumps(json.loads(result()), indent=2)).text == "Yes."

    def test_it_counts_what_was_read_from_the_cache(self):
        usage = {
            "input_tokens": 5,
            "cache_creation_input_tokens": 20,
            "cache_read_input_tokens": 100,
            "output_tokens": True,
        }
        found = read(result(usage=usage, modelUsage={"a": {}, "b": {}}))
        assert (found.prompt_tokens, found.completion_tokens) == (125, None)
        assert found.models == ("a", "b")

    @pytest.mark.parametrize(
        "value", [None, 7, "", "not-an-id", "../../etc", FORK + "0", [FORK]]
    )
    def test_it_takes_no_strange_session_id(self, value):
        assert read(result(session_id=value)).session_id == ""

    def test_it_shows_a_good_answer_of_a_program_that_ended_badly(self):
        found = read(result(), code=1)
        assert isinstance(found, Answered)
        assert found.exit_code == 1


class CutTests:
    WHOLE = result(result="x" * 70_000)

    @pytest.mark.parametrize("size", [1_000, 8_192, 65_536])
    def test_it_never_repairs_a_cut_answer(self, size):
        found = read(self.WHOLE[:size])
        assert isinstance(found, Failed)
        assert found.message == f"the output was cut ({size} bytes)"

    def test_it_calls_every_cut_of_an_answer_a_failure(self):
        whole = result()
        for size in range(1, len(whole)):
            assert isinstance(read(whole[:size]), Failed), whole[:size]

    def test_it_takes_no_inner_answer_out_of_a_cut_array(self):
        array = f'[{{"type":"system"}}, {result()}, {{"type":"syst'
        found = read(array)
        assert isinstance(found, Failed)
        assert "was cut" in found.message

    def test_it_keeps_an_answer_before_a_cut_line_that_is_none(self):
        found = read(result() + '\n{"type":"system","subtype":"hook_resp')
        assert isinstance(found, Answered)

    def test_it_takes_no_answer_before_a_cut_one(self):
        assert isinstance(read(result() + "\n" + result()[:80]), Failed)


class FailureTests:
    def test_it_lets_is_error_win_over_everything(self):
        found = read(result(is_error=True, result="nice text"))
        assert isinstance(found, Failed)

    @pytest.mark.parametrize(
        "more", [{"api_error_status": 529}, {"terminal_reason": "api_error"}]
    )
    def test_it_believes_an_error_status_though_nothing_else_says_so(self, more):
        assert isinstance(read(result(**more)), Failed)

    @pytest.mark.parametrize(
        ("more", "message"),
        [
            ({"subtype": "error_max_turns", "num_turns": 1}, "stopped after 1 turn"),
            (
                {
                    "subtype": "error_during_execution",
                    "errors": ["No conversation found with that ID"],
                },
                "the session could not answer: No conversation found with that ID",
            ),
            (
                {"subtype": "error_something_new"},
                "the session stopped: something new",
            ),
        ],
    )
    def test_it_says_why_a_run_was_stopped(self, more, message):
        stripped = json.loads(result(**more))
        del stripped["result"]
        found = read(json.dumps(stripped), code=1)
        assert isinstance(found, Failed)
        assert found.message == message

    def test_it_needs_a_text(self):
        found = read(result(result=None))
        assert isinstance(found, Failed)
        assert found.message == "no result in the output"

    def test_it_calls_a_missing_key_by_its_name(self):
        found = read(result(is_error=True, result="no", api_error_status=401))
        assert isinstance(found, Failed)
        assert found.fault is Fault.KEY

    def test_it_calls_status_429_a_limit(self):
        found = read(result(is_error=True, result="slow", api_error_status=429))
        assert isinstance(found, Limit)
        assert found.resets_at is None

    def test_it_takes_the_reset_of_an_event_where_the_text_has_none(self):
        event = {
            "type": "rate_limit_event",
            "rate_limit_info": {"status": "rejected", "resetsAt": 1796097600},
        }
        failed = result(is_error=True, result="You've hit your weekly limit")
        found = read(f"{json.dumps(event)}\n{failed}")
        assert isinstance(found, Limit)
        assert found.resets_at == datetime(2026, 12, 1, 4, 0, tzinfo=UTC)

    @pytest.mark.parametrize(
        ("stdout", "stderr", "code", "message"),
        [
            (
                "Invalid API key\nPlease run /login",
                "",
                1,
                "exit code 1: Invalid API key",
            ),
            ("", "node: not found", 127, "exit code 127: node: not found"),
            ("", "", 3, "exit code 3"),
            ("Hello there", "", 0, "exit code 0: Hello there"),
            ("", "", -9, "claude was killed"),
            ("", "", -15, "stopped by the time limit"),
        ],
    )
    def test_it_says_in_one_line_what_is_no_json(self, stdout, stderr, code, message):
        found = read(stdout, stderr, code)
        assert isinstance(found, Failed)
        assert message in found.message
        assert "\n" not in found.message

    def test_it_knows_a_limit_that_was_printed_bare(self):
        found = read("Claude AI usage limit reached|1796097600\n", code=1)
        assert isinstance(found, Limit)

    @pytest.mark.parametrize(
        "stdout", ["[" * 100_000, '{"a":' * 50_000, '["x' * 20_000, "\x00" * 9_000]
    )
    def test_it_survives_hostile_output(self, stdout):
        assert isinstance(read(stdout), Failed)


class FoldedTests:
    def test_it_names_no_account(self):
        said = folded("cannot open '/home/mira/secret/plan.md': no\nsuch file")
        assert said == "cannot open '…/plan.md': no such file"

    def test_it_is_bounded(self):
        assert len(folded("x" * 10_000)) == 200
