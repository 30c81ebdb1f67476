"""Kernels of a header that other programs include, too, and launch by themselves: no edit may leave those launches behind."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from assistant.build.architectures import architecture
from assistant.cuda.parse import parse
from assistant.measure.targets import target
from assistant.model.plan import DeclineReason, Plan
from assistant.model.profile import Finding, Severity
from assistant.model.source import Source
from assistant.plan.catalogue import load_catalogue
from assistant.plan.expert.all_transformations import EXPERT_TRANSFORMATIONS
from assistant.plan.expert.planner import ExpertPlanner
from assistant.ports.planner import PlanRequest

CATALOGUE = load_catalogue(Path(__file__).resolve().parents[4] / "prompts" / "techniques")
GROW = """\
__global__ void grow(float* v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = v[i] * 1.5f;
}
"""
RUN = '#include "grow.cuh"\nvoid run(float* v, int n) { grow<<<(n + 31) / 32, 32>>>(v, n); }\n'
PRODUCT = """\
__global__ void product(const float* a, const float* b, float* c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || col >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}
"""
RUN_PRODUCT = """\
#include "product.cuh"
void run(const float* a, const float* b, float* c, int n)
{
    product<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(a, b, c, n);
}
"""


def plan(header: str, run: str, finding: str, line: int, **elsewhere: str) -> Plan:
    parsed = parse(Source(Path("/kernel.cuh"), header))
    kernel, limits, device = parsed.kernels[0], architecture("sm_90"), target("h200")
    assert limits is not None and device is not None
    found = Finding(finding, kernel.key, line, Severity.WARNING, "", (), 0.5)
    request = PlanRequest(
        parsed,
        kernel,
        (),
        (found,),
        (),
        None,
        device,
        limits,
        others=(Source(Path("/run.cu"), run),),
        elsewhere=tuple(Source(Path(f"/{name}.cu"), text) for name, text in elsewhere.items()),
    )
    return asyncio.run(ExpertPlanner(CATALOGUE, EXPERT_TRANSFORMATIONS).plan(request))


def check_declined(found: Plan, technique: str, words: str) -> None:
    assert technique not in {step.technique for step in found.steps}
    decline = next(each for each in found.declines if each.technique == technique)
    assert decline.code == DeclineReason.USED_ELSEWHERE
    assert decline.reason == words


def test_a_launch_stays_where_another_program_launches_the_kernel_too() -> None:
    assert "block-size-search" in {step.technique for step in plan(GROW, RUN, "KO112", 2).steps}
    found = plan(GROW, RUN, "KO112", 2, bench=RUN)
    check_declined(
        found,
        "block-size-search",
        "it would change how this program launches grow, which bench.cu of another program launches as well: both would have to change",
    )


@pytest.mark.parametrize(
    "other",
    [
        '#include "grow.cuh"\nint main() { return 0; }\n',
        '#include "grow.cuh"\n__global__ void grown(float* v) {}\nvoid run(float* v) { grown<<<1, 32>>>(v); }\n',
    ],
)
def test_a_program_that_does_not_launch_it_is_no_obstacle(other: str) -> None:
    assert "block-size-search" in {step.technique for step in plan(GROW, RUN, "KO112", 2, bench=other).steps}


@pytest.mark.parametrize(
    ("launch", "words"),
    [
        ("dim3(8, 8)", "blocks of 8 x 8 threads, and the edit would have to fit them too"),
        ("dim3(side, side)", "a block that the text does not tell"),
    ],
)
def test_an_edit_for_one_block_is_not_made_where_another_program_has_others(launch: str, words: str) -> None:
    other = RUN_PRODUCT.replace("int n)\n", "int n, int side)\n").replace("dim3(16, 16)", launch)
    found = plan(PRODUCT, RUN_PRODUCT, "KO108", 6, bench=other)
    check_declined(found, "shared-tile", f"bench.cu of another program launches product with {words}")


def test_an_edit_for_one_block_is_made_where_all_programs_have_it() -> None:
    assert "shared-tile" in {step.technique for step in plan(PRODUCT, RUN_PRODUCT, "KO108", 6, bench=RUN_PRODUCT).steps}


def test_edits_of_the_kernel_alone_are_made_whatever_other_programs_launch() -> None:
    text = GROW.replace("1.5f", "1.5")
    assert "float-literals" in {step.technique for step in plan(text, RUN, "KO106", 4, bench=RUN).steps}


THREADS = GROW + "#define THREADS 32\nvoid grow_all(float* v, int n) { grow<<<(n + THREADS - 1) / THREADS, THREADS>>>(v, n); }\n"


@pytest.mark.parametrize(("bench", "is_made"), [("int main() { grow_all(0, 1); }\n", True), (RUN, False)])
def test_a_header_that_launches_its_kernel_itself_may_do_so_otherwise(bench: str, is_made: bool) -> None:
    found = plan(THREADS, "int main() { grow_all(0, 1); }\n", "KO112", 2, bench=bench)
    assert ("block-size-search" in {step.technique for step in found.steps}) is is_made
