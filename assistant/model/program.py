"""What belongs together: the sources that one executable is built from, and how it is built and run."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from assistant.record import Record


class ProgramOrigin(StrEnum):
    """Where it stands which files belong together; in the order in which it is looked for."""

    COMMAND_LINE = "command line"
    CONFIGURATION = "configuration"
    """A ``[program.NAME]`` table of ``kernelopt.toml``."""
    RECORDED_BUILD = "recorded build"
    """What a build command of the user's compiled and linked when it was recorded."""
    CMAKE = "CMake"
    """An executable of a configured build, as CMake's File API has it."""
    COMPILE_COMMANDS = "compile_commands.json"
    EXTENSION = "PyTorch extension"
    """What ``setup.py`` or a script has PyTorch build, run by a Python script."""
    INCLUDES = "includes"
    """Include directives, and functions that one file calls and another defines."""


class FoundProgram(Record):
    """One program that a file is part of."""

    name: str
    """For people, unique among those found: that of its table, else of the file with ``main()`` relative to the workspace."""
    units: tuple[Path, ...]
    """Translation units, absolute, the one with ``main()`` first. Headers are not among them."""
    origin: ProgramOrigin
    why: str
    """In words: what made these files one program (``main.cu includes scale.cuh and calls launch_sums() of sums.cu``)."""
    headers: tuple[Path, ...] = ()
    """Files of the workspace that its units include, absolute."""
    flags: tuple[str, ...] = ()
    """What all of its units are compiled with, in addition to the user's own flags."""
    libraries: tuple[str, ...] = ()
    """Other libraries that it is linked with, in order: ``-lz``, ``-L/opt/z/lib``, ``/opt/z/libz.a``."""
    arguments: tuple[str, ...] = ()
    """Arguments of ``main()``."""
    working_directory: Path | None = None
    """Absolute; None: where the command was given."""
    build_command: tuple[str, ...] | None = None
    run_command: tuple[str, ...] | None = None
    extension: str = ""
    """The name by which Python imports it; empty where it is no PyTorch extension."""
    said_in: str = ""
    """The file that says what belongs together, relative to the workspace, where its origin does not name it."""
    unclear: str = ""
    """In words, what could not be settled (two sources define the same function); empty where all is clear."""
    unused: str = ""
    """In words, what the build's own files say and was not used (``Makefile has -DN=4, …``); empty where there is nothing such."""

    @property
    def origin_text(self) -> str:
        """For people: ``PyTorch extension (setup.py)``."""
        return f"{self.origin.value} ({self.said_in})" if self.said_in else self.origin.value

    @property
    def files(self) -> tuple[Path, ...]:
        """Everything of the workspace that it is made of."""
        return (*self.units, *self.headers)


class ProgramSearch(Record):
    """What came of looking for the programs that a file is part of."""

    found: tuple[FoundProgram, ...]
    """Several: a person chooses. Empty: the file stands alone."""
    looked_for: tuple[str, ...] = ()
    """In words, what was looked for without success (``no kernelopt.toml has a [program.NAME] with scale.cuh``)."""
    problem: str = ""
    """In words, what cannot be used (a table that names a file that is not there); empty where all is well."""
    flags: tuple[str, ...] = ()
    """Where nothing was found: the folders of the workspace that the file itself needs for its includes."""


STANDS_ALONE = ProgramSearch(())
"""The search for a text that is part of no program: a notebook's cell, a string in a Python file."""
