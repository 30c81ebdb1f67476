"""When kernels, copies and fills of a program ran on the GPU, by CUPTI: `activity.cpp` is linked into it, and nothing of ours.

Example::

    cupti = find_cupti()                                  # None: CUPTI is not next to nvcc
    span_us(stderr_of_the_program)                        # 1042.3: of what ran between two empty kernels
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NamedTuple

__all__ = ["FIRST", "LAST", "SOURCE", "Cupti", "find_cupti", "span_us"]

SOURCE = Path(__file__).with_name("activity.cpp")
FIRST, LAST = "timed_empty", "timed_last"
"""Kernels that begin and end what is timed."""
_LINE = "activity "
_FAILED = "failed"


class Cupti(NamedTuple):
    """Where CUPTI is."""

    include: Path
    library: Path

    @property
    def flags(self) -> tuple[str, ...]:
        """What nvcc needs to build `SOURCE` into a program."""
        folder = self.library.parent
        return (f"-I{self.include}", f"-L{folder}", "-Xlinker", f"-rpath,{folder}", f"-l:{self.library.name}")


def find_cupti(nvcc: str | None = None) -> Cupti | None:
    """That of the toolkit whose nvcc is on PATH; None where it has none."""
    compiler = nvcc or shutil.which("nvcc")
    if compiler is None:
        return None
    root = Path(os.path.realpath(compiler)).parent.parent
    trees = (root / "extras/CUPTI", root / "targets/x86_64-linux", root)
    headers = (tree / "include" for tree in trees)
    include = next((folder for folder in headers if (folder / "cupti.h").is_file()), None)
    libraries = (path for tree in trees for folder in ("lib64", "lib") for path in sorted((tree / folder).glob("libcupti.so*")))
    library = next(libraries, None)
    return None if include is None or library is None else Cupti(include, library)


def span_us(written: str) -> float | None:
    """From the start of the first operation behind the kernel `FIRST` to the end of the last one before `LAST`, in µs.

    None where either is missing or nothing ran between them. Raises ValueError where CUPTI refused to take time stamps.
    """
    steps: list[tuple[int, int, str]] = []
    for line in written.splitlines():
        if not line.startswith(_LINE):
            continue
        kind, *rest = line.removeprefix(_LINE).split(" ", 3)
        if kind == _FAILED:
            raise ValueError(f"CUPTI takes no time stamps here: error {' '.join(rest)}")
        start, end, name = rest
        steps.append((int(start), int(end), name))
    steps.sort()
    begun = next((end for _, end, name in steps if FIRST in name), None)
    ended = next((start for start, _, name in reversed(steps) if LAST in name), None)
    if begun is None or ended is None:
        return None
    within = [(start, end) for start, end, name in steps if begun <= start < ended and FIRST not in name]
    return (max(end for _, end in within) - within[0][0]) / 1e3 if within else None
