"""Kernels whose indices are macros get the plans of kernels that have them written out, and keep the macros where an edit leaves them."""

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
from assistant.model.plan import Rewrite
from assistant.model.profile import Evidence, Finding, Method, Severity
from assistant.model.source import Source
from assistant.plan.catalogue import own_catalogue
from assistant.plan.expert.all_transformations import EXPERT_TRANSFORMATIONS
from assistant.plan.expert.planner import ExpertPlanner
from assistant.plan.expert.writing.written_macros import written_macros
from assistant.ports.planner import PlanRequest

PRODUCT = """\
__global__ void product(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || col >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[IDX(row, k)] * b[IDX(k, col)];
    c[IDX(row, col)] = sum;
}
void run(const float *a, const float *b, float *c, int n) {
    product<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(a, b, c, n);
}
"""
IDX = "#define IDX(i, j) ((i) * n + (j))\n"
PLAIN = PRODUCT.replace("IDX(row, k)", "row * n + k").replace("IDX(k, col)", "k * n + col").replace("IDX(row, col)", "row * n + col")
PLANNER = ExpertPlanner(own_catalogue(), EXPERT_TRANSFORMATIONS)


def request(text: str) -> PlanRequest:
    parsed = parse(Source(Path("/product.cu"), text))
    limits, device = architecture("sm_90"), target("h200")
    assert limits is not None
    assert device is not None
    line = next(number for number, words in enumerate(text.splitlines(), start=1) if "sum +=" in words)
    evidence = (Evidence("E1", "load_reuse_in_block", 16.0, "loads/sector", line, Method.EMULATOR, "emulator, sm_90 rules"),)
    findings = (Finding("KO108", parsed.kernels[0].key, line, Severity.WARNING, "", ("E1",), 0.5),)
    return PlanRequest(parsed, parsed.kernels[0], (), findings, evidence, None, device, limits)


def rewritten(asked: PlanRequest, technique: str) -> str:
    async def first() -> Rewrite:
        plan = await PLANNER.plan(asked)
        step = next(step for step in plan.steps if step.technique == technique)
        return await anext(aiter(PLANNER.rewrites(asked, step)))

    after = apply_edits(asked.parsed.source.text, asyncio.run(first()).edits)
    assert isinstance(after, str)
    return after


@pytest.mark.parametrize("technique", ["shared-tile", "register-tile"])
def test_what_is_written_is_that_of_the_kernel_without_macros(technique):
    own = rewritten(request(IDX + PRODUCT), technique)
    plain = rewritten(request(PLAIN), technique)
    written = re.sub(r"IDX\((\w+), (\w+)\)", r"\1 * n + \2", own.removeprefix(IDX))
    assert written == plain
    of_header = rewritten(replace(request(PRODUCT), outer_definitions=IDX), technique)
    assert of_header == own.removeprefix(IDX)


def test_uses_that_the_edit_leaves_as_they_were_stay():
    assert "c[IDX(row, col)] = sum;" in rewritten(request(IDX + PRODUCT), "shared-tile")


def test_a_decline_is_about_the_index_and_not_about_its_macro():
    text = IDX + PRODUCT.replace("IDX(k, col)", "IDX(col, 2 * k + row)")
    reasons = {decline.technique: decline.reason for decline in asyncio.run(PLANNER.plan(request(text))).declines}
    assert "col * n + (2 * k + row)" in reasons["register-tile"]


@pytest.mark.parametrize(
    ("macro", "statement", "written"),
    [
        ("IDX(i, j) ((i) * n + (j))", "y[IDX(t, 2)] = 1;", "y[t * n + 2] = 1;"),
        ("IDX(i, j) ((i) * n + (j))", "y[IDX(t + 1, 2)] = 1;", "y[(t + 1) * n + 2] = 1;"),
        ("IDX(i, j) ((i) * n + (j))", "y[IDX(t, 2) + 1] = 1;", "y[(t * n + 2) + 1] = 1;"),
        ("IDX(i, j) i*n+j", "y[IDX(t + 1, 2)] = 1;", "y[t + 1*n+2] = 1;"),
        ("IDX(i, j) ((i) * n + (j))", "int p = IDX(t, 2); y[p] = 1;", "int p = t * n + 2; y[p] = 1;"),
        ("AT(m, i) m[(i) * n]", "AT(y, t) += 1;", "y[t * n] += 1;"),
        ("ME (blockIdx.x * blockDim.x + threadIdx.x)", "int p = ME; y[p] = 1;", "int p = blockIdx.x * blockDim.x + threadIdx.x; y[p] = 1;"),
        ("ME (blockIdx.x*blockDim.x+threadIdx.x)", "int p=ME; y[p]=1;", "int p=blockIdx.x*blockDim.x+threadIdx.x; y[p]=1;"),
        ("IDX(i, j) ((i) * n + (j))", "y[ IDX(t, 2) ]=1;", "y[ t * n + 2 ]=1;"),
        ("IDX(i, j) ((int)(i) * n + f(j))", "y[IDX(t, 2)] = 1;", "y[(int)(t) * n + f(2)] = 1;"),
    ],
)
def test_a_use_is_written_out_and_put_back(macro, statement, written, context_of):
    text = f"// kernel=k line=3 finding=KO101\n#define {macro}\n__global__ void k(float *y, int n, int t) {{ {statement} }}\n"
    found = written_macros(context_of(text))
    assert found is not None
    after = apply_edits(text, found.edits)
    assert isinstance(after, str)
    assert after == text.replace(statement, written)
    assert found.put_back(after) == text


@pytest.mark.parametrize(
    ("macro", "statement"),
    [
        ("SQUARE(v) ((v) * (v))", "y[0] = SQUARE(y[1]);"),
        ("IDX(i, j) i##j", "y[IDX(t, 2)] = 1;"),
        ("IDX(i, j) ((i) = (j))", "y[IDX(t, 2)] = 1;"),
        ("N 16", "y[N] = 1;"),
        ("IDX(i) (i)\n#define IDX(i) (2 * (i))", "y[IDX(t)] = 1;"),
    ],
)
def test_other_macros_stay(macro, statement, context_of):
    text = f"// kernel=k line=3 finding=KO101\n#define {macro}\n__global__ void k(float *y, int n, int t) {{ {statement} }}\n"
    assert written_macros(context_of(text)) is None


def test_what_only_looks_like_it_is_not_put_back(context_of):
    text = "// kernel=k line=3 finding=KO101\n#define AT(i) ((i) * n)\n__global__ void k(float *y, int n, int t) { y[AT(t) + 1] = 1; }\n"
    found = written_macros(context_of(text))
    assert found is not None
    assert (
        found.put_back("f(t * n); if (t * n) g((t * n), 1 + (t * n)); my[t * n]") == "f(t * n); if (t * n) g(AT(t), 1 + AT(t)); my[t * n]"
    )
