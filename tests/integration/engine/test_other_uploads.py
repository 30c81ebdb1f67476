"""Programs whose launches do not correspond, on other contents than they upload themselves: who is told, and who is left alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assistant.engine.judge import other_uploads
from assistant.engine.judge.moved import right_as_a_whole
from assistant.engine.request import JobRequest
from assistant.engine.session import Session, SessionParts
from assistant.lab.cpu import CpuLab
from assistant.memory.store import open_store
from assistant.model import event_parts, events
from assistant.model.verification import Label, Outcome, Verification, VerificationFinding
from assistant.plan.catalogue import Catalogue
from assistant.ports.lab import Lab, Program, RunLimits
from tests.caches import shared_cache
from tests.e2e.cli.harness import working_cli
from tests.unit.engine.fakes import FakePlanner

HEAD = "#include <cmath>\n#include <cstdio>\n#include <vector>\n"
SEGMENTS = """
int main() {
    const int segments = 200, n = 4000;
    std::vector<int> v(n), begin(segments + 1), low(segments), at(segments);
    for (int i = 0; i < n; i++) v[i] = i * 7919 % 16001 + 5;  // all different
    for (int s = 0; s <= segments; s++) begin[s] = s * 20;
    int *dv, *db, *dl, *da;
    cudaMalloc(&dv, n * 4); cudaMalloc(&db, (segments + 1) * 4); cudaMalloc(&dl, segments * 4); cudaMalloc(&da, segments * 4);
    cudaMemcpy(dv, v.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(db, begin.data(), (segments + 1) * 4, cudaMemcpyHostToDevice);
    RUN
    cudaMemcpy(low.data(), dl, segments * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(at.data(), da, segments * 4, cudaMemcpyDeviceToHost);
    for (int s = 0; s < segments; s++) {
        int best = begin[s];
        for (int i = begin[s]; i < begin[s + 1]; i++) if (v[i] < v[best]) best = i;
        if (low[s] != v[best] || at[s] != best) { printf("FAIL in segment %d\\n", s); return 1; }
    }
    printf("PASS\\n");
}
"""
TWO_KERNELS = (
    HEAD
    + """
__global__ void lowest(const int *v, const int *begin, int *low, int n) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= n) return;
    int m = 0x7fffffff;
    for (int i = begin[s]; i < begin[s + 1]; i++) m = min(m, v[i]);
    low[s] = m;
}
__global__ void place(const int *v, const int *begin, const int *low, int *at, int n) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= n) return;
    int i = begin[s];
    while (v[i] != low[s]) i++;
    at[s] = i;
}
"""
    + SEGMENTS.replace("RUN", "lowest<<<4, 64>>>(dv, db, dl, segments); place<<<4, 64>>>(dv, db, dl, da, segments);")
)


def one_kernel(first: str, turn: str, last: str) -> str:
    return f"""{HEAD}
__global__ void both(const int *v, const int *begin, int *low, int *at, int n) {{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= n) return;
    {first}
    for (int i = begin[s]; i < begin[s + 1]; i++) {turn}
    {last}
}}
{SEGMENTS.replace("RUN", "both<<<4, 64>>>(dv, db, dl, da, segments);")}"""


HONEST = one_kernel("int m = 0x7fffffff, a = -1;", "if (a < 0 || v[i] < m) { m = v[i]; a = i; }", "low[s] = m; at[s] = a;")
PACKED = one_kernel("unsigned m = ~0u;", "m = min(m, (unsigned)v[i] << 16 | i);", "low[s] = m >> 16; at[s] = m & 0xffff;")
LAST_OF_EQUAL = HONEST.replace("v[i] < m)", "v[i] <= m)")

LABELS = (
    HEAD
    + """
