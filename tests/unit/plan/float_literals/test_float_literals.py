"""FloatLiterals on whole programs: what it writes, and what it leaves alone and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.model.verification import Label
from assistant.plan.expert.float_literals import FloatLiterals

DATA = Path(__file__).resolve().parents[3] / "data" / "plan" / "float-literals"
TRANSFORMED = sorted(p.name.removesuffix(".expected.cu") for p in DATA.glob("*.expected.cu"))
DECLINED = sorted(p.name.removesuffix(".declined.txt") for p in DATA.glob("*.declined.txt"))


@pytest.mark.parametrize("name", TRANSFORMED)
def test_float_arithmetic_stays_single(name, transformed):
    assert transformed(FloatLiterals(), DATA / f"{name}.cu") == ((DATA / f"{name}.expected.cu").read_text("utf-8"),)


@pytest.mark.parametrize("name", DECLINED)
def test_a_look_alike_is_declined_with_its_reason(name, declined):
    reason = (DATA / f"{name}.declined.txt").read_text("utf-8").strip()
    assert declined(FloatLiterals(), DATA / f"{name}.cu") == reason


def test_enough_programs_are_covered():
    assert len(TRANSFORMED) >= 6
    assert len(DECLINED) >= 4


@pytest.mark.parametrize("name", TRANSFORMED)
def test_the_result_is_left_alone(name, declined, tmp_path):
    """The same finding on the mended text has nothing left to mend."""
    again = tmp_path / "again.cu"
    again.write_text((DATA / f"{name}.expected.cu").read_text("utf-8"), "utf-8")
    declined(FloatLiterals(), again)


@pytest.mark.parametrize("name", TRANSFORMED)
def test_a_person_is_told_of_the_lower_precision(name, context_of):
    (rewrite,) = FloatLiterals().rewrite(context_of((DATA / f"{name}.cu").read_text("utf-8")))
    assert rewrite.labels == (Label.PRECISION,)


@pytest.mark.parametrize("name", TRANSFORMED)
def test_windows_line_ends_are_kept(name, context_of, applied):
    text = (DATA / f"{name}.cu").read_text("utf-8").replace("\n", "\r\n")
    for rewrite in FloatLiterals().rewrite(context_of(text)):
        assert applied(text, rewrite).replace("\r\n", "").count("\n") == 0


def test_the_step_names_the_line_of_its_finding(context_of):
    """The first literal stands in a helper above; the finding, and so its evidence, is about the kernel's own line."""
    text = """__device__ float half_of(float x) { return x * 0.5; }
__global__ void k(float *v) {
    v[threadIdx.x] = half_of(v[threadIdx.x]) + 0.25;
}
"""
    context = context_of("// kernel=k line=4 finding=KO106\n" + text)
    (rewrite,) = FloatLiterals().rewrite(context)
    assert rewrite.line == context.line == 4
