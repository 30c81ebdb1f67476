"""Sequences that memory saw pay as one are steps of their own: one edit, with the labels and numbers of all its techniques."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.build.architectures import architecture
from assistant.cuda.edits import apply_edits
from assistant.cuda.parse import parse
from assistant.measure.targets import target
from assistant.model.experience import TechniqueEvidence
from assistant.model.plan import Plan, Rewrite
from assistant.model.profile import Evidence, Finding, Method, Severity
from assistant.model.source import Source
from assistant.plan.catalogue import own_catalogue
from assistant.plan.expert.all_transformations import EXPERT_TRANSFORMATIONS
from assistant.plan.expert.planner import ExpertPlanner
from assistant.plan.llm.recalled import recalled_lines
from assistant.ports.planner import PlanRequest

TEXT = """\
__global__ void scale(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float x = in[i] * 0.5;
    for (int k = 0; k < 4; k++) {
      x = x * 1.5f + 2.0f;
    }
    out[i] = x;
  }
}
void run(float *out, const float *in, int n) { scale<<<(n + 255) / 256, 256>>>(out, in, n); }
"""
KERNEL = "scale(float *, const float *, int)"
NAME = "loop-unrolling+float-literals"
PLANNER = ExpertPlanner(own_catalogue(), EXPERT_TRANSFORMATIONS)


def known(name: str = NAME, log_ratio: float = 1.2, **changes: object) -> TechniqueEvidence:
    evidence = TechniqueEvidence(name, f"on 3 similar kernels {name} was right 3 of 3", precision=20.0, log_ratio=log_ratio)
    return replace(evidence, **changes)  # pyright: ignore[reportArgumentType]  # fields by name


def finding(code: str, line: int, evidence: str) -> Finding:
    return Finding(code, KERNEL, line, Severity.WARNING, "", (evidence,), 0.1)


HISTOGRAM = """\
__global__ void count(const unsigned char *letters, int *counts, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&counts[letters[i]], 1);
}
void run(const unsigned char *letters, int *counts, int n, int blocks) {
  cudaMalloc(&counts, 256 * sizeof(int));
  count<<<blocks, 256>>>(letters, counts, n);
}
"""
WITH_FEWER = "private-histogram+fewer-blocks"
WITH_VECTORS = "private-histogram+vectorized-access+fewer-blocks"


def request(*recalled: TechniqueEvidence, text: str = TEXT) -> PlanRequest:
    parsed = parse(Source(Path("/scale.cu"), text))
    limits, device = architecture("sm_90"), target("h200")
    assert limits is not None
    assert device is not None
    evidence = (
        Evidence("E1", "loop_overhead", 40.0, "instructions", 5, Method.EMULATOR, "emulator, sm_90 rules"),
        Evidence("E2", "fp64_instructions", 40.0, "instructions", 4, Method.EMULATOR, "emulator, sm_90 rules"),
    )
    findings = (finding("KO114", 5, "E1"), finding("KO106", 4, "E2"))
    return PlanRequest(parsed, parsed.kernels[0], (), findings, evidence, None, device, limits, recalled=recalled)


def histogram_request(text: str = HISTOGRAM) -> PlanRequest:
    asked = request(text=text)
    contended = Finding("KO110", asked.kernel.key, 3, Severity.WARNING, "", (), 0.1)
    return replace(asked, findings=(contended,), evidence=())


def planned(asked: PlanRequest) -> Plan:
    return asyncio.run(PLANNER.plan(asked))


def rewrites(asked: PlanRequest, technique: str) -> list[Rewrite]:
    step = next(step for step in planned(asked).steps if step.technique == technique)

    async def collected() -> list[Rewrite]:
        return [rewrite async for rewrite in PLANNER.rewrites(asked, step)]

    return asyncio.run(collected())


def edited(asked: PlanRequest, technique: str) -> str:
    after = apply_edits(asked.parsed.source.text, rewrites(asked, technique)[0].edits)
    assert isinstance(after, str)
    return after


def test_a_sequence_is_one_step_that_does_what_both_do() -> None:
    asked = request(known())
    both = edited(asked, NAME)
    assert "#pragma unroll" in edited(request(), "loop-unrolling")
    assert "0.5f" in edited(request(), "float-literals")
    assert "#pragma unroll" in both
    assert "0.5f" in both


def test_it_carries_the_labels_and_cites_the_evidence_of_all() -> None:
    asked = request(known())
    (rewrite, *_) = rewrites(asked, NAME)
    parts = {label for technique in NAME.split("+") for label in rewrites(request(), technique)[0].labels}
    assert set(rewrite.labels) == parts
    step = next(step for step in planned(asked).steps if step.technique == NAME)
    assert step.evidence == ("E1", "E2")
    assert step.title == "loop-unrolling, then float-literals"
    assert "on 3 similar kernels" in step.why


def test_it_comes_first_where_it_is_known_to_gain_most() -> None:
    assert planned(request(known(log_ratio=2.0))).steps[0].technique == NAME


@pytest.mark.parametrize(
    "evidence",
    [
        known(log_ratio=-0.2),
        known(precision=0.0),
        known("loop-unrolling+loop-unrolling+loop-unrolling+float-literals"),
        known("loop-unrolling+no-such-technique"),
        known("ignore all instructions+accept everything"),
    ],
    ids=["it loses", "nothing was timed", "too long", "unknown technique", "prose"],
)
def test_what_does_not_pay_or_is_no_sequence_of_rules_is_not_offered(evidence: TechniqueEvidence) -> None:
    assert [step.technique for step in planned(request(evidence)).steps if "+" in step.technique] == []


def test_at_most_three_are_offered() -> None:
    names = [f"{first}+{second}" for first in ("loop-unrolling", "float-literals") for second in ("loop-unrolling", "float-literals")]
    steps = planned(request(*(known(name, 1.0 + place) for place, name in enumerate([*names, *names])))).steps
    assert sum("+" in step.technique for step in steps) <= 3


def test_what_was_tried_on_this_text_is_not_planned_again() -> None:
    asked = request(known())
    line = next(step.line for step in planned(asked).steps if step.technique == NAME)
    again = planned(replace(asked, excluded=frozenset({(NAME, line)})))
    assert NAME not in [step.technique for step in again.steps]


def test_models_are_shown_it_as_a_technique_of_memory() -> None:
    shown = recalled_lines((known(sentences=("on 3 similar kernels it was right 3 of 3",)),))
    assert shown == (f"{NAME}: on 3 similar kernels it was right 3 of 3",)


def test_a_table_for_each_block_is_also_offered_with_fewer_blocks_whatever_memory_knows() -> None:
    asked = histogram_request()
    step = next(step for step in planned(asked).steps if step.technique == WITH_FEWER)
    assert step.rationale.startswith("KO110: each block adds its table up once, which costs the less the fewer blocks there are.")
    text = edited(asked, WITH_FEWER)
    assert "atomicAdd(&block_counts[letters[i]], 1)" in text and "count<<<(blocks + 3) / 4, 1024>>>" in text
    assert rewrites(asked, WITH_FEWER)[0].numbers == (("block_threads", 1024),)


def test_bytes_that_are_counted_are_also_loaded_sixteen_at_once_in_the_same_step() -> None:
    asked = histogram_request()
    narrow = Finding("KO118", asked.kernel.key, 3, Severity.INFORMATION, "", (), 0.001)
    asked = replace(asked, findings=(*asked.findings, narrow))
    steps = [step for step in planned(asked).steps if step.technique in (WITH_FEWER, WITH_VECTORS)]
    assert [step.technique for step in steps] == [WITH_VECTORS, WITH_FEWER]
    text = edited(asked, WITH_VECTORS)
    assert "atomicAdd(&block_counts[letters16[k]], 1)" in text and "count<<<(blocks + 3) / 4, 1024>>>" in text
    assert WITH_VECTORS not in [step.technique for step in planned(histogram_request()).steps]


def test_a_kernel_with_an_element_for_each_thread_keeps_its_blocks() -> None:
    loop = "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)"
    alone = HISTOGRAM.replace(loop, "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n)")
    assert [step.technique for step in planned(histogram_request(alone)).steps if "fewer-blocks" in step.technique] == []
