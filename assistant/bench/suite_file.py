"""What ``suite.toml`` says of the programs of a folder. Keys: ``benchmarks/suite/README.md``, docs/how-to/bench.md.

Example::

    programs = read_suite(Path("benchmarks/suite/suite.toml"))
    programs[0].name, programs[0].sizes       # 'sigmoid', ((65536,), …)
"""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assistant.bench.formula import evaluated
from assistant.bench.task import Arithmetic, Requirements
from assistant.errors import UsageError

__all__ = ["SUITE_NAME", "SuiteProgram", "read_suite"]

SUITE_NAME = "suite.toml"


class SuiteProgram(BaseModel):
    """One row: a program with its sizes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$")
    files: tuple[str, ...] = Field(min_length=1)
    parameters: tuple[str, ...] = ()
    sizes: tuple[tuple[int, ...], ...] = ((),)
    arithmetic: Arithmetic = "float"
    bytes: str | None = None
    step_bytes: str | None = None
    operations: str = "0"
    derivation: str = ""

    def requirements(self, size: tuple[int, ...]) -> Requirements | None:
        """What the algorithm requires at that size; None where the row does not give it. Raises UsageError for a formula that cannot be
        evaluated."""
        if self.bytes is None:
            return None
        values = dict(zip(self.parameters, map(float, size), strict=True))
        return Requirements(
            size_bytes=evaluated(self.bytes, values),
            step_bytes=None if self.step_bytes is None else evaluated(self.step_bytes, values),
            operation_count=evaluated(self.operations, values),
            arithmetic=self.arithmetic,
            derivation=self.derivation,
        )


class _Suite(BaseModel):
    model_config = ConfigDict(extra="forbid")

    program: tuple[SuiteProgram, ...] = Field(min_length=1)


def read_suite(path: Path) -> tuple[SuiteProgram, ...]:
    """The rows in their order. Raises UsageError for what is no such file, names that are there twice, files that are not there, sizes
    that do not fit the parameters, and formulas that cannot be evaluated."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}", "docs/how-to/bench.md shows one") from error
    try:
        programs = _Suite.model_validate(data).program
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{path}: {place}: {first['msg']}", "docs/how-to/bench.md has the keys") from error
    twice = [name for name, count in Counter(program.name for program in programs).items() if count > 1]
    if twice:
        raise UsageError(f"{path}: two programs are called {twice[0]}", "give each a name of its own")
    for program in programs:
        _check(path, program)
    return programs


def _check(path: Path, program: SuiteProgram) -> None:
    where = f"{path}: {program.name}"
    for file in program.files:
        if not (path.parent / file).is_file():
            raise UsageError(f"{where}: there is no file {file}")
        if not (path.parent / file).resolve().is_relative_to(path.parent.resolve()):
            raise UsageError(f"{where}: {file} is not below the folder")
    for size in program.sizes:
        if len(size) != len(program.parameters):
            raise UsageError(
                f"{where}: the size {list(size)} has not one value for each of {', '.join(program.parameters) or 'no parameter'}"
            )
    for size in program.sizes:
        try:
            program.requirements(size)
        except UsageError as error:
            raise UsageError(f"{where}: {error.message}", error.remedy) from error
