"""What real servers answered, replayed over a socket and read by the whole backend."""

from __future__ import annotations

import pytest

from chat.turn import Ending
from tests.chat.backends.asking import ask
from tests.chat.backends.recorded import Recorded, chat, chats

# Of each answer that is no completion: the fault, and words of its line.
REFUSED = {
    "error-bad-json": ("", ""),
    "error-bad-type": ("", "max_tokens"),
    "error-context-too-long": ("overflow", "tokens, limit 2048"),
    "error-context-too-long-stream": ("", ""),
    "error-image-unsupported": ("", "image"),
    "error-loading-503": ("loading", "Loading model"),
    "error-missing-key": ("key", "wants a key"),
    "error-no-messages": ("refused", "messages"),
    "error-unknown-model": ("model", "no-such-model"),
    "error-wrong-key": ("", ""),
    "router-missing-model": ("", "model"),
    "router-unknown-model": ("model", "no-such-model"),
}
CHATS = chats()
ANSWERS = [found for found in CHATS if "error" not in found.name and found.status < 300]
REFUSALS = [found for found in CHATS if found.status >= 300]


def named(recorded: list[Recorded]) -> list[object]:
    return [pytest.param(found, id=found.name) for found in recorded]


class AnswerTests:
    @pytest.mark.parametrize("recorded", named(ANSWERS))
    def test_it_completes_with_the_text_and_its_facts(self, recorded):
        asked = ask(recorded.reply(), stream="stream" in recorded.name)
        outcome = asked.outcome

        assert outcome.ending is Ending.COMPLETED, outcome.error
        assert outcome.text
        assert outcome.finish_reason in {"length", "stop"}
        assert outcome.model

    def test_it_keeps_the_first_space_of_an_answer(self):
        asked = ask(chat("b10434-stream.txt").reply())

        assert asked.outcome.text.startswith(" whic ra")
        assert asked.outcome.usage.completion_tokens == 16


class RefusalTests:
    @pytest.mark.parametrize("recorded", named(REFUSALS))
    def test_it_names_the_fault_in_a_line_without_paths(self, recorded):
        kind = recorded.name.partition("-")[2].removesuffix(".txt")
        fault, words = next(REFUSED[name] for name in REFUSED if name in kind)
        outcome = ask(recorded.reply()).outcome

        assert outcome.ending is Ending.FAILED
        assert outcome.fault == (fault or outcome.fault)
        assert words in outcome.error
        assert "File" not in outcome.error

    def test_it_takes_an_empty_stream_for_no_answer(self):
        """llama-cpp-python answers a text that is too long with 200 and nothing."""
        outcome = ask(chat("0.3.36-error-context-too-long-stream.txt").reply()).outcome

        assert (outcome.ending, outcome.fault) == (Ending.FAILED, "protocol")
        assert "context window" in outcome.error
