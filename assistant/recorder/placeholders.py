"""What stands in for files that only CUDA's toolkit could make, so that a build without it goes on to its end.

A placeholder is a text that names what it stands for and differs from all else, within an archive too. Started, it says that it
cannot run. Example::

    write_placeholder("/b/scale.o", "nvcc -c scale.cu")
    is_placeholder("/b/libscale.a")     # True where scale.o was put into it
"""

from __future__ import annotations

import mmap
import os

__all__ = ["CANNOT_RUN_STATUS", "STARTED_TEXT", "is_placeholder", "write_placeholder"]

_MARK = b"kernelopt placeholder 5f0c1b7e"
STARTED_TEXT = "was not compiled, as there is no CUDA toolkit here, so the build cannot start it"
"""In the message of a placeholder that a build starts."""
CANNOT_RUN_STATUS = 126
_TEXT = """\
#!/bin/sh
# {mark} {number}: {meaning}
echo "kernelopt: $0 {started}" >&2
exit {status}
"""


def write_placeholder(path: str, meaning: str) -> None:
    """In place of what is there; no two are the same. ``meaning``: what would have made the file. Raises OSError."""
    words = " ".join(meaning.split())
    text = _TEXT.format(mark=_MARK.decode(), number=os.urandom(8).hex(), meaning=words, started=STARTED_TEXT, status=CANNOT_RUN_STATUS)
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123 - started for each call of a compiler
        file.write(text)
    os.chmod(path, 0o755)  # noqa: PTH101, S103 - as compilers leave a program


def is_placeholder(path: str) -> bool:
    """Whether the file is one, or an archive with one in it; False for what cannot be read."""
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:  # noqa: PTH123 - likewise
            return content.find(_MARK) >= 0
    except (OSError, ValueError):  # an empty file cannot be mapped
        return False
