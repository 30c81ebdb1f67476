"""A side's turn on the GPU: it asks by an empty file in its folder, and this process, which it cannot reach, takes the GPU's lock for it.

A side that builds an extension, which takes most of its time, so keeps nobody from the GPU. It asks to ``share`` the GPU before it first
touches it, and to have it ``alone`` before it measures. Example::

    with Turns(folder, Lease(uuid, lock_folder())):
        ...     # the side runs; it writes wants_share, and goes on when it finds has_share
"""

from __future__ import annotations

import threading
from pathlib import Path
from types import TracebackType

from assistant.disk.gpu_lease import GpuBusyError, Lease

__all__ = ["KINDS", "Turns"]

KINDS = ("share", "alone")
"""In the order in which they can be asked for."""
_POLL_S = 0.02


class Turns:
    """Answers what one side asks for while it runs; nothing is held afterwards."""

    def __init__(self, folder: Path, lease: Lease) -> None:
        self._folder = folder
        self._lease = lease
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        for kind in KINDS:
            for answer in ("wants", "has", "busy"):
                (folder / f"{answer}_{kind}").unlink(missing_ok=True)

    def __enter__(self) -> Turns:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._over.set()
        self._thread.join()

    def _serve(self) -> None:
        for number, kind in enumerate(KINDS):
            if not self._wait_for((kind,)):
                continue
            try:
                with self._lease.held(alone=kind == "alone"):
                    (self._folder / f"has_{kind}").touch()
                    self._wait_for(KINDS[number + 1 :])
            except GpuBusyError as error:
                (self._folder / f"busy_{kind}").write_text(str(error), "utf-8")
                return

    def _wait_for(self, kinds: tuple[str, ...]) -> bool:
        """Whether one of these is asked for; False: the side has ended."""
        while not self._over.wait(_POLL_S):
            if any((self._folder / f"wants_{kind}").exists() for kind in kinds):
                return True
        return False
