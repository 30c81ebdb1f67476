"""The suites of this repository, whose programs are never edited: forty, and three times fifteen written blind, with sizes and bounds."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from assistant.bench.bound import bound_of
from assistant.bench.suite_file import read_suite
from assistant.measure.targets import target

SUITE = Path(__file__).parents[3] / "benchmarks" / "suite"
BLIND, SECOND, THIRD = (SUITE.with_name(name) for name in ("blind", "blind_second", "blind_third"))
TEXTS = {".cu", ".cuh", ".h", ".cpp"}


@pytest.mark.parametrize("folder", [SUITE, BLIND, SECOND, THIRD], ids=["suite", "blind", "second", "third"])
def test_no_program_was_edited(folder: Path) -> None:
    kept = dict(reversed(line.split("  ", 1)) for line in (folder / "SHA256SUMS").read_text().splitlines())
    now = {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.suffix in TEXTS
    }
    assert now == kept


@pytest.mark.parametrize(
    ("folder", "programs", "sizes"),
    [(SUITE, 40, 4), (BLIND, 15, 3), (SECOND, 15, 3), (THIRD, 15, 3)],
    ids=["suite", "blind", "second", "third"],
)
def test_each_program_has_growing_sizes_and_a_bound(folder: Path, programs: int, sizes: int) -> None:
    found = read_suite(folder / "suite.toml")
    assert len(found) == programs and all(program.derivation and len(program.sizes) == sizes for program in found)
    for program in found:
        bounds = [bound_of(needed, target()).time_s for size in program.sizes if (needed := program.requirements(size)) is not None]
        assert len(bounds) == sizes and bounds == sorted(bounds) and bounds[0] > 0 and bounds[-1] < 0.1, program.name


@pytest.mark.parametrize("folder", [SUITE, BLIND, SECOND, THIRD], ids=["suite", "blind", "second", "third"])
def test_every_source_belongs_to_a_program(folder: Path) -> None:
    named = {folder / file for program in read_suite(folder / "suite.toml") for file in program.files}
    units = {path for path in folder.rglob("*") if path.suffix in {".cu", ".cpp"}}
    assert units == named
