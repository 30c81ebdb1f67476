"""A person as the model: the prompt is written to a file, the answer is read from another one.

A prompt's files are named by its text, so a search that is resumed finds the answers that it was given before. A question that was
still open when a search was stopped is known by what it is about, as its text lists what was tried meanwhile: it keeps its files::

    prompts/plan-1-3f2a9c41.prompt.md       # paste it into any chat
    prompts/plan-1-3f2a9c41.answer.md       # paste the answer here; a first line "Model: NAME" says who gave it
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from assistant.errors import CannotAnswerError
from assistant.model.completion import Completion, CompletionFailure, CompletionRequest, FailureKind, ModelRole, Price, ServedModel
from assistant.plan.providers.answer import ANSWER_BYTES
from assistant.plan.providers.prices import PriceTable
from assistant.ports.provider import OnText

__all__ = ["ManualProvider", "OnWaiting"]

OnWaiting = Callable[[Path, Path], None]
"""Called with the prompt's file and the file of its answer when waiting begins."""

_POLL_S = 0.5
_DIGEST_LENGTH = 8
_MODEL_LINE = re.compile(r"\A\s*Model:[ \t]*(\S[^\n]{0,100}?)[ \t]*\r?\n", re.IGNORECASE)
_NAME = "manual"
_OPEN = ".open"
"""Ending of the hidden note that a question waits for its answer; it holds what the question is about."""
_HEADINGS = {"system": "Instructions", "user": "Task", "assistant": "Your earlier answer"}


class ManualProvider:
    """Implements `Provider`; waits for as long as a person needs."""

    def __init__(self, folder: Path, prices: PriceTable, on_waiting: OnWaiting | None = None) -> None:
        self._folder = folder
        self._price = prices.price(_NAME, "") or Price(0.0, 0.0)  # a person costs nothing, unless the user's own table says so
        self._on_waiting = on_waiting
        self._asked: Counter[str] = Counter()

    def served(self, role: ModelRole, island: int = 0) -> ServedModel:
        return ServedModel(role, _NAME, str(self._folder), "", self._price)

    async def complete(self, request: CompletionRequest, on_text: OnText) -> Completion | CompletionFailure:
        stem = self._stem(request)
        if not _is_ready(self._folder / f"{stem}.answer.md"):
            stem = self._left_open(request) or stem
        open_note = self._folder / f".{stem}{_OPEN}"
        prompt, answer = (self._folder / f"{stem}.{part}.md" for part in ("prompt", "answer"))
        self._write(prompt, _document(request, answer))
        self._write(open_note, _subject(request))
        if self._on_waiting is not None and not _is_ready(answer):
            self._on_waiting(prompt, answer)
        outcome = _read(await _arrived(answer), answer)
        with contextlib.suppress(OSError):
            open_note.unlink()
        if isinstance(outcome, Completion):
            on_text(outcome.text)
        return outcome

    async def close(self) -> None:
        """Nothing is held; the files stay."""

    def _left_open(self, request: CompletionRequest) -> str | None:
        """The files' name of a question about the same that was asked and whose answer was not taken: a search was stopped meanwhile."""
        for note in sorted(self._folder.glob(f".*{_OPEN}")):
            with contextlib.suppress(OSError):
                if request.about and note.read_text("utf-8") == _subject(request):
                    return note.name.removeprefix(".").removesuffix(_OPEN)
        return None

    def _stem(self, request: CompletionRequest) -> str:
        """``code-3-1b2c3d4e``, with ``-2`` at its end for the second time that the same prompt asks for another answer."""
        asked = json.dumps([request.prompt, [[message.author, message.text] for message in request.messages]])
        digest = hashlib.sha256(asked.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_LENGTH]
        stem = f"{re.sub(r'[^A-Za-z0-9]+', '-', request.prompt)}-{digest}"
        self._asked[stem] += 1
        return stem if self._asked[stem] == 1 else f"{stem}-{self._asked[stem]}"

    def _write(self, prompt: Path, text: str) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            prompt.write_text(text, "utf-8", errors="replace")
        except OSError as error:
            raise CannotAnswerError(f"{prompt} cannot be written: {error.strerror}", "make its folder writable") from error


def _subject(request: CompletionRequest) -> str:
    """What tells a question from others, whatever was tried meanwhile."""
    return f"{request.prompt} {request.about}"


def _document(request: CompletionRequest, answer: Path) -> str:
    """The whole request as one text to paste."""
    parts = [f"# {_HEADINGS[message.author]}\n\n{message.text.strip()}\n" for message in request.messages]
    note = f"<!-- Paste all of this into a chat, and its whole answer into {answer.name} in this folder. -->\n\n"
    return note + "\n".join(parts)


def _is_ready(answer: Path) -> bool:
    return _size_bytes(answer) > 0


async def _arrived(answer: Path) -> bytes:
    """The answer's file once it is there and has stopped growing; at most `ANSWER_BYTES` and one of it."""
    before = 0
    while True:
        size_bytes = _size_bytes(answer)
        if size_bytes > 0 and size_bytes == before:
            with contextlib.suppress(OSError):
                return await asyncio.to_thread(_head, answer)
        before = size_bytes
        await asyncio.sleep(_POLL_S)


def _size_bytes(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0


def _head(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(ANSWER_BYTES + 1)


def _read(data: bytes, answer: Path) -> Completion | CompletionFailure:
    if len(data) > ANSWER_BYTES:
        message = f"{answer} is larger than {ANSWER_BYTES:,} bytes"
        return CompletionFailure(FailureKind.TOO_LARGE, message, "paste the answer alone")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        return CompletionFailure(FailureKind.BAD_REPLY, f"{answer} is no UTF-8 text", "paste the answer as text")
    named = _MODEL_LINE.match(text)
    return Completion(text if named is None else text[named.end() :], _NAME if named is None else named.group(1), None, None)