__global__ void start(PARAMETERS) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) label[i] = i;
    CLEAR
}
__global__ void step(const int *to, const int *label, int *next, int n, int *changed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    next[i] = min(label[i], label[to[i]]);
    if (next[i] != label[i]) atomicExch(changed, 1);
}
int main() {
    const int n = 600;
    std::vector<int> to(n), label(n);
    unsigned seed = 3;
    for (int &value : to) { seed = seed * 1664525u + 1013904223u; value = (seed >> 8) % n; }
    int *dt, *dl, *dn, *dc, changed = 1;
    cudaMalloc(&dt, n * 4); cudaMalloc(&dl, n * 4); cudaMalloc(&dn, n * 4); cudaMalloc(&dc, 4);
    cudaMemcpy(dt, to.data(), n * 4, cudaMemcpyHostToDevice);
    start<<<5, 128>>>(ARGUMENTS);
    while (changed) {
        cudaMemset(dc, 0, 4);
        step<<<5, 128>>>(dt, dl, dn, n, dc);
        std::swap(dl, dn);
        cudaMemcpy(&changed, dc, 4, cudaMemcpyDeviceToHost);
    }
    cudaMemcpy(label.data(), dl, n * 4, cudaMemcpyDeviceToHost);
    long sum = 0;
    for (int value : label) sum += value;
    printf("%ld\\n", sum);
}
"""
)
FIRST_LABELS = LABELS.replace("PARAMETERS", "int *label, int n").replace("CLEAR", "").replace("ARGUMENTS", "dl, n")
OTHER_LABELS = (
    LABELS.replace("PARAMETERS", "int *label, int n, int *changed")
    .replace("CLEAR", "if (!i) *changed = 0;")
    .replace("ARGUMENTS", "dl, n, dc")
)

SCALED = (
    HEAD
    + """
__global__ void top(const float *x, float *most, int n) {
    float m = 0;
    for (int i = 0; i < n; i++) m = fmaxf(m, fabsf(x[i]));
    *most = m;
}
__global__ void scale(const float *x, const float *most, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] / *most;
}
int main() {
    const int n = 900;
    std::vector<float> x(n), y(n);
    for (int i = 0; i < n; i++) x[i] = sinf(i * 0.37f) * 3 + 0.01f * i;
    float *dx, *dy, *dm;
    cudaMalloc(&dx, n * 4); cudaMalloc(&dy, n * 4); cudaMalloc(&dm, 4);
    cudaMemcpy(dx, x.data(), n * 4, cudaMemcpyHostToDevice);
    top<<<1, 1>>>(dx, dm, n);
    scale<<<8, 128>>>(dx, dm, dy, n);
    cudaMemcpy(y.data(), dy, n * 4, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float value : y) sum += value;
    printf("%.4f\\n", sum);
}
"""
)
TOP_ON_THE_HOST = (
    SCALED.replace("const float *most, float *y", "float most, float *y")
    .replace("/ *most", "/ most")
    .replace("    top<<<1, 1>>>(dx, dm, n);\n", "    float most = 0;\n    for (float value : x) most = fmaxf(most, fabsf(value));\n")
    .replace("(dx, dm, dy, n)", "(dx, most, dy, n)")
)
HALVED_ON_THE_HOST = (
    SCALED.replace("const float *most, float *y", "float *y, const float *most")
    .replace("x[i] / *most", "x[i] * 2 / *most")
    .replace("    cudaMemcpy(dx,", "    for (float &value : x) value = value / 2;\n    cudaMemcpy(dx,")
    .replace("*most = m;", "*most = m * 2;")
    .replace("(dx, dm, dy, n)", "(dx, dy, dm, n)")
)
LOST_SIGN = (
    SCALED.replace("const float *most, float *y", "float *y, const float *most")
    .replace("(dx, dm, dy, n)", "(dx, dy, dm, n)")
    .replace("fabsf(x[i])", "x[i]")
)
RESULTS_FROM_THE_HOST = (
    SCALED.replace("    top<<<1, 1>>>(dx, dm, n);\n    scale<<<8, 128>>>(dx, dm, dy, n);\n", "    UPLOAD\n")
    .replace("UPLOAD", "float most = 0;\n    for (float value : x) most = fmaxf(most, fabsf(value));\n    UPLOAD")
    .replace("UPLOAD", "for (int i = 0; i < n; i++) y[i] = x[i] / most;\n    UPLOAD")
    .replace("UPLOAD", "cudaMemcpy(dy, y.data(), n * 4, cudaMemcpyHostToDevice);")
)
RESULTS_ALONE = RESULTS_FROM_THE_HOST.replace("    cudaMemcpy(dx, x.data(), n * 4, cudaMemcpyHostToDevice);\n", "")
WEIGHTED = SCALED.replace("y[i] = x[i] / *most", "y[i] = x[i] / *most * cosf(i * 0.001f)")
TABLE_OF_WEIGHTS = (
    WEIGHTED.replace("const float *most, float *y", "float *y, const float *most, const float *w")
    .replace("cosf(i * 0.001f)", "w[i]")
    .replace("(dx, dm, dy, n)", "(dx, dy, dm, dw, n)")
    .replace("    top<<<", "    for (int i = 0; i < n; i++) y[i] = cosf(i * 0.001f);\n    float *dw; cudaMalloc(&dw, n * 4);\n    top<<<")
    .replace("    top<<<", "    cudaMemcpy(dw, y.data(), n * 4, cudaMemcpyHostToDevice);\n    top<<<")
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Its path comes again, and with it what was built there."""
    with working_cli(tmp_path) as cli:
        monkeypatch.setenv("KERNELOPT_HOME", str(cli.home))
        yield cli.folder


