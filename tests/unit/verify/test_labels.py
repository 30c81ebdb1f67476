"""Labels: what B has and A has not, in source, machine code and flags; comments and strings do not count."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.cuda.parse import parse
from assistant.model.build import KernelCode, SassInstruction
from assistant.model.source import Source
from assistant.model.verification import Label
from assistant.verify.evidence import DetectedLabel
from assistant.verify.labels import VersionFacts, changes_streams, detect_labels

TEXT = """__global__ void k(const float *in, float *out, int *hits, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 0;
  if (i < n) v = in[i];
  // here
  out[i] = v;
}
int main() {
  dim3 block(128);
  k<<<4, block>>>(0, 0, 0, 512);
}
"""


def version(text: str, opcodes: tuple[str, ...] = (), flags: tuple[str, ...] = ()) -> VersionFacts:
    instructions = tuple(SassInstruction(16 * i, "", opcode, "", "k.cu", i + 1) for i, opcode in enumerate(opcodes))
    code = (KernelCode("k", "k", "sm_90", instructions, ()),) if opcodes else ()
    return VersionFacts(parse(Source(Path("/k.cu"), text)), code, flags)


def labels(replacement: str) -> tuple[DetectedLabel, ...]:
    return detect_labels(version(TEXT), version(TEXT.replace("// here", replacement)))


@pytest.mark.parametrize(
    ("line", "label"),
    [
        ("v = __expf(v);", Label.FAST_MATH),
        ("v = __fdividef(v, 3.0f);", Label.FAST_MATH),
        ("v = __half2float(__float2half(v));", Label.PRECISION),
        ("half h = v;", Label.PRECISION),
        ("v = cospi(2.0 * v);", Label.PRECISION),
        ("float a = v, b = half(v);", Label.PRECISION),
        ("float4 w = *reinterpret_cast<const float4 *>(in + i);", Label.ALIGNMENT),
        ("float2 w = ((float2 *)in)[i];", Label.ALIGNMENT),
        ("__builtin_assume(n > 4);", Label.ASSUMPTION),
        ('asm volatile("prefetch.global.L2 [%0];" :: "l"(in));', Label.ARCH_LOCK_IN),
        ('asm volatile("wgmma.fence.sync.aligned;" ::: "memory");', Label.ARCH_LOCK_IN),
        ("auto c = cooperative_groups::this_cluster(); c.sync();", Label.ARCH_LOCK_IN),
        ("float *far = group.map_shared_rank(&v, 1);", Label.ARCH_LOCK_IN),
        ("cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);", Label.ARCH_LOCK_IN),
        ("auto t = cute::make_tensor(in, 4);", Label.LIBRARY_CALL),
        ("using  namespace cute;", Label.LIBRARY_CALL),
        ("atomicAdd(&out[0], v);", Label.NON_DETERMINISM),
        ("atomicAdd(out, v);", Label.NON_DETERMINISM),
        ("using quad = float4; quad w = *(const quad *)(in + i);", Label.ALIGNMENT),
        ("typedef float4 quad; quad w = *reinterpret_cast<const quad *>(in + i);", Label.ALIGNMENT),
        ("short j = i;", Label.ASSUMPTION),
        ("uint16_t j = i;", Label.ASSUMPTION),
        ("char c = v; v += c;", Label.ASSUMPTION),
    ],
)
def test_a_new_construct_is_labelled_on_its_line(line: str, label: Label) -> None:
    (found,) = labels(line)
    assert found.label is label and found.line == 5


def test_what_one_architecture_alone_has_names_what_it_is_compiled_for() -> None:
    (found,) = labels('asm volatile("wgmma.fence.sync.aligned;" ::: "memory");')
    assert "-arch=sm_90a" in found.message and "wgmma" in found.message


@pytest.mark.parametrize("line", ["a[0].id = cudaLaunchAttributeClusterDimension;", "cuTensorMapEncodeTiled(&map);"])
def test_a_launch_that_needs_an_architecture_is_labelled(line: str) -> None:
    found = detect_labels(version(TEXT), version(TEXT.replace("dim3 block(128);", f"dim3 block(128);\n  {line}")))
    assert {Label.ARCH_LOCK_IN, Label.HOST_CODE} <= {each.label for each in found}


def test_a_library_that_a_kernel_calls_is_host_code_too() -> None:
    library, host = labels("cublasSgemm(handle);")
    assert (library.label, host.label) == (Label.LIBRARY_CALL, Label.HOST_CODE)
    assert host.message == "may do something on the host: it calls cublasSgemm, which is not a function of device code"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("dim3 block(128)", 'dim3 block(128 + system("id"))'),
        ("dim3 block(128)", "dim3 block((exit)(1), 128)"),
        ("<<<4, block>>>", "<<<abort(), block>>>"),
        ("(0, 0, 0, 512)", "(0, 0, [] { return 0; }(), 512)"),
        ("(0, 0, 0, 512)", "(0, 0, 0, n = 512)"),
    ],
)
def test_a_launch_that_does_more_than_compute_is_host_code(old: str, new: str) -> None:
    assert old in TEXT
    assert Label.HOST_CODE in [found.label for found in detect_labels(version(TEXT), version(TEXT.replace(old, new)))]


def test_launches_and_shapes_may_compute() -> None:
    after = TEXT.replace("dim3 block(128)", "dim3 block(min(128, 64), (unsigned)(2))").replace("<<<4,", "<<<dim3((512 + 63) / 64),")
    assert detect_labels(version(TEXT), version(after)) == ()


@pytest.mark.parametrize(
    "line",
    [
        "// v = __expf(v); half h;",
        "/* asm volatile */",
        'printf("__expf half atomicAdd(out, v)");',
        "atomicAdd(hits, 1);",
        "v = fmaf(v, 2.0f, 1.0f);",
        "v = __ldg(in + i);",
        "int half = n / 2; if (i < half) v += in[i + half];",
        "for (unsigned half = 64, step = 1; half > 0; half /= 2) v += step;",
    ],
)
def test_harmless_edits_have_no_label(line: str) -> None:
    assert labels(line) == ()


@pytest.mark.parametrize(
    ("declared", "grid"),
    [
        ("int half = 512 / 2;", "(half * 2 + 127) / 128"),
        ("int all = 512, half = all / 2;", "half / 64"),
        ("const unsigned half(256);", "half / 64"),
        ("for (int half = 256; half > 0; half = 0)", "half / 64"),
    ],
)
def test_a_variable_of_the_host_may_be_called_half(declared: str, grid: str) -> None:
    after = TEXT.replace("  k<<<4,", f"  {declared}\n  k<<<{grid},")
    assert all(found.label is Label.HOST_CODE for found in detect_labels(version(TEXT), version(after)))


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("// here", "{ int half = 3; i += half; } half h = v; v = h;"),
        TEXT.replace("// here", "for (int half = 3; half > 0; half /= 2) i += half; half h = v; v = h;"),
        TEXT.replace("// here", "half h = v; int half = 3; v = h + half;"),
        TEXT.replace("// here", "v = half(v);").replace("  k<<<4,", "  int half = 4;\n  k<<<half,"),
        TEXT.replace("// here", "v = f<int, half, 3>(v);"),
    ],
)
def test_a_variable_called_half_hides_no_type_of_that_name(text: str) -> None:
    assert Label.PRECISION in {found.label for found in detect_labels(version(TEXT), version(text))}


def test_what_the_original_has_too_is_no_label() -> None:
    text = TEXT.replace("// here", "v = __expf(v);")
    assert detect_labels(version(text), version(text)) == ()


def test_an_original_that_adds_floats_atomically_makes_no_new_disorder() -> None:
    before, after = TEXT.replace("// here", "atomicAdd(out, v);"), TEXT.replace("// here", "atomicAdd(&out[3], v);")
    assert detect_labels(version(before), version(after)) == ()


def test_fewer_names_of_doubles_are_no_lower_precision() -> None:
    before = TEXT.replace("// here", "double a = v; double b = a; v = a + b;")
    for line, is_lower in (
        ("double a = v; v = a + a;", False),
        ('double a = v; if (i > 1) printf(""); v = a + a;', False),
        ("double a = v; v = sqrtf(a);", True),
        ("v = v + v;", True),
    ):
        labels = {found.label for found in detect_labels(version(before), version(TEXT.replace("// here", line)))}
        assert (Label.PRECISION in labels) is is_lower, line


def test_dropping_double_is_lower_precision() -> None:
    (found,) = detect_labels(version(TEXT.replace("float v", "double v")), version(TEXT))
    assert found.label is Label.PRECISION


@pytest.mark.parametrize("wide", ["long long", "size_t", "int64_t", "unsigned long"])
def test_dropping_64_bit_indices_is_an_assumption(wide: str) -> None:
    (found,) = detect_labels(version(TEXT.replace("int i =", f"{wide} i =")), version(TEXT))
    assert found.label is Label.ASSUMPTION
    assert detect_labels(version(TEXT), version(TEXT.replace("int i =", f"{wide} i ="))) == ()


def test_flags_are_labelled() -> None:
    found = detect_labels(version(TEXT), version(TEXT, flags=("-use_fast_math", "-maxrregcount=32")))
    assert {item.label for item in found} == {Label.FAST_MATH, Label.NEW_FLAGS}


def test_more_results_of_the_originals_own_kind_lower_no_precision() -> None:
    before = TEXT.replace("// here", "h[i] = __float2half(v);")
    twice = before.replace("h[i] =", "h[i + n] = __float2half(v + 1.0f); h[i] =")
    within = before.replace("h[i] =", "v = __half2float(__float2half(v)); h[i] =")
    assert detect_labels(version(before), version(twice)) == ()
    assert [found.label for found in detect_labels(version(before), version(within))] == [Label.PRECISION]


@pytest.mark.parametrize(
    "line", ["signed char c = v;", "unsigned char c = v;", "const char *p = (const char *)in;", "__shared__ char raw[64];"]
)
def test_bytes_whose_sign_is_said_or_does_not_matter_are_no_assumption(line: str) -> None:
    assert Label.ASSUMPTION not in {detected.label for detected in labels(line)}


def test_pairs_of_halves_are_as_exact_as_halves() -> None:
    before = TEXT.replace("// here", "h[i] = __hfma(g, a[i], b[i]);")
    paired = TEXT.replace("// here", "((__half2 *)h)[i] = __hfma2(__half2half2(g), ((__half2 *)a)[i], ((__half2 *)b)[i]);")
    lowered = TEXT.replace("// here", "h[i] = __hfma(g, a[i], __float2half(v));")
    assert Label.PRECISION not in {found.label for found in detect_labels(version(before), version(paired))}
    assert Label.PRECISION in {found.label for found in detect_labels(version(before), version(lowered))}
    narrower = before.replace("g, a[i]", "g, half(__nv_fp8_e4m3(a[i]))")
    assert Label.PRECISION in {found.label for found in detect_labels(version(before), version(narrower))}
    assert Label.PRECISION in {found.label for found in detect_labels(version(TEXT), version(paired))}


def test_halves_that_are_stored_in_pairs_are_as_exact_as_stored_halves() -> None:
    before = TEXT.replace("// here", "__half *y = (__half *)out; y[i] = __float2half(v);")
    paired = TEXT.replace("// here", "__half2 *y = (__half2 *)out; y[i] = __floats2half2_rn(v, v);")
    kept = TEXT.replace("// here", "__half2 *y = (__half2 *)out; __half2 sum = __floats2half2_rn(v, v); y[i] = sum;")
    assert Label.PRECISION not in {found.label for found in detect_labels(version(before), version(paired))}
    assert Label.PRECISION in {found.label for found in detect_labels(version(before), version(kept))}
    assert Label.PRECISION in {found.label for found in detect_labels(version(TEXT), version(paired))}


def test_halves_that_are_rounded_to_one_by_one_or_in_pairs_are_rounded_to_as_often() -> None:
    scalar = "__half *y = (__half *)out; const __half s = __float2half_rn(v); y[i] = s;"
    pairs = "if (v > 0) { const __half2 p = __floats2half2_rn(v, v); ((__half2 *)out)[i] = p; } else { %s }"
    before, mixed = TEXT.replace("// here", scalar), TEXT.replace("// here", pairs % scalar)
    twice = TEXT.replace("// here", pairs % scalar.replace("y[i] = s;", "const __half t = __float2half_rn(v - 1); y[i] = __hadd(s, t);"))
    assert Label.PRECISION not in {one.label for one in detect_labels(version(before), version(mixed))}
    assert Label.PRECISION in {one.label for one in detect_labels(version(before), version(twice))}


def test_elements_that_are_staged_in_their_own_type_are_no_assumption() -> None:
    before = TEXT.replace("// here", "const int8_t *p = (const int8_t *)in;")
    for line, is_assumed in (
        ("__shared__ int8_t raw[64]; raw[0] = (int8_t)0;", False),
        ("int8_t sum = p[0] + p[1];", True),
        ("unsigned four = (unsigned)(uint8_t)p[1] << 8 | (uint8_t)__ldg(&p[2]);", False),
        ("unsigned four = (uint8_t)i;", True),
        ("unsigned low = (uint16_t)(i & 0xffffu), high = (uint16_t)(i >> 16);", False),
        ("unsigned low = (uint8_t)((i >> 3) & 0xFF), high = (uint8_t)(i >> 24);", False),
        ("unsigned low = (uint8_t)(i & 0xffff);", True),
        ("unsigned high = (uint8_t)(i >> 16);", True),
        ("unsigned low = (uint8_t)i, next = (uint8_t)(i >> 8);", False),
        ("unsigned low = (int8_t)fminf(i, 127.0f);", True),
        ("uchar2 rows[8]; rows[0] = make_uchar2(i, i);", True),
        ("uchar2 pair = make_uchar2(p[0], p[1]);", False),
    ):
        found = detect_labels(version(before), version(before.replace("(const int8_t *)in;", f"(const int8_t *)in; {line}")))
        assert (Label.ASSUMPTION in {label.label for label in found}) is is_assumed, line


def test_a_cast_that_the_original_makes_and_a_function_of_elements_are_no_assumption() -> None:
    before = TEXT.replace("// here", "((int8_t *)out)[i] = (int8_t)fminf(v, 127.0f);")
    inside = before.replace("(int8_t)fminf(v, 127.0f)", "q8(v)")
    function = "__device__ int8_t q8(float v) { return (int8_t)fminf(v, 127.0f); }\n"
    assert Label.ASSUMPTION not in {found.label for found in detect_labels(version(before), version(function + inside))}


def test_the_bits_of_a_double_are_no_large_index() -> None:
    bits = "atomicCAS((unsigned long long *)out, 0ull, __double_as_longlong(v)); unsigned long long old;"
    for line, is_assumed in ((bits, False), (f"{bits} size_t at = i;", True), ("unsigned long long at = i;", True)):
        found = detect_labels(version(TEXT.replace("// here", line)), version(TEXT))
        assert any("in 32 bits" in one.message for one in found) is is_assumed, line


def test_asking_for_the_architecture_locks_in_the_whole_file() -> None:
    asking = "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000\n#define ITEMS 2\n#else\n#define ITEMS 4\n#endif\n" + TEXT
    found = {label.label for label in detect_labels(version("#define ITEMS 4\n" + TEXT), version(asking))}
    assert Label.ARCH_LOCK_IN in found
    assert Label.ARCH_LOCK_IN not in {label.label for label in detect_labels(version(asking), version(asking + "// more\n"))}


@pytest.mark.parametrize(
    ("condition", "is_assumed"), [("#ifdef __clang__", True), ("#if defined(_MSC_VER) && 1", True), ("#if CUDART_VERSION >= 12000", False)]
)
def test_asking_which_compiler_it_is_is_an_assumption(condition: str, is_assumed: bool) -> None:
    asking = TEXT.replace("// here", f"\n{condition}\n  v = 2 * v;\n#endif\n")
    messages = [found.message for found in detect_labels(version(TEXT), version(asking)) if found.label is Label.ASSUMPTION]
    assert any(message.startswith("tests which compiler compiles it") for message in messages) is is_assumed
    assert not any("asks which" in found.message for found in detect_labels(version(asking), version(asking)))


def test_a_struct_that_asks_for_its_alignment_needs_no_assumption() -> None:
    text = "struct Body { float x, y, z, m; };\n__global__ void k(const Body *b, const float *f, float *out) { float4 p; // here\n}"
    cast = "p = *reinterpret_cast<const float4 *>(b + 1);"
    plain, promised = text.replace("// here", cast), text.replace("// here", cast).replace("struct Body", "struct __align__(16) Body")
    other = promised.replace("(b + 1)", "(f)")
    for after, is_assumed in ((plain, True), (promised, False), (other, True)):
        assert (Label.ALIGNMENT in {label.label for label in detect_labels(version(text), version(after))}) is is_assumed


@pytest.mark.parametrize(
    ("code", "is_assumed"),
    [
        ("__shared__ __align__(16) float t[8][132]; float4 w = *reinterpret_cast<const float4 *>(&t[i][4]);", False),
        ("__shared__ float t[8][132]; float4 w = *reinterpret_cast<const float4 *>(&t[i][4]);", True),
        ("__shared__ __align__(8) float t[8][132]; float4 w = *reinterpret_cast<const float4 *>(&t[i][4]);", True),
        ("alignas(16) float a[4], b[8]; *(float4 *)b = *(float4 *)a;", False),
        ("__shared__ alignas(16) float t[2][8]; const float (*row)[8] = t; float4 w = *(float4 *)(row[1] + 4);", False),
        ("__shared__ __align__(16) float t[8]; { const float *t = in; float4 w = *(const float4 *)(t + 4); }", True),
        ("__shared__ __align__(16) float t[8]; float4 w = *(const float4 *)(in + 4);", True),
    ],
)
def test_an_array_that_is_declared_aligned_needs_no_assumption(code: str, is_assumed: bool) -> None:
    assert (Label.ALIGNMENT in {found.label for found in labels(code)}) is is_assumed


def test_a_bound_that_every_launch_keeps_is_no_assumption() -> None:
    before, after = version(TEXT), version(TEXT.replace("__global__ void", "__global__ void __launch_bounds__(128)", 1))
    (name,) = [kernel.qualified_name for kernel in after.parsed.kernels][:1]
    assert Label.ASSUMPTION in {found.label for found in detect_labels(before, after)}
    assert Label.ASSUMPTION not in {found.label for found in detect_labels(before, replace(after, bounded=((name, 128),)))}
    assert Label.ASSUMPTION not in {found.label for found in detect_labels(after, after)}


def test_streams_that_come_or_go_are_seen() -> None:
    streamed = version(TEXT.replace("dim3 block(128);", "dim3 block(128); cudaStream_t s; cudaStreamCreate(&s);"))
    assert changes_streams(version(TEXT), streamed) and changes_streams(streamed, version(TEXT))
    assert not changes_streams(streamed, streamed)


def test_host_code_is_labelled_but_launch_and_block_shape_are_not() -> None:
    launch = TEXT.replace("k<<<4, block>>>", "k<<<8, 64>>>").replace("block(128)", "block(64)")
    assert detect_labels(version(TEXT), version(launch)) == ()
    (found,) = detect_labels(version(TEXT), version(TEXT.replace("dim3 block", "cudaDeviceReset(); dim3 block")))
    assert found.label is Label.HOST_CODE


def test_a_kernel_that_grows_a_lot_is_harder_to_read() -> None:
    (found,) = labels("\n".join(f"if (i == {i}) v += {i}.0f;" for i in range(1, 30)))
    assert found.label is Label.READABILITY


PAIR = """#include <cstdio>
#define SCALE 2.0f
__device__ float gain(float v) { return v * SCALE; }
__device__ float loss(float v) { return v * 0.5f; }
__global__ void first(float *out, const float *in) { out[threadIdx.x] = gain(in[threadIdx.x]); }
__global__ void second(float *out, const float *in) { out[threadIdx.x] = loss(in[threadIdx.x]); }
int main() { first<<<1, 32>>>(0, 0); second<<<1, 32>>>(0, 0); }
"""


def labels_of(kernel: str, after: str) -> set[Label]:
    before, changed = (replace(version(text), kernels=(kernel,)) for text in (PAIR, after))
    return {detected.label for detected in detect_labels(before, changed)}


@pytest.mark.parametrize(
    ("old", "new", "label"),
    [
        ("gain(in[threadIdx.x])", "__expf(in[threadIdx.x])", Label.FAST_MATH),
        ("return v * SCALE", "return __fdividef(v, SCALE)", Label.FAST_MATH),
        ("#define SCALE 2.0f", "#define SCALE __expf(1.0f)", Label.FAST_MATH),
        ("first<<<1, 32>>>(0, 0)", "first<<<1, 32>>>((float *)(float4 *)0, 0)", Label.ALIGNMENT),
    ],
)
def test_an_edited_sibling_labels_no_other_kernel(old: str, new: str, label: Label) -> None:
    after = PAIR.replace(old, new)
    assert labels_of("first", after) == {label}
    assert labels_of("second", after) == set()


def test_an_included_library_that_nothing_uses_is_no_library_call() -> None:
    assert labels_of("first", PAIR.replace("<cstdio>", "<cublas_v2.h>")) == set()
    assert Label.LIBRARY_CALL in labels_of("first", PAIR.replace("second<<<1, 32>>>(0, 0);", "cublasSscal(0, 0, 0, 0, 0);"))


def test_a_library_is_called_through_a_function_of_the_program_too() -> None:
    checks = PAIR.replace("int main() {", "void inner(int n) { cublasSscal(n); }\nvoid check(int n) { inner(n); }\nint main() { check(2);")
    handed = checks.replace("second<<<1, 32>>>(0, 0);", "check(0);")
    (found,) = (item for item in detect_labels(version(checks), version(handed)) if item.label is Label.LIBRARY_CALL)
    assert found.message == "calls a library: check"
    fewer = checks.replace("check(2);", "")
    assert not any(item.label is Label.LIBRARY_CALL for item in detect_labels(version(checks), version(fewer)))


def test_a_label_in_host_code_stands_on_its_line() -> None:
    after = PAIR.replace("second<<<1, 32>>>(0, 0);", "\n\ncublasSscal(0, 0, 0, 0, 0);")
    (found,) = (item for item in detect_labels(version(PAIR), version(after)) if item.label is Label.LIBRARY_CALL)
    assert found.line == 9
