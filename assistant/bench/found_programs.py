"""The programs of a folder that has no ``suite.toml``.

Example::

    found_programs(Path("/p")).programs     # (('scale', (Path('scale.cu'),)), ('solver/main', (Path('solver/main.cu'),)))
"""

from __future__ import annotations

from pathlib import Path

from assistant.config import find_workspace, load_settings
from assistant.cuda.parse import parse
from assistant.engine import JobRequest, declares_workload, flags_of, programs_of, read_source
from assistant.errors import KernelOptError
from assistant.record import Record

__all__ = ["FoundPrograms", "found_programs"]

_SOURCE = ".cu"


class FoundPrograms(Record):
    """What a folder holds; files are relative to it."""

    programs: tuple[tuple[str, tuple[Path, ...]], ...]
    """(name, files) by path: each source with ``main()`` or a declared workload, and each further program that a source is part of (a
    ``main()`` in C++, a configured or recorded build)."""
    left_out: tuple[Path, ...]
    """Sources that no program runs."""


def found_programs(folder: Path) -> FoundPrograms:
    """Looks through the folder and those below it, hidden ones left out."""
    sources = sorted(path for path in folder.rglob(f"*{_SOURCE}") if _is_seen(path.relative_to(folder)) and path.is_file())
    chosen = [path for path in sources if _starts(path)]
    taken, left_out = frozenset(chosen), list[Path]()
    for path in (path for path in sources if path not in taken):
        programs = _programs_with(path)
        if not programs:
            left_out.append(path.relative_to(folder))
        elif not any(units & taken for units in programs):
            chosen.append(path)
            taken |= programs[0]
    named = ((path.relative_to(folder).with_suffix("").as_posix(), (path.relative_to(folder),)) for path in sorted(chosen))
    return FoundPrograms(tuple(named), tuple(left_out))


def _is_seen(path: Path) -> bool:
    return not any(part.startswith(".") for part in path.parts)


def _starts(path: Path) -> bool:
    """Whether it can be run by itself. A file that cannot be read is a task, too, which says so when it fails."""
    try:
        parsed = parse(read_source(path))
    except KernelOptError:
        return True
    return parsed.has_main or declares_workload(parsed)


def _programs_with(path: Path) -> tuple[frozenset[Path], ...]:
    """Units of each program that the file is part of."""
    request = JobRequest(path, path.parent)
    try:
        found = programs_of(request, flags_of(request, load_settings(find_workspace(path)))).search.found
    except KernelOptError:
        return ()
    return tuple(frozenset(program.units) for program in found)
