"""What the command ``program`` does: looks for programs, shows them, remembers a choice."""

from __future__ import annotations

import asyncio
import os
import shlex
from pathlib import Path

import typer

from assistant.cli import exit_codes
from assistant.cli.console import console
from assistant.cli.options import words_of
from assistant.cli.paths import plain_path, text_path
from assistant.config import find_project, find_workspace, load_settings, user_paths
from assistant.disk.texts import source_text
from assistant.engine import text_in_python
from assistant.errors import UsageError
from assistant.lab.configuring import configure_project
from assistant.model.program import FoundProgram, ProgramOrigin, ProgramSearch
from assistant.profile.quantity import first_of
from assistant.program import KeptFacts, choose_program, chosen_program, find_programs, programs_of_folder
from assistant.program.build_files import build_hint
from assistant.serialize import dumps, encode

__all__ = ["configure", "print_programs", "use_program"]

_NAMES_SHOWN = 8
_PROGRAMS_SHOWN = 20
"""In detail, so that the first of them are still on the screen."""
_OWN_OPTIONS = ("-S", "-B", "-H")
"""Options of cmake that choose the folders it works on."""


def configure(file: Path | None, options: str | None, as_json: bool) -> None:
    """Has CMake configure the file's project. Raises UsageError for options that name folders, CannotAnswerError where CMake refuses."""
    words = words_of(options) or ()
    named = next((word for word in words if word.startswith(_OWN_OPTIONS)), None)
    if named is not None:
        raise UsageError(f"--cmake-options may not have {named}", "the project and its build folder are chosen by FILE")
    configured = asyncio.run(configure_project(_existing(file), words))
    if as_json:
        return
    out = console()
    shown, source = os.path.relpath(configured.folder), os.path.relpath(configured.source)
    out.print(f"{configured.cmake} configured {source} in {shown}; nothing else was written", markup=False)
    if configured.is_stand_in:
        out.print("  no nvcc was found that does as the project asks: kernelopt answered CMake in its place", markup=False)


def print_programs(file: Path | None, cflags: str | None, as_json: bool, are_all_shown: bool) -> None:
    """Every program of the file or folder; ends the command with 1 where there is none, with 3 where a problem hides them."""
    path = _existing(file)
    search = _search(path, cflags)
    chosen = None if path.is_dir() else chosen_program(path, find_workspace(path), [program.name for program in search.found])
    if as_json:
        typer.echo(dumps({"programs": encode(search.found), "looked_for": search.looked_for, "problem": search.problem, "chosen": chosen}))
    else:
        _print_search(path, search, chosen, len(search.found) if are_all_shown else _PROGRAMS_SHOWN)
    raise typer.Exit(_exit_code(search))


def use_program(file: Path | None, name: str, cflags: str | None, as_json: bool) -> None:
    """Remembers the program of that name for the file. Raises UsageError where the file has none of that name."""
    path = _existing(file)
    if path.is_dir():
        raise UsageError("--use needs a FILE, not a folder", "kernelopt program FILE --use NAME")
    found = _search(path, cflags).found
    names = [program.name for program in found]
    name = _named(found, name)
    if name not in names:
        remedy = (
            f"name one of these: {first_of(names, _NAMES_SHOWN)}" if names else f"kernelopt program {path.name} lists what was looked for"
        )
        raise UsageError(f"{path.name} belongs to no program {name}", remedy)
    choose_program(path, find_workspace(path), name)
    if as_json:
        typer.echo(dumps({"file": str(path), "chosen": name}))
    else:
        console().print(f"{name} is meant when {path.name} is asked about", markup=False)


def _named(found: tuple[FoundProgram, ...], written: str) -> str:
    """The name of the program that is meant: it is written itself, or as the path of its source with ``main()`` from here."""
    if any(program.name == written for program in found):
        return written
    path = Path(os.path.realpath(written))
    return next((program.name for program in found if program.units and Path(os.path.realpath(program.units[0])) == path), written)


def _existing(file: Path | None) -> Path:
    path = plain_path(Path.cwd()) if file is None else text_path(file, None)
    if not path.exists() and text_in_python(path) is None:
        raise UsageError(f"{path} does not exist", "check the path")
    return path


def _search(path: Path, cflags: str | None) -> ProgramSearch:
    project, given = find_project(path), words_of(cflags)
    flags = load_settings(find_workspace(path)).settings.build.flags if given is None else given
    facts = KeptFacts(user_paths().cache)
    if path.is_dir():
        return programs_of_folder(path, source_text, project, flags, facts)
    return find_programs(path, (), source_text, project, flags, facts)


def _exit_code(search: ProgramSearch) -> int:
    if search.found:
        return exit_codes.DONE
    return exit_codes.CANNOT_ANSWER if search.problem else exit_codes.ANSWER_IS_NO


def _print_search(path: Path, search: ProgramSearch, chosen: str | None, most_shown: int) -> None:
    out = console()
    found = sorted(search.found, key=lambda program: program.name != chosen)
    for program in found[:most_shown]:
        _print_program(path, program, program.name == chosen)
    left_out = found[most_shown:]
    if left_out:
        of = "" if path == plain_path(Path.cwd()) else f" {os.path.relpath(path)}"
        names = first_of([program.name for program in left_out], _NAMES_SHOWN)
        out.print(f"{len(left_out)} more ({names}): kernelopt program{of} --all lists them", markup=False)
    if not search.found:
        out.print(f"{path.name} belongs to no program that was found", markup=False)
        for text in search.looked_for:
            out.print(f"  {text}", markup=False)
        out.print(
            "  try: name all sources on the command line, or write [program.NAME] with sources = […] into kernelopt.toml", markup=False
        )
    if chosen is not None and chosen not in {program.name for program in search.found}:
        out.print(f"{chosen}, which was chosen for {path.name}, is not among them any more", markup=False)
    if len(search.found) > 1 and chosen is None and not path.is_dir():
        out.print(f"several: kernelopt program {path.name} --use NAME remembers which is meant", markup=False)
    if all(program.origin is ProgramOrigin.INCLUDES for program in search.found):
        hint = build_hint(find_project(path), None if path.is_dir() else path)
        if hint:
            out.print(hint, markup=False)
    if search.problem:
        console(is_error=True).print(f"warning: {search.problem}", markup=False)


def _print_program(path: Path, program: FoundProgram, is_chosen: bool) -> None:
    out = console()
    out.print(f"{program.name}  ({program.origin_text}{', chosen' if is_chosen else ''})", markup=False, style="bold")
    rows = (
        ("units", " ".join(os.path.relpath(unit) for unit in program.units)),
        ("why", program.why),
        ("flags", " ".join(program.flags)),
        ("links", " ".join(program.libraries)),
        ("args", shlex.join(program.arguments)),
        ("cwd", "" if program.working_directory is None else str(program.working_directory)),
        ("build", " ".join(program.build_command or ())),
        ("run", " ".join(program.run_command or ())),
        ("note", program.unused),
    )
    for name, text in rows:
        if text:
            out.print(f"  {name:<6}{text}", markup=False)
    if program.run_command is not None and not path.is_dir():
        build = "" if program.build_command is None else f" --build {shlex.quote(shlex.join(program.build_command))}"
        run = shlex.quote(shlex.join(program.run_command))
        out.print(f"  as it is built and run: kernelopt check {path.name}{build} --run {run}", markup=False)
