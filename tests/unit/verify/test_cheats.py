"""Static rules: plain cheats are named, honest rewrites are left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.parse import parse
from assistant.model.source import Source
from assistant.model.verification import Outcome, VerificationFinding
from assistant.verify.cheats import find_cheats

HEAD = "__global__ void k(const float *in, float *out, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
ORIGINAL = HEAD + "  if (i < n) out[i] = 2.0f * in[i];\n}\n"


def cheats(body: str, before: str = "") -> tuple[VerificationFinding, ...]:
    return find_cheats(parse(Source(Path("/a.cu"), ORIGINAL)), parse(Source(Path("/b.cu"), before + HEAD + body + "\n}\n")))


@pytest.mark.parametrize(
    ("body", "code", "outcome"),
    [
        ("", "body_emptied", Outcome.FAIL),
        ("float v = in[i]; (void)v;", "body_emptied", Outcome.FAIL),
        ("if (i < n) out[i] = 0.0f;", "constant_output", Outcome.FAIL),
        ("if (n == 4096) return; if (i < n) out[i] = 2.0f * in[i];", "magic_size", Outcome.FAIL),
        (
            "if (n == 4096) { out[i] = in[i] + in[i]; } else if (i < n) out[i] = 2.0f * in[i];",
            "magic_size",
            Outcome.NEEDS_DECISION,
        ),
        ("if (i < n) { out[i] = 2.0f * in[i]; const_cast<float *>(in)[i] = 0; }", "writes_input", Outcome.FAIL),
        ("float *p = (float *)in; if (i < n) { p[i] *= 2.0f; out[i] = p[i]; }", "writes_input", Outcome.FAIL),
    ],
)
def test_a_cheat_is_named_on_its_line(body: str, code: str, outcome: Outcome) -> None:
    (finding,) = cheats(body)
    assert (finding.code, finding.outcome, finding.kernel) == (code, outcome, "k")
    assert finding.line == (1 if code == "body_emptied" else 3)


def test_a_dropped_const_does_not_hide_a_written_input() -> None:
    text = ORIGINAL.replace("const float *in", "float *in").replace("2.0f * in[i]", "2.0f * in[i], in[i] = 0")
    (finding,) = find_cheats(parse(Source(Path("/a.cu"), ORIGINAL)), parse(Source(Path("/b.cu"), text)))
    assert (finding.code, finding.outcome) == ("writes_input", Outcome.NEEDS_DECISION), "it says so: the cases tell whether it is wanted"


def test_swapped_parameters_are_no_written_input() -> None:
    swapped = ORIGINAL.replace("const float *in, float *out", "float *out, const float *in")
    assert find_cheats(parse(Source(Path("/a.cu"), ORIGINAL)), parse(Source(Path("/b.cu"), swapped))) == ()


def test_work_done_only_once_is_named() -> None:
    (finding,) = cheats("if (done) return; if (i < n) out[i] = 2.0f * in[i]; done = 1;", "__device__ int done;\n")
    assert (finding.code, finding.outcome, finding.line) == ("once_only_state", Outcome.FAIL, 1)


@pytest.mark.parametrize(
    "body",
    [
        "float v = kept[i] != 0 ? kept[i] : 2.0f * in[i]; if (i < n) { out[i] = v; kept[i] = v; }",
        "while (kept[0] == 0) { kept[0] = 1; } if (i < n) out[i] = 2.0f * in[i];",
    ],
)
def test_work_skipped_by_other_means_than_if_is_named(body: str) -> None:
    (finding,) = cheats(body, "__device__ float kept[64];\n")
    assert (finding.code, finding.outcome) == ("once_only_state", Outcome.FAIL)


def test_a_variable_that_a_kernel_writes_and_reads_asks_the_human() -> None:
    (finding,) = cheats("kept[i] += 2.0f * in[i]; if (i < n) out[i] = kept[i];", "__device__ float kept[64];\n")
    assert (finding.code, finding.outcome) == ("once_only_state", Outcome.NEEDS_DECISION)


def test_a_variable_that_a_kernel_only_writes_or_only_reads_is_left_alone() -> None:
    assert cheats("if (i < n) out[i] = 2.0f * in[i]; seen = 1;", "__device__ int seen;\n") == ()
    assert cheats("if (i < n) out[i] = factor * in[i];", "__device__ float factor = 2.0f;\n") == ()


def test_a_choice_by_one_exact_size_asks_the_human() -> None:
    (finding,) = cheats("float f = n == 4096 ? 2.0f : 2.0f; if (i < n) out[i] = f * in[i];")
    assert (finding.code, finding.outcome) == ("magic_size", Outcome.NEEDS_DECISION)


def test_a_counter_that_is_reset_asks_the_human() -> None:
    body = "if (i < n) out[i] = 2.0f * in[i]; if (atomicAdd(&left, 1) == gridDim.x - 1) { left = 0; }"
    (finding,) = cheats(body, "__device__ unsigned left = 0;\n")
    assert (finding.code, finding.outcome) == ("once_only_state", Outcome.NEEDS_DECISION)


def test_a_variable_that_each_launch_leaves_as_it_found_it_keeps_nothing() -> None:
    body = "if (i < n) out[i] = 2.0f * in[i]; if (atomicAdd(&left, 1) == gridDim.x - 1) { left = 0; }"
    before, after = ORIGINAL, "__device__ unsigned left, seen;\n" + HEAD + body + "\n}\n"

    def found(*restored: str) -> tuple[VerificationFinding, ...]:
        return find_cheats(parse(Source(Path("/a.cu"), before)), parse(Source(Path("/b.cu"), after)), frozenset(restored))

    assert found("left") == () and len(found("seen")) == 1


@pytest.mark.parametrize(
    "body",
    [
        "if (i >= n) return; out[i] = 2.0f * in[i];",
        "float4 v = reinterpret_cast<const float4 *>(in)[i]; reinterpret_cast<float4 *>(out)[i] = v;",
        "for (; i < n; i += gridDim.x * blockDim.x) out[i] = in[i] + in[i];",
        "if (n == 0) return; if (i < n) out[i] = 2.0f * in[i];",
        "__shared__ float t[256]; t[threadIdx.x] = in[i]; __syncthreads(); if (i < n) out[i] = t[threadIdx.x] * 2;",
        "if (i < n) { out[i] = 0.0f; atomicAdd(&out[i], in[i]); }",
        "if (i < n) { out[i] = 0.0f; out[i] += 2.0f * in[i]; }",
        "if (i < n && in[i] > 0) out[i] = in[i] * 2;",
        "if (i < n) { if (in[i] == 0) out[i] = 0.0f; else { float *o = out; o[i] = 2.0f * in[i]; } }",
        "if (i < n) { out[i] = 0.0f; *(out + i) = 2.0f * in[i]; }",
        "run<float, 4>(out, in, n);",
        "if (i < n) out[i]++;",
        "float4 v; v.x = in[i]; if (i < n) reinterpret_cast<float4 *>(out)[i].x = v.x;",
        "// if (n == 4096) return;\n if (i < n) out[i] = 2.0f * in[i];",
    ],
)
def test_an_honest_rewrite_is_left_alone(body: str) -> None:
    assert cheats(body) == ()


def test_an_original_that_only_fills_may_be_rewritten_as_a_fill() -> None:
    fill = HEAD + "  if (i < n) out[i] = 1.0f;\n}\n"
    assert find_cheats(parse(Source(Path("/a.cu"), fill)), parse(Source(Path("/b.cu"), fill))) == ()
