"""Starts a process that ends with the one that started it: ``python -m assistant.device.with_parent WHAT ARGUMENT…``.

It says so to the kernel before anything that takes long to import, as its parent may be killed meanwhile. ``child_commands`` has the
command lines; this module runs in the new process.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from pathlib import Path

_PR_SET_PDEATHSIG = 1
"""prctl(2): signal for a child whose parent dies."""


def _end_with(parent: int) -> None:
    """Be killed when the parent dies; end now where that is no longer ``parent``, which died before it could be said."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def main(arguments: list[str]) -> int:
    match arguments:
        case ["relaunch", request]:
            _end_with(os.getppid())
            from assistant.device.relaunch import run

            return run(Path(request))
        case ["sampling", parent, library]:
            _end_with(int(parent))
            from assistant.device.counters.sampling import serve

            return serve(Path(library))
        case ["report", parent]:
            _end_with(int(parent))
            from assistant.device.counters.report_process import serve as read

            return read()
        case _:
            sys.stderr.write("expected relaunch REQUEST, sampling PARENT LIBRARY or report PARENT\n")
            return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
