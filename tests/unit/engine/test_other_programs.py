"""A verdict lists the programs that use an edited file and did not run."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assistant.engine.every_program import in_programs
from assistant.engine.judge.other_programs import unjudged_programs
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.engine.source_version import with_text, with_texts
from assistant.model.build import Flags
from assistant.model.source import Source
from assistant.program import choose_program
from tests.e2e.cli.harness import DATA


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(DATA / "programs" / "shared_header", tmp_path / "p")
    (tmp_path / "p" / "kernelopt.toml").touch()
    choose_program(tmp_path / "p" / "common.cuh", tmp_path / "p", "check_transpose.cu")
    return tmp_path / "p"


async def beside(folder: Path, file: str, **more: Any) -> tuple[str, ...]:
    request = JobRequest(folder / file, folder, **more)
    before = read_version(request, Flags())
    job = cast("Any", SimpleNamespace(request=request))
    return await unjudged_programs(job, before, with_text(before, before.source.text + "// edited\n"))


async def test_of_a_shared_header_the_other_program_is_listed_with_how_to_choose_it(folder: Path) -> None:
    (said,) = await beside(folder, "common.cuh")
    assert said.startswith("other programs that use common.cuh: bench_transpose.cu (kernelopt compare --every-program")


async def test_nothing_is_left_to_list_where_every_program_judges(folder: Path) -> None:
    assert await beside(folder, "common.cuh", is_everywhere=True) == ()


def test_an_edit_is_judged_in_each_program_that_has_the_file(folder: Path) -> None:
    request = JobRequest(folder / "common.cuh", folder, is_everywhere=True)
    programs = in_programs(request, Flags())
    assert [name for name, _ in programs] == ["bench_transpose.cu", "check_transpose.cu"]
    units = [{file.source.path.name for file in read_version(each, Flags()).files} for _, each in programs]
    assert units == [{"common.cuh", "bench_transpose.cu"}, {"common.cuh", "check_transpose.cu"}]


async def test_a_file_of_one_program_and_an_unedited_header_list_nothing(folder: Path) -> None:
    assert await beside(folder, "bench_transpose.cu") == ()
    request = JobRequest(folder / "common.cuh", folder)
    version = read_version(request, Flags())
    assert await unjudged_programs(cast("Any", SimpleNamespace(request=request)), version, version) == ()


async def test_what_a_damaged_record_of_programs_would_show_is_left_out(folder: Path) -> None:
    request = JobRequest(folder / "bench_transpose.cu", folder)
    before = read_version(request, Flags())
    (record,) = (path for path in (folder / ".kernelopt").iterdir() if path.suffix == ".json")
    record.write_text("no JSON")
    header = with_texts(before, (Source(folder / "common.cuh", (folder / "common.cuh").read_text() + "// edited\n"),))
    assert await unjudged_programs(cast("Any", SimpleNamespace(request=request)), before, header) == ()
