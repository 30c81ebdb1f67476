"""Puts a streamed answer together, within its bounds. Pure.

Example::

    answer = Answer("http://localhost:8000/v1", PieceRedaction(None, print), key=None, max_tokens=8192)
    for data in stream:
        if (failure := answer.add(data)) is not None: ...
    answer.ended()            # Completion | CompletionFailure
"""

from __future__ import annotations

from pydantic import ValidationError

from assistant.model.completion import Completion, CompletionFailure, FailureKind, ToolCall
from assistant.plan.providers.error_replies import SAID_LENGTH, plain
from assistant.plan.providers.redaction import PieceRedaction, redacted
from assistant.plan.providers.wire import CallPiece, Chunk
from assistant.plan.shown import shown

__all__ = ["ANSWER_BYTES", "Answer", "answer_limit_bytes", "well_formed"]

ANSWER_BYTES = 1_000_000
"""Upper bound for an answer's text; more than 100 times what the longest kernel needs."""
_BYTES_PER_TOKEN = 8
"""Code has about three to four; an endpoint that passes the bound on its answer by is stopped here, so that a budget holds."""
_MODEL_NAME_LENGTH = 200


def answer_limit_bytes(max_tokens: int) -> int:
    """Above it an answer is stopped."""
    return min(ANSWER_BYTES, max_tokens * _BYTES_PER_TOKEN)


class _Call:
    """What has come of a tool call.

    Some endpoints give every call the same number, or none; others say id and name in every piece. So a new id begins a call, and id and
    name count once.
    """

    def __init__(self, index: int | None) -> None:
        self._index = index
        self._id = ""
        self._name = ""
        self._arguments: list[str] = []

    @property
    def parts(self) -> tuple[str, str, str]:
        return self._id, self._name, "".join(self._arguments)

    def goes_on_with(self, piece: CallPiece) -> bool:
        if piece.index is not None and piece.index != self._index:
            return False
        if piece.id and self._id:
            return piece.id == self._id
        name = piece.function.name if piece.function is not None else None
        return not (name and self._arguments and name != self._name)

    def take(self, piece: CallPiece) -> int:
        """Add the piece; how many bytes of it are kept."""
        new_id = "" if self._id else piece.id or ""
        new_name = "" if self._name or piece.function is None else piece.function.name or ""
        arguments = "" if piece.function is None else piece.function.arguments or ""
        self._id += new_id
        self._name += new_name
        self._arguments += [arguments] if arguments else []
        return sum(_byte_count(text) for text in (new_id, new_name, arguments))


class Answer:
    """What has come so far."""

    def __init__(self, endpoint: str, shown: PieceRedaction, key: str | None, max_tokens: int) -> None:
        self._endpoint = endpoint
        self._limit_bytes = answer_limit_bytes(max_tokens)
        self._shown = shown
        self._key = key
        self._pieces: list[str] = []
        self._refusal = ""
        self._size_bytes = 0
        self._model: str | None = None
        self._finish: str | None = None
        self._calls: list[_Call] = []
        self._input_token_count: int | None = None
        self._output_token_count: int | None = None

    @property
    def text(self) -> str:
        return redacted(well_formed("".join(self._pieces)), self._key)

    def add(self, data: object) -> CompletionFailure | None:
        """Take one decoded piece; a failure ends the answer."""
        try:
            chunk = Chunk.model_validate(data)
        except ValidationError:
            return self.malformed()
        self._model = chunk.model or self._model
        if chunk.usage is not None:
            self._input_token_count = chunk.usage.prompt_tokens
            self._output_token_count = chunk.usage.completion_tokens
        for choice in (chunk.choices or ())[:1]:
            self._finish = choice.finish_reason or self._finish
            if choice.delta is not None:
                self._refusal += choice.delta.refusal or ""
                self._take(choice.delta.content or "")
                for piece in choice.delta.tool_calls or ():
                    self._take_call(piece)
        return self.oversized() if self._size_bytes > self._limit_bytes else None

    def ended(self) -> Completion | CompletionFailure:
        """The whole answer, after its last piece."""
        self._shown.end()
        if self._refusal or self._finish == "content_filter":
            said = f": {shown(redacted(self._refusal, self._key), SAID_LENGTH)}" if self._refusal else ""
            return self._failure(FailureKind.BLOCKED, f"the model at {self._endpoint} declines{said}", "ask another model")
        if self._finish is None:
            message = f"{self._endpoint} ended its answer in the middle"
            return self._failure(FailureKind.UNREACHABLE, message, "try again; kernelopt doctor --llm tries the endpoint")
        model = plain(redacted(self._model or "", self._key))[:_MODEL_NAME_LENGTH]
        calls = tuple(ToolCall(*(redacted(well_formed(text), self._key) for text in call.parts)) for call in self._calls)
        counts = (self._input_token_count, self._output_token_count)
        return Completion(self.text, model, *counts, is_cut=self._finish == "length", calls=calls)

    def _take_call(self, piece: CallPiece) -> None:
        """Count what is kept of a piece like text: a budget bounds both."""
        call = next((call for call in reversed(self._calls) if call.goes_on_with(piece)), None)
        if call is None:
            call = _Call(piece.index)
            self._calls.append(call)
        self._size_bytes += call.take(piece)

    def malformed(self) -> CompletionFailure:
        message = f"{self._endpoint} sent something other than a chat completion"
        return self._failure(FailureKind.BAD_REPLY, message, "check that provider.base_url is an OpenAI-compatible endpoint")

    def oversized(self) -> CompletionFailure:
        message = f"the answer of {self._endpoint} is larger than {self._limit_bytes:,} bytes"
        return self._failure(FailureKind.TOO_LARGE, message, "ask another model, or go on with --planner expert")

    def broken(self, kind: FailureKind, message: str, remedy: str) -> CompletionFailure:
        """It ended from outside: the time or the connection did."""
        self._shown.end()
        return self._failure(kind, message, remedy)

    def _take(self, piece: str) -> None:
        self._size_bytes += _byte_count(piece)
        if piece and self._size_bytes <= self._limit_bytes:
            self._pieces.append(piece)
            self._shown.add(well_formed(piece))

    def _failure(self, kind: FailureKind, message: str, remedy: str) -> CompletionFailure:
        return CompletionFailure(kind, message, remedy, self.text)


def _byte_count(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def well_formed(text: str) -> str:
    """Halves of surrogate pairs joined, lone ones replaced: JSON can say them (RFC 8259, 8.2), UTF-8 cannot."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
