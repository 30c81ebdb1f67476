"""What the translator writes, seen as text; nothing is compiled here."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from assistant.emulator.translate.context import lex_files
from assistant.emulator.translate.foreign import foreign_names, header_text
from assistant.emulator.translate.promoted import promoted_texts
from assistant.emulator.translate.unit import TranslatedUnit, Unpromotable, Untranslatable, closure, translate
from tests.thorough import first_of

MAIN = Path("/user/main.cu")


def translated(text: str, *, promote_float: bool = False) -> str:
    unit = translate({MAIN: text}, (), promote_float=promote_float)
    assert isinstance(unit, TranslatedUnit)
    return unit.files[0].edited.text


def refused(text: str) -> tuple[tuple[int, int, str], ...]:
    unit = translate({MAIN: text}, ())
    assert isinstance(unit, Untranslatable)
    return tuple((d.line, d.column, d.message) for d in unit.diagnostics)


def contained(text: str) -> tuple[tuple[int, int, str], ...]:
    unit = translate({MAIN: text}, ())
    assert isinstance(unit, TranslatedUnit)
    return tuple((d.line, d.column, d.message) for d in unit.contained)


KERNEL = "__global__ void k(int* p) { *p = 1; }\n"


@pytest.mark.parametrize(
    ("launch", "call"),
    [
        ("k<<<1, 2>>>(p);", "emu_stub_k(EmuConfig(1, 2), p);"),
        ("k<<<1, 2>>>();", "emu_stub_k(EmuConfig(1, 2));"),
        ("n::k<<<dim3(1), 2, 0, s>>>(p);", "n::emu_stub_k(EmuConfig(dim3(1), 2, 0, s), p);"),
        ("k<A<B<int>>><<<1, 2>>>(p);", "emu_stub_k<A<B<int>>>(EmuConfig(1, 2), p);"),
        ("k <int> <<< 1, f(2, 3) >>> (p);", "emu_stub_k <int> (EmuConfig( 1, f(2, 3) ), p);"),
        ("table[i]<<<1, 2>>>(p);", "emu_launcher(table[i])(EmuConfig(1, 2), p);"),
        ("this->f<<<1, 2>>>(p);", "emu_launcher(this->f)(EmuConfig(1, 2), p);"),
        ("(*f)<<<1, 2>>>(p);", "emu_launcher((*f))(EmuConfig(1, 2), p);"),
        ("auto k = pick(); k<<<1, 2>>>(p);", "auto k = pick(); emu_launcher(k)(EmuConfig(1, 2), p);"),
    ],
)
def test_a_launch_becomes_a_call(launch: str, call: str) -> None:
    assert f"void f() {{ {call} }}" in translated(f"{KERNEL}void f() {{ {launch} }}")


def test_lines_survive_every_edit() -> None:
    source = KERNEL + "extern __shared__ int s[];\n\nvoid f(int* p) {\n  k<<<1,\n      32>>>\n    (\n    p);\n}\n"
    lines = translated(source).split("\n")
    assert len(lines) == len(source.split("\n"))
    assert lines[7].strip() == "p);"


def test_text_in_comments_strings_and_dead_branches_is_left_alone() -> None:
    text = '// k<<<1, 2>>>(p);\n/* __shared__ */ const char* s = R"x(k<<<1, 2>>>(p);)x";\n#if 0\nk<<<1,\n#endif\n'
    assert translated(text) == text


def test_a_stub_repeats_the_template_head_and_defaults() -> None:
    text = translated("template <class T, int N = 2> __global__ void __launch_bounds__(64) k(T* a, const int = 3) {}")
    assert "template <class T , int N = 2> EMU_HOST void emu_stub_k(const EmuConfig& emu_config, T * a, const int emu_p1 = 3)" in text
    assert "= &k<T, N>;" in text


def test_a_kernel_whose_parameter_has_its_name_is_named_from_outside() -> None:
    text = translated("namespace n { namespace { template <class T> __global__ void k(T* k) { *k = 1; } } }\n")
    assert "= &::n::k<T>;" in text


def test_a_pack_of_a_type_is_no_pack_of_parameters() -> None:
    text = translated("template <class... Ts> __global__ void k(Types<Ts...> t, const Ts... xs) {}")
    assert "emu_stub_k(const EmuConfig& emu_config, Types < Ts ... > t, const Ts ... xs)" in text
    assert "{__builtin_addressof(t), __builtin_addressof(xs)...}" in text
    assert "void k(Types<Ts...> t,  Ts... xs)" in text


def test_a_template_parameter_that_is_a_function_is_named_inside_its_brackets() -> None:
    text = translated("template <float (*F)(float), int (*)(int), class T> __global__ void k(T* p) {}")
    assert "template <float ( * F ) ( float ) , int ( * emu_t1 ) ( int ) , class T > EMU_HOST void emu_stub_k" in text
    assert "= &k<F, emu_t1, T>;" in text


def test_a_specialisation_has_no_stub_of_its_own() -> None:
    assert translated("template <> __global__ void k<float>(float* a) {}").count("emu_stub") == 0


def test_host_functions_are_marked_and_device_functions_are_not() -> None:
    text = translated("#define HD __host__ __device__\nHD int a() { return 1; }\nstatic int b() { return 2; }\n")
    assert "\nHD int a()" in text
    assert "\nEMU_USER_HOST_LOCAL EMU_APART static int b()" in text


def test_dynamic_shared_memory_is_a_reference_to_the_arena() -> None:
    text = translated("__global__ void k() { extern __shared__ __align__(16) float s[]; s[0] = 1; }")
    assert "float (&s)[ ] = *(float (*)[ ])__emu_dynamic_shared;" in text


def test_device_variables_are_registered_with_name_space_and_type() -> None:
    text = translated("namespace n { __constant__ float c[4] = {1}; __device__ int *a, b = 2; }")
    assert 'EMU_SYMBOL(c, "n::c", 1, "float");' in text
    assert 'EMU_SYMBOL(a, "n::a", 0, "int*"); EMU_SYMBOL(b, "n::b", 0, "int");' in text


def test_user_variables_named_like_builtins_are_renamed_in_their_scope_only() -> None:
    kernel = "__global__ void k(int* p) { p[threadIdx.x] = blockDim.x; }\n"
    text = translated(kernel + "void f() { dim3 blockDim(2); use(blockDim, cfg.gridDim); }")
    assert "p[threadIdx.x] = blockDim.x;" in text
    assert "dim3 emu_user_blockDim(2); use(emu_user_blockDim, cfg.emu_user_gridDim);" in text


def test_library_calls_of_device_code_use_the_device_form() -> None:
    text = translated('__global__ void k(char* p) { memset(p, 0, 4); printf("x"); }\nvoid f(char* p) { memset(p, 0, 4); printf("x"); }')
    assert '{ emu_device_memset(p, 0, 4); emu_device_printf("x"); }' in text
    assert '{ memset(p, 0, 4); printf("x"); }' in text


@pytest.mark.parametrize(
    ("text", "line", "column", "construct"),
    [
        ("struct S {\n  static __global__ void k(int* p);\n};", 2, 3, "a kernel that is a member of a class, and neither does CUDA"),
    ],
)
def test_what_no_compiler_takes_is_one_sentence_at_its_place(text: str, line: int, column: int, construct: str) -> None:
    assert refused(text) == ((line, column, f"the emulator does not support {construct}"),)


@pytest.mark.parametrize(
    ("text", "line", "column", "construct"),
    [
        ('__global__ void k() {\n  asm("cp.async.commit_group;");\n}', 2, 3, "inline PTX (cp.async.commit_group)"),
        ("texture<float, 2> t;\n", 1, 1, "texture references"),
        ("#include <cuda/std/span>\n", 1, 1, "libcu++"),
        ("#include <thrust/sort.h>\n", 1, 1, "Thrust"),
        ("#include <cublas_v2.h>\n", 1, 1, "cuBLAS"),
        (KERNEL + "__global__ void parent(int* p) { k<<<1, 1>>>(p); }", 2, 35, "kernel launches from device code (dynamic parallelism)"),
        ("__global__ void k() { __pipeline_arrive_on(nullptr); }\n", 1, 23, "asynchronous copies that arrive at a barrier in memory"),
        ("__global__ void k() { __mbarrier_t* b; }\n", 1, 23, "barriers in memory (mbarrier)"),
    ],
)
def test_what_one_function_needs_is_refused_there_alone(text: str, line: int, column: int, construct: str) -> None:
    assert contained(text) == ((line, column, f"the emulator does not support {construct}"),)


def test_a_function_that_needs_what_is_not_run_says_so_on_the_line_of_it() -> None:
    text = translated("void f(int n) {\n  int a = n;\n  thrust::sort(&a, &a + 1);\n}\nvoid g() {}\n")
    lines = text.split("\n")
    assert "emu_refuse(" in lines[2] and '"Thrust"' in lines[2]
    assert lines[4].endswith("void g() {}")


def test_a_kernels_name_that_a_macro_makes_is_spelled_out() -> None:
    text = translated("#define K(x) x##_k\n__global__ void K(sum)(int* p) {}\nvoid f(int* p) { K(sum)<<<1, 32>>>(p); } // K(sum)\n")
    assert "void sum_k (int* p) {}" in text
    assert "emu_stub_sum_k" in text and "#define K(x) x##_k" in text and "K(sum)<<<" not in text


R = 'emu_refuse("Thrust", __FILE__, __LINE__); '


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("int main() { f(); thrust::sort(a, b); g(); }", f"int main() {{ f(); {R}}}"),
        ("int main() { if (x) { thrust::sort(a); g(); } h(); }", f"int main() {{ if (x) {{ {R}}} h(); }}"),
        ("int main() { if (x) thrust::sort(a); else g(); h(); }", f"int main() {{ if (x) {R} else g(); h(); }}"),
        ("int main() { if (x) f(); else for (;;) thrust::sort(a); h(); }", f"int main() {{ if (x) f(); else for (;;) {R} h(); }}"),
        ("int main() { if (thrust::any(a)) f(); h(); }", f"int main() {{ {R}}}"),
        ("int main() { switch (x) { case 1: f(thrust::sort(a)); g(); break; default: h(); } }",
         f"int main() {{ switch (x) {{ case 1: {R} default: h(); }} }}"),
        ("int f() { auto g = [&] { return thrust::sum(a); }; return g(); }", f"int f() {{ auto g = [&] {{ {R}}}; return g(); }}"),
        ("int main() { int a[] = {1, thrust::sum(b)}; f(); }", f"int main() {{ {R}}}"),
        ("thrust::vec<int> keys;\nint f() { g(); keys.clear(); }", f"\nint f() {{ g(); {R}}}"),
        ("using V = thrust::vec<int>; void f(V& v) { v.x(); } void g() { h(); f(a); }", f"  void g() {{ h(); {R}}}"),
        ("struct S : thrust::base { int n; }; int f(S s) { return s.n; } int g() { return 1; }", "  int g() { return 1; }"),
        ("namespace n { void f(thrust::vec<int> v) {} int g() { return 1; } }", "namespace n {  int g() { return 1; } }"),
    ],
)  # fmt: skip
def test_the_program_ends_at_the_statement_that_needs_what_is_not_run(text: str, becomes: str) -> None:
    unit = translate({MAIN: text}, ())
    assert isinstance(unit, TranslatedUnit)
    assert re.sub(r"EMU_\w+ ", "", unit.files[0].edited.text).split() == becomes.split()


def test_handles_are_made_and_set_up_and_the_first_call_that_computes_ends_the_program() -> None:
    names = foreign_names(
        lex_files({MAIN: "int main() { cublasCreate(&h); cublasSetStream(h, s); cublasSetVector(n, x); cufftPlan1d(&p); }"})
    )
    lines = header_text(names).splitlines()
    assert {name: any(f"emu_foreign_{name}(" in line and "emu_refuse(" in line for line in lines) for name in names} == {
        "cublasCreate": False, "cublasSetStream": False, "cublasSetVector": True, "cufftPlan1d": False,
    }  # fmt: skip


def test_a_library_of_c_is_declared_as_the_unit_uses_it() -> None:
    code = "cublasStatus_t f(cublasHandle_t h) { return cublasSscal(h) ? CUBLAS_STATUS_SUCCESS : cublasStatus_t(); }"
    unit = translate({MAIN: f"#include <cublas_v2.h>\n{code}"}, ())
    assert isinstance(unit, TranslatedUnit)
    header = unit.files[-1].edited.text.splitlines()
    assert "enum cublasStatus_t : int {};" in header
    assert "typedef void* cublasHandle_t;" in header
    assert "constexpr cublasStatus_t CUBLAS_STATUS_SUCCESS = (cublasStatus_t)0;" in header
    assert "#define cublasSscal(...) emu_foreign_cublasSscal(__FILE__, __LINE__, ##__VA_ARGS__)" in header


def test_inline_ptx_that_reads_a_register_needs_no_ptx() -> None:
    text = translated('__device__ int f() { int l; asm volatile("mov.u32 %0, %%laneid;" : "=r"(l)); asm("bar.sync 0;"); return l; }')
    assert "int l; (l) = emu_lane_index(); __syncthreads(); return l;" in text


@pytest.mark.parametrize(
    ("statement", "becomes"),
    [
        ('asm("mul.hi.u32 %0, %1, %2;" : "=r"(h) : "r"(a), "r"(b + 1));', "(h) = (__umulhi((a), (b + 1)));"),
        ('asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(v) : "l"(p + i));', "(v) = *(const float*)(p + i);"),
        ('asm volatile("st.global.cs.u32 [%0], %1;" :: "l"(p), "r"(x) : "memory");', "*(unsigned*)(p) = (x);"),
        ('asm volatile("prefetch.global.L2 [%0];" : : "l"(p));', "(void)0;"),
    ],
)
def test_inline_ptx_of_one_instruction_becomes_what_it_does(statement: str, becomes: str) -> None:
    assert f"{{ {becomes} }}" in translated(f"__device__ void f() {{ {statement} }}")


@pytest.mark.parametrize(
    "statement",
    [
        'asm("mul.hi.u32 %0, %2, %1;" : "=r"(h) : "r"(a), "r"(b));',
        'asm("mad.lo.s32 %0, %1, %2, %0;" : "+r"(h) : "r"(a), "r"(b));',
        'asm("add.cc.u32 %0, %1, %2;" : "=r"(h) : "r"(a), "r"(b));',
        'asm("add.u32 %0, %1, 4;" : "=r"(h) : "r"(a));',
    ],
)
def test_other_inline_ptx_with_operands_is_refused(statement: str) -> None:
    assert "inline PTX" in contained(f"__device__ void f() {{ {statement} }}")[0][2]


def test_promotion_rewrites_types_literals_and_functions() -> None:
    text = translated("__global__ void k(float4* p, half h) { p->x = expf(1.5f) + 2.f * __fmaf_rn(1e-3f, 2, 3); }", promote_float=True)
    assert "void k(double4* p, double h) { p->x = exp(1.5) + 2. * __fma_rn(1e-3, 2, 3); }" in text


def test_a_source_that_depends_on_float_bits_cannot_be_promoted() -> None:
    unit = translate({MAIN: "__device__ int f(float x) { return __float_as_int(x); }"}, (), promote_float=True)
    assert unit == Unpromotable("main.cu uses __float_as_int, which depends on the bits of a narrower type")


@pytest.mark.parametrize("table", first_of(["{rows}", "#define TABLE {rows}\n"]), ids=["included rows", "macro"])
def test_a_large_table_takes_time_in_proportion_to_its_length(table: str) -> None:
    rows = ", \\\n".join("{1, 2, 3, 4}" for _ in range(20_000))
    started = time.process_time()
    assert "emu" not in translated(table.replace("{rows}", rows))
    assert time.process_time() - started < 10  # 0.5 s on an idle core; comparing each row with all before it takes minutes


def test_braces_of_variables_and_of_constructors_end_no_declaration() -> None:
    text = "__device__ int a{1}, b{2};\nstruct S { int x, y; S() : x{1}, y{2} {} int f(); };\nint g() { return 1; }\n"
    result = translated(text)
    assert 'EMU_SYMBOL(a, "a"' in result and 'EMU_SYMBOL(b, "b"' in result
    assert "\nEMU_USER_HOST EMU_APART int g()" in result


def test_headers_are_found_as_the_compiler_finds_them() -> None:
    files = {MAIN: '#include "a.h"\n#include <b.h>\n', Path("/user/a.h"): '#include "sub/c.h"\n'}
    files |= {Path("/inc/b.h"): "", Path("/user/sub/c.h"): ""}
    assert list(closure(MAIN, files.get, (Path("/inc"),))) == [MAIN, Path("/user/a.h"), Path("/inc/b.h"), Path("/user/sub/c.h")]


def test_an_atomic_whose_result_is_not_looked_at_is_marked() -> None:
    text = translated("__global__ void k(int* p) { atomicAdd(p, 1); if (*p) ::atomicOr(p, 2); int old = atomicAdd(p, atomicSub(p, 1)); }\n")
    assert "{ EMU_UNREAD atomicAdd(p, 1); if (*p) EMU_UNREAD ::atomicOr(p, 2); int old = atomicAdd(p, atomicSub(p, 1)); }" in text


@pytest.mark.parametrize(
    ("parameter", "name"),
    [
        ("const float* __restrict__ a", "a"),
        ("float const *__restrict a", "a"),
        ("const T* const __restrict__ a", "a"),
        ("const RESTRICTED a", None),
        ("const float* READ_ONLY a", "a"),
        ("float* __restrict__ a", None),
        ("const float* a", None),
        ("const float* const* __restrict__ a", None),
        ("float* const __restrict__ a", None),
        ("const float* __restrict__", None),
    ],
)
def test_a_parameter_that_promises_not_to_be_written_gets_a_pointer_of_its_own(parameter: str, name: str | None) -> None:
    macros = "#define READ_ONLY __restrict__\n#define RESTRICTED float*\ntypedef int T;\n"
    text = translated(f"{macros}__global__ void k(int n, {parameter}, int* out) {{ *out = n; }}\n")
    if name is None:
        assert "EMU_SEEN" not in text and "EMU_THROUGH" not in text
    else:
        assert f"EMU_SEEN({name}), int* out) {{ EMU_THROUGH({name}) *out = n; }}" in text


def test_a_promise_is_kept_in_templates_and_overloads() -> None:
    text = translated("template <class T> __global__ void k(const T* __restrict__ a, const T* __restrict__ b, T* c) { *c = *a + *b; }\n")
    assert "k(const T* __restrict__ EMU_SEEN(a), const T* __restrict__ EMU_SEEN(b), T* c) { EMU_THROUGH(a) EMU_THROUGH(b) *c" in text


def test_a_pointer_to_rows_keeps_its_name_behind_restrict() -> None:
    text = translated("__global__ void k(const int (*__restrict__ rows)[8], int *out) { *out = rows[1][2]; }\n")
    assert "__builtin_addressof(rows), __builtin_addressof(out)" in text


CALLED = """\
namespace sim {
  struct Solver { void step(int n); void run() { step(1); } };
  static void step(float* p) { }
  __device__ void step(int* p) { }
}
void sim::Solver::step(int n) { }
template <typename T> T step(T t) { return t; }
"""


@pytest.mark.parametrize(
    ("function", "lines"), [("step", [3, 6, 7]), ("Solver::step", [6]), ("sim::step", [3]), ("run", [2]), ("other", [])]
)
def test_calls_of_one_host_function_are_noted(function: str, lines: list[int]) -> None:
    unit = translate({MAIN: CALLED}, (), noted_function=function)
    assert isinstance(unit, TranslatedUnit)
    text = unit.files[0].edited.text.splitlines()
    assert [number for number, line in enumerate(text, 1) if "{ EmuCallScope emu_call_scope;" in line] == lines
    assert len(text) == len(CALLED.splitlines())


def test_a_file_without_cuda_is_left_as_it_is() -> None:
    unit = translate({MAIN.with_suffix(".cpp"): "void step() { }\n"}, (), noted_function="step")
    assert isinstance(unit, TranslatedUnit) and "EmuCallScope" not in unit.files[0].edited.text


def test_floats_become_doubles_for_another_compiler_and_nothing_else_changes() -> None:
    header, text = (
        "#define HALF 0.5f\n",
        '#include "h.cuh"\n__global__ void k(float4 *p, int n) { p[n].x = __fdividef(expf(HALF), 3.f); }\n',
    )
    made = promoted_texts([{MAIN: text, Path("/user/h.cuh"): header}])
    assert isinstance(made, dict)
    assert made[Path("/user/h.cuh")] == "#define HALF 0.5\n"
    assert made[MAIN].endswith('#include "h.cuh"\n__global__ void k(double4 *p, int n) { p[n].x = emu_promoted_divide(exp(HALF), 3.); }\n')
    assert "emu_promoted_divide(double a, double b)" in made[MAIN]


@pytest.mark.parametrize("body", ["*p = __float_as_int(1.0f);", "half h = 1; *p = h;"])
def test_what_depends_on_narrow_bits_has_no_twin_on_a_gpu(body: str) -> None:
    assert isinstance(promoted_texts([{MAIN: f"__global__ void k(int* p) {{ {body} }}\n"}]), Unpromotable)
