"""What becomes of the kernels whose work another one does: they go where nothing else launches them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from assistant.build.architectures import architecture
from assistant.cuda.edits import apply_edits
from assistant.cuda.parse import parse
from assistant.measure.targets import target
from assistant.model.profile import Finding, Severity
from assistant.model.source import Source
from assistant.plan.catalogue import own_catalogue
from assistant.plan.expert.all_transformations import EXPERT_TRANSFORMATIONS
from assistant.plan.expert.planner import ExpertPlanner
from assistant.ports.planner import PlanRequest

KERNELS = """\
// twice as large
__global__ void twice(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}

// its root
__global__ void root(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = sqrtf(x[i]);
}
"""
MAIN = """\

int main()
{
    float *x;
    cudaMalloc(&x, 4000);
    twice<<<4, 256>>>(x, 1000);
    root<<<4, 256>>>(x, 1000);
}
"""
ONE = """\
// twice as large
// its root
__global__ void twice_and_root(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] *= 2;
        x[i] = sqrtf(x[i]);
    }
}
"""
ONE_LAUNCH = MAIN.replace("    root<<<4, 256>>>(x, 1000);\n", "").replace("twice<<<", "twice_and_root<<<")


def fused(text: str, *others: Source, elsewhere: tuple[Source, ...] = ()) -> str | None:
    """The text after the edit; None where there is none."""
    planner, limits, device = ExpertPlanner(own_catalogue(), EXPERT_TRANSFORMATIONS), architecture("sm_90"), target("h200")
    assert limits is not None and device is not None
    parsed = parse(Source(Path("/program.cu"), text))
    finding = Finding("KO118", parsed.kernels[0].key, parsed.kernels[0].line, Severity.WARNING, "", (), 0.5)
    request = PlanRequest(parsed, parsed.kernels[0], (), (finding,), (), None, device, limits, others=others, elsewhere=elsewhere)

    async def found() -> str | None:
        for step in (await planner.plan(request)).steps:
            if step.technique == "kernel-fusion":
                async for rewrite in planner.rewrites(request, step):
                    after = apply_edits(text, rewrite.edits)
                    assert isinstance(after, str)
                    return after
        return None

    return asyncio.run(found())


def test_kernels_that_nothing_launches_any_more_go_with_their_comments() -> None:
    assert fused(KERNELS + MAIN) == ONE + ONE_LAUNCH


def test_a_kernel_that_another_file_launches_stays() -> None:
    after = fused(KERNELS + MAIN, Source(Path("/other.cu"), "void again(float *x) { root<<<1, 32>>>(x, 32); }\n"))
    assert after is not None and "void root(" in after and "void twice(" not in after


def test_a_file_that_declares_the_kernel_would_not_know_one_of_another_name() -> None:
    other = Source(Path("/other.cu"), "__global__ void twice(float *x, int n);\n")
    assert fused(KERNELS + MAIN, other) is None


def test_a_launch_that_another_program_makes_too_stays() -> None:
    assert fused(KERNELS + MAIN, elsewhere=(Source(Path("/bench.cu"), MAIN),)) is None


@pytest.mark.parametrize(
    "between",
    ["    cudaMemset(x, 0, 4);\n", "    if (x == 0) return 1;\n", "    twice<<<4, 128>>>(x, 1000);\n", "#ifdef AGAIN\n    x++;\n#endif\n"],
)
def test_what_stands_between_the_launches_keeps_them_apart(between: str) -> None:
    text = KERNELS + MAIN.replace("    root<<<", f"{between}    root<<<")
    assert fused(text) is None


@pytest.mark.parametrize("between", ["    // then\n", "    check(cudaGetLastError());\n", "    cudaPeekAtLastError();\n"])
def test_what_only_asks_for_errors_does_not(between: str) -> None:
    assert fused(KERNELS + MAIN.replace("    root<<<", f"{between}    root<<<")) is not None


@pytest.mark.parametrize("other", ["4, 256, 64", "5, 256", "4, 128", "4, 256, 0, stream"])
def test_another_launch_shape_or_stream_keeps_kernels_apart(other: str) -> None:
    assert fused((KERNELS + MAIN).replace("root<<<4, 256>>>", f"root<<<{other}>>>")) is None
