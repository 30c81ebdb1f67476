"""``libraries.cu`` as a shared library, made by nvcc in the background while other things are measured; knows nothing of PyTorch.

Example::

    with CubBuild(folder):
        …                                     # another process: built_library(folder, 60.0)
"""

from __future__ import annotations

import shutil
import subprocess
import threading
import time
from pathlib import Path
from types import TracebackType

__all__ = ["LIBRARY_NAME", "SOURCE", "CubBuild", "built_library"]

SOURCE = Path(__file__).with_name("libraries.cu")
LIBRARY_NAME = "libraries.so"
_LOG_NAME, _FAILED_NAME = "libraries.nvcc.txt", "libraries.nvcc.failed.txt"
_FLAGS = ("-O1", "-std=c++17", "-shared", "-Xcompiler", "-fPIC", "-split-compile=0")
"""-O1 is of the host's code, which is next to nothing; ptxas has its own, 3."""
_POLL_S = 0.05
_LOG_LETTERS = 500


class CubBuild:
    """Starts nvcc where the library is not there or older than its source; ends it when it is left."""

    def __init__(self, folder: Path, architecture: str = "native", nvcc: str | None = None) -> None:
        self._folder = folder
        self._failed = folder / _FAILED_NAME
        self._process: subprocess.Popen[bytes] | None = None
        self._failed.unlink(missing_ok=True)
        library = folder / LIBRARY_NAME
        if library.exists() and library.stat().st_mtime >= SOURCE.stat().st_mtime:
            return
        library.unlink(missing_ok=True)
        compiler = nvcc or shutil.which("nvcc")
        if compiler is None:
            self._failed.write_text("there is no nvcc on PATH", "utf-8")
            return
        partial = folder / f"{LIBRARY_NAME}.partial"
        command = (compiler, *_FLAGS, f"-arch={architecture}", "-o", str(partial), str(SOURCE))
        with (folder / _LOG_NAME).open("wb") as log:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        self._waiter = threading.Thread(target=self._finish, args=(self._process, partial), daemon=True)
        self._waiter.start()

    def _finish(self, process: subprocess.Popen[bytes], partial: Path) -> None:
        if process.wait() == 0:
            partial.replace(self._folder / LIBRARY_NAME)
        else:
            self._failed.write_text((self._folder / _LOG_NAME).read_text("utf-8", "replace")[-_LOG_LETTERS:] or "nvcc failed", "utf-8")

    def __enter__(self) -> CubBuild:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._process is not None:
            self._process.terminate()
            self._waiter.join()


def built_library(folder: Path, timeout_s: float) -> Path:
    """Waits for it. Raises OSError where it cannot be built, or is not in that time."""
    end_s = time.monotonic() + timeout_s
    while not (folder / LIBRARY_NAME).exists():
        failed = folder / _FAILED_NAME
        if failed.exists():
            raise OSError(f"libraries.cu is not built: {failed.read_text('utf-8').strip()}")
        if time.monotonic() > end_s:
            raise OSError(f"libraries.cu is not built after {timeout_s:.0f} s")
        time.sleep(_POLL_S)
    return folder / LIBRARY_NAME
