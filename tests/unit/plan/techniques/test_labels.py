"""What a person is told of an edit: labels, and the line that it is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.model.verification import Label
from assistant.plan.expert.constant_powers import ConstantPowers
from assistant.plan.expert.float_literals import FloatLiterals
from assistant.plan.expert.loop_unrolling import LoopUnrolling

DATA = Path(__file__).resolve().parents[3] / "data" / "plan"
SINGLE = sorted(path.name.removesuffix(".expected.cu") for path in (DATA / "float-literals").glob("*.expected.cu"))


def test_another_order_of_float_additions_is_labelled(context_of):
    pragma, split, *_ = LoopUnrolling().rewrite(context_of((DATA / "loop-unrolling" / "macro_tile.cu").read_text("utf-8")))
    assert (pragma.labels, split.labels) == ((), (Label.REASSOCIATION,))


def test_integer_sums_need_no_label(context_of):
    _, split, *_ = LoopUnrolling().rewrite(context_of((DATA / "loop-unrolling" / "integer_sum_and_one_line.cu").read_text("utf-8")))
    assert split.labels == ()


@pytest.mark.parametrize("name", SINGLE)
def test_a_person_is_shown_the_lower_precision(name, context_of):
    (rewrite,) = FloatLiterals().rewrite(context_of((DATA / "float-literals" / f"{name}.cu").read_text("utf-8")))
    assert rewrite.labels == (Label.PRECISION,)


@pytest.mark.parametrize(
    ("name", "labels"),
    [("squares", ()), ("double_values", ()), ("double_by_an_integer_exponent", (Label.PRECISION,)), ("distance_of_two", ())],
)
def test_a_product_has_no_fewer_digits_than_a_power_but_where_that_was_a_double(name, labels, context_of):
    """A product of two or three is rounded once or twice, a general power is off by up to 2 ulp (double) or 4 (float)."""
    (rewrite,) = ConstantPowers().rewrite(context_of((DATA / "constant-powers" / f"{name}.cu").read_text("utf-8")))
    assert rewrite.labels == labels


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
