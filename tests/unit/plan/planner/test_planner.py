"""The expert planner: findings in, ordered steps, declines and rewrites out."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.build.architectures import architecture
from assistant.cuda.functions import functions
from assistant.cuda.parse import parse
from assistant.cuda.syntax import SyntaxTree
from assistant.measure.targets import target
from assistant.model.experience import TechniqueEvidence
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.plan import DeclineReason
from assistant.model.profile import Evidence, Finding, Grade, LaunchProfile, LineAccess, Method, Severity
from assistant.model.source import Source
from assistant.model.verification import Label
from assistant.plan.catalogue import Catalogue, load_catalogue
from assistant.plan.expert.all_transformations import EXPERT_TRANSFORMATIONS
from assistant.plan.expert.analysis.pointer_roots import may_overlap
from assistant.plan.expert.planner import ExpertPlanner
from assistant.ports.planner import PlanRequest
from assistant.profile.catalogue import METRICS

ROOT = Path(__file__).resolve().parents[4]
CATALOGUE = load_catalogue(ROOT / "prompts" / "techniques")
TEXT = """\
__global__ void turn(float *out, const float *in) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.x * 32 + threadIdx.y] = tile[threadIdx.x][threadIdx.y];
}
void run(float *out, const float *in) { turn<<<1, dim3(32, 32)>>>(out, in); }
"""
EVIDENCE = (
    Evidence("E1", "shared_wavefronts", 1024.0, "wavefronts", 5, Method.EMULATOR, "emulator, sm_90 rules"),
    Evidence("E2", "shared_ideal_wavefronts", 32.0, "wavefronts", 5, Method.EMULATOR, "emulator, sm_90 rules"),
    Evidence("E3", "global_sectors", 1024.0, "sectors", 5, Method.EMULATOR, "emulator, sm_90 rules"),
)


def finding(code, line, evidence, cost):
    return Finding(code, "turn(float *, const float *)", line, Severity.WARNING, "", evidence, cost)


def request(**changes):
    parsed = parse(Source(Path("/turn.cu"), TEXT))
    limits, device = architecture("sm_90"), target("h200")
    assert limits is not None
    assert device is not None
    findings = (finding("KO103", 5, ("E1", "E2"), 0.3), finding("KO101", 5, ("E3",), 0.6))
    base = PlanRequest(parsed, parsed.kernels[0], (), findings, EVIDENCE, None, device, limits)
    return replace(base, **changes)


def plan(**changes):
    return asyncio.run(ExpertPlanner(CATALOGUE, EXPERT_TRANSFORMATIONS).plan(request(**changes)))


def written(planner, step):
    async def collected():
        return [rewrite async for rewrite in planner.rewrites(request(), step)]

    return asyncio.run(collected())


def test_the_costliest_finding_comes_first():
    assert [s.technique for s in plan().steps] == ["staged-store", "shared-memory-padding"]


def test_the_plan_does_not_depend_on_the_order_in_which_transformations_are_listed():
    equal = request(findings=(finding("KO101", 5, ("E3",), 0.3), finding("KO103", 5, ("E1", "E2"), 0.3)))
    plans = [asyncio.run(ExpertPlanner(CATALOGUE, listed).plan(equal)) for listed in (EXPERT_TRANSFORMATIONS, EXPERT_TRANSFORMATIONS[::-1])]
    assert plans[0] == plans[1]
    assert [s.technique for s in plans[0].steps] == ["shared-memory-padding", "staged-store"]


def test_what_memory_recalls_moves_a_step_and_is_quoted():
    remembered = TechniqueEvidence("shared-memory-padding", "", ("accepted on 3 November on sm_90",), precision=20.0, log_ratio=1.5)
    first = plan(recalled=(remembered,)).steps[0]
    assert first.technique == "shared-memory-padding"
    assert first.recalled == remembered.sentences


def test_a_step_cites_its_finding_and_predicts_its_metric():
    step = plan().steps[1]
    assert step.finding == "KO103"
    assert step.evidence == ("E1", "E2")
    assert [(p.metric, p.before, p.after, p.unit) for p in step.predictions] == [("shared_wavefronts", 1024.0, 32.0, "wavefronts")]


def test_a_rationale_gives_numbers_only_as_placeholders():
    for step in plan().steps:
        bare = re.sub(r"\{E\d+\}|KO\d+", "", step.rationale)
        assert not re.search(r"\d", bare), step.rationale
        assert "{E" in step.rationale


def test_what_does_not_apply_is_declined_with_a_reason():
    declines = plan().declines
    assert {d.technique for d in declines} == {"block-shuffles", "coalescing-interchange", "register-tile"}
    assert all(d.reason and d.line == 5 for d in declines)


def test_a_technique_for_stores_says_nothing_of_a_line_that_loads():
    loading = finding("KO101", 3, ("E3",), 0.6)
    assert "staged-store" not in {d.technique for d in plan(findings=(loading,)).declines}
    stored = LineAccess("/turn.cu", 3, "global store", 4, 32, 1024, 1024, 128, None, None, Grade.EXACT)
    profile = LaunchProfile(0, "turn", LaunchConfig(Dim3(1), Dim3(32, 32)), Method.EMULATOR, "", 1, (stored,), (), (), None, None, ())
    (said,) = (d for d in plan(findings=(loading,), profiles=(profile,)).declines if d.technique == "staged-store")
    assert said.code is DeclineReason.STORE_FORM


def test_findings_that_one_edit_answers_share_a_step_that_adds_up_their_costs():
    findings = (finding("KO101", 5, ("E3",), 0.2), finding("KO102", 5, ("E3",), 0.3))
    (step,) = plan(findings=findings).steps
    assert (step.technique, step.finding) == ("staged-store", "KO102")
    assert step.rank == pytest.approx(0.5)


def test_a_finding_without_a_technique_is_passed_over():
    assert plan(findings=(finding("KO109", 3, (), 0.9),)).steps == ()


def test_a_finding_without_a_modelled_cost_comes_last():
    findings = (finding("KO103", 5, ("E1",), None), finding("KO101", 5, ("E3",), 0.05))
    assert [s.finding for s in plan(findings=findings).steps] == ["KO101", "KO103"]


def test_an_edit_that_was_already_judged_on_this_text_is_not_planned_again():
    tried = plan(excluded=frozenset({("staged-store", 5)}))
    assert [s.technique for s in tried.steps] == ["shared-memory-padding"]
    assert {d.technique: d.code for d in tried.declines}["staged-store"] is DeclineReason.ALREADY_TRIED


def test_every_planned_step_can_be_written():
    planner = ExpertPlanner(CATALOGUE, EXPERT_TRANSFORMATIONS)
    for step in plan().steps:
        rewrites = written(planner, step)
        assert rewrites
        assert all(r.technique == step.technique and r.edits for r in rewrites)


def test_a_technique_lends_its_labels_to_its_rewrites():
    labelled = Catalogue(tuple(replace(t, labels=(Label.READABILITY,)) for t in CATALOGUE))
    planner = ExpertPlanner(labelled, EXPERT_TRANSFORMATIONS)
    step = asyncio.run(planner.plan(request())).steps[0]
    assert Label.READABILITY in written(planner, step)[0].labels


def test_predictions_speak_of_metrics_that_exist():
    from assistant.plan.expert.analysis import predictions

    known = {m.name for m in METRICS}
    used = set(re.findall(r'"([a-z]+(?:_[a-z]+)+)"', Path(predictions.__file__).read_text("utf-8")))
    assert used - {"predicted_sectors", "predicted_values", "predicted_wavefronts"} <= known


KERNEL = """\
__global__ void total(float *out, const float *in, int n)
{
    int i = threadIdx.x;
    for (int c = 0; c < n; c++) out[i] += in[c * 32 + i];
}
"""
CALLER = "void total(float *, const float *, int);\nvoid run(float *o, const float *i, int n) { total<<<1, 32>>>(o, i, n); }\n"
APART = "int main() { float *a, *b; cudaMalloc(&a, 128); cudaMalloc(&b, 4096); run(a, b, 8); }\n"
TOGETHER = "int main() { float *a; cudaMalloc(&a, 4096); run(a, a, 8); }\n"


@pytest.mark.parametrize(
    ("main", "reason"),
    [
        (APART, None),
        (TOGETHER, "`out` and `in` may be the same memory: line 1 of main.cu passes memory of `a` for both `o` and `i`"),
        ("", "`out` and `in` may be the same memory: nothing in this program calls `run`; with `__restrict__` on them this could be done"),
    ],
)
def test_callers_in_other_files_show_whether_pointers_overlap(main: str, reason: str | None) -> None:
    tree = SyntaxTree(KERNEL, others=(Source(Path("/run.cu"), CALLER), Source(Path("/main.cu"), main)))
    (function,) = functions(tree)
    obstacle = may_overlap(tree, function, "out", "in")
    assert (None if obstacle is None else obstacle.reason) == reason
    alone = may_overlap(SyntaxTree(KERNEL), function, "out", "in")
    assert alone is not None and "nothing in this file calls `total`" in alone.reason


MEMBERS = (ROOT / "tests" / "data" / "plan" / "split-loop" / "members_of_bodies.cu").read_text("utf-8")
STRUCTS = MEMBERS[MEMBERS.index("struct Vec") : MEMBERS.index("__global__")]


def members(headers):
    """What is planned for bodies whose structs stand in a header."""
    parsed = parse(Source(Path("/bodies.cu"), '#include "body.h"\n' + MEMBERS.replace(STRUCTS, "")))
    kernel = parsed.kernels[0]
    line = parsed.launch_sites_of(kernel)[0].line
    found = Finding("KO111", kernel.key, line, Severity.WARNING, "", (), 0.9)
    return plan(parsed=parsed, kernel=kernel, findings=(found,), evidence=(), headers=headers)


def test_types_of_headers_are_known():
    assert "split-loop" in {step.technique for step in members((Source(Path("/body.h"), STRUCTS),)).steps}
    assert "split-loop" in {decline.technique for decline in members(()).declines}


def test_headers_are_not_edited():
    launched = "<<<(500 + 127) / 128, 128>>>"
    named = MEMBERS.replace(STRUCTS, "").replace(launched, "<<<(500 + THREADS - 1) / THREADS, THREADS>>>")
    parsed = parse(Source(Path("/bodies.cu"), '#include "body.h"\n' + named))
    found = Finding("KO111", parsed.kernels[0].key, parsed.launch_sites_of(parsed.kernels[0])[0].line, Severity.WARNING, "", (), 0.9)
    header = Source(Path("/body.h"), f"#define THREADS 128\n{STRUCTS}")
    planned = plan(parsed=parsed, kernel=parsed.kernels[0], findings=(found,), evidence=(), headers=(header,))
    declined = {decline.technique: decline for decline in planned.declines}
    assert declined["block-size-search"].code == DeclineReason.USED_ELSEWHERE
    assert "body.h" in declined["block-size-search"].reason


ROWS = """\
__global__ void rows(const float *c, float *out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = 0; j < 256; j++) s += c[AT(t, j)];
  out[t] = s;
}
void run(const float *c, float *out) { rows<<<4, 64>>>(c, out); }
"""
AT = "#define AT(i, j) ((i) * 256 + (j))\n"


@pytest.mark.parametrize(("text", "header", "is_hidden"), [(ROWS, AT, True), (ROWS, "", False), (f"{AT}{ROWS}", "", False)])
def test_a_macro_of_another_file_that_hides_an_index_is_named(text, header, is_hidden):
    parsed = parse(Source(Path("/rows.cu"), text))
    line = next(number for number, words in enumerate(text.splitlines(), start=1) if "for (" in words)
    found = Finding("KO101", parsed.kernels[0].key, line, Severity.WARNING, "", ("E3",), 0.9)
    headers = (Source(Path("/at.h"), header),)
    made = plan(parsed=parsed, kernel=parsed.kernels[0], findings=(found,), headers=headers)
    reasons = {decline.technique: decline.reason for decline in made.declines}
    named = "what the macro AT of another file stands for is not certain: every source with this kernel would have to define it alike"
    assert (reasons["coalescing-interchange"] == named) is is_hidden


def test_a_macro_that_is_in_force_is_read_like_one_of_the_text():
    plans = []
    for text, header, outer in ((f"\n{ROWS}", AT, AT), (f"{AT}{ROWS}", "", "")):
        parsed = parse(Source(Path("/rows.cu"), text))
        line = next(number for number, words in enumerate(text.splitlines(), start=1) if "for (" in words)
        found = Finding("KO101", parsed.kernels[0].key, line, Severity.WARNING, "", ("E3",), 0.9)
        headers = (Source(Path("/at.h"), header),)
        plans.append(plan(parsed=parsed, kernel=parsed.kernels[0], findings=(found,), headers=headers, outer_definitions=outer))
    assert plans[0] == plans[1]


HALVED = """\
__global__ void total(float *out, const float *in) {
  __shared__ float sums[256];
  sums[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}
void run(float *out, const float *in) { total<<<64, 256>>>(out, in); }
"""


@pytest.mark.parametrize(("excluded", "planned"), [((), "block-shuffles"), ((("block-shuffles", 5),), "warp-shuffle-tail")])
def test_of_two_techniques_the_one_that_does_more_is_tried_and_the_other_only_if_that_was_tried(excluded, planned):
    parsed = parse(Source(Path("/total.cu"), HALVED))
    found = Finding("KO115", parsed.kernels[0].key, 5, Severity.WARNING, "", (), 0.1)
    made = plan(parsed=parsed, kernel=parsed.kernels[0], findings=(found,), excluded=frozenset(excluded))
    assert [step.technique for step in made.steps] == [planned]
