"""Which files CUDA's compilers use for one program, by the rule of ``worker.readable``.

Example::

    files = files_of(("/p/k.cu",), ("/p",), ("-I/opt/x",), Path("/p"), environment)
    access = compile_access(files, toolchain, environment, scratch)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from assistant.build.include_places import environment_places, include_places
from assistant.device.toolchain import Toolchain
from assistant.worker.landlock import FileAccess
from assistant.worker.readable import ProgramFiles, compiler_access, program_files, tool_places

__all__ = ["compile_access", "files_of"]


def files_of(
    sources: Iterable[str], workspaces: Iterable[str], arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> ProgramFiles:
    """The files of a program whose compilers get ``arguments`` and ``environment``, and run in ``folder``."""
    includes = (*include_places(arguments, folder), *environment_places(environment, folder))
    return program_files(map(Path, sources), map(Path, workspaces), includes)


def compile_access(
    files: ProgramFiles, toolchain: Toolchain, environment: Mapping[str, str], scratch: Path, own: Iterable[Path] = ()
) -> FileAccess:
    """``scratch``: existing; everything that compilers write goes there. ``own``: further files and folders of ours that they read."""
    found = (toolchain.nvcc.path if toolchain.nvcc else None, toolchain.gxx, toolchain.nvdisasm, environment.get("NVCC_CCBIN"))
    tools = tool_places(*(tool for tool in found if tool))
    return compiler_access(files, (*tools, *map(Path, toolchain.system_directories)), own, (scratch,))
