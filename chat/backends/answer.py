"""The answer of one generation, put together from events. Pure, and mutable.

Decides what is text, what is reasoning, and whether the answer ended well: only a
finish reason or `[DONE]` says so.
"""

from __future__ import annotations

from django.utils.translation import gettext as _

from chat.backends.bodies import Said, fold, is_page, read_body, read_payload
from chat.backends.chunks import Chunk, read_chunks
from chat.backends.eventstream import ServerEvent
from chat.backends.refusals import Context, Loading, judge_in_stream, line
from chat.backends.surrogates import Joiner
from chat.backends.thinking import ThinkSplitter
from chat.backends.tools import ToolCalls
from chat.errors import BackendError, Fault
from chat.events import (
    Body,
    Final,
    RateLimited,
    Reasoning,
    Text,
    ToolActivity,
    Usage,
)

# Far above the longest honest answer; a flood stops here.
ANSWER_LIMIT_CHARACTERS = 8_000_000
# What one piece of a tool call costs, however little it says.
_CALL_CHARACTERS = 64
# Reasons by which a server says that it had no more to say.
_STOPPED = {"stop", "eos", "end_turn", "stop_sequence", "tool_calls", "function_call"}


class Answer:
    """Feed it events; it returns bodies, all of them to be shown.

    `done`: nothing of worth may still come. `error`: the answer did not end well;
    it is to be raised once the bodies are shown.
    """

    def __init__(self, context: Context, notes: tuple[str, ...] = ()) -> None:
        self._context = context
        self._notes = list(notes)
        self._splitter = ThinkSplitter()
        self._text, self._reasoning = Joiner(), Joiner()
        self._tools = ToolCalls()
        self._size = 0
        self._seen = self._whole = self._limited = False
        self._finish: str | None = None
        self._model = ""
        self._usage = Usage()
        self._garbled = ""
        self.done = False
        self.error: BackendError | None = None

    @property
    def finished(self) -> bool:
        """The server named a reason: what may still come are counts and `[DONE]`."""
        return self._finish is not None

    @property
    def over(self) -> bool:
        """Nothing that comes now changes the answer."""
        return self.done or self.error is not None

    def take_all(self, events: list[ServerEvent]) -> list[Body]:
        """The bodies of events, up to the one that ends the answer."""
        bodies: list[Body] = []
        for event in events:
            if self.over:
                break
            bodies += self.take(event)
        return bodies

    def take(self, event: ServerEvent) -> list[Body]:
        """The bodies of one event."""
        data = event.data.strip()
        if data.strip(b"\"'").upper() == b"[DONE]":
            self.done = True
            return []
        if event.name.lower() == "error":
            return self._fail(read_body(data))
        chunks = read_chunks(data)
        if chunks is None:
            self._note_garbled(data)
            return []
        return [body for chunk in chunks for body in self._take_chunk(chunk)]

    def end(self, stray: bytes = b"", cut: str = "") -> list[Body]:
        """The bytes are over: the last bodies, the Final among them if all is well.

        `stray` is what was no event; `cut` says how the connection broke, "" where
        it ended by itself.
        """
        if self.error is not None:
            return []
        bodies = self._judge_stray(stray) if self._depends_on(stray) else []
        bodies += self._flush()
        if self.error is None:
            self._conclude(cut)
        if self.error is not None or (self._limited and not self.finished):
            return bodies
        return [*bodies, self.facts()]

    def facts(self) -> Final:
        """What the answer said of itself so far."""
        return Final(
            finish_reason=self._finish,
            model=self._model or self._context.model,
            usage=self._usage,
            tools=self._tools.calls(),
            notes=tuple(self._notes),
        )

    def fail(self, fault: Fault, sentence: str) -> None:
        """End the answer with an error; the first one counts."""
        if self.error is None:
            text = line(self._context, sentence)
            self.error = BackendError(fault, text, facts=self.facts())

    # --- while it streams ---------------------------------------------------------

    def _take_chunk(self, chunk: Chunk) -> list[Body]:
        self._seen = self._seen or chunk.is_answer
        self._whole = self._whole or chunk.is_whole
        self._model = chunk.model or self._model
        # Counts are running totals where every chunk carries them: the last one wins.
        self._usage = chunk.usage or self._usage
        bodies = self._texts(chunk)
        for delta in chunk.tools:
            if self._fits(len(delta.name) + len(delta.arguments) + _CALL_CHARACTERS):
                name = self._tools.add(delta)
                bodies.append(ToolActivity(name, delta.arguments))
        if chunk.error is not None and not self.finished:
            return bodies + self._fail(read_payload(chunk.error))
        self._finish = chunk.finish or self._finish
        return bodies

    def _texts(self, chunk: Chunk) -> list[Body]:
        bodies: list[Body] = []
        if chunk.reasoning:
            self._add_reasoning(self._reasoning.feed(chunk.reasoning), bodies)
        if chunk.text:
            thought, text = self._splitter.feed(chunk.text)
            self._add_reasoning(self._reasoning.feed(thought), bodies)
            self._add_text(self._text.feed(text), bodies)
        if chunk.is_refusal:
            self._note(_("The model declined to answer."))
        return bodies

    def _add_reasoning(self, text: str, bodies: list[Body]) -> None:
        if text and self._fits(len(text)):
            bodies.append(Reasoning(text))

    def _add_text(self, text: str, bodies: list[Body]) -> None:
        if text and self._fits(len(text)):
            bodies.append(Text(text))

    def _fits(self, characters: int) -> bool:
        self._size += characters
        if self._size <= ANSWER_LIMIT_CHARACTERS:
            return True
        megabytes = ANSWER_LIMIT_CHARACTERS // 1_000_000
        said = _("the answer has no end: it was stopped at %d MB.") % megabytes
        self.fail(Fault.PROTOCOL, said)
        return False

    def _fail(self, said: Said) -> list[Body]:
        """An error inside the stream: a limit is a body, anything else ends it."""
        self._seen = True
        verdict = judge_in_stream(said, self._context)
        bodies = self._flush()
        if isinstance(verdict, RateLimited):
            self._limited = True
            return [*bodies, verdict]
        if isinstance(verdict, Loading):
            self.error = BackendError(Fault.LOADING, verdict.sentence)
        else:
            self.error = verdict.as_error(self.facts())
        return bodies

    def _note(self, text: str) -> None:
        if text not in self._notes:
            self._notes.append(text)

    def _note_garbled(self, data: bytes) -> None:
        """A frame that is no JSON; one that looks like it lost a piece of answer."""
        if self.finished or self._garbled:
            return
        if data.startswith((b"{", b'[{"', b"[{'")):
            self._garbled = _readable(data)

    # --- at the end ---------------------------------------------------------------

    def _flush(self) -> list[Body]:
        bodies: list[Body] = []
        thought, text = self._splitter.finish()
        thought = self._reasoning.feed(thought) + self._reasoning.finish()
        text = self._text.feed(text) + self._text.finish()
        self._add_reasoning(thought, bodies)
        self._add_text(text, bodies)
        return bodies

    def _depends_on(self, stray: bytes) -> bool:
        return bool(stray.strip()) and not (self.done or self.finished or self._whole)

    def _conclude(self, cut: str) -> None:
        """Set `error` unless the answer ended well."""
        if not (self.done or self.finished or self._whole):
            if not self._limited:
                self._fail_unfinished(cut)
        elif self._garbled:
            self._fail_garbled()
        elif self._finish == "error":
            self.fail(Fault.SERVER, _("the server ended the answer with an error."))
        elif not self._text.any and not self._tools:
            self._conclude_empty()
        elif self._finish == "length":
            self._note(_("The token limit cut this answer."))

    def _conclude_empty(self) -> None:
        """No text is an answer only where the server says that it stopped there."""
        if self._finish in _STOPPED:
            self._note(_("The model answered with no text."))
        else:
            self.fail(Fault.EMPTY, self._why_empty())

    def _why_empty(self) -> str:
        if self._finish is None:
            return _("no text came, and no reason why.")
        if self._finish != "length":
            return _("no text came: the server ended with %s.") % self._finish
        spent = self._usage.completion_tokens
        limit = f" ({spent})" if spent else ""
        if self._reasoning.any:
            text = _("no answer: the token limit%s was used up by thinking (length).")
        else:
            text = _("no answer: the token limit%s was reached (length).")
        return text % limit

    def _fail_garbled(self) -> None:
        text = _("the server sent a frame that is not JSON: %s") % self._garbled
        self.fail(Fault.PROTOCOL, text)

    def _fail_unfinished(self, cut: str) -> None:
        if cut:
            self.fail(Fault.CUT, cut)
        elif self._garbled:
            self._fail_garbled()
        elif self._seen:
            text = _("the stream ended in mid-answer, without a finish reason.")
            self.fail(Fault.CUT, text)
        else:
            text = _(
                "the server answered with nothing. Some do so when the text is longer "
                "than their context window."
            )
            self.fail(Fault.PROTOCOL, text)

    def _judge_stray(self, stray: bytes) -> list[Body]:
        """A body that is no stream: a whole answer, an error, a page, or noise."""
        chunks = read_chunks(stray)
        if chunks and any(chunk.is_answer or chunk.error for chunk in chunks):
            return [body for chunk in chunks for body in self._take_chunk(chunk)]
        if is_page(stray):
            text = _(
                "the server answered with a web page (%s), not with a model's stream: "
                "check the address, /v1 included."
            )
            self.fail(Fault.PROTOCOL, text % (read_body(stray).sentence or "HTML"))
        elif not self._seen:
            text = _("the answer is no chat completion: %s") % _readable(stray)
            self.fail(Fault.PROTOCOL, text)
        return []


def _readable(data: bytes) -> str:
    return fold(data[:2000].decode("utf-8", "replace"), 200)
