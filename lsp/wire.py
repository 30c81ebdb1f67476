"""Writes to the client; once it has gone, output is dropped."""

from __future__ import annotations

import contextlib
from typing import BinaryIO

__all__ = ["ClientWriter"]


class ClientWriter:
    """pygls' writer on a pipe; a client that closed its end, or sent ``exit``, is not an error."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out

    def write(self, data: bytes) -> None:
        if self._out.closed:
            return
        try:
            self._out.write(data)
            self._out.flush()
        except BrokenPipeError:
            self.close()

    def close(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            self._out.close()
