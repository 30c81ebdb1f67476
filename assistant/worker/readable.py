"""Which files compilers may read for a program, and the message about one that they may not.

The rule: the sources, all of each source's workspace (or of its own folder), the include folders that flags name, the system's headers
and libraries, and the compilers' own files. Of a folder that many programs share (the home folder and those above it, the
temporary folder) only the files that lie directly in it; of places for credentials and of the system's own state nothing.

Example::

    files = program_files((Path("/home/u/p/src/k.cu"),), (Path("/home/u/p"),), (Path("/opt/lib/include"),))
    files.holds(Path("/home/u/.ssh/id_rsa"))     # False
"""

from __future__ import annotations

import os
import pwd
import re
import stat
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from assistant.model.build import Diagnostic
from assistant.record import Record
from assistant.worker.landlock import FileAccess

__all__ = ["NO_FILES", "ProgramFiles", "compiler_access", "explained", "program_files", "tool_places"]

_SYSTEM = tuple(
    map(
        Path,
        (
            *("/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/nix/store", "/gnu/store", "/etc/alternatives"),
            *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload", "/etc/localtime"),
            *("/proc/cpuinfo", "/proc/meminfo", "/proc/sys/vm/overcommit_memory", "/sys/devices/system/cpu"),
        ),
    )
)
"""What g++ 12 and nvcc 13 open (strace), and where other distributions keep it."""
_TEMPORARY = tuple(map(Path, ("/tmp", "/var/tmp", "/dev/shm")))  # noqa: S108 - looked at, not written to
_STATE_OF_SYSTEM = tuple(map(Path, ("/proc", "/sys", "/dev", "/etc")))
_CREDENTIALS = (".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config/gcloud", ".config/gh", ".local/share/keyrings",
                ".password-store", ".mozilla", ".pki")  # fmt: skip
"""Below the home folder."""
_MOST_FILES = 4096
"""Files of a shared folder that are listed."""
_REFUSED = re.compile(r"(?P<gcc>.+): Permission denied|file not found: (?P<gas>.+)")
"""As cc1plus (GCC 11 to 14) and the assembler (binutils 2.40, ``.incbin``) say it."""


class ProgramFiles(Record):
    """The user's files; all paths are real ones (no links in them)."""

    folders: tuple[Path, ...]
    """With all that is below them."""
    files: tuple[Path, ...]

    def holds(self, path: Path) -> bool:
        """Whether compilers may read the file that ``path`` leads to."""
        real = Path(os.path.realpath(path))
        return real in self.files or any(real.is_relative_to(folder) for folder in self.folders)


NO_FILES = ProgramFiles((), ())
"""Nothing of the user's is read."""


def program_files(sources: Iterable[Path], workspaces: Iterable[Path], includes: Iterable[Path]) -> ProgramFiles:
    """``sources``: absolute; ``includes``: folders, or files, that flags name. What does not exist is left out."""
    named = tuple(sources)
    shared = (*_above(_homes()), *_TEMPORARY)
    folders: dict[Path, None] = {}
    files = {Path(os.path.realpath(path)): None for path in named}
    own = (*workspaces, *(path.parent for path in named))
    for place in (*own, *(path for path in includes if not _is_guarded(path))):
        real = Path(os.path.realpath(place))
        if real in shared:
            files.update(dict.fromkeys(_files_in(real)))
        elif real.is_dir():
            folders[real] = None
        elif real.is_file():
            files[real] = None
    return ProgramFiles(tuple(folders), tuple(files))


def compiler_access(files: ProgramFiles, tools: Iterable[Path], read: Iterable[Path], write: Iterable[Path]) -> FileAccess:
    """``tools``: `tool_places` of what is started; ``read``, ``write``: files and folders of ours."""
    return FileAccess(read=(*files.folders, *files.files, *read), run=(*_SYSTEM, *tools), write=tuple(write))


def tool_places(*tools: str | Path) -> tuple[Path, ...]:
    """A tool's own file, and all of where it is installed, unless that is the system's or shared with others."""
    places: dict[Path, None] = {}
    for tool in tools:
        real = Path(os.path.realpath(tool))
        places[Path(tool)] = places[real] = None
        root = real.parent.parent
        if root not in (*_above(_homes()), *_TEMPORARY) and not any(root.is_relative_to(place) for place in _SYSTEM):
            places[root] = None
    return tuple(places)


def explained(diagnostics: Iterable[Diagnostic], files: ProgramFiles) -> tuple[Diagnostic, ...]:
    """With the reason and the remedy where a compiler was not let read a file."""
    return tuple(
        replace(diagnostic, message=_refusal(diagnostic.message, files, Path(diagnostic.file).parent) or diagnostic.message)
        for diagnostic in diagnostics
    )


def _refusal(message: str, files: ProgramFiles, folder: Path) -> str | None:
    """What to tell instead of a compiler's message that a file cannot be read; None where the rule is not the reason.

    ``folder``: what relative names are relative to.
    """
    match = _REFUSED.fullmatch(message)
    if match is None:
        return None
    named = folder / (match["gcc"] or match["gas"])
    real = Path(os.path.realpath(named))
    if files.holds(named) or not real.exists():
        return None
    led = "" if real == Path(os.path.normpath(named)) else f", which leads to {real},"
    refusal = f"{os.path.normpath(named)}{led} was not read: it is outside the program's workspace and include folders"
    return refusal if _is_guarded(real) else f"{refusal}; if the program needs it, name its folder to the compiler: -I{real.parent}"


def _homes() -> tuple[Path, ...]:
    """As the environment says, and as the system's list of users does."""
    named = [os.environ.get("HOME", "")]
    with suppress(KeyError):
        named.append(pwd.getpwuid(os.getuid()).pw_dir)
    return tuple(Path(os.path.realpath(home)) for home in dict.fromkeys(named) if home)


def _above(folders: Iterable[Path]) -> set[Path]:
    """The folders and all above them."""
    return {above for folder in folders for above in (folder, *folder.parents)}


def _is_guarded(path: Path) -> bool:
    real = Path(os.path.realpath(path))
    credentials = (home / name for home in _homes() for name in _CREDENTIALS)
    if any(real.is_relative_to(place) for place in credentials):
        return True
    return not any(real.is_relative_to(place) for place in _TEMPORARY) and any(real.is_relative_to(place) for place in _STATE_OF_SYSTEM)


def _files_in(folder: Path) -> list[Path]:
    """Regular files, without hidden ones and without links."""
    try:
        with os.scandir(folder) as listing:
            named = (entry for _, entry in zip(range(_MOST_FILES), listing, strict=False) if not entry.name.startswith("."))
            return [Path(entry.path) for entry in named if stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode)]
    except OSError:
        return []
