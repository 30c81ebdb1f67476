"""What the rules are told of loads that a helper makes again for every step of a loop."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.parse import parse
from assistant.engine.evaluate.facts import source_facts
from assistant.model.source import Source
from assistant.profile.facts import InvariantLoad

CALLED_IN_A_LOOP = """struct Coef { float b0, b1; };
__device__ float step(const Coef *c, int at, float &z, float in) {
  return c[at].b0 * in + z;
}
__global__ void bank(float *y, float *x, Coef *coef, int n) {
  int row = threadIdx.x;
  float z = 0;
  for (int t = 0; t < n; t++) {
    y[t] = step(coef, row, z, x[t]);
  }
}
"""
OWN_LOOP = """__device__ void scale(float *to, const float *from, const float *gain, int n) {
  for (int t = 0; t < n; t++)
    to[t] = from[t] * gain[0];
}
__global__ void k(float *y, float *x, float *g, int n) { scale(y + threadIdx.x * n, x, &g[threadIdx.x], n); }
"""


def invariant(text: str, line: int) -> tuple[InvariantLoad, ...]:
    parsed = parse(Source(Path("/k.cu"), text))
    return source_facts(parsed, parsed.kernels[0]).at("k.cu", line).invariant_loads


def test_a_load_of_a_helper_that_a_loop_calls_is_made_again() -> None:
    assert invariant(CALLED_IN_A_LOOP, 3) == (InvariantLoad("coef"),)


def test_a_load_in_a_helper_s_own_loop_is_one_of_the_kernel_s_pointer() -> None:
    assert invariant(OWN_LOOP, 3) == (InvariantLoad("g"),)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("step(coef, row,", "step(coef, t,"),
        ("step(coef, row,", "step(coef + t, row,"),
        ("y[t] = step", "z += step"),
        ("return c[at]", "at++; return c[at]"),
        ("y[t] = step(coef, row, z, x[t]);", "y[t] = step(coef, row, z, x[t]); coef[row].b0 = z;"),
        ("const Coef *c,", "volatile Coef *c,"),
        ("step(coef, row, z, x[t])", "step(coef, row++, z, x[t])"),
    ],
)
def test_one_that_the_loop_may_change_is_not(old: str, new: str) -> None:
    assert old in CALLED_IN_A_LOOP
    assert invariant(CALLED_IN_A_LOOP.replace(old, new), 3) == ()


def test_one_that_the_helper_stores_to_is_not() -> None:
    assert invariant(OWN_LOOP.replace("scale(y + threadIdx.x * n, x, &g[threadIdx.x], n)", "scale(g, x, &g[threadIdx.x], n)"), 3) == ()
