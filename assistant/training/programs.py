"""Programs that a training searches: drawn ones, and those of folders.

Example::

    programs_of_folder(Path("benchmarks/suite"))     # one for each row of suite.toml at its smallest size, or each source with main()
    drawn_programs(folder, seed=7, count=60)         # written into ``folder``
"""

from __future__ import annotations

from pathlib import Path

from assistant.agents.synthesis.kernels import draw_kernel
from assistant.bench.found_programs import found_programs
from assistant.bench.suite_file import SUITE_NAME, read_suite
from assistant.record import Record

__all__ = ["TrainingProgram", "drawn_programs", "programs_of_folder"]


class TrainingProgram(Record):
    """A program and how it is run."""

    name: str
    files: tuple[Path, ...]
    """The first one has the kernels in question."""
    arguments: tuple[str, ...]


def programs_of_folder(folder: Path) -> tuple[TrainingProgram, ...]:
    """By ``suite.toml`` where there is one. Raises UsageError where that cannot be read."""
    if (folder / SUITE_NAME).is_file():
        return tuple(
            TrainingProgram(f"{folder.name}/{one.name}", tuple(folder / file for file in one.files), tuple(map(str, one.sizes[0])))
            for one in read_suite(folder / SUITE_NAME)
        )
    return tuple(
        TrainingProgram(f"{folder.name}/{name}", tuple(folder / file for file in files), ())
        for name, files in found_programs(folder).programs
    )


def drawn_programs(folder: Path, seed: int, count: int) -> tuple[TrainingProgram, ...]:
    """The first ``count`` structures that ``tasks make`` would draw, each once; written where they are not there."""
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, TrainingProgram] = {}
    number = 0
    while len(found) < count and number < 100 * count:
        drawn = draw_kernel(seed, number)
        number += 1
        if drawn.structure in found:
            continue
        file = folder / f"{drawn.name}.cu"
        if not file.exists():
            file.write_text(drawn.text, encoding="utf-8")
        found[drawn.structure] = TrainingProgram(f"drawn/{drawn.name}", (file,), ())
    return tuple(found.values())
