"""A kernel gets the same plans wherever its program keeps it: in one file, in a header, in a unit of its own, in a recorded build.

What is planned from is a real run of each form. The gallery's kernels are reached through wrappers, and its buffers through a class of
the program's own, so that only the recorded launches show which pointers never overlap.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from assistant.build.architectures import architecture
from assistant.build.flags import DEFAULT_FLAGS
from assistant.engine.evaluate import Evaluation, evaluate
from assistant.engine.job import Job
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest, OptimizeOptions
from assistant.engine.search.plan_requests import PlanRequests
from assistant.engine.search.resume import EarlierSearch
from assistant.engine.search.trials import SearchNode
from assistant.lab.cpu import CpuLab
from assistant.measure.targets import target
from assistant.model.plan import Rewrite
from assistant.plan.catalogue import load_catalogue
from assistant.plan.expert.all_transformations import EXPERT_TRANSFORMATIONS
from assistant.plan.expert.planner import ExpertPlanner
from assistant.ports.lab import LabFailure, RunLimits
from assistant.shipped import shipped_prompts
from tests.caches import link_kept_emulator
from tests.contracts.fake_store import FakeStore
from tests.thorough import first_of

GALLERY = Path(__file__).parents[2] / "data" / "recorded" / "gallery"
KERNELS = ("turn", "row_sums", "block_total", "curve", "energy", "tile_turn", "smooth")
EXPECTED = {
    "turn": {"staged-store"},
    "row_sums": {"scalar-replacement"},
    "block_total": {"block-shuffles"},
    "curve": {"float-literals"},
    "energy": {"constant-powers"},
    "tile_turn": {"shared-memory-padding"},
    "smooth": {"const-restrict"},
}
"""Techniques that each kernel's plan must have, whatever else it has."""
LIMITS = architecture("sm_90")

pytestmark = pytest.mark.asyncio(loop_scope="module")


def part(name: str) -> str:
    return (GALLERY / name).read_text()


MACROS = "#define SIDE 32\n#define AT(row, column, length) ((row) * (length) + (column))\n"


def kernels_with_macros() -> str:
    """The gallery's kernels, as some people write sizes and indices."""
    text = part("kernels.cuh").replace(".x * 32", ".x * SIDE").replace(".y * 32", ".y * SIDE").replace("tile[32][32]", "tile[SIDE][SIDE]")
    text = text.replace("m[row * box.width + k]", "m[AT(row, k, box.width)]")
    return text.replace("out[x * height + y]", "out[AT(x, y, height)]").replace("in[y * width + x]", "in[AT(y, x, width)]")


def forms(folder: Path) -> dict[str, tuple[Path, tuple[Path, ...]]]:
    """(file that is asked about, the program's other units) by the form's name."""
    made: dict[str, tuple[Path, tuple[Path, ...]]] = {}
    texts = {
        "one file": {"gallery.cu": part("kernels.cuh").replace("#pragma once\n", "") + part("launchers.inc") + part("main.inc")},
        "header": {
            "kernels.cuh": part("kernels.cuh"),
            "main.cu": '#include "kernels.cuh"\n' + part("launchers.inc") + part("main.inc"),
        },
        "units": {
            "ops.cu": '#include "launchers.h"\n' + part("kernels.cuh").replace("#pragma once\n", "") + part("launchers.inc"),
            "launchers.h": part("launchers.h"),
            "main.cu": '#include <cuda_runtime.h>\n#include "launchers.h"\n' + part("main.inc"),
        },
        "header and units": {
            "kernels.cuh": part("kernels.cuh"),
            "ops.cu": '#include "kernels.cuh"\n#include "launchers.h"\n' + part("launchers.inc"),
            "launchers.h": part("launchers.h"),
            "main.cu": '#include <cuda_runtime.h>\n#include "launchers.h"\n' + part("main.inc"),
        },
        "macros": {"gallery.cu": MACROS + kernels_with_macros().replace("#pragma once\n", "") + part("launchers.inc") + part("main.inc")},
        "macros of a header": {
            "kernels.cuh": '#include "sizes.h"\n' + kernels_with_macros(),
            "sizes.h": f"#ifndef SIZES_H\n#define SIZES_H\n{MACROS}#endif\n",
            "main.cu": '#include "kernels.cuh"\n' + part("launchers.inc") + part("main.inc"),
        },
        "macros of the includer": {
            "kernels.cuh": kernels_with_macros(),
            "main.cu": MACROS + '#include "kernels.cuh"\n' + part("launchers.inc") + part("main.inc"),
        },
    }
    for name, files in texts.items():
        place = folder / name.replace(" ", "_")
        place.mkdir()
        (place / "kernelopt.toml").touch()
        for file, text in files.items():
            (place / file).write_text(text)
        asked, *others = (place / file for file in files)
        made[name] = asked, tuple(path for path in others if path.suffix == ".cu")
    return made


