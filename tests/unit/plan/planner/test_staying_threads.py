"""Kernels that some threads leave before their block's reduction get the plans of kernels in which all threads stay for it."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.build.architectures import architecture
from assistant.cuda.edits import apply_edits
from assistant.cuda.parse import parse
from assistant.measure.targets import target
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.plan import Decline, Rewrite
from assistant.model.profile import Finding, Severity
from assistant.model.source import Source
from assistant.plan.catalogue import own_catalogue
from assistant.plan.expert.all_transformations import EXPERT_TRANSFORMATIONS
from assistant.plan.expert.block_shuffles import BlockShuffles
from assistant.plan.expert.planner import ExpertPlanner
from assistant.plan.expert.writing.staying_threads import staying_threads
from assistant.ports.planner import PlanRequest

DATA = Path(__file__).resolve().parents[3] / "data" / "plan" / "staying-threads"
PROGRAMS = sorted(path.stem for path in DATA.glob("*.cu") if ".expected" not in path.name)
PLANNER = ExpertPlanner(own_catalogue(), EXPERT_TRANSFORMATIONS)
_HEAD = re.compile(r"// kernel=(\S+) line=(\d+) finding=(KO\d+)")


def request(text: str) -> PlanRequest:
    head = _HEAD.match(text)
    limits, device = architecture("sm_90"), target("h200")
    assert head is not None and limits is not None and device is not None
    parsed = parse(Source(Path("/program.cu"), text))
    kernel = next(each for each in parsed.kernels if each.name == head[1])
    finding = Finding(head[3], kernel.key, int(head[2]), Severity.WARNING, "", (), 0.5)
    return PlanRequest(parsed, kernel, (), (finding,), (), None, device, limits)


def rewrites(text: str) -> tuple[Rewrite, ...]:
    """What the shuffles of a block make of it, best first."""

    async def found() -> tuple[Rewrite, ...]:
        asked = request(text)
        steps = (await PLANNER.plan(asked)).steps
        return tuple([each for step in steps if step.technique == "block-shuffles" async for each in PLANNER.rewrites(asked, step)])

    return asyncio.run(found())


@pytest.mark.parametrize("name", PROGRAMS)
def test_threads_without_an_element_stay_and_bring_what_changes_nothing(name):
    text = (DATA / f"{name}.cu").read_text("utf-8")
    after = apply_edits(text, rewrites(text)[0].edits)
    assert after == (DATA / f"{name}.expected.cu").read_text("utf-8")


@pytest.mark.parametrize("name", PROGRAMS)
def test_windows_line_ends_are_kept(name):
    text = (DATA / f"{name}.cu").read_text("utf-8").replace("\n", "\r\n")
    after = apply_edits(text, rewrites(text)[0].edits)
    assert isinstance(after, str) and after.replace("\r\n", "").count("\n") == 0


def test_the_summary_says_that_they_stay():
    found = rewrites((DATA / "squared_errors.cu").read_text("utf-8"))
    assert found[0].summary == "Put the values of `part` together with shuffles; threads beyond the last element stay for it."


def test_a_thread_takes_several_elements_where_blocks_only_add_their_totals(context_of, applied):
    text = (DATA / "dot_added_up.cu").read_text("utf-8")
    stays = apply_edits(text, staying_threads(context_of(text)))
    assert isinstance(stays, str)
    context = replace(context_of(stays.replace("line=14", "line=10")), launches=(LaunchConfig(Dim3(16_384), Dim3(256)),))
    found = BlockShuffles().rewrite(context)
    assert not isinstance(found, Decline)
    many, one = (applied(stays, rewrite) for rewrite in found)
    assert "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)" in many
    assert "i < n ?" not in many
    assert "i < n ?" in one


SUM = """\
// kernel=k line=7 finding=KO115
__global__ void k(const float *x, float *y, const int *chosen, int n) {
    __shared__ float a[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (i >= n) return;
    a[t] = x[i]; __syncthreads();
    for (int s = 32; s > 0; s /= 2) { if (t < s) a[t] += a[t + s]; __syncthreads(); }
    if (t == 0) y[blockIdx.x] = a[0];
}
void run(const float *x, float *y, const int *chosen, int n) { k<<<(n + 63) / 64, 64>>>(x, y, chosen, n); }
"""


def stayed(context_of, *changes: tuple[str, str]) -> str:
    """The kernel's lines from the bounds check on; empty where its threads leave as before."""
    text = SUM
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    edits = staying_threads(context_of(text))
    after = apply_edits(text, edits)
    assert isinstance(after, str)
    return "\n".join(after.splitlines()[4:-2]) if edits else ""


def test_a_sum_s_threads_stay(context_of):
    assert stayed(context_of).splitlines() == [
        "    a[t] = i < n ? x[i] : 0.0f; __syncthreads();",
        "    for (int s = 32; s > 0; s /= 2) { if (t < s) a[t] += a[t + s]; __syncthreads(); }",
        "    if (t == 0) y[blockIdx.x] = a[0];",
    ]


@pytest.mark.parametrize(
    "changes",
    [
        [("(n + 63) / 64", "n / 64 + 1")],
        [("(n + 63) / 64", "256")],
        [("k<<<(n + 63) / 64, 64>>>(x, y, chosen, n)", "k<<<(n + 63) / 64, 64>>>(x, y, chosen, n / 2)")],
        [("* 64 + t;", "* 128 + t;")],
    ],
    ids=["one block too many", "any number of blocks", "fewer elements", "another index"],
)
def test_a_block_without_any_element_stores_nothing(context_of, changes):
    assert "if (t == 0 && i < n) y[blockIdx.x] = a[0];" in stayed(context_of, *changes)


def test_a_block_without_any_element_may_add_nothing_to_what_all_blocks_add_to(context_of):
    blocks, added = ("(n + 63) / 64", "256"), "y[blockIdx.x] = a[0]"
    assert "if (t == 0) atomicAdd(y, a[0]);" in stayed(context_of, blocks, (added, "atomicAdd(y, a[0])"))
    assert "if (t == 0 && i < n) atomicAdd(&y[blockIdx.x], a[0]);" in stayed(context_of, blocks, (added, "atomicAdd(&y[blockIdx.x], a[0])"))
    assert "if (t == 0 && i < n) atomicAdd(y, 1);" in stayed(context_of, blocks, (added, "atomicAdd(y, 1)"))


@pytest.mark.parametrize(
    ("step", "value"),
    [
        ("a[t] *= a[t + s]", "i < n ? x[i] : 1.0f"),
        ("a[t] = fmaxf(a[t], a[t + s])", "i < n ? x[i] : -INFINITY"),
        ("a[t] = fminf(a[t], a[t + s])", "i < n ? x[i] : INFINITY"),
    ],
)
def test_what_changes_nothing_depends_on_what_is_made_of_the_values(context_of, step, value):
    assert f"a[t] = {value};" in stayed(context_of, ("a[t] += a[t + s]", step))


@pytest.mark.parametrize(
    "changes",
    [
        [("if (t == 0) y", "y")],
        [("if (t == 0) y[blockIdx.x] = a[0];", "y[i] = x[i] / a[0];")],
        [("if (i >= n) return;", "if (i >= n) { y[i] = 0; return; }")],
        [("if (i >= n) return;", "if (i >= n || chosen[i]) return;")],
        [("if (i >= n) return;", "if (i == n) return;")],
        [("a[t] = x[i];", "if (x[i] < 0) return; a[t] = x[i];")],
        [("a[t] = x[i];", "float v = x[i]; __syncthreads(); a[t] = v;")],
        [("a[t] = x[i];", "n -= 1; a[t] = x[i];")],
        [("a[t] = x[i];", "float v = x[i]; v = v * v; a[t] = v;"), ("= a[0]", "= a[0] + v")],
        [("a[t] += a[t + s]", "a[t] = max(a[t], a[t + s])"), ("float", "int64_t")],
        [("if (t < s)", "if (t <= s)")],
        [("int t = threadIdx.x,", "float w = x[0]; int t = threadIdx.x,"), ("if (i >= n) return;", "if (w > n) return;")],
    ],
    ids=[
        "all threads store",
        "all threads go on",
        "leaving does something",
        "depends on memory",
        "no bounds check",
        "left twice",
        "a barrier before",
        "the bound changes",
        "a value used again",
        "least of the type has no name here",
        "no reduction",
        "of a NaN nothing holds",
    ],
)
def test_threads_that_leave_as_before(context_of, changes):
    assert stayed(context_of, *changes) == ""