def open_lab(request: JobRequest, scratch: Path, target: str) -> Lab:
    return CpuLab(scratch, shared_cache(), target)


# One block: blocks run at the same time, and one that comes first by chance would show the fault in the first run.
ODD_ONES = """
int main() {
    const int n = 700;
    std::vector<int> v(n), odd(n, 0);
    for (int i = 0; i < n; i++) v[i] = i * 7919 % 16001;
    int *dv, *dr, *dout;
    cudaMalloc(&dv, n * 4); cudaMalloc(&dr, n * 4); cudaMalloc(&dout, n * 4);
    cudaMemcpy(dv, v.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemset(dr, 0, n * 4);
    cudaMemset(dout, 0, n * 4);
    RUN
    cudaMemcpy(odd.data(), dout, n * 4, cudaMemcpyDeviceToHost);
    long long sum = 0;
    for (int i = 0; i < n; i++) sum += odd[i] * (i + 1LL);
    printf("%lld\\n", sum);
}
"""
IN_ORDER = (
    HEAD
    + """
__global__ void rank(const int *v, int *r, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; i < n && j < i; j++) r[i] += v[j] & 1;
}
__global__ void put(const int *v, const int *r, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (v[i] & 1)) out[r[i]] = v[i];
}
"""
    + ODD_ONES.replace("RUN", "rank<<<1, 704>>>(dv, dr, n); put<<<1, 704>>>(dv, dr, dout, n);")
)
BY_ARRIVAL = (
    HEAD
    + """
__global__ void pick(const int *v, int *cursor, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (v[i] & 1)) out[atomicAdd(cursor, 1)] = v[i];
}
"""
    + ODD_ONES.replace("RUN", "pick<<<1, 704>>>(dv, dr, dout, n);")
)


def compared(folder: Path, a: str, b: str) -> event_parts.VerificationReport:
    (folder / "a.cu").write_text(a)
    (folder / "b.cu").write_text(b)
    parts = SessionParts(
        open_store=open_store,
        open_lab=open_lab,
        planner=FakePlanner("a planner"),
        catalogue=Catalogue(()),
        who="a test",
        load_models=lambda: None,  # type: ignore[arg-type, return-value]
    )

    async def collected() -> list[events.Event]:
        stream = Session(parts).compare(JobRequest(folder / "a.cu", folder), folder / "b.cu", is_strict=False)
        return [event async for event in stream]

    heard = asyncio.run(collected())
    made = [event for event in heard if isinstance(event, events.ComparisonMade)]
    assert made, heard
    return made[-1].verification


def caveat(verdict: event_parts.VerificationReport) -> str:
    return next(text for text in verdict.caveats if text.startswith("only what reaches the host"))


@pytest.mark.parametrize(
    "b", [pytest.param(PACKED, id="16 bits", marks=pytest.mark.thorough), pytest.param(LAST_OF_EQUAL, id="equal values")]
)
def test_an_edit_for_the_programs_own_values_is_a_decision_also_where_the_program_checks_itself(folder: Path, b: str) -> None:
    verdict = compared(folder, TWO_KERNELS, b)
    assert verdict.outcome == "NEEDS_DECISION" and "assumption" in verdict.labels
    (told,) = [finding.message for finding in verdict.findings if finding.code == "assumption"]
    assert told.startswith("right only for the program's own values: with v from") and "memcpy after launch 1" in told


@pytest.mark.thorough
def test_an_honest_fusion_passes_on_all_draws(folder: Path) -> None:
    verdict = compared(folder, TWO_KERNELS, HONEST)
    assert verdict.outcome == "PASS"
    assert caveat(verdict) == "only what reaches the host was compared, at the program's own sizes, on its values and 5 other draws"


@pytest.mark.thorough
def test_places_that_arrival_decides_are_wrong_where_the_original_keeps_the_order(folder: Path) -> None:
    verdict = compared(folder, IN_ORDER, BY_ARRIVAL)
    assert verdict.outcome == "FAIL"
    (printed,) = [finding.message for finding in verdict.findings if finding.code == "wrong_output"]
    assert printed.startswith("with the threads in another order: the program prints something else")


@pytest.mark.thorough
def test_loops_may_end_sooner_or_later_on_other_values(folder: Path) -> None:
    verdict = compared(folder, FIRST_LABELS, OTHER_LABELS)
    assert verdict.outcome == "PASS" and "other draw" in caveat(verdict)


