"""What the command ``program`` does: looks for programs, shows them, remembers a choice."""

from __future__ import annotations

import os
from pathlib import Path

import typer

from assistant.cli import exit_codes
from assistant.cli.console import console
from assistant.cli.options import words_of
from assistant.cli.paths import plain_path
from assistant.config import find_workspace, load_settings
from assistant.disk.texts import source_text
from assistant.errors import UsageError
from assistant.model.program import FoundProgram, ProgramSearch
from assistant.program import choose_program, chosen_program, find_programs, programs_of_folder
from assistant.serialize import dumps, encode

__all__ = ["print_programs", "use_program"]

_NAMES_SHOWN = 8


def print_programs(file: Path | None, cflags: str | None, as_json: bool) -> None:
    """Every program of the file or folder; ends the command with 1 where there is none, with 3 where a problem hides them."""
    path = _existing(file)
    search = _search(path, cflags)
    chosen = None if path.is_dir() else chosen_program(path, find_workspace(path))
    if as_json:
        typer.echo(dumps({"programs": encode(search.found), "looked_for": search.looked_for, "problem": search.problem, "chosen": chosen}))
    else:
        _print_search(path, search, chosen)
    raise typer.Exit(_exit_code(search))


def use_program(file: Path | None, name: str, cflags: str | None, as_json: bool) -> None:
    """Remembers the program of that name for the file. Raises UsageError where the file has none of that name."""
    path = _existing(file)
    if path.is_dir():
        raise UsageError("--use needs a FILE, not a folder", "kernelopt program FILE --use NAME")
    names = [program.name for program in _search(path, cflags).found]
    if name not in names:
        known = ", ".join(names[:_NAMES_SHOWN]) + (", …" if len(names) > _NAMES_SHOWN else "")
        remedy = f"name one of these: {known}" if names else f"kernelopt program {path.name} says what was looked for"
        raise UsageError(f"{path.name} belongs to no program {name}", remedy)
    choose_program(path, find_workspace(path), name)
    if as_json:
        typer.echo(dumps({"file": str(path), "chosen": name}))
    else:
        console().print(f"{name} is meant when {path.name} is asked about", markup=False)


def _existing(file: Path | None) -> Path:
    path = plain_path(Path.cwd() if file is None else file)
    if not path.exists():
        raise UsageError(f"{path} does not exist", "check the path")
    return path


def _search(path: Path, cflags: str | None) -> ProgramSearch:
    workspace = find_workspace(path)
    given = words_of(cflags)
    flags = load_settings(workspace).settings.build.flags if given is None else given
    if path.is_dir():
        return programs_of_folder(path, source_text, workspace, flags)
    return find_programs(path, (), source_text, workspace, flags)


def _exit_code(search: ProgramSearch) -> int:
    if search.found:
        return exit_codes.DONE
    return exit_codes.CANNOT_ANSWER if search.problem else exit_codes.ANSWER_IS_NO


def _print_search(path: Path, search: ProgramSearch, chosen: str | None) -> None:
    out = console()
    for program in search.found:
        _print_program(program, program.name == chosen)
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
    if search.problem:
        console(is_error=True).print(f"warning: {search.problem}", markup=False)


def _print_program(program: FoundProgram, is_chosen: bool) -> None:
    out = console()
    out.print(f"{program.name}  ({program.origin.value}{', chosen' if is_chosen else ''})", markup=False, style="bold")
    rows = (
        ("units", " ".join(os.path.relpath(unit) for unit in program.units)),
        ("why", program.why),
        ("flags", " ".join(program.flags)),
        ("args", " ".join(program.arguments)),
        ("cwd", "" if program.working_directory is None else str(program.working_directory)),
        ("build", " ".join(program.build_command or ())),
        ("run", " ".join(program.run_command or ())),
    )
    for name, text in rows:
        if text:
            out.print(f"  {name:<6}{text}", markup=False)
