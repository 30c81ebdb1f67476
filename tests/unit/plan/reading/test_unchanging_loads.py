"""Which loads a loop makes again in each iteration, and through which pointers."""

from __future__ import annotations

import pytest

from assistant.cuda.functions import functions
from assistant.cuda.syntax import SyntaxTree
from assistant.plan.expert.analysis.unchanging_loads import unchanging_loads

_TEXT = """
#define TAPS 4
struct Biquad { float b0, b1; float z[2]; float *table; };
struct Net { float *gain, *out; float fixed[4]; };
__global__ void k(float *out, float *in, float *coef, int *kind, Biquad *bank, Net net, float **rows, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float own[4];
  __shared__ float tile[64];
  BEFORE
  for (int t = 0; t < steps; t++) {
    BODY
  }
}
"""


def found(body: str, before: str = "") -> list[tuple[str, str, int]]:
    """(pointer, element, how often an iteration loads it)."""
    tree = SyntaxTree(_TEXT.replace("BODY", body).replace("BEFORE", before))
    (function,) = functions(tree)
    return [(load.pointer, tree.text(load.node), load.inner_count) for load in unchanging_loads(tree, function)]


@pytest.mark.parametrize(
    ("body", "before", "expected"),
    [
        ("out[t * n + i] = coef[i] * in[t * n + i];", "", [("coef", "coef[i]", 1)]),
        ("out[t * n + i] = c[1] * in[t];", "float *c = coef + i * 5;", [("coef", "c[1]", 1)]),
        ("float *c = &coef[i * 5]; out[t] = *c + c[2];", "", [("coef", "*c", 1), ("coef", "c[2]", 1)]),
        ("out[t] = q.b0;", "const Biquad &q = bank[i];", [("bank", "q.b0", 1)]),
        ("out[t] = g->b1 + g->z[1];", "Biquad *g = bank + i;", [("bank", "g->b1", 1), ("bank", "g->z[1]", 1)]),
        ("out[t] = bank[i].b0;", "", [("bank", "bank[i].b0", 1)]),
        ("out[t] = coef[kind[i]];", "", [("coef", "coef[kind[i]]", 1), ("kind", "kind[i]", 1)]),
        ("net.out[t] = net.gain[i];", "", [("net.gain", "net.gain[i]", 1)]),
        ("int at = 2 * i; out[t] = coef[at];", "", [("coef", "coef[at]", 1)]),
        ("for (int s = 0; s < TAPS; s++) { float *c = coef + i * TAPS; out[t] += c[s]; }", "", [("coef", "c[s]", 4)]),
        ("for (int s = 0; s < n; s++) in[0] += out[t] * coef[i];", "", [("out", "out[t]", 1), ("coef", "coef[i]", 1)]),
        ("float v = 0; for (int s = 0; s < n; s++) v += coef[i] * s; out[t] = v;", "", [("coef", "coef[i]", 1)]),
    ],
)
def test_a_load_whose_address_the_loop_does_not_change_is_found(body: str, before: str, expected: list[tuple[str, str, int]]) -> None:
    assert found(body, before) == expected


@pytest.mark.parametrize(
    ("body", "before"),
    [
        ("out[t] = coef[t];", ""),
        ("own[0] += coef[i];", ""),
        ("tile[threadIdx.x] = coef[i];", ""),
        ("coef[i + n] = coef[i];", ""),
        ("out[t] = c[0]; c += 1;", "float *c = coef;"),
        ("out[t] = own[1] + tile[2];", ""),
        ("kind[t] = 1; out[t] = coef[kind[0]];", "kind += i;"),
        ("own[0] = t; out[t] = coef[(int)own[0]];", ""),
        ("int at = in[t]; out[t] = coef[at];", ""),
        ("for (int s = 0; s < n; s++) out[t] += coef[s];", ""),
        ("for (int s = 0; s < 64; s++) out[t] += coef[s];", ""),
        ("out[t] = rows[i][0];", ""),
        ("out[t] = bank[i].table[0];", ""),
        ("out[t] = net.fixed[1];", ""),
        ("out[t] = q.b0;", "Biquad q = bank[i];"),
        ("float *c = t & 1 ? coef : in; out[t] = c[0];", ""),
    ],
)
def test_what_may_change_or_is_the_threads_own_is_none(body: str, before: str) -> None:
    assert not [load for load in found(body, before) if load[0] in ("coef", "rows", "bank", "net.fixed")]
