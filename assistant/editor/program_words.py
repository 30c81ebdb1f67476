"""How a source's program is named to people: in a lens, in its tooltip, in the hover.

Example::

    program_lens(programs)      # 'via bench (CMake)', '2 programs run this · Choose', 'no program runs this', or None
"""

from __future__ import annotations

from assistant.engine import FilePrograms
from assistant.model.program import FoundProgram, ProgramOrigin
from assistant.profile.quantity import counted_noun
from assistant.program.build_files import BuildWay

__all__ = ["choice_question", "is_run_by_none", "program_about", "program_lens", "program_name", "way_title"]

_NAME_CHARACTERS = 26
"""Longest name in a lens: with the three commands before it, the row stays within 60 characters."""
_NONE_FOUND = "no program runs this"
_UNITS_SHOWN = 8
_ORIGINS = {
    ProgramOrigin.CMAKE: " (CMake)",
    ProgramOrigin.CONFIGURATION: " (kernelopt.toml)",
    ProgramOrigin.RECORDED_BUILD: " (recorded)",
    ProgramOrigin.EXTENSION: " (PyTorch)",
}
"""What programs are called whose names are not those of their files."""
_REMEDY = "name the sources in a table [program.NAME] of kernelopt.toml, or declare a workload for the kernel"


def program_lens(programs: FilePrograms | None) -> str | None:
    """None where a file runs by itself or nothing was looked for, and before that is known."""
    if programs is None:
        return None
    if is_run_by_none(programs):
        return _NONE_FOUND
    if not programs.search.found:
        return None
    program = programs.program
    if program is None:
        return f"{counted_noun(len(programs.meant), 'program')} run this · Choose"
    return None if programs.file in program.units[:1] else f"via {program_name(program)}"


def is_run_by_none(programs: FilePrograms | None) -> bool:
    """Whether a program that runs the file was looked for, and none was found."""
    return programs is not None and not programs.search.found and bool(programs.search.looked_for or programs.search.problem)


def program_name(program: FoundProgram) -> str:
    """Its end where it is long, and what names it where it is no file: ``…transpose/bench.cu``, ``bench (CMake)``."""
    origin = _ORIGINS.get(program.origin, "")
    name, most = program.name, _NAME_CHARACTERS - len(origin)
    return (name if len(name) <= most else f"…{name[1 - most :]}") + origin


def program_about(programs: FilePrograms | None) -> str:
    """Why a program runs the file, and what it is made of; or what there is to choose from, or was looked for. Empty: nothing to say."""
    if programs is None:
        return ""
    if programs.program is not None:
        return "" if program_lens(programs) is None else _described(programs.program)
    if programs.search.found:
        return "\n".join((choice_question(programs), *(f"{program.name}: {program.why}" for program in programs.meant)))
    if programs.search.problem:
        return f"No program runs these kernels: {programs.search.problem}"
    if programs.search.looked_for:
        remedy = _REMEDY if programs.way is None else f"{way_title(programs.way)}; or {_REMEDY}"
        return f"No program runs these kernels: {'; '.join(programs.search.looked_for)}\n{remedy}"
    return ""


def way_title(way: BuildWay) -> str:
    """What a person may have done, as an action names it."""
    what = "configure the CMake project" if way.command is None else f"record the build ({way.command})"
    return f"{what}, to see what runs these kernels"


def choice_question(programs: FilePrograms) -> str:
    """What a person is asked."""
    return f"{programs.file.name} is part of {counted_noun(len(programs.search.found), 'program')}. Which one runs its kernels?"


def _described(program: FoundProgram) -> str:
    units = [unit.name for unit in program.units[:_UNITS_SHOWN]]
    more = f" and {len(program.units) - _UNITS_SHOWN} more" if len(program.units) > _UNITS_SHOWN else ""
    unclear = (program.unclear,) if program.unclear else ()
    return "\n".join((f"run by {program.name}: {program.why}", f"built from {', '.join(units)}{more}", *unclear))
