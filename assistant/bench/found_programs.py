"""The programs of a folder that has no ``suite.toml``.

Example::

    found_programs(Path("/p"))     # [('scale', (Path('scale.cu'),)), ('solver/main', (Path('solver/main.cu'),))]
"""

from __future__ import annotations

from pathlib import Path

from assistant.config import find_workspace, load_settings
from assistant.cuda.parse import parse
from assistant.engine import JobRequest, declares_workload, flags_of, programs_of, read_source
from assistant.errors import KernelOptError

__all__ = ["found_programs"]

_SOURCE = ".cu"


def found_programs(folder: Path) -> list[tuple[str, tuple[Path, ...]]]:
    """(name, files relative to the folder) by path: each source with ``main()`` or a declared workload, and each further program that a
    source is part of (a ``main()`` in C++, a configured or recorded build)."""
    sources = sorted(path for path in folder.rglob(f"*{_SOURCE}") if _is_seen(path.relative_to(folder)) and path.is_file())
    chosen = [path for path in sources if _starts(path)]
    taken = frozenset(chosen)
    for path in (path for path in sources if path not in taken):
        programs = _programs_with(path)
        if programs and not any(units & taken for units in programs):
            chosen.append(path)
            taken |= programs[0]
    return [(path.relative_to(folder).with_suffix("").as_posix(), (path.relative_to(folder),)) for path in sorted(chosen)]


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
