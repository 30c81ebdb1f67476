"""What is underlined of a line: the few characters that a finding is about, never all of it."""

from __future__ import annotations

import pytest

from assistant.editor.culprit import culprit, small_memories
from assistant.editor.view import Note
from assistant.model.profile import Severity

_TRANSPOSE = "    out[x * h + y] = in[y * w + x];  // out[0]"


@pytest.mark.parametrize(
    ("code", "message", "text", "underlined"),
    [
        ("KO101", "A global store request of this line", _TRANSPOSE, "out[x * h + y]"),
        ("KO101", "A global load request of this line", _TRANSPOSE, "in[y * w + x]"),
        ("KO101", "A global load request of this line", "float v = p->cells[map[i]] + 1;", "p->cells[map[i]]"),
        ("KO102", "18 sectors where 4 would do: p is an array of P structures", "p[i].vx += ax[i] * dt;", "p[i]"),
        ("KO102", "18 sectors where 4 would do: q is an array of P structures", "p[i].vx += ax[i] * q[k].m;", "q[k]"),
        ("KO102", "11 sectors where 4 would do: in[2 * i] is the worst of its 3 loads, 8", "o[i] = in[i] + in[2 * i];", "in[2 * i]"),
        ("KO103", "the shared loads of this line", "out[i] = tile[threadIdx.x][threadIdx.y + j];", "tile[threadIdx.x][threadIdx.y + j]"),
        ("KO202", "read after write", "tile[threadIdx.x] = 1;", "tile[threadIdx.x]"),
        ("KO202", "read after write: no barrier", "s[i] += s[i + d];", "s[i + d]"),
        ("KO202", "write after read: no barrier", "s[i] += s[i + d];", "s[i]"),
        ("KO202", "read after write: nothing orders it (at sum[0])", "*sum += v[i];", "sum"),
        ("KO202", "read after write: nothing orders it (in the variable last)", "v[i] = last;", "last"),
        ("KO201", "read of 4 bytes at offset 40 of b, which has 10 elements: b[10]", "o[i] = a[i] + b[i];", "b[i]"),
        ("KO202", "write after read: no barrier orders it (in s)", "o[i] = s[i] = s[i + d];", "s[i]"),
        ("KO202", "read after write: nothing orders it (at h[2])", "p[i] = *q;", "p[i]"),
        ("KO101", "A global load request", "return *cells;", "return"),
        ("KO101", "A global load request", "for (int c = 0; c < w; c++) mean[r] += img[r * w + c];", "img[r * w + c]"),
        ("KO101", "A global store request", "for (int c = 0; c < w; c++) out[r] = img[r * w + c];", "out[r]"),
        ("KO106", "The double literal 0.5 makes", "x[i] = x[1] * 2.0f + 0.5 * y;", "0.5"),
        ("KO111", "A grid of 4 blocks", "  transposeTiled<float><<<dim3(4), 32>>>(out, in);", "transposeTiled"),
        ("KO110", "atomics meet", "    atomicAdd(&bins[v], 1);", "atomicAdd"),
        ("KO104", "The compiler spills registers", "__global__ void k(float *x)", "k"),
        ("KO114", "This loop of 8 iterations", "    for (int i = 0; i < 8; i++)", "int i = 0; i < 8; i++"),
        ("KO109", "Branches diverge", "  if (threadIdx.x % (2 * s) == 0)", "threadIdx.x % (2 * s) == 0"),
        ("KO114", "This loop", "    while (n &&", "n &&"),
        ("KO207", "read after write: no __syncwarp", "  if (t < 32) s[t] += s[t + 32];", "s[t + 32]"),
        ("KO207", "write after read: no __syncwarp", "  if (t < 32) s[t] += s[t + 32];", "s[t]"),
        ("KO207", "read after write: no __syncwarp", "  if (flag[t] > 0) {", "flag[t]"),
        ("KO207", "the mask names lanes", "  if (t < 16) v[t] += __shfl_down_sync(0xffffffff, v[0], 8);", "__shfl_down_sync"),
        ("KO207", "ran for 10 s", "  while (true) {", "true"),
        ("KO204", "not all threads arrive", "  if (t < 16) __syncthreads();", "__syncthreads"),
    ],
)
def test_a_finding_underlines_what_causes_it(code: str, message: str, text: str, underlined: str) -> None:
    found = culprit(Note("profile", 1, 0, Severity.WARNING, message, "kernelopt", code), text)
    assert found is not None and text[found[0] : found[1]] == underlined


@pytest.mark.parametrize(
    ("code", "message", "text", "underlined"),
    [
        ("KO101", "A global load request", "acc += K[d] * in[r * w + d];", "in[r * w + d]"),
        ("KO101", "A global load request", "acc += K[d] * tile[d];", "K[d]"),
        ("KO103", "the shared loads of this line", "acc += in[d] * tile[d];", "tile[d]"),
    ],
)
def test_arrays_in_other_memory_than_the_findings_are_no_cause(code: str, message: str, text: str, underlined: str) -> None:
    memories = small_memories(
        "__constant__ float K[9];\n__global__ void k()\n{\n    __shared__ float tile[32], *p;\n    extern __shared__ int s[];\n"
    )
    assert memories == {"K": "__constant__", "tile": "__shared__", "s": "__shared__"}
    found = culprit(Note("profile", 1, 0, Severity.WARNING, message, "kernelopt", code), text, memories)
    assert found is not None and text[found[0] : found[1]] == underlined


def test_a_proposal_underlines_the_name_of_its_kernel() -> None:
    text = "__global__ void smooth(float *x)"
    found = culprit(Note("proposal", 1, 0, Severity.INFORMATION, "≈1.6x", "kernelopt", proposal="P1"), text)
    assert found is not None and text[found[0] : found[1]] == "smooth"


def test_a_line_without_a_name_has_nothing_to_underline() -> None:
    assert culprit(Note("profile", 1, 0, Severity.WARNING, "m", "kernelopt", "KO114"), "    }") is None
