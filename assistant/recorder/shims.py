"""A folder like a CUDA toolkit's whose ``bin`` stands first on PATH: each file there starts ``shim`` under the name of a tool.

Example::

    toolkit = make_toolkit(Path("/scratch"), Path("/scratch/notes"), os.environ)
    build_environment(toolkit, os.environ)["PATH"]       # '/scratch/toolkit/bin:/usr/bin:/bin'
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from assistant.record import Record
from assistant.worker.environment import own_environment

__all__ = ["Toolkit", "build_environment", "make_toolkit"]

_ROOT = Path(__file__).parents[2]
_TOOLS = re.compile(
    r"(?:g\+\+|gcc|c\+\+|cc|clang\+\+|clang|icpx|icx|nvc\+\+)(?:-[\d.]+)?|(?:[\w.]+-)+(?:g\+\+|gcc|ar|ld)|ar|ld|strip|ranlib|objcopy"
)
"""Names of compilers, of what makes archives and programs of objects, and of what changes these; also with a version or a target."""
_NVCC = "nvcc"
_COMPILER_VARIABLES = ("NVCC", "CUDACXX", "PYTORCH_NVCC")
_HOST_COMPILER_VARIABLES = ("CC", "CXX", "CUDAHOSTCXX")
_TOOLKIT_VARIABLES = ("CUDA_HOME", "CUDA_PATH")
_TOOLKIT_HEADER = "include/cuda_runtime.h"
_USUAL_TOOLKIT = Path("/usr/local/cuda")
_SCRIPT = """\
#!/bin/sh
exec {python} {options} -I -S -B -c 'import sys; sys.path.insert(0, sys.argv.pop(1)); from assistant.recorder.shim import start; \
sys.exit(start(sys.argv[1:]))' {words} "$@"
"""


class Toolkit(Record):
    """What a build is given in the place of a toolkit."""

    folder: Path
    real: Path | None
    """The one of this machine; None: there is none."""
    nvcc: str | None
    """The machine's own; None: there is none."""

    @property
    def programs(self) -> Path:
        return self.folder / "bin"


def make_toolkit(scratch: Path, notes: Path, environment: Mapping[str, str]) -> Toolkit:
    """In ``scratch``; calls are noted in the folder ``notes``. Raises OSError."""
    path = environment.get("PATH", os.defpath)
    nvcc = _real_nvcc(environment, path)
    toolkit = Toolkit(scratch / "toolkit", _real_toolkit(environment, nvcc), nvcc)
    toolkit.programs.mkdir(parents=True)
    if toolkit.real is not None:
        _link_all(toolkit.real, toolkit.folder)
        if str(toolkit.real / "bin") not in path.split(os.pathsep):
            _link_all(toolkit.real / "bin", toolkit.programs)
    options = "" if sys.pycache_prefix is None else shlex.join(("-X", f"pycache_prefix={sys.pycache_prefix}"))
    for name, real in (*_tools_on(path), *_named_tools(environment), (_NVCC, nvcc or "")):
        script = toolkit.programs / name
        script.unlink(missing_ok=True)
        words = shlex.join((str(_ROOT), str(notes), name, real, nvcc or "", path))
        text = _SCRIPT.format(python=shlex.quote(sys.executable), options=options, words=words)
        script.write_text(text, "utf-8", "surrogateescape")
        script.chmod(0o755)
    return toolkit


def build_environment(toolkit: Toolkit, environment: Mapping[str, str]) -> dict[str, str]:
    """The user's, but that compilers are found in the toolkit, and that ccache keeps nothing in the user's home."""
    own = own_environment(environment)
    path = f"{toolkit.programs}{os.pathsep}{own.get('PATH', os.defpath)}"
    hosts = {name: str(toolkit.programs / Path(own[name]).name) for name in _HOST_COMPILER_VARIABLES if _is_file(own.get(name))}
    return (
        own
        | {"PATH": path, "CCACHE_DISABLE": "1"}
        | dict.fromkeys(_COMPILER_VARIABLES, _NVCC)
        | dict.fromkeys(_TOOLKIT_VARIABLES, str(toolkit.folder))
        | hosts
    )


def _real_nvcc(environment: Mapping[str, str], path: str) -> str | None:
    named = (environment.get(name) for name in _COMPILER_VARIABLES)
    homes = (environment.get(name) for name in _TOOLKIT_VARIABLES)
    candidates = (*named, *(f"{home}/bin/{_NVCC}" for home in homes if home), shutil.which(_NVCC, path=path))
    return next((str(candidate) for candidate in candidates if _is_file(candidate)), None)


def _real_toolkit(environment: Mapping[str, str], nvcc: str | None) -> Path | None:
    homes = [Path(home) for home in map(environment.get, _TOOLKIT_VARIABLES) if home]
    own = [] if nvcc is None else [Path(os.path.realpath(nvcc)).parent.parent, _USUAL_TOOLKIT]
    return next((folder for folder in (*homes, *own) if (folder / _TOOLKIT_HEADER).is_file()), None)


def _tools_on(path: str) -> Iterator[tuple[str, str]]:
    """(name, file) of the first of each name."""
    seen: set[str] = set()
    for folder in path.split(os.pathsep):
        try:
            with os.scandir(folder or ".") as listing:
                names = sorted(entry.name for entry in listing if _TOOLS.fullmatch(entry.name))
        except OSError:
            continue
        for name in names:
            if name not in seen and _is_file(file := str(Path(folder or ".", name).absolute())):
                seen.add(name)
                yield name, file


def _named_tools(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in _HOST_COMPILER_VARIABLES:
        file = environment.get(name)
        if file is not None and _is_file(file):
            yield Path(file).name, file


def _is_file(file: str | None) -> bool:
    """Whether it names a program by its path, not by its name alone."""
    return file is not None and "/" in file and os.path.isfile(file) and os.access(file, os.X_OK)  # noqa: PTH113 - may be any text


def _link_all(folder: Path, into: Path) -> None:
    """Links to what is in a folder, but for what is there already."""
    for entry in sorted(folder.iterdir()):
        if not (into / entry.name).exists():
            (into / entry.name).symlink_to(entry)
