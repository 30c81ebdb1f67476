"""Standard streams that take every text and fail with a sentence: closed ones, a full disk behind them, an encoding with few characters.

Example::

    prepare_streams()       # once, before anything is written
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from contextlib import suppress
from typing import BinaryIO, TextIO

from assistant.errors import CannotAnswerError

__all__ = ["drop_output", "prepare_streams"]

_ERRORS = "kernelopt"
_FIRST_BYTE, _LAST_BYTE = 0xDC80, 0xDCFF
"""Surrogates that stand for bytes which are no UTF-8 (PEP 383)."""


class _Output(io.TextIOWrapper):
    """Raises CannotAnswerError where it cannot be written, BrokenPipeError where its reader is gone."""

    def write(self, text: str, /) -> int:
        try:
            return super().write(text)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _unwritable(error) from error

    def flush(self) -> None:
        try:
            super().flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _unwritable(error) from error


class _Notes(io.TextIOWrapper):
    """What cannot be written is dropped: there is no place left to say so."""

    def write(self, text: str, /) -> int:
        with suppress(OSError):
            return super().write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            super().flush()


def prepare_streams() -> None:
    """Make the process's streams usable; what is written to a closed one is dropped.

    A closed descriptor is opened first: the next file that is opened would get its number, and with it what is printed.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
    codecs.register_error(_ERRORS, _written_otherwise)
    sys.stdin = sys.stdin if sys.stdin is not None else open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - for the process's life
    sys.stdout = _over(sys.stdout, 1, _Output)
    sys.stderr = _over(sys.stderr, 2, _Notes)


def drop_output() -> None:
    """What is still to be written goes nowhere, so that it does not fail again when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _over(stream: TextIO | None, number: int, kind: type[_Output | _Notes]) -> TextIO:
    if stream is not None and not hasattr(stream, "buffer"):
        return stream  # somebody captures it in this process
    buffer: BinaryIO = open(number, "wb", closefd=False) if stream is None else stream.buffer  # noqa: SIM115 - likewise
    encoding = "utf-8" if stream is None else stream.encoding
    is_by_line = stream is not None and bool(stream.line_buffering)
    return kind(buffer, encoding=encoding, errors=_ERRORS, newline="\n", line_buffering=is_by_line, write_through=number == 2)


def _unwritable(error: OSError) -> CannotAnswerError:
    return CannotAnswerError(f"the output cannot be written: {error.strerror}", "write it to another place")


def _written_otherwise(error: UnicodeError) -> tuple[str | bytes, int]:
    """A byte that was no UTF-8 as that byte; a character that the encoding lacks as ``?``."""
    assert isinstance(error, UnicodeEncodeError)
    codes = [ord(character) for character in error.object[error.start : error.end]]
    written = (bytes([code - 0xDC00]) if _FIRST_BYTE <= code <= _LAST_BYTE else b"?" for code in codes)
    return b"".join(written), error.end
