"""What an edit of device code may do to the host is seen, however it is hidden; ordinary device code is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.parse import parse
from assistant.model.source import Source
from assistant.verify.host_edits import edits_host_code, macro_elsewhere
from assistant.verify.host_reach import host_reach

KERNEL = """\
__global__ void copy(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}
"""
TEXT = f"""\
#include <cstdio>
#include <cstdlib>

void reset() {{ abort(); }}

{KERNEL}
int main()
{{
    float *out, *in;
    copy<<<4, 64>>>(out, in, 256);
    printf("%s\\n", cudaDeviceSynchronize() == cudaSuccess ? "fine" : "wrong");
    return 0;
}}
"""


def host_edit(text: str, before: str = TEXT) -> bool:
    path = Path("/k.cu")
    return edits_host_code(parse(Source(path, before)), parse(Source(path, text)))


def in_front(code: str, used: str = "") -> str:
    return TEXT.replace(KERNEL, f"{code}\n{KERNEL.replace('int i =', used + ' int i =')}")


def inside(code: str) -> str:
    return TEXT.replace("if (i < n) out", f"{code}\n    if (i < n) out")


@pytest.mark.parametrize(
    "line",
    [
        '#define return (void)system("id"); return',
        "#define if(x) if (0)",
        '#define printf(...) system("id")',
        "#define main not_main",
        "#define float double",
        "#define blockIdx blockIdx",
        "#define cudaFree(p)",
        "#define exit(c) (c)",
        "#define assert(x)",
        "#define cudaSuccess 1",
        '#define RUN system("id")',
        '#define LOG(x) x; puts("")',
        "#undef NULL",
        "#if 0",
        "#endif",
        "#pragma GCC poison abort",
        '#include "/etc/passwd"',
        "#include </etc/passwd>",
        "#include <cstdio>",
        '%:include "/etc/passwd"',
        '#line 1 "other.cu"',
        '#define CALL system("id")\n#if 0\n#undef CALL\n#endif',
        "#def\\\nine return exit(0)",
    ],
)
def test_a_directive_in_a_kernel_that_reaches_the_host_is_host_code(line: str) -> None:
    assert host_edit(inside(line))


@pytest.mark.parametrize(
    "lines",
    [
        "#pragma unroll 4\n    for (int k = 0; k < 4; ++k) { }",
        "#define ROWS 8",
        "#define AREA (ROWS * 4)",
        "#define AT(r, c) ((r) * 4 + (c))",
        "#define step(v) { v += 1; }\n    step(i)\n#undef step",
        "#define step(v) do { v += 1; } while (0)\n    step(i);",
        '#define LANE(v) asm("mov.u32 %0, %%laneid;" : "=r"(v))\n    unsigned lane; LANE(lane);',
        "#define SIZE (n = 3)",
        "#if __CUDA_ARCH__ >= 800\n    i += 0;\n#else\n    i += 0;\n#endif",
    ],
)
def test_a_directive_that_ends_with_the_kernel_or_only_counts_is_none(lines: str) -> None:
    assert host_reach(TEXT, inside(lines)) is None
    assert not host_edit(inside(lines))


@pytest.mark.parametrize(
    ("code", "used"),
    [
        ('struct A { inline const static int q = system("id"); };', "int z = A::q;"),
        ('struct A { static const inline int q = system("id"); };', "int z = A::q;"),
        ('struct A { inline volatile static int q{system("id")}; };', "int z = A::q;"),
        ('struct A { struct B { static inline int q = system("id"); }; };', "int z = A::B::q;"),
        ('struct A { int v; constexpr A(int) : v(0) {} A() : v(0) { system("id"); } } a;', "int z = sizeof(a);"),
        ('struct A { int v; __device__ A() { system("id"); } };\n__device__ A a;', "int z = a.v;"),
        ('struct A { int v = system("id"); };\n__device__ A a;', "int z = a.v;"),
        ("struct A { int v; ~A() { reset(); } };", "A a;"),
        ("struct A { int v; __device__ A() : v(0) {} };\n__device__ A a;", "int z = a.v;"),
        ("template <class T> struct A { static int q; };\ntemplate <class T> int A<T>::q = (reset(), 1);", "int z = A<int>::q;"),
        ('const int q = 1 + (system)("id");', "int z = q;"),
        ('const int q = 1, r{system("id")};', "int z = q;"),
        ('constexpr int q = 1, r = system("id");', "int z = q;"),
        ('__device__ int q{system("id")};', "int z = q;"),
        ('__device__ int q(system("id"));', "int z = q;"),
        ('const int l = []{ return system("id"); }();', "int z = l;"),
        ("const int l = (reset(), 1);", "int z = l;"),
        ("const long l = (long)&system;", "long z = l;"),
        ("static int count = 3;", "int z = count;"),
        ('namespace foo { const int q = (system)("id"); }', "int z = foo::q;"),
        ("__device__ std::string name;", "int z = sizeof(name);"),
        ('extern "C" int puts(const char *);', 'puts("");'),
        ("__attribute__((constructor)) __device__ void f() { }", "f();"),
        ("__host__ __device__ void abort() { }", "abort();"),
        ("constexpr int printf(const char *, ...) { return 0; }", 'int z = printf("");'),
        ("__device__ bool operator==(cudaError_t, int) { return true; }", ""),
        ('#define GO system("id")\nconst int q = GO;', "int z = q;"),
        ("using printf = int;", "printf z = 0;"),
        ('asm(".incbin \\"/etc/passwd\\"");', ""),
        ("__device__ int dv(rand());", "int z = dv;"),
        ("struct S { friend bool operator==(cudaError_t a, int b) { return true; } };", "S s;"),
        ("struct C { __device__ operator int() const { return 3; } };\n__device__ C cc;\nconst int q = cc;", "int z = q;"),
        ("constinit int q = 3;", "int z = q;"),
        ("using std::system;", ""),
        ('__device__ void f() __attribute__((alias("abort")));', "f();"),
    ],
)
def test_what_runs_when_the_program_starts_is_host_code(code: str, used: str) -> None:
    assert host_reach(TEXT, in_front(code, used)) is not None
    assert host_edit(in_front(code, used))


@pytest.mark.parametrize(
    ("code", "used"),
    [
        ("constexpr int TILE = 32, ROWS = TILE / 4;", "int z = ROWS;"),
        ("static const unsigned MASK = 0xFFFFFFFFu;", "unsigned z = MASK;"),
        ("constexpr float LOWEST = -3.4e38f;\nconstexpr size_t BYTES = sizeof(float) * 4;", "float z = LOWEST;"),
        ("const float TOP = std::numeric_limits<float>::max();", "float z = TOP;"),
        ("__constant__ float factors[4] = {1.0f, 2.0f, 0.5f, -1.0f};", "float z = factors[0];"),
        ("__device__ unsigned int ticket = 0;\n__device__ float4 row[8];", "unsigned z = ticket;"),
        ("struct Pair { float a, b; static constexpr int size = 2; __device__ float sum() const { return a + b; } };", "Pair p = {1, 2};"),
        ("struct Add { __device__ float operator()(float a, float b) const { return fmaxf(a, b); } };", "Add op; float z = op(1, 2);"),
        ("enum Way { ROW, COLUMN = 3 };", "int z = COLUMN;"),
        ("using Wide = float4;\ntypedef struct { float a; } Single;", "Wide w = make_float4(0, 0, 0, 0);"),
        ("template <typename T, typename Op>\n__device__ T twice(T v, Op op) { return op(v, T(2)); }", ""),
        ("__device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y, a.z, a.w); }", ""),
        ("__device__ float half_of(float v);\n__device__ float half_of(float v) { return __fmul_rn(v, 0.5f); }", "float z = half_of(1);"),
        ("extern __shared__ float pool[];", "pool[0] = 1;"),
        ("struct Sum { float v; __device__ Sum() : v(0) {} __device__ ~Sum() {} };", "Sum s; s.v += 1;"),
        ("__host__ __device__ inline int up(int a, int b) { return (a + b - 1) / b; }", "int z = up(i, 4);"),
        ('extern "C" __global__ void second(float *o) { o[0] = 1; }', ""),
        ("template <int N> __global__ void second(float *o) { o[N] = 1; }", ""),
        ("using namespace cute;", "auto z = cute::make_shape(1, 2);"),
        ("namespace cg = cooperative_groups;", ""),
    ],
)
def test_helpers_that_run_nothing_on_the_host_are_none(code: str, used: str) -> None:
    assert host_reach(TEXT, in_front(code, used)) is None


@pytest.mark.parametrize(
    "code",
    [
        'system("id");',
        '(system)("id");',
        '::system("id");',
        'auto f = system; f("id");',
        'FILE *f = fopen("/etc/passwd", "r");',
        'std::ofstream o("x");',
        "reset();",
        "auto f = &reset; f();",
        'int other(const char *); other("id");',
        'extern "C" int kill(int, int); kill(1, 9);',
        'int q(const char *) asm("system"); q("id");',
        'asm volatile(".incbin \\"/etc/passwd\\"");',
        'asm(".inc" "lude \\"x\\"");',
        'asm("\\x2eincbin x");',
        'asm("nop; x: .file 1 \\"y\\"");',
        "asm(TEMPLATE);",
        'out[i] = [] { return getenv("HOME") != nullptr; }();',
        'struct L { L() { system("id"); } }; L l;',
        "__libc_system(0);",
        "__builtin_trap_all();",
        "void *p = dlopen(0, 1);",
        "execve(0, 0, 0);",
        "cudaMalloc(&out, 4);",
        'using namespace std; ::std::system("id");',
        'sys\\\ntem("id");',
        'system/**/("id");',
        '((int (*)(const char *))0x1234)("id");',
        "int (*f)() = 0; (*f)();",
        '#define P(a, b) a##b\n    P(sys, tem)("id");\n#undef P\n',
        '#define C(f) f("id")\n    C(system);\n#undef C\n',
    ],
)
def test_a_kernel_that_calls_host_functions_is_host_code(code: str) -> None:
    assert host_reach(TEXT, inside(code)) is not None
    assert host_edit(inside(code))


@pytest.mark.parametrize(
    "code",
    [
        "__shared__ float tile[32][33]; tile[threadIdx.y][threadIdx.x] = __ldg(&in[i]); __syncthreads();",
        "float v = __shfl_down_sync(0xffffffffu, in[i], 16); atomicAdd(out, v);",
        "float4 v = reinterpret_cast<const float4 *>(in)[i]; float w = fmaf(v.x, v.y, sqrtf(v.z));",
        "auto at = [&](int k) { return in[k]; }; out[i] = at(i);",
        "auto tile = cg::tiled_partition<32>(cg::this_thread_block()); tile.sync(); float s = cg::reduce(tile, in[i], cg::plus<float>());",
        'unsigned lane; asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));',
        'asm volatile("{\\n\\t.reg .pred p;\\n\\tsetp.ne.b32 p, %0, 0;\\n\\t@p ld.global.nc.f32 %1, [%2];}" :: "r"(i), "f"(1.f));',
        "int read = i + 1; const int link = read; out[link] = 0;",
        "__shared__ __align__(16) float rows[4][8]; rows[0][0] = in[i];",
        "float r(1.0f); int2 d = make_int2(1, 2); out[i] = float(d.x) + (float)(r);",
        'printf("%d\\n", i); assert(i >= 0);',
        "#pragma unroll\n    for (int k = 0; k < 4; k++) { if (k & 1) continue; while (i > n) { return; } }",
        "__pipeline_memcpy_async(out, in, 16); __pipeline_commit(); __pipeline_wait_prior(0);",
        "wmma::fragment<wmma::accumulator, 16, 16, 16, float> c; wmma::fill_fragment(c, 0.0f);",
        "extern __shared__ float pool[]; pool[0] = min(1.0f, in[0]); switch (i) { case 0: break; }",
        "__half h = __float2half(in[i]); __half2 g = __hadd2(__half2half2(h), __half2half2(h)); out[i] = __low2float(g);",
        "[[maybe_unused]] int k = i; __builtin_assume(n > 0);",
        "using Row = float[4]; struct P { float a; }; P p{in[i]}; out[i] = p.a;",
    ],
)
def test_ordinary_device_code_is_none(code: str) -> None:
    assert host_reach(TEXT, inside(code)) is None
    assert not host_edit(inside(code))


@pytest.mark.parametrize(
    "line",
    [
        "using namespace nvcuda;",
        "using namespace ::nvcuda::wmma;",
        "using namespace cooperative_groups;",
        "namespace cg = cooperative_groups;",
        "namespace ptx = cuda::ptx;",
        "namespace cde = cuda::device::experimental;",
    ],
)
def test_a_namespace_of_device_code_may_be_used_or_named(line: str) -> None:
    assert not host_edit(in_front(line))


@pytest.mark.parametrize(
    "code", ["using namespace app;", "using namespace cuda::std;", "#define nvcuda app\nusing namespace nvcuda;", "namespace cg = app;"]
)
def test_another_namespace_is_the_hosts(code: str) -> None:
    assert host_edit(in_front(code))


def test_a_default_argument_that_the_launch_would_compute_is_host_code() -> None:
    assert host_edit(TEXT.replace("int n)\n", "int n, int z = (reset(), 1))\n", 1))


@pytest.mark.parametrize("macro", ["SIZE (n = 3)", "SIZE 4; return 1", "SIZE [] { return 3; }()"])
def test_a_macro_that_is_more_than_arithmetic_and_that_the_host_names_is_host_code(macro: str) -> None:
    assert host_edit(inside(f"#define {macro}").replace("<<<4, 64>>>", "<<<SIZE, 64>>>"))


def test_a_macro_of_a_header_that_another_file_names_is_host_code() -> None:
    header, user = Path("/k.cuh"), Source(Path("/main.cu"), '#include "k.cuh"\nint main() { flush(); }\n')
    before = (Source(header, KERNEL), user)
    named = (Source(header, "#define flush() do { } while (0)\n" + KERNEL), user)
    assert macro_elsewhere(before, named) == "flush"
    assert macro_elsewhere(before, (Source(header, "#define drain() do { } while (0)\n" + KERNEL), user)) is None
    assert macro_elsewhere((before[1],), (before[1],)) is None


def test_a_macro_in_front_of_a_header_is_host_code() -> None:
    assert host_edit(
        TEXT.replace("#include <cstdlib>", "").replace(KERNEL, KERNEL.replace("int i", "#define LIMIT 3\n int i") + "#include <cstdlib>\n")
    )


def test_what_a_kernel_called_before_it_may_call_on() -> None:
    before = inside("helper_of_a_header(i);")
    assert host_reach(before, before.replace("helper_of_a_header(i)", "helper_of_a_header(i + 1)")) is None


def test_a_function_that_the_host_calls_too_is_host_code() -> None:
    before = TEXT.replace("void reset() { abort(); }", "__host__ __device__ int twice(int v) { return v + v; }").replace(
        "return 0;", "return twice(0);"
    )
    assert host_edit(before.replace("v + v", "2 * v"), before)


def test_a_text_that_cannot_be_taken_apart_is_compared_by_lines() -> None:
    before = "#ifdef A\nvoid f() {\n#else\nvoid g() {\n#endif\n}\n" + TEXT
    assert host_reach(before, before.replace("if (i < n)", 'system("id");\n if (i < n)')) is not None
    assert host_reach(before, before.replace("if (i < n)", "#define return exit(0)\n if (i < n)")) is not None
    assert host_reach(before, before.replace("int i = b", "int const i = b")) is None


@pytest.mark.parametrize(
    ("after", "is_fine"),
    [
        ("enum { GRID = 192, BLOCK = 512 };", True),
        ("enum { GRID = 24, BLOCK = 512, MORE };", False),
        ("enum { GRID = (system(0), 24), BLOCK = 512 };", False),
        ("enum { BLOCK = 24, GRID = 512 };", False),
        ("enum Grid { GRID = 24, BLOCK = 512 };", False),
        ("struct { int GRID = 24, BLOCK = 512; };", False),
    ],
)
def test_of_an_enumeration_that_host_code_names_numbers_alone_may_change(after: str, is_fine: bool) -> None:
    before = "enum { GRID = 24, BLOCK = 512 };\n" + TEXT.replace("copy<<<4, 64>>>", "copy<<<GRID, BLOCK>>>")
    assert "<<<GRID" in before
    found = host_reach(before, before.replace("enum { GRID = 24, BLOCK = 512 };", after))
    assert (found is None) is is_fine, found


EXPECTED = tuple(sorted((Path(__file__).resolve().parents[2] / "data" / "plan").glob("*/*.expected.cu")))


@pytest.mark.parametrize("path", EXPECTED, ids=lambda path: f"{path.parent.name}-{path.name.split('.')[0]}")
def test_what_the_expert_planner_writes_reaches_no_host_code(path: Path) -> None:
    before = path.with_name(path.name.replace(".expected", ""))
    if before.exists():
        assert host_reach(before.read_text("utf-8"), path.read_text("utf-8")) is None