@pytest.mark.thorough
def test_what_the_host_takes_from_its_values_is_not_held_against_it(folder: Path) -> None:
    verdict = compared(folder, SCALED, TOP_ON_THE_HOST)
    assert verdict.outcome == "PASS" and caveat(verdict) == "only what reaches the host was compared, at the program's own sizes"
    assert any("passes numbers of its own" in text for text in verdict.missing_checks)


@pytest.mark.thorough
def test_runs_on_other_uploads_are_whole_however_little_of_a_run_is_asked_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a run in part leaves would be taken for what the program computes."""
    asked: list[float] = []
    run = CpuLab.run

    async def noted(self: CpuLab, program: Program, mode: str, limits: RunLimits, *others: Any, **named: Any) -> Any:
        if named.get("uploads") is not None:
            asked.append(limits.whole_s)
        return await run(self, program, mode, limits, *others, **named)

    monkeypatch.setattr(CpuLab, "run", noted)
    compared(folder, SCALED, LOST_SIGN)
    assert asked and set(asked) == {0.0}


def assumed(verdict: event_parts.VerificationReport) -> str:
    assert verdict.outcome == "NEEDS_DECISION" and "assumption" in verdict.labels
    return next(finding.message for finding in verdict.findings if finding.code == "assumption")


def test_results_that_the_host_uploads_in_the_place_of_launches_are_a_decision(folder: Path) -> None:
    told = assumed(compared(folder, SCALED, RESULTS_FROM_THE_HOST))
    assert told.startswith("right only if B's host works out what it alone uploads, 3,600 bytes, from the program's other values")
    assert "with x from" in told and "and that as it is, memcpy after launch 1[" in told


@pytest.mark.thorough
@pytest.mark.parametrize("b", [HALVED_ON_THE_HOST, RESULTS_ALONE], ids=["other contents", "results alone"])
def test_what_could_not_be_varied_is_a_decision(folder: Path, b: str) -> None:
    verdict = compared(folder, SCALED, b)
    assert assumed(verdict) == "right only for the program's own values of what A alone uploads, 3,600 bytes (x): they were not varied"
    assert caveat(verdict) == "only what reaches the host was compared, at the program's own sizes"


@pytest.mark.thorough
def test_a_table_of_constants_passes_on_all_draws(folder: Path) -> None:
    verdict = compared(folder, WEIGHTED, TABLE_OF_WEIGHTS)
    assert verdict.outcome == "PASS" and "other draws" in caveat(verdict)


@pytest.mark.thorough
def test_a_loop_of_repetitions_that_is_cut_short_is_a_decision(folder: Path) -> None:
    launch = "    scale<<<8, 128>>>(dx, dm, dy, n);\n"
    repeated = SCALED.replace(launch, f"    for (int turn = 0; turn < 5; turn++)\n    {launch}")
    told = assumed(compared(folder, repeated, repeated.replace("turn < 5", "turn < 1")))
    assert told.startswith(
        "launches scale once where the original launches it 5 times with the same arguments, each time with the same result"
    )


@pytest.mark.thorough
def test_a_lost_sign_is_a_decision(folder: Path) -> None:
    assert compared(folder, SCALED, LOST_SIGN).outcome == "NEEDS_DECISION"


@pytest.mark.thorough
def test_a_program_that_takes_long_is_not_run_so_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(other_uploads, "_RUN_S", 0.1)
    slow = [text.replace("int main() {", "#include <unistd.h>\nint main() {\n    usleep(500000);") for text in (SCALED, LOST_SIGN)]
    verdict = compared(folder, *slow)
    assert verdict.outcome == "PASS" and caveat(verdict) == "only what reaches the host was compared, at the program's own sizes"
    assert "other values: the program takes longer than 0.1 s under checks" in verdict.missing_checks


def test_what_the_whole_program_shows_is_reported_of_a_kernel_whose_work_is_moved() -> None:
    wrong = VerificationFinding("wrong_value", Outcome.FAIL, "y[0]: wrong value", "k()")
    assumed = VerificationFinding("assumption", Outcome.NEEDS_DECISION, "right only for the program's own values")
    kernel = Verification(Outcome.FAIL, (wrong,), (), (), "kernel", (), ())
    whole = Verification(Outcome.NEEDS_DECISION, (assumed,), (Label.ASSUMPTION,), (), "program", (), (), ("only the host",))
    verdict = right_as_a_whole(kernel, whole, "several kernels are edited")
    assert verdict.outcome is Outcome.NEEDS_DECISION and assumed in verdict.findings and verdict.caveats == ("only the host",)
