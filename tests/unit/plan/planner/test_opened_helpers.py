"""Kernels whose loop is in a helper get the plans of kernels that have it themselves."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from assistant.build.architectures import architecture
from assistant.cuda.edits import apply_edits
from assistant.cuda.parse import parse
from assistant.measure.targets import target
from assistant.model.plan import Rewrite
from assistant.model.profile import Finding, Severity
from assistant.model.source import Source
from assistant.plan.catalogue import own_catalogue
from assistant.plan.expert.all_transformations import EXPERT_TRANSFORMATIONS
from assistant.plan.expert.planner import ExpertPlanner
from assistant.plan.expert.writing.opened_helper import OpenedHelper, opened_helper
from assistant.ports.planner import PlanRequest

DATA = Path(__file__).resolve().parents[3] / "data" / "plan" / "opened-helper"
PROGRAMS = sorted(path.stem for path in DATA.glob("*.cu") if ".expected" not in path.name)
PLANNER = ExpertPlanner(own_catalogue(), EXPERT_TRANSFORMATIONS)
_HEAD = re.compile(r"// kernel=(\S+) line=(\d+) finding=(KO\d+) technique=(\S+)")


def request(text: str) -> PlanRequest:
    head = _HEAD.match(text)
    limits, device = architecture("sm_90"), target("h200")
    assert head is not None and limits is not None and device is not None
    parsed = parse(Source(Path("/program.cu"), text))
    kernel = next(each for each in parsed.kernels if each.name == head[1])
    finding = Finding(head[3], kernel.key, int(head[2]), Severity.WARNING, "", (), 0.5)
    return PlanRequest(parsed, kernel, (), (finding,), (), None, device, limits)


def rewrites(text: str) -> tuple[Rewrite, ...]:
    """What the technique of the text's first line makes of it."""
    head = _HEAD.match(text)
    assert head is not None

    async def found() -> tuple[Rewrite, ...]:
        asked = request(text)
        steps = (await PLANNER.plan(asked)).steps
        return tuple([each for step in steps if step.technique == head[4] async for each in PLANNER.rewrites(asked, step)])

    return asyncio.run(found())


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_loop_is_written_into_the_kernel_and_shared(name):
    text = (DATA / f"{name}.cu").read_text("utf-8")
    after = apply_edits(text, rewrites(text)[0].edits)
    assert after == (DATA / f"{name}.expected.cu").read_text("utf-8")


@pytest.mark.parametrize("name", PROGRAMS)
def test_windows_line_ends_are_kept(name):
    text = (DATA / f"{name}.cu").read_text("utf-8").replace("\n", "\r\n")
    after = apply_edits(text, rewrites(text)[0].edits)
    assert isinstance(after, str) and after.replace("\r\n", "").count("\n") == 0


def test_the_summary_says_where_the_loop_came_from():
    found = rewrites((DATA / "scores_of_documents.cu").read_text("utf-8"))
    assert found[0].summary == "Let the 32 lanes of a warp share each row, with the loop of `dot` written into the kernel."


SUM = """\
// kernel=k line=3 finding=KO101
__device__ float total(const float *x, int n) {
    float sum = 0; for (int j = 0; j < n; j++) { BODY sum += x[j]; } return sum;
}
__global__ void k(const float *a, float *y, int rows, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 1;
    if (i < rows) { CALL }
}
void run(const float *a, float *y, int rows, int n) { k<<<(rows + 127) / 128, 128>>>(a, y, rows, n); }
"""
CALL = "y[i] = total(a + i * n, n);"


def opened(context_of, call: str = CALL, body: str = "", text: str = SUM) -> bool:
    return isinstance(opened_helper(context_of(text.replace("CALL", call).replace("BODY", body))), OpenedHelper)


def test_a_plain_call_is_opened(context_of):
    assert opened(context_of)
    assert opened(context_of, text=SUM.replace("const float *x, int n", "const float *x, const int &n"))
    assert opened(context_of, text=SUM.replace("const float *x, int n", "const float *x, int &n"))


@pytest.mark.parametrize(
    "call",
    [
        "y[i] = s > 0 ? total(a + i * n, n) : 0;",
        "y[i] = total(a + i * n, n) + total(a, n);",
        "y[i] = s++ * total(a + i * n, n);",
        "while (total(a, n) > s) s++;",
        "if (total(a + i * n, n) > 0) y[i] = 1;",
        "bool b = s > 0 && total(a, n) > 0; y[i] = b;",
        "for (int j = 0; j < total(a, n); j++) y[i] = j;",
        "float t = total(a, n), u = t; y[i] = u;",
        "y[i] = 1;",
    ],
)
def test_a_call_that_may_not_run_or_runs_among_other_things_stays(context_of, call):
    assert not opened(context_of, call)


@pytest.mark.parametrize("body", ["if (x[j] < 0) return j;", "total(x, 1);", "goto end;", "auto f = [&] { return 1; };"])
def test_a_helper_that_is_left_early_or_hides_what_it_does_stays(context_of, body):
    assert not opened(context_of, body=body)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("__device__ float total", "template <typename T> __device__ float total"),
        ("__device__ float total", "float total"),
        ("float sum = 0;", "__shared__ float all; float sum = 0;"),
        ("float sum = 0;", "double sum = 0;"),
        ("float sum = 0;", "float sum = __shfl_sync(0xffffffff, x[0], 0);"),
        ("__device__ float total", "__device__ __noinline__ float total"),
        ("return sum;", "return sum + 0.5;"),
        ("__device__ float", "__device__ int"),
    ],
)
def test_a_helper_of_another_kind_stays(context_of, old, new):
    assert not opened(context_of, text=SUM.replace(old, new, 1))


@pytest.mark.parametrize(
    ("call", "body", "words"),
    [
        ("y[i] = s > 0 ? total(a, n) : 0;", "", "which would have to be called by a statement that always runs it, and changes one thing"),
        ("y[i] = total(a, n) + total(a, 2);", "", "which would have to be called at one place of the kernel"),
        (CALL, "if (x[j] < 0) return j;", "which would have to be left by nothing but a `return` at its end"),
    ],
)
def test_a_decline_at_the_helper_s_line_says_what_would_have_to_hold(call, body, words):
    text = SUM.replace("CALL", call).replace("BODY", body).replace("KO101", "KO101 technique=warp-per-row")
    declines = asyncio.run(PLANNER.plan(request(text))).declines
    assert f"the loop is in `total`, {words}" in {decline.reason for decline in declines if decline.technique == "warp-per-row"}
