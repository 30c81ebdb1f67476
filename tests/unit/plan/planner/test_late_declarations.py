"""Kernels that declare their locals at the top get the plans of kernels that declare them where they are used."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from assistant.build.architectures import architecture
from assistant.cuda.edits import apply_edits
from assistant.cuda.parse import parse
from assistant.measure.targets import target
from assistant.model.plan import Rewrite, Step
from assistant.model.profile import Evidence, Finding, Method, Severity
from assistant.model.source import Source
from assistant.plan.catalogue import own_catalogue
from assistant.plan.expert.all_transformations import EXPERT_TRANSFORMATIONS
from assistant.plan.expert.planner import ExpertPlanner
from assistant.plan.expert.writing.declared_late import declared_late
from assistant.ports.planner import PlanRequest

PRODUCT = """\
__global__ void product(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int k, unused = 0;
    float sum;

    if (row >= n || col >= n) return;
    sum = 0;
    for (k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}
void run(const float *a, const float *b, float *c, int n) {
    product<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(a, b, c, n);
}
"""
LOOP_LINE = 10
PLANNER = ExpertPlanner(own_catalogue(), EXPERT_TRANSFORMATIONS)


def request(text: str) -> PlanRequest:
    parsed = parse(Source(Path("/product.cu"), text))
    limits, device = architecture("sm_90"), target("h200")
    assert limits is not None
    assert device is not None
    evidence = (Evidence("E1", "load_reuse_in_block", 16.0, "loads/sector", LOOP_LINE + 1, Method.EMULATOR, "emulator, sm_90 rules"),)
    findings = (Finding("KO108", parsed.kernels[0].key, LOOP_LINE + 1, Severity.WARNING, "", ("E1",), 0.5),)
    return PlanRequest(parsed, parsed.kernels[0], (), findings, evidence, None, device, limits)


def steps(text: str) -> tuple[Step, ...]:
    return asyncio.run(PLANNER.plan(request(text))).steps


def rewritten(text: str, technique: str) -> str:
    asked = request(text)
    step = next(step for step in steps(text) if step.technique == technique)

    async def first() -> Rewrite:
        return await anext(PLANNER.rewrites(asked, step))

    after = apply_edits(text, asyncio.run(first()).edits)
    assert isinstance(after, str)
    return after


def late(kernel: str, context_of) -> str:
    """The text of a kernel with its declarations where they get their values."""
    text = f"// kernel=k line=2 finding=KO108\n__global__ void k(const float *x, float *y, int n) {{ {kernel} }}\n"
    after = apply_edits(text, declared_late(context_of(text)))
    assert isinstance(after, str)
    return after.splitlines()[1].partition("{")[2].removesuffix("}").strip()


def test_a_loop_that_counts_with_a_local_of_the_kernel_is_tiled():
    assert {step.technique: step.line for step in steps(PRODUCT)} == {"register-tile": LOOP_LINE, "shared-tile": LOOP_LINE}
    text = rewritten(PRODUCT, "shared-tile")
    assert "    int unused = 0;\n" in text
    assert "float sum;" not in text
    assert "float sum = 0;" in text


def test_the_reason_for_a_decline_is_about_the_text_as_it_stands():
    text = PRODUCT.replace("    c[row", "    if (k > 5) sum += k;\n    c[row")
    plan = asyncio.run(PLANNER.plan(request(text)))
    assert not plan.steps
    assert "the loop's counter is used after the loop" in {decline.reason for decline in plan.declines}


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        ("float s; s = x[n]; y[n] = s;", "float s = x[n]; y[n] = s;"),
        ("int i, j = 2; for (i = 0; i < n; i++) y[i] = x[j];", "int j = 2; for (int i = 0; i < n; i++) y[i] = x[j];"),
        (
            "int i; for (i = 0; i < n; i++) y[i] = 1; for (i = 1; i < n; i++) y[i] += x[i];",
            "for (int i = 0; i < n; i++) y[i] = 1; for (int i = 1; i < n; i++) y[i] += x[i];",
        ),
    ],
)
def test_a_declaration_goes_where_the_first_value_is_given(kernel, expected, context_of):
    assert late(kernel, context_of) == expected


@pytest.mark.parametrize(
    "kernel",
    [
        "int i; for (i = 0; i < n; i++) y[i] = 1; y[i] = 2;",
        "float s; if (n > 2) s = 1; else s = 2; y[n] = s;",
        "float s; if (n > 2) { s = 1; y[0] = s; } y[n] = s;",
        "float s; s += x[n]; y[n] = s;",
        "float s = 1; s = x[n]; y[n] = s;",
        "float s[2]; s[0] = x[n]; y[n] = s[0];",
        "int i; for (i = n; i > 0; i--) for (i = 0; i < n; i++) y[i] = 1;",
        "int i; { float i; i = x[0]; y[0] = i; } i = 2; y[1] = i;",
    ],
    ids=[
        "counter used behind",
        "one of two branches",
        "used outside",
        "adds to it",
        "has a value",
        "array",
        "loop in its own loop",
        "twice",
    ],
)
def test_a_declaration_that_has_to_stay(kernel, context_of):
    assert late(kernel, context_of) == kernel
