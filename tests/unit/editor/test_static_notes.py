"""What the text alone says while it is typed: each defect in several spellings, and code that only looks like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.parse import parse_with_trees
from assistant.editor.open_document import OpenDocument
from assistant.editor.static_notes import moved_notes, static_notes
from assistant.editor.view import Note
from assistant.model.profile import Severity
from assistant.model.source import Source
from tests.thorough import first_of

_ROOT = Path(__file__).parents[3]
_PROGRAMS = [
    p
    for folder in ("examples", "tests/data")
    for p in sorted((_ROOT / folder).rglob("*"))
    if p.suffix in (".cu", ".cuh") and p.is_file() and p.parent.name not in ("constant-powers", "running-powers")
]
"""Not those that are about powers."""


def _notes(text: str) -> tuple[Note, ...]:
    return static_notes(*parse_with_trees(Source(Path("/a.cu"), text)))


def _said(text: str) -> list[tuple[int, str | None]]:
    return [(note.line, note.code) for note in _notes(text)]


# --- launches -----------------------------------------------------------------------------------------------------------


def _launched(body: str, before: str = "", kernel: str = "__global__ void k(int *p) { p[0] = 1; }") -> str:
    return f"{before}\n{kernel}\nint main(int argc, char **argv) {{\n  int *p = 0;\n  {body}\n}}\n"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("k<<<1, 2048>>>(p);", "block.x is 2,048, and the limit is 1,024"),
        ("k<<<0, 32>>>(p);", "grid.x is 0, and must be at least 1"),
        ("k<<<1, dim3(64, 32)>>>(p);", "a block of 2,048 threads, and the limit is 1,024"),
        ("dim3 block(1, 1, 65); k<<<1, block>>>(p);", "block.z is 65, and the limit is 64"),
        ("dim3 grid(1, 70000); k<<<grid, 32>>>(p);", "grid.y is 70,000, and the limit is 65,535"),
        ("const int threads = 2 * 1024; k<<<1, threads>>>(p);", "block.x is 2,048, and the limit is 1,024"),
        ("dim3 block; block.x = 32; block.y = 64; k<<<1, block>>>(p);", "a block of 2,048 threads, and the limit is 1,024"),
        ("k<<<1, 32, 65536>>>(p);", "65,536 B of dynamic shared memory, and more than 49,152 B must be allowed first "
         "(cudaFuncSetAttribute, cudaFuncAttributeMaxDynamicSharedMemorySize)"),
        ("void *args[] = {&p}; cudaLaunchKernel((void *)k, dim3(1), dim3(1025), args, 0, 0);", "block.x is 1,025, and the limit is 1,024"),
    ],
)  # fmt: skip
def test_a_launch_that_every_device_refuses_is_an_error(body: str, reason: str) -> None:
    (note,) = _notes(_launched(body))
    assert (note.code, note.line, note.severity, note.message) == ("KO206", 5, Severity.ERROR, f"This launch fails: {reason}")


def test_a_block_beyond_the_launch_bounds_is_an_error() -> None:
    kernel = "#define B 128\n__global__ void __launch_bounds__(B, 2) k(int *p) { p[0] = 1; }"
    (note,) = _notes(_launched("k<<<1, 256>>>(p);", kernel=kernel))
    assert note.message == "This launch fails: a block of 256 threads, and k is compiled for at most 128 (__launch_bounds__)"


@pytest.mark.parametrize(
    "text",
    [
        _launched("k<<<1, 1024>>>(p);"),
        _launched("k<<<70000, 32>>>(p);"),
        _launched("k<<<dim3(1, 65535), dim3(32, 32)>>>(p);"),
        _launched("k<<<1, dim3(1, 1, 64)>>>(p);"),
        _launched("k<<<1, 32, 49152>>>(p);"),
        _launched("int threads = atoi(argv[1]); k<<<1, threads>>>(p);"),
        _launched("int threads = 2048; threads = 256; k<<<1, threads>>>(p);"),
        _launched("for (int threads = 2048; threads > 0; threads /= 2) if (threads <= 1024) k<<<1, threads>>>(p);"),
        _launched("k<<<1, THREADS>>>(p);", "#ifndef THREADS\n#define THREADS 2048\n#endif"),
        _launched("k<<<1, THREADS>>>(p);", "#ifdef SMALL\n#define THREADS 256\n#else\n#define THREADS 2048\n#endif"),
        _launched("\n#if 0\n k<<<1, 2048>>>(p);\n#endif\n"),
        _launched("cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536); k<<<1, 32, 65536>>>(p);"),
        _launched("allow_shared(k, 65536); k<<<1, 32, 65536>>>(p);"),
        _launched("// k<<<1, 2048>>>(p);"),
        _launched('const char *help = "k<<<1, 2048>>>(p)";'),
        _launched("k<<<1, 512>>>(p);", kernel="template <int B> __global__ void __launch_bounds__(B) k(int *p) {}"),
        _launched("k<<<1, 1024>>>(p);", kernel="__global__ void __launch_bounds__(1024) k(int *p) {}"),
        _launched("dim3 block(2048); shrink(block); block.x = 32; k<<<1, block>>>(p);"),
        _launched("k<<<1, 20"),
        _launched("k<<<1, 2048>>>(p"),
    ],
)
def test_a_launch_that_a_device_may_take_is_left_alone(text: str) -> None:
    assert _said(text) == []


# --- barriers -----------------------------------------------------------------------------------------------------------


def _barrier(body: str, launch: str = "k<<<n, m>>>(0, n);") -> str:
    return (
        "__global__ void k(float *a, int n) {\n  __shared__ float s[1024];\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        f"  {body}\n}}\nvoid run(int n, int m) {{ {launch} }}\n"
    )


@pytest.mark.parametrize(
    ("body", "launch"),
    [
        ("if (threadIdx.x == 0) { s[0] = 1; __syncthreads(); }", "k<<<n, m>>>(0, n);"),
        ("if (threadIdx.x < blockDim.x / 2) __syncthreads();", "k<<<n, m>>>(0, n);"),
        ("const int lane = threadIdx.x % 32; if (lane == 0) { __syncthreads(); }", "k<<<n, m>>>(0, n);"),
        ("if (threadIdx.x < 64) { __syncthreads(); }", "k<<<n, 256>>>(0, n);"),
        ("if (threadIdx.x & 1) { s[0] = 1; } else { __syncthreads(); }", "k<<<n, m>>>(0, n);"),
        ("for (int o = blockDim.x / 2; o > 0; o /= 2) { if (threadIdx.x < o) { s[0] += s[o]; __syncthreads(); } }", "k<<<n, m>>>(0, n);"),
        ("if (i >= n) return; if (threadIdx.x == 0) { __syncthreads(); }", "k<<<n, m>>>(0, n);"),
        ("if (threadIdx.y == 0) { if (n > 2) { __syncthreads_or(1); } }", "k<<<n, dim3(32, 8)>>>(0, n);"),
    ],
)
def test_a_barrier_that_part_of_every_block_reaches_is_a_warning(body: str, launch: str) -> None:
    (note,) = _notes(_barrier(body, launch))
    assert (note.code, note.line, note.severity) == ("KO204", 4, Severity.WARNING)


@pytest.mark.parametrize(
    "body",
    [
        "if (i < n) { s[threadIdx.x] = a[i]; __syncthreads(); }",
        "if (i < n && n > 4) { __syncthreads(); }",
        "int row = blockIdx.y * 16 + threadIdx.y; if (row < n) { __syncthreads(); }",
        "if (blockIdx.x * 256 + threadIdx.x >= n) { a[0] = 0; } else { __syncthreads(); }",
        "unsigned gid = i; if (gid < n) __syncthreads();",
        "if (!(i >= n)) { for (int k = 0; k < 4; k++) __syncthreads(); }",
    ],
)
def test_a_barrier_behind_a_bounds_check_is_information(body: str) -> None:
    (note,) = _notes(_barrier(body))
    assert (note.code, note.severity) == ("KO204", Severity.INFORMATION)


@pytest.mark.parametrize(
    ("body", "launch"),
    [
        ("if (i < n) a[i] = 1; __syncthreads();", "k<<<n, m>>>(0, n);"),
        ("if (threadIdx.x < blockDim.x) __syncthreads();", "k<<<n, m>>>(0, n);"),
        ("if (threadIdx.x < 256) __syncthreads();", "k<<<n, 256>>>(0, n);"),
        ("if (threadIdx.x < 256) __syncthreads();", "k<<<n, m>>>(0, n);"),
        ("if (threadIdx.x < 32) { __syncwarp(); }", "k<<<n, m>>>(0, n);"),
        ("if (blockIdx.x == 0) { __syncthreads(); }", "k<<<n, m>>>(0, n);"),
        ("if (n > 3) { __syncthreads(); }", "k<<<n, m>>>(0, n);"),
        ("if (threadIdx.x / blockDim.x == 0) { __syncthreads(); }", "k<<<n, m>>>(0, n);"),
        ("if (threadIdx.y == 0) { __syncthreads(); }", "k<<<n, 128>>>(0, n);"),
        ("if (threadIdx.x >= 32) return; if (threadIdx.x < 32) __syncthreads();", "k<<<n, m>>>(0, n);"),
        ("if (i >= n) return; __syncthreads();", "k<<<n, m>>>(0, n);"),
        ("if (threadIdx.x & 1) { __syncthreads(); } else { __syncthreads(); }", "k<<<n, m>>>(0, n);"),
        ("for (int o = blockDim.x / 2; o > 0; o /= 2) { if (threadIdx.x < o) s[0] += s[o]; __syncthreads(); }", "k<<<n, m>>>(0, n);"),
        ("if (s[0] > 0) { __syncthreads(); }", "k<<<n, m>>>(0, n);"),
        ("if (a[i] > 0) { __syncthreads(); }", "k<<<n, m>>>(0, n);"),
        ("if (__syncthreads_or(a[i] > 0)) { a[0] = 1; }", "k<<<n, m>>>(0, n);"),
        ("int t = threadIdx.x; t = 0; if (t == 0) { __syncthreads(); }", "k<<<n, m>>>(0, n);"),
        ("if (threadIdx.x < n) { __syncthreads(); }", "k<<<n, m>>>(0, n);"),
        ("for (int j = threadIdx.x / 1024; j < n; j++) { __syncthreads(); }", "k<<<n, m>>>(0, n);"),
        ("if (threadIdx.x == 0) { __syncthreads(", "k<<<n, m>>>(0, n);"),
    ],
)
def test_a_barrier_that_all_threads_may_reach_is_left_alone(body: str, launch: str) -> None:
    assert _said(_barrier(body, launch)) == []


def test_a_device_function_is_looked_at_too() -> None:
    assert _said("__device__ void f() {\n  if (threadIdx.x == 0)\n    __syncthreads();\n}\n") == [(3, "KO204")]


# --- literals -----------------------------------------------------------------------------------------------------------


def _literal(body: str, before: str = "") -> str:
    return f"{before}\n__global__ void k(float *a, const float *b, float s, double d, int n) {{\n  int i = threadIdx.x;\n  {body}\n}}\n"


@pytest.mark.parametrize(
    "body",
    [
        "a[i] = b[i] * 0.1;",
        "a[i] *= 1.0001;",
        "float x = 0.3 + b[i] * 2.0f; a[i] = x;",
        "if (b[i] > 0.1) a[i] = 0;",
        "a[i] = sqrtf(b[i] * 0.7f + s * 0.7);",
        "a[i] = (float)(s / 1e-3);",
        "float x = 0; for (int j = 0; j < n; j++) x += b[j] * 0.1; a[i] = x;",
        "a[i] = -(s * 3.14159) + 1.0f;",
    ],
)
def test_a_literal_that_makes_float_code_double_is_reported(body: str) -> None:
    assert _said(_literal(body)) == [(4, "KO106")]


def test_a_literal_behind_a_macro_and_several_on_a_line_are_one_note() -> None:
    (note,) = _notes(_literal("a[i] = b[i] * PI + s * 0.1;", "#define PI 3.14159265358979"))
    assert note.message.startswith("PI, 0.1 are doubles with no equal float")
    assert note.column == len("  a[i] = b[i] * P")


@pytest.mark.parametrize(
    "body",
    [
        "a[i] = b[i] * 0.1f;",
        "a[i] = b[i] * 0.5;",
        "a[i] = b[i] + 2.0;",
        "a[i] = 0.1;",
        "const float c = 0.1; a[i] = b[i] * c;",
        "float c = 0.1 * 3.0; a[i] = c;",
        "double x = b[i] * 0.1; a[i] = x;",
        "a[i] = b[i] * (float)0.1;",
        "a[i] = b[i] * float(0.1);",
        "a[i] = d * 0.1 + b[i];",
        "double sum = 0; for (int j = 0; j < n; j++) sum += b[j] * 0.1; a[i] = sum;",
        "a[i] = powf(b[i], 0.1);",
        "a[i] = i * 0.1;",
        "auto x = b[i] * 0.1; a[i] = x;",
        "a[i] = b[i] > 0.25;",
        "const float c = 3.0f; float y = c * 0.1; a[i] = y;",
        "a[i] = b[i] * 1e-60;",
        "// a[i] = b[i] * 0.1;",
        "a[i] = b[i] * 0.1",
    ],
)
def test_a_literal_that_costs_nothing_or_is_meant_is_left_alone(body: str) -> None:
    assert _said(_literal(body)) == []


def test_host_code_and_templates_are_left_alone() -> None:
    assert _said("float f(float x) { return x * 0.1; }\ntemplate <typename T> __device__ T g(T x) { return x * 0.1; }\n") == []


# --- powers -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "advice"),
    [
        ("a[i] = powf(b[i], 2.0f);", "b[i] * b[i]"),
        ("a[i] = powf(s, 2);", "s * s"),
        ("a[i] = pow(s, 3.f) + 1.0f;", "s * s * s"),
        ("a[i] = std::pow(s + 1.0f, 2);", "x * x"),
        ("a[i] = pow(d, -1);", "1.0 / d"),
        ("a[i] = ::powf(s, -1.0f);", "1.0f / s"),
        ("a[i] = pow(d, .5);", "sqrt(d)"),
        ("a[i] = powf(s, (0.5f));", "sqrtf(s)"),
        ("float x = 0; for (int j = 0; j < n; j++) x += powf(x + b[j], 2.0f); a[i] = x;", "x * x"),
    ],
)
def test_a_power_that_a_few_operations_replace_is_reported(body: str, advice: str) -> None:
    (note,) = _notes(_literal(body))
    assert (note.code, note.line, note.severity) == ("KO116", 4, Severity.INFORMATION)
    assert note.message.endswith(f"write {advice}")


def test_several_powers_on_a_line_are_one_note() -> None:
    (note,) = _notes(_literal("a[i] = powf(s, 2.0f) + powf(b[i], -1.0f);"))
    assert (
        note.message == "powf(s, 2.0f), powf(b[i], -1.0f) run the general power routine, 70 instructions and more: write s * s, 1.0f / b[i]"
    )
    assert note.column == len("  a[i] = p")


@pytest.mark.parametrize(
    "body",
    [
        "a[i] = powf(b[i], 2.5f);",
        "a[i] = powf(b[i], 7.0f);",
        "a[i] = powf(b[i], s);",
        "a[i] = powf(2.0f, s);",
        "a[i] = powf(2.0f, 3.0f);",
        "const float c = 3.0f; a[i] = powf(c, 2.0f);",
        "a[i] = powf(d, 2.0f);",
        "a[i] = powf(i, 2.0f);",
        "a[i] = pow(n, 2);",
        "a[i] = pow(unknown(s), 2);",
        "a[i] = __powf(b[i], 2.0f);",
        "a[i] = mine::pow(b[i], 2);",
        "// a[i] = powf(b[i], 2.0f);",
        "a[i] = powf(b[i], 2.0f",
    ],
)
def test_a_power_that_must_be_one_or_is_none_is_left_alone(body: str) -> None:
    assert _said(_literal(body)) == []


@pytest.mark.parametrize("exponent", ["k", "(float)k", "k + 1", "float(k)"])
def test_a_power_of_a_loops_counter_is_reported(exponent: str) -> None:
    (note,) = _notes(_literal(f"for (int k = 0; k < n; k++) a[i] += powf(s, {exponent});"))
    assert (note.code, note.line) == ("KO116", 4)
    assert note.message.endswith("in each iteration: keep the power in a local, and multiply it by the base")


@pytest.mark.parametrize(
    "loop",
    [
        "for (int k = n; k > 0; k--) a[i] += powf(s, k);",
        "for (int k = 0; k < n; k += 2) a[i] += powf(s, k);",
        "for (int k = n; k < 2 * n; k++) a[i] += powf(s, k);",
        "for (int k = 0; k < n; k++) a[i] += powf(s, 2 * k);",
        "for (int k = 0; k < n; k++) a[i] += powf(s, k - 1);",
        "for (int k = 0; k < n; k++) a[i] += powf(2.0f, k);",
        "int k = 5; a[i] = powf(s, k);",
    ],
)
def test_a_power_that_does_not_grow_by_its_base_is_left_alone(loop: str) -> None:
    assert _said(_literal(loop)) == []


def test_a_power_of_the_programs_own_and_one_of_the_host_are_left_alone() -> None:
    own = "__device__ float powf(float x, float) { return x; }"
    assert _said(_literal("a[i] = powf(s, 2.0f);", own)) == []
    assert _said(_literal("a[i] = powf(s, 2.0f);", "#define powf(x, y) __powf(x, y)")) == []
    assert _said("float f(float x) { return powf(x, 2.0f); }\n") == []


# --- programs -----------------------------------------------------------------------------------------------------------

_TOLD = {
    ("double_literals.cu", "KO106"),
    ("blackwell_doubles.cu", "KO106"),
    ("arithmetic.cu", "KO106"),
    ("counted_by_a_later_kernel.cu", "KO106"),
    ("cut_to_integers_by_a_later_kernel.cu", "KO106"),
    ("equality_with_a_fraction.cu", "KO106"),
    ("later_kernel_keeps_floats.cu", "KO106"),
    ("shared_tile_pointer_walk.cu", "KO106"),
    ("trig_doubles.cu", "KO106"),
    ("blur.cu", "KO116"),
    ("squared_by_a_macro.cu", "KO106"),
    ("kernels.cuh", "KO116"),
    ("math_functions.cu", "KO116"),
    ("math_functions_and_helper.cu", "KO116"),
    ("math_functions_and_helper.expected.cu", "KO116"),
    ("powers.cu", "KO116"),
    ("bugs.cu", "KO204"),
    ("bugs.cu", "KO206"),
    ("host_api.cu", "KO206"),
    ("polls.cu", "KO206"),
}
"""What is wrong in our programs, all of it on purpose; nvcc makes double-precision instructions of each KO106."""


@pytest.mark.parametrize("fourth", first_of(range(4)))
def test_nothing_else_is_reported_of_any_program_here(fourth: int) -> None:
    assert len(_PROGRAMS) > 300
    programs = _PROGRAMS[fourth::4]
    told = {(path.name, code) for path in programs for _, code in _said(path.read_text(errors="replace"))}
    names = {path.name for path in programs}
    assert told == {(name, code) for name, code in _TOLD if name in names}


@pytest.mark.parametrize("path", sorted((_ROOT / "examples").glob("*.cu")), ids=lambda path: path.name)
def test_a_program_cut_anywhere_says_nothing_new(path: Path) -> None:
    text = path.read_text()
    whole = {(note.code, note.message) for note in _notes(text)}
    for end in range(0, len(text), 97):
        assert {(note.code, note.message) for note in _notes(text[:end])} <= whole


def test_notes_follow_their_lines_and_go_where_the_line_was_changed() -> None:
    text = _launched("k<<<0, 32>>>(p);")
    assert [note.line for note in moved_notes(_notes(text), text, f"\n\n{text}")] == [7]
    assert moved_notes(_notes(text), text, text.replace("<<<0", "<<<4")) == ()


def test_what_was_said_stays_while_a_bracket_is_open_elsewhere() -> None:
    other = "__global__ void late(int *p) {\n  p[0] = 1;\n}\n"
    document = OpenDocument("k", Path("/a.cu"), f"{_barrier('if (threadIdx.x == 0) __syncthreads();')}{other}")
    assert [(note.line, note.code) for note in document.view.notes] == [(4, "KO204")]
    document.text = f"\n{_barrier('if (threadIdx.x == 0) __syncthreads();')}{other.replace('p[0]', 'if (p[0')}"
    document.reparse()
    assert [(note.line, note.code) for note in document.view.notes] == [(5, "KO204")]
