"""The suite of this repository: forty programs that nobody edits, each with sizes and a bound."""

from __future__ import annotations

import hashlib
from pathlib import Path

from assistant.bench.bound import bound_of
from assistant.bench.suite_file import read_suite
from assistant.measure.targets import target

SUITE = Path(__file__).parents[3] / "benchmarks" / "suite"
TEXTS = {".cu", ".cuh", ".h", ".cpp"}


def test_no_program_was_edited() -> None:
    kept = dict(reversed(line.split("  ", 1)) for line in (SUITE / "SHA256SUMS").read_text().splitlines())
    now = {
        path.relative_to(SUITE).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in SUITE.rglob("*")
        if path.suffix in TEXTS
    }
    assert now == kept


def test_each_of_forty_programs_has_four_growing_sizes_and_a_bound() -> None:
    programs = read_suite(SUITE / "suite.toml")
    assert len(programs) == 40 and all(program.derivation and len(program.sizes) == 4 for program in programs)
    for program in programs:
        bounds = [bound_of(needed, target()).time_s for size in program.sizes if (needed := program.requirements(size)) is not None]
        assert len(bounds) == 4 and bounds == sorted(bounds) and bounds[0] > 0 and bounds[-1] < 0.1, program.name


def test_every_source_belongs_to_a_program() -> None:
    named = {SUITE / file for program in read_suite(SUITE / "suite.toml") for file in program.files}
    units = {path for path in SUITE.rglob("*") if path.suffix in {".cu", ".cpp"}}
    assert units == named
