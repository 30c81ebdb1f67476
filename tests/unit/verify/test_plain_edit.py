"""Which edits need no preprocessor: those that cannot concern one, and no others."""

from __future__ import annotations

import pytest

from assistant.verify.changed_lines import ChangedLines
from assistant.verify.lines import Text
from assistant.verify.plain_edit import may_change_directives, may_read_otherwise, misleading_directive

A = """#include <cstdio>
#define TILE 32
#define PLACED(a) printf("%s %g", __FILE__, a)
#ifdef __CUDACC__
#define LEVEL 1
const int width = 4;
#else
#define LEVEL 2
#endif
#if TILE > 16
int wide;
#endif
__global__ void k(float *o, const float *x, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = x[i];
}
"""
HEADER = "#ifndef SIZES_H\n#define SIZES_H\n#define ROWS 8\n#ifdef NDEBUG\n#define COLUMNS 8\n#else\n#define COLUMNS 9\n#endif\n#endif\n"
STORE = "  if (i < n) o[i] = x[i];\n"


def changed(old: str, new: str) -> ChangedLines:
    assert old in A
    return ChangedLines(Text("/a.cu", A), Text("/b.cu", A.replace(old, new)))


PLAIN = {
    "arithmetic": (STORE, "  if (i < n) o[i] = 2.0f * __ldg(&x[i]); // step #2, twice\n"),
    "shared memory and a macro": (STORE, "  __shared__ float s[TILE]; s[0] = x[i]; __syncthreads(); o[i] = s[0];\n"),
    "a header's macro": (STORE, "  if (i < n) o[i] = x[i] * ROWS;\n"),
    "a constant": (STORE, "  constexpr int N = 4; /* four */ if (i < n) o[i] = x[i] * N;\n"),
    "unrolling": (STORE, f"#pragma unroll 4\n{STORE}"),
    "a new macro": ("#define TILE 32\n", "#define TILE 32\n#define PART (TILE / 2)\n"),
    "math": (STORE, "  if (i < n) o[i] = fmaf(x[i], __expf(x[i]), rsqrtf(2.0f)) + INFINITY;\n"),
}
DOUBTFUL = {
    "a macro under a condition": (STORE, "  if (i < n) o[i] = x[i] * LEVEL;\n"),
    "a header's macro under a condition": (STORE, "  if (i < n) o[i] = x[i] * COLUMNS;\n"),
    "a constant under a condition": (STORE, "  if (i < n) o[i] = x[i] * width;\n"),
    "a macro that names another": (STORE, "  if (i < n) o[i] = x[i]; PLACED(x[i]);\n"),
    "a macro of the flags": (STORE, "  if (i < n) o[i] = x[i] * FLAGGED;\n"),
    "a predefined macro": (STORE, "  if (i < n) o[i] = x[i] * __OPTIMIZE__;\n"),
    "a predefined macro without underscores": (STORE, "  if (i < n) o[i] = x[i] * linux;\n"),
    "a toolkit's macro": (STORE, "  if (i < n) o[i] = x[i] * CUDART_VERSION;\n"),
    "a line under a condition": ("const int width = 4;", "const int width = 5;"),
}
DIRECTIVE = {
    "an include": ("#include <cstdio>", "#include <cstdlib>"),
    "a condition": ("#ifdef __CUDACC__", "#ifdef __NVCC__"),
    "a condition gone": ("#endif\n__global__", "__global__"),
    "a macro that a condition asks for": ("#define TILE 32", "#define TILE 8"),
    "a macro with a predefined name": ("#define TILE 32", "#define TILE 32\n#undef __CUDA_ARCH__"),
    "a comment that begins": (STORE, f"{STORE}  /* from here\n"),
    "a raw string": (STORE, 'const char *q = R"(\n'),
    "a continued line": (STORE, f"{STORE}  i \\\n"),
    "a digraph": (STORE, f"%:undef TILE\n{STORE}"),
    "a macro that quotes": ("#define TILE 32", "#define TILE 32\n#define QUOTE(x) #x"),
    "another pragma": (STORE, f"#pragma GCC optimize(3)\n{STORE}"),
}


@pytest.mark.parametrize("edit", PLAIN.values(), ids=PLAIN)
def test_an_edit_that_cannot_concern_a_preprocessor_is_plain(edit: tuple[str, str]) -> None:
    assert not may_read_otherwise(changed(*edit), (HEADER,))
    assert not may_change_directives(changed(*edit), (HEADER,))


@pytest.mark.parametrize("edit", DOUBTFUL.values(), ids=DOUBTFUL)
def test_an_edit_that_names_what_compilers_may_know_better_is_not(edit: tuple[str, str]) -> None:
    assert may_read_otherwise(changed(*edit), (HEADER,), ("FLAGGED",))
    assert not may_change_directives(changed(*edit), (HEADER,))


@pytest.mark.parametrize("edit", DIRECTIVE.values(), ids=DIRECTIVE)
def test_an_edit_of_a_directive_is_not(edit: tuple[str, str]) -> None:
    assert may_read_otherwise(changed(*edit), (HEADER,)) and may_change_directives(changed(*edit), (HEADER,))


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ('# 5 "x.h"', "#line"),
        ("/**/ # /* */ line 7", "#line"),
        ("#li\\\nne 5", "#line"),
        ('R"(\n# 1 "x.h" 1 3\n)"', "#line"),
        ("%:include <x>", "digraph"),
        ('// step #2; printf("#1, 100%: done");', None),
    ],
)
def test_directives_that_cannot_be_followed_are_reported(line: str, word: str | None) -> None:
    found = misleading_directive(A, f"{A}{line}\n")
    assert found is None if word is None else found is not None and word in found
    assert misleading_directive(f"{A}{line}\n", f"{A}{line}\n") is None
