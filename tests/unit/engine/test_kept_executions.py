"""How often blocks of machine code ran is solved once for each code and account, wherever in its file a kernel stands."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.build.executions import executions
from assistant.build.grading import code_of
from assistant.cuda.loops import source_loops
from assistant.engine.evaluate.kept_executions import executions_of
from assistant.model.build import KernelCode
from assistant.model.profile import LaunchProfile
from assistant.model.source import Source, SourceLoop
from benchmarks.counters_vs_h200 import load_account
from benchmarks.instructions_vs_ncu import DATA

Launch = tuple[KernelCode, LaunchProfile, tuple[SourceLoop, ...]]


@pytest.fixture(scope="module")
def launch() -> Launch:
    account = load_account(DATA / "executed" / "accounts" / "first" / "nested_loops.cu.json.gz")
    profile = account.profiles[0]
    code = code_of(account.codes, profile.kernel)
    assert code is not None
    text = (DATA / "executed" / "first" / "nested_loops.cu").read_text("utf-8")
    return code, profile, source_loops(Source(Path(profile.executions[0].file), text))


def moved(launch: Launch, by: int) -> Launch:
    """The same further down in the file, in another place of the emulated program."""
    code, profile, loops = launch

    def below(place: tuple[str, int]) -> tuple[str, int]:
        return place[0], place[1] + by if place[1] > 0 else place[1]

    lines = tuple(replace(i, line=below((i.file, i.line))[1], frames=tuple(map(below, i.frames))) for i in code.instructions)
    return (
        replace(code, instructions=lines),
        replace(
            profile,
            blocks=tuple(replace(b, address=b.address + 4096, places=tuple(map(below, b.places))) for b in profile.blocks),
            sites=tuple(replace(s, line=s.line + by) for s in profile.sites),
            executions=tuple(replace(e, line=e.line + by) for e in profile.executions),
        ),
        tuple(replace(p, first_line=p.first_line + by, last_line=p.last_line + by, condition_line=p.condition_line + by) for p in loops),
    )


def test_what_was_solved_is_read_again(tmp_path: Path, launch: Launch) -> None:
    solved = executions(*launch)
    assert executions_of(tmp_path, *launch) == solved
    (kept,) = (tmp_path / "executions").iterdir()
    kept.write_text("[[0,7.0,1.0]]")
    assert {offset: ran.threads for offset, ran in executions_of(tmp_path, *launch).items()} == {0: 7.0}
    os.utime(kept, (1, 1))
    executions_of(tmp_path, *launch)
    assert kept.stat().st_mtime > 1, "what is used is not removed as the oldest"
    kept.write_text("damaged")
    assert executions_of(tmp_path, *launch) == solved


def test_a_kernel_that_an_edit_moved_is_the_same(tmp_path: Path, launch: Launch) -> None:
    assert executions_of(tmp_path, *launch) == executions_of(tmp_path, *moved(launch, 7))
    assert len(list((tmp_path / "executions").iterdir())) == 1


def test_other_counts_or_other_code_are_solved_anew(tmp_path: Path, launch: Launch) -> None:
    code, profile, loops = launch
    executions_of(tmp_path, *launch)
    first, *rest = profile.blocks
    executions_of(tmp_path, code, replace(profile, blocks=(replace(first, threads=first.threads + 32), *rest)), loops)
    start, *others = code.instructions
    executions_of(tmp_path, replace(code, instructions=(replace(start, operands="R9"), *others)), profile, loops)
    executions_of(tmp_path, code, profile, ())
    assert len(list((tmp_path / "executions").iterdir())) == 4


def test_a_cache_that_cannot_be_written_is_no_hindrance(tmp_path: Path, launch: Launch) -> None:
    (tmp_path / "executions").write_text("a file is in the place of the folder")
    assert executions_of(tmp_path, *launch) == executions(*launch)
