"""Whether a compiler failed because a file could not be written to its end: then the source is not at fault.

Example::

    says_disk_is_full(4, "gcc: internal compiler error: File size limit exceeded signal terminated program cc1plus")    # True
"""

from __future__ import annotations

import errno
import os
import re
import signal

__all__ = ["FULL_ERRORS", "REMEDY", "says_disk_is_full"]

FULL_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""No space left, the user's quota reached, or the limit on the size of a file."""
REMEDY = "free space there and in the temporary folder, or raise the limit on file sizes (ulimit -f)"
_SAID = re.compile(
    rf": (?:{'|'.join(sorted(map(os.strerror, FULL_ERRORS)))})$"
    rf"|terminated with signal {signal.SIGXFSZ.value}\b"
    r"|File size limit exceeded signal terminated program",
    re.MULTILINE,
)
"""In the words of gcc, as and ld (GCC 11 to 14, binutils 2.40, messages in English)."""


def says_disk_is_full(status: int, output: str) -> bool:
    """``status``: as `subprocess` gives it; ``output``: standard output and error."""
    return status == -signal.SIGXFSZ or (status != 0 and _SAID.search(output) is not None)