class Planned:
    """Plans of all kernels in all forms."""

    def __init__(self, folder: Path, job: Job) -> None:
        self._job = job
        self._forms = forms(folder)
        self._evaluations: dict[str, Evaluation] = {}

    async def of(self, form: str, kernel: str) -> tuple[set[tuple[object, ...]], set[tuple[object, ...]], list[Rewrite]]:
        """Steps, declines and edits of the expert's plan, without the places that differ from form to form."""
        evaluation = await self._evaluation(form)
        items = evaluation.kernel(kernel)
        assert items, f"{kernel} was not launched"
        catalogue = load_catalogue(shipped_prompts() / "techniques")
        requests = PlanRequests(
            self._job, OptimizeOptions(), FakeStore(), catalogue, self._job.request.file.parent, EarlierSearch("", (), (), frozenset())
        )
        about = replace(evaluation, version=evaluation.version.about(items[0].kernel))
        request = requests.request(SearchNode(about), items, ())
        planner = ExpertPlanner(catalogue, EXPERT_TRANSFORMATIONS)
        plan = await planner.plan(request)
        rewrites = [rewrite for step in plan.steps async for rewrite in planner.rewrites(request, step)]
        steps = {(step.technique, step.finding, step.predictions) for step in plan.steps}
        return steps, {(decline.technique, decline.code) for decline in plan.declines}, [r for r in rewrites if isinstance(r, Rewrite)]

    async def _evaluation(self, form: str) -> Evaluation:
        if form not in self._evaluations:
            file, others = self._forms[form]
            request = JobRequest(file, file.parent, extra_sources=others)
            job = replace(self._job, request=request)
            found = await evaluate(job, read_version(request, DEFAULT_FLAGS))
            assert not isinstance(found, LabFailure), found
            self._evaluations[form] = found
        return self._evaluations[form]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def planned(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Planned]:
    assert LIMITS is not None
    folder = tmp_path_factory.mktemp("plans")
    lab = CpuLab(folder, link_kept_emulator(folder / "cache"), "h200")
    job = Job("J", JobRequest(folder / "a.cu", folder), lab, target("h200"), LIMITS, folder, (1, 2), RunLimits())
    yield Planned(folder, job)
    await lab.close()


@pytest.mark.parametrize("kernel", KERNELS)
async def test_one_file_has_the_plans_that_an_expert_would_make(planned: Planned, kernel: str) -> None:
    steps, declines, _ = await planned.of("one file", kernel)
    assert {technique for technique, _, _ in steps} >= EXPECTED[kernel], declines


@pytest.mark.parametrize("form", first_of(["header and units", "header", "units"]))
@pytest.mark.parametrize("kernel", KERNELS)
async def test_other_forms_of_the_program_have_the_same_plans(planned: Planned, form: str, kernel: str) -> None:
    (steps, declines, _), (wanted, refused, _) = await planned.of(form, kernel), await planned.of("one file", kernel)
    assert (steps, declines) == (wanted, refused)


@pytest.mark.parametrize("form", ["macros of a header", "macros of the includer"])
@pytest.mark.parametrize("kernel", ["turn", "row_sums", "tile_turn"])
async def test_macros_of_other_files_are_read_like_those_of_the_kernels_own(planned: Planned, form: str, kernel: str) -> None:
    (steps, declines, _), (wanted, refused, _) = await planned.of(form, kernel), await planned.of("macros", kernel)
    assert (steps, declines) == (wanted, refused)
    assert {technique for technique, _, _ in steps} >= EXPECTED[kernel]


@pytest.mark.parametrize("form", first_of(["one file", "header and units", "header", "units"], 2))
@pytest.mark.parametrize("kernel", ["row_sums", "smooth"])
async def test_an_edit_that_only_the_recorded_launches_carry_says_so(planned: Planned, form: str, kernel: str) -> None:
    rewrites = {rewrite.technique: rewrite for rewrite in (await planned.of(form, kernel))[2]}
    (technique,) = EXPECTED[kernel]
    assert "never overlaps" in " ".join(rewrites[technique].assumptions)
    assert "in the only recorded launch" in " ".join(rewrites[technique].assumptions)
