"""Which files CUDA's compilers use for one program, by the rule of ``worker.readable``.

Example::

    files = files_of(("/p/k.cu",), ("/p",), ("-I/opt/x",), Path("/p"), environment)
    access = compile_access(files, toolchain, environment, scratch)
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from assistant.build.include_places import include_places
from assistant.device.toolchain import Toolchain
from assistant.worker.landlock import FileAccess
from assistant.worker.readable import ProgramFiles, compiler_access, program_files, tool_places

__all__ = ["compile_access", "files_of"]

_LISTS_OF_FOLDERS = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH")
_FLAGS = ("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS")


def files_of(
    sources: Iterable[str], workspaces: Iterable[str], arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> ProgramFiles:
    """The files of a program whose compilers get ``arguments`` and ``environment``, and run in ``folder``."""
    listed = (Path(place) for name in _LISTS_OF_FOLDERS for place in environment.get(name, "").split(os.pathsep) if place)
    users = (word for name in _FLAGS for word in _words(environment.get(name, "")))
    includes = (*include_places((*arguments, *users), folder), *(folder / place for place in listed))
    return program_files(map(Path, sources), map(Path, workspaces), includes)


def compile_access(
    files: ProgramFiles, toolchain: Toolchain, environment: Mapping[str, str], scratch: Path, own: Iterable[Path] = ()
) -> FileAccess:
    """``scratch``: existing; everything that compilers write goes there. ``own``: further files and folders of ours that they read."""
    found = (toolchain.nvcc.path if toolchain.nvcc else None, toolchain.gxx, toolchain.nvdisasm, environment.get("NVCC_CCBIN"))
    tools = tool_places(*(tool for tool in found if tool))
    return compiler_access(files, (*tools, *map(Path, toolchain.system_directories)), own, (scratch,))


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return []
