"""The first cell on a machine waits for the emulator to be built: that is said below it, with the seconds, until it is done.

Example::

    with reported(workshop.lab.cache):
        compiled = compile(cell)      # 'building the emulator (once, about 60 s): 12 s'
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from assistant.lab.cache import FIRST_BUILD, is_emulator_built
from jupyter_ext.front import is_terminal, show

__all__ = ["reported"]

_EACH_S = 1.0
_NOTHING = {"text/plain": "", "text/html": ""}


@contextmanager
def reported(cache: Path) -> Generator[None]:
    """While what is inside runs; nothing is shown where the emulator was built before."""
    if is_emulator_built(cache):
        yield
        return
    if is_terminal():
        sys.stdout.write(f"{FIRST_BUILD}…\n")
        yield
        return
    begun_s, is_over = time.monotonic(), threading.Event()
    output = show({"text/plain": FIRST_BUILD})

    def tell() -> None:
        while not is_over.wait(_EACH_S):
            output.update({"text/plain": f"{FIRST_BUILD}: {time.monotonic() - begun_s:.0f} s"}, raw=True)

    thread = threading.Thread(target=tell, name="kernelopt-first-build", daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
        output.update(_NOTHING, raw=True)
