"""The part of a program that speeds are of: known functions, misspelt ones, the usual one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.engine.asked_function import settle_region
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.errors import UsageError
from assistant.model.build import Flags
from tests.programs_of_steps import COPIED


def request(folder: Path, **asked: str | None) -> JobRequest:
    (folder / "solver.h").write_text("struct Solver { void advance() {} };\n")
    (folder / "steps.cu").write_text(f'#include "solver.h"\n{COPIED}')
    return replace(JobRequest(folder / "steps.cu", folder), **asked)


@pytest.mark.parametrize("name", ["step", "main", "Solver::advance", "advance"])
def test_functions_of_the_program_and_of_its_headers_are_known(tmp_path: Path, name: str) -> None:
    asked = request(tmp_path, region=name)
    assert settle_region(asked, read_version(asked, Flags()), None).request.region == name


@pytest.mark.parametrize(("name", "message", "remedy"), [
    ("stp", "the program defines no function stp", "did you mean step?"),
    ("Solver::advanc", "the program defines no function Solver::advanc", "did you mean Solver::advance?"),
    ("advanc", "the program defines no function advanc", "did you mean Solver::advance?"),
    ("turn", "turn is a kernel", "the function that launches it"),
])  # fmt: skip
def test_others_are_refused_with_the_nearest_names(tmp_path: Path, name: str, message: str, remedy: str) -> None:
    asked = request(tmp_path, region=name)
    with pytest.raises(UsageError, match=message) as raised:
        settle_region(asked, read_version(asked, Flags()), None)
    assert remedy in (raised.value.remedy or "")


def test_the_usual_region_counts_where_nothing_is_asked_and_the_program_has_it(tmp_path: Path) -> None:
    plain = request(tmp_path)
    version = read_version(plain, Flags())
    settled = settle_region(plain, version, "step")
    assert (settled.request.region, settled.version.program.noted_function, settled.note) == ("step", "step", "")
    other = settle_region(plain, version, "relax")
    assert other.request.region is None and "the setting region names relax" in other.note
    assert settle_region(replace(plain, usual_region="main"), version, "step").request.region == "main"


def test_all_that_main_does_may_be_asked_of_a_program_whose_main_is_not_written_out(tmp_path: Path) -> None:
    asked = request(tmp_path, region="main")
    (tmp_path / "steps.cu").write_text((tmp_path / "steps.cu").read_text().replace("int main()", "DEFINE_MAIN"))
    assert settle_region(asked, read_version(asked, Flags()), None).request.region == "main"
