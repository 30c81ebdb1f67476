"""What a program that the user did not write left in a folder, made safe to read.

It can leave anything there under a name that is read afterwards: a link to a device that never ends, a pipe that nothing writes to. Nothing
of the program runs any more when this is called. Example::

    keep_plain_files(folder)       # then: (folder / "report").read_text()
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

__all__ = ["keep_plain_files"]

_MOST_BYTES = 4 << 30
"""Largest file that is kept (chosen): a recording's largest buffer; nothing larger is read into memory."""


def keep_plain_files(folder: Path) -> None:
    """Remove everything below ``folder`` that is neither a folder nor a file of sensible size. Raises OSError."""
    waiting = [str(folder)]
    while waiting:
        with os.scandir(waiting.pop()) as listing:
            entries = list(listing)
        for entry in entries:
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(status.st_mode):
                waiting.append(entry.path)
            elif not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
                os.unlink(entry.path)  # noqa: PTH108 - what the listing gave
