"""Exit codes of every command (docs/reference/cli.md)."""

from __future__ import annotations

DONE = 0
ANSWER_IS_NO = 1
MISUSE = 2
CANNOT_ANSWER = 3
INTERNAL = 4
INTERRUPTED = 130
"""128 + SIGINT, as shells expect."""
READER_GONE = 141
"""128 + SIGPIPE: the reader of the output stopped (``| head``)."""
