"""What a model may change where host code may be edited, and that it is labelled."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.cuda.edits import apply_edits
from assistant.cuda.parse import parse
from assistant.engine.search.host_code import with_host_label
from assistant.engine.source_version import Selection, SourceVersion, version_of
from assistant.model.build import Flags
from assistant.model.plan import Rewrite
from assistant.model.source import ParsedSource, Source
from assistant.model.verification import Label
from assistant.plan.llm.code.parts import Region, region_of
from assistant.plan.llm.code.region import RegionEdit, edit_of
from assistant.plan.llm.code.unusable import Unusable, UnusableAnswer
from assistant.plan.llm.reading.schemas import CodeReply
from assistant.ports.lab import Program
from tests.unit.plan.llm.bed import KERNEL_TEXT, TEXT, request_of

RUN = TEXT[TEXT.index("static void run") : TEXT.index("\n\nint main")]
LAUNCH = "transpose<<<grid, block>>>(out, in, n, 2.0f);"
SIBLING = "__global__ void clear(float *out) { out[threadIdx.x] = 0; }"
PAIR = TEXT.replace("static void run", f"{SIBLING}\n\nstatic void run").replace(LAUNCH, f"clear<<<1, 32>>>(out);\n    {LAUNCH}")


def region(text: str = TEXT, others: tuple[ParsedSource, ...] = (), **rights: bool) -> Region:
    return region_of(replace(request_of(text), program=others, may_edit_host=True, **rights))


def answer(*parts: tuple[str, str], text: str = TEXT, others: tuple[ParsedSource, ...] = (), **fields: Any) -> RegionEdit | UnusableAnswer:
    given = [{"part": name, "code": code} for name, code in parts]
    rights = {name: fields.pop(name) for name in ("may_edit_host", "may_call_libraries", "cutlass", "is_emulated") if name in fields}
    reply = CodeReply.model_validate({"summary": "s", "parts": given} | fields)
    return edit_of(replace(region(text, others), **rights), reply)


def after(found: RegionEdit | UnusableAnswer, text: str = TEXT) -> str:
    assert isinstance(found, RegionEdit), found
    changed = apply_edits(text, found.edits)
    assert isinstance(changed, str)
    return changed


def ids(found: Region) -> list[str]:
    return [part.id for part in found.parts]


HOST_NUMBERS = "#define THREADS 8\nconstexpr int EDGE = 4 * THREADS;\n#define UNUSED 5\nstruct Options { int a; };\n"
WITH_NUMBERS = TEXT.replace("static void run", HOST_NUMBERS + "\nstatic void run").replace("block(32, 8)", "block(EDGE, THREADS)")


def test_macros_and_numbers_that_the_launching_function_alone_uses_are_parts_with_the_right_to_edit_it() -> None:
    text = WITH_NUMBERS
    assert ids(region(text)) == ["scaled", "kernel", "THREADS", "EDGE", "run", "launch-27"]
    assert ids(replace(region(text), may_edit_host=False)) == ["scaled", "kernel"]
    edited = answer(("THREADS", "#define THREADS 4"), text=text)
    assert after(edited, text) == text.replace("THREADS 8", "THREADS 4")
    assert isinstance(edited, RegionEdit) and Label.HOST_CODE in edited.labels


def test_a_macro_of_the_host_goes_with_its_uses() -> None:
    run = RUN.replace("block(32, 8)", "block(32, 4)")
    removed = answer(("THREADS", ""), ("EDGE", ""), ("run", run), text=WITH_NUMBERS)
    text = after(removed, WITH_NUMBERS)
    assert "THREADS" not in text and "EDGE" not in text and run in text and "#define UNUSED 5" in text


@pytest.mark.parametrize(
    "launch",
    [
        "cudaLaunchKernelEx(&config, transpose, out, in, n, 2.0f);",
        "cudaLaunchKernel((void *)transpose, grid, block, args, 0, nullptr);",
        "LAUNCH(transpose, grid, block, out, in, n, 2.0f);",
        "auto launched = transpose;\n    launched<<<grid, block>>>(out, in, n, 2.0f);",
    ],
)
def test_a_host_function_that_names_the_kernel_is_a_part_however_it_launches_it(launch: str) -> None:
    text = TEXT.replace(LAUNCH, launch)
    assert "run" in ids(region(text)) and "run" not in ids(replace(region(text), may_edit_host=False))
    smaller = RUN.replace(LAUNCH, launch).replace("block(32, 8)", "block(32, 4)")
    assert after(answer(("run", smaller), text=text), text) == text.replace("block(32, 8)", "block(32, 4)")


def test_the_parts_are_the_kernels_launched_together_what_they_rest_on_and_who_launches_them() -> None:
    text = PAIR.replace("// out =", "#define WIDE 4\n#define UNUSED 5\nstruct Pair { int a[WIDE]; };\n// out =")
    text = text.replace("out[threadIdx.x] = 0;", "Pair p; out[threadIdx.x] = sizeof(p);")
    assert ids(region(text)) == ["scaled", "WIDE", "Pair", "kernel", "clear", "run", "launch-27", "launch-28"]
    assert ids(replace(region(text), may_edit_host=False)) == ["scaled", "WIDE", "Pair", "kernel", "clear"]


def test_parts_lie_in_any_file_of_the_program() -> None:
    header = parse(
        Source(Path("/scale.cuh"), "#pragma once\n#define BY 2.0f\n__device__ float scaled(float v, float by) { return v * by * BY; }\n")
    )
    user = parse(
        Source(
            Path("/run.cu"), f"{SIBLING}\nvoid go(float *o) {{\n    clear<<<1, 32>>>(o);\n    transpose<<<1, 32>>>(o, o, 1, 2.0f);\n}}\n"
        )
    )
    alone = TEXT[TEXT.index("// out =") : TEXT.index("static void run")]
    found = region(alone, (header, user))
    assert [(part.path.name, part.id) for part in found.parts] == [
        ("kernel.cu", "kernel"),
        ("scale.cuh", "BY"),
        ("scale.cuh", "scaled"),
        ("run.cu", "clear"),
        ("run.cu", "go"),
        ("run.cu", "launch-3"),
        ("run.cu", "launch-4"),
    ]
    edit = answer(
        ("BY", "#define BY 1.0f"), ("launch-4", "transpose<<<1, 64>>>(o, o, 1, 2.0f);"), ("launch-3", ""), text=alone, others=(header, user)
    )
    assert isinstance(edit, RegionEdit) and edit.edits == () and Label.HOST_CODE in edit.labels
    texts = {file.source.path: file.source.text for file in (header, user)}
    changed = {each.path.name: apply_edits(texts[each.path], each.edits) for each in edit.in_others}
    assert "#define BY 1.0f" in str(changed["scale.cuh"])
    assert "clear<<<" not in str(changed["run.cu"]) and "transpose<<<1, 64>>>" in str(changed["run.cu"])


FUSED = KERNEL_TEXT.replace("out[x * n + y]", "if (x == 0) out[0] = 0;\n        out[x * n + y]")
TWO_PHASES = "__global__ void second(float *out) { out[0] += 1; }"
ACCEPTED = {
    "fused": [("kernel", FUSED), ("launch-24", "")],
    "sibling taken out": [("clear", ""), ("launch-24", "")],
    "a further kernel": [("second", TWO_PHASES), ("launch-25", f"{LAUNCH}\n    second<<<1, 1>>>(out);")],
    "scratch memory": [
        ("run", RUN.replace(LAUNCH, f"float *s;\n    cudaMalloc(&s, n * sizeof(float));\n    {LAUNCH}\n    cudaFree(s);")),
    ],
    "more shared memory": [
        ("launch-25", f"cudaFuncSetAttribute(transpose, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);\n    {LAUNCH}"),
    ],
    "a template": [
        ("kernel", "template <int ROWS>\n" + KERNEL_TEXT.replace("int x =", "int x = 0 * ROWS +")),
        ("launch-25", LAUNCH.replace("transpose<<<", "transpose<8><<<")),
    ],
    "streams": [
        ("run", RUN.replace(LAUNCH, f"cudaStream_t s;\n    cudaStreamCreate(&s);\n    {LAUNCH.replace('block>>>', 'block, 0, s>>>')}"))
    ],
    "a host helper": [("run", f"static int up(int a, int b) {{ return (a + b - 1) / b; }}\n\n{RUN}")],
    "kept scratch": [
        ("run", f"static float *scratch = nullptr;\n{RUN.replace(LAUNCH, 'if (!scratch) cudaMalloc(&scratch, 4);' + LAUNCH)}")
    ],
    "extern C": [("second", f'extern "C" {TWO_PHASES}'), ("launch-25", f"{LAUNCH}\n    second<<<1, 1>>>(out);")],
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_a_region_may_be_rewritten_as_a_whole_and_is_labelled(name: str) -> None:
    found = answer(*ACCEPTED[name], text=PAIR)
    assert isinstance(found, RegionEdit), found
    assert Label.HOST_CODE in found.labels
    changed = after(found, PAIR)
    assert parse(Source(Path("/k.cu"), changed)).problems == ()
    assert "int main()\n{\n    run(nullptr, nullptr, 0);" in changed


@pytest.mark.parametrize("name", ACCEPTED)
def test_without_the_right_host_code_is_refused_with_the_reason(name: str) -> None:
    if name == "sibling taken out":
        return
    found = answer(*ACCEPTED[name], text=PAIR, may_edit_host=False)
    assert isinstance(found, UnusableAnswer) and found.code is Unusable.HOST_PART
    assert "host code may not be edited here" in found.reason


DEVICE_ONLY = {
    "a macro with assembly": '#define LANE(v) asm volatile("mov.u32 %0, %%laneid;" : "=r"(v))\n',
    "a macro with a loop": "#define EACH(i, n) for (int i = 0; i < n; i++)\n#define ONCE(x) do { x; } while (0)\n",
    "a helper for both": "__host__ __device__ inline int up(int a, int b) { return (a + b - 1) / b; }\n",
    "by architecture": "#if __CUDA_ARCH__ >= 900\n#define STAGES 3\n#else\n#define STAGES 2\n#endif\n",
    "a type with a constructor": "struct Sum { float v; __device__ Sum() : v(0) {} __device__ void add(float x) { v += x; } };\n",
    "a template": "template <typename T, int N> __device__ T twice(T v) { return v * T(N); }\n",
    "a namespace": "namespace detail { __device__ float half_of(float v) { return v / 2; } }\n",
}


@pytest.mark.parametrize("name", DEVICE_ONLY)
@pytest.mark.parametrize("may_edit_host", [True, False])
def test_code_for_the_device_needs_no_right(name: str, may_edit_host: bool) -> None:
    found = answer(("kernel", DEVICE_ONLY[name] + FUSED), may_edit_host=may_edit_host)
    assert isinstance(found, RegionEdit), found
    assert Label.HOST_CODE not in found.labels
    assert DEVICE_ONLY[name] in after(found)


def test_a_new_piece_may_have_any_name() -> None:
    helper = "__device__ float twice(float v) { return 2 * v; }"
    found = answer(("helpers", helper), ("kernel", FUSED))
    assert f"{helper}\n\n{FUSED}" in after(found)


def test_what_stands_in_place_of_a_launch_is_indented_as_it_was() -> None:
    """An answer repeats the indentation, which stands in front of the part already."""
    found = answer(("launch-22", f"    const int blocks = 1;\n    {LAUNCH}"))
    assert f"\n    const int blocks = 1;\n    {LAUNCH}\n" in after(found)


HOSTILE = [
    ("kernel", FUSED + "\nvoid helper() { system(0); }"),
    ("kernel", FUSED + "\nint hook = system(0);"),
    ("kernel", FUSED + "\nstatic const int hook = system(0);"),
    ("kernel", FUSED + "\n__device__ int hook = system(0);"),
    ("kernel", FUSED + "\nstd::string hook;"),
    ("kernel", FUSED + "\nstruct Hook { Hook() { system(0); } } hook;"),
    ("kernel", FUSED + "\nstruct Hook { static inline int x = system(0); };"),
    ("kernel", FUSED + '\nextern "C" int kill(int, int);'),
    ("kernel", FUSED[:-1] + '    system("id");\n}'),
    ("kernel", FUSED[:-1] + '#define return (void)system("id"); return\n}'),
    ("kernel", FUSED[:-1] + "#define exit(c) abort()\n}"),
    ("kernel", 'struct A { inline const static int q = system("id"); };\n' + FUSED),
    ("kernel", "namespace foo { const int q = 1 + (system)(0); }\n" + FUSED),
    ("kernel", FUSED + "\n#define P(a, b) a##b\n"),
    ("run", RUN.replace(LAUNCH, f'system("id");\n    {LAUNCH}')),
    ("launch-22", f'system("id");\n    {LAUNCH}'),
    ("launch-22", f'FILE *f = fopen("/etc/passwd", "r");\n    {LAUNCH}'),
]


@pytest.mark.parametrize("part", HOSTILE)
def test_what_reaches_the_host_is_labelled_so_that_it_waits_for_the_right(part: tuple[str, str]) -> None:
    found = answer(part)
    assert isinstance(found, RegionEdit), found
    assert Label.HOST_CODE in found.labels
    rewrite = Rewrite("t", "transpose", 9, found.edits, "s", ())  # whatever its writer declares
    assert Label.HOST_CODE in with_host_label(version(), rewrite).labels
    assert isinstance(answer(part, may_edit_host=False), UnusableAnswer)


def version() -> SourceVersion:
    source = Source(Path("/kernel.cu"), TEXT)
    return version_of(parse(source), Program((source,), Flags((), ""), ()), Selection())


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (("kernel", FUSED + '\n#embed "/etc/passwd"'), Unusable.DIRECTIVE),
        (("kernel", FUSED + "\n#pragma GCC optimize(3)"), Unusable.DIRECTIVE),
        (("kernel", FUSED + '\n#define F "/etc/passwd"\n#include F'), Unusable.DIRECTIVE),
        (("kernel", FUSED + '\n#include "/etc/passwd"'), Unusable.HEADER),
        (("run", RUN.replace(LAUNCH, f'asm(".incbin \\"/etc/passwd\\"");\n    {LAUNCH}')), Unusable.ASSEMBLY),
        (("kernel", FUSED + '\nasm(".incbin \\"/etc/passwd\\"");'), Unusable.ASSEMBLY),
        (("kernel", FUSED + '\n#define A asm\nA(".incbin \\"/etc/passwd\\"");'), Unusable.ASSEMBLY),
        (("kernel", FUSED + "\nstatic void __attribute__((constructor)) f() { }"), Unusable.FORBIDDEN_WORD),
        (("kernel", FUSED + "\nnamespace std { struct vector {}; }"), Unusable.FORBIDDEN_WORD),
        (("kernel", FUSED + "\nint main() { return 0; }"), Unusable.UNKNOWN_PART),
        (("main", "int main() { return 0; }"), Unusable.UNKNOWN_PART),
        (("launch-3", "int x;"), Unusable.UNKNOWN_PART),
        (("second", "// nothing"), Unusable.EMPTY),
        (("launch-22", f"{LAUNCH} }} void f() {{"), Unusable.BRACKETS),
        (("launch-22", f"{LAUNCH}\n#if 0"), Unusable.CONDITIONS),
        (("run", RUN + "\n/* from here on"), Unusable.CODE_LOST),
        (("second", TWO_PHASES), Unusable.EXTRA_KERNEL),
        (("kernel", ""), Unusable.KERNEL_MISSING),
        (("kernel", KERNEL_TEXT.replace("int n, float by", "int n")), Unusable.PARAMETERS),
        (("launch-22", "cublasSgemm(0);"), Unusable.LIBRARY),
        (("launch-22", 'void *handle = dlopen("lib" "cublas.so", 1);'), Unusable.LIBRARY),
        (("launch-22", 'load("/usr/lib/libcu" /* */ "blas.so.12");'), Unusable.LIBRARY),
        (("launch-22", "cuModuleLoad(&module, path);"), Unusable.LIBRARY),
        (("launch-22", "#define JOINED(a, b) a##b\n#define GEMM JOINED(cublas, Sgemm)\nGEMM(0);"), Unusable.LIBRARY),
        (("launch-22", "#define JOINED(a, b) a##b\nvoid *h = JOINED(dl, open)(0, 1);"), Unusable.LIBRARY),
        (("kernel", FUSED + '\nextern "C" int gemm(...) __asm__("cublas" "Sgemm_v2");'), Unusable.ASSEMBLY),
    ],
)
def test_what_stays_refused_says_why(part: tuple[str, str], expected: Unusable) -> None:
    found = answer(part)
    assert isinstance(found, UnusableAnswer), found
    assert found.code is expected and "\n" not in found.reason


def test_a_function_and_a_launch_in_it_are_not_both_given() -> None:
    found = answer(("run", RUN), ("launch-22", f"{LAUNCH} {LAUNCH}"))
    assert isinstance(found, UnusableAnswer) and found.code is Unusable.OVERLAP


def test_a_launch_that_its_function_gives_anew_is_not_changed_twice() -> None:
    whole = RUN.replace("block(32, 8)", "block(32, 4)")
    found = answer(("run", whole), launches=[{"line": 22, "block": "dim3(8, 8)"}])
    assert after(found) == TEXT.replace(RUN, whole)


def test_a_launch_that_an_if_governs_keeps_being_governed() -> None:
    text = TEXT.replace(LAUNCH, f"if (n > 0)\n        {LAUNCH}")
    found = answer(("launch-23", f"cudaMemset(out, 0, n);\n        {LAUNCH}"), text=text)
    assert f"if (n > 0)\n        {{\ncudaMemset(out, 0, n);\n        {LAUNCH}\n}}" in after(found, text)


def test_a_kernel_that_others_took_the_place_of_may_go() -> None:
    found = answer(("kernel", TWO_PHASES), ("launch-22", "second<<<1, 1>>>(out);"))
    assert KERNEL_TEXT not in after(found) and TWO_PHASES in after(found)


def test_parameters_change_with_the_function_that_launches() -> None:
    code = KERNEL_TEXT.replace("int n, float by", "int n, int pitch, float by")
    found = answer(("kernel", code), ("run", RUN.replace("(out, in, n, 2.0f)", "(out, in, n, n, 2.0f)")))
    assert "(out, in, n, n, 2.0f)" in after(found)


def test_a_launch_names_an_instance() -> None:
    code = "template <int ROWS>\n" + KERNEL_TEXT.replace("int x =", "int x = 0 * ROWS +")
    found = answer(("kernel", code), launches=[{"line": 22, "kernel": "transpose<8>"}])
    assert "transpose<8><<<grid, block>>>(out, in, n, 2.0f);" in after(found)
    bad = answer(launches=[{"line": 22, "kernel": "(*f)()"}])
    assert isinstance(bad, UnusableAnswer) and bad.code is Unusable.LAUNCH_EXPRESSION


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("cuda/pipeline", {Label.ARCH_LOCK_IN}),
        ("cuda/barrier", {Label.ARCH_LOCK_IN}),
        ("cuda/std/array", set[Label]()),
        ("cuda_fp8.h", {Label.ARCH_LOCK_IN}),
        ("cub/block/block_reduce.cuh", {Label.LIBRARY_CALL}),
        ("cub/warp/warp_scan.cuh", {Label.LIBRARY_CALL}),
        ("cutlass/gemm/device/gemm.h", {Label.LIBRARY_CALL, Label.ARCH_LOCK_IN}),
        ("cute/tensor.hpp", {Label.LIBRARY_CALL, Label.ARCH_LOCK_IN}),
        ("cuda.h", {Label.ARCH_LOCK_IN}),
        ("cuComplex.h", set[Label]()),
        ("vector_types.h", set[Label]()),
        ("cuda_profiler_api.h", set[Label]()),
        *((name, set[Label]()) for name in ("vector", "stdio.h", "string.h", "iostream", "functional", "atomic")),
    ],
)
def test_headers_of_the_toolkit_and_of_cccl_may_be_added(name: str, labels: set[Label]) -> None:
    found = answer(("kernel", f"#include <{name}>\n{FUSED}"), cutlass="4.2.0")
    assert f"#include <cstdio>\n#include <{name}>\n" in after(found)
    assert isinstance(found, RegionEdit) and set(found.labels) == labels


@pytest.mark.parametrize(
    ("name", "rights", "words"),
    [
        ("cublas_v2.h", {}, "--allow library"),
        ("vector", {"may_edit_host": False}, "for host code"),
        ("cub/cub.cuh", {"is_emulated": True}, "no GPU"),
        ("cuda/../../etc/passwd", {}, "only these may be added"),
        ("cute/../secret.hpp", {}, "only these may be added"),
        ("cute/tensor.hpp", {}, "find no CUTLASS"),
        ("cutlass/cutlass.h", {"cutlass": "4.2.0", "is_emulated": True}, "no GPU"),
        ("fstream", {}, "only these may be added"),
        ("thread", {}, "only these may be added"),
    ],
)
def test_headers_that_are_not_added_and_why(name: str, rights: dict[str, Any], words: str) -> None:
    found = answer(("kernel", FUSED), includes=[name], **rights)
    assert isinstance(found, UnusableAnswer) and found.code is Unusable.HEADER and words in found.reason


@pytest.mark.parametrize("name", ["cuda_runtime.h", "cmath", "device_launch_parameters.h"])
def test_headers_that_device_code_uses_may_be_added_without_the_right_to_edit_the_host(name: str) -> None:
    assert f"#include <{name}>\n" in after(answer(("kernel", FUSED), includes=[name], may_edit_host=False))


def test_a_header_that_is_included_on_a_condition_is_included_once_more() -> None:
    text = TEXT.replace("#include <cstdio>", "#include <cstdio>\n#ifdef USE_HALF\n#include <cuda_fp16.h>\n#endif")
    found = answer(("kernel", FUSED), includes=["cuda_fp16.h", "cstdio"], text=text)
    assert "#include <cstdio>\n#include <cuda_fp16.h>\n#ifdef USE_HALF" in after(found, text)
    guarded = f"#ifndef GUARD\n#define GUARD\n#include <cuda_fp16.h>\n{TEXT}\n#endif"
    assert after(answer(("kernel", FUSED), includes=["cuda_fp16.h"], text=guarded), guarded).count("cuda_fp16.h") == 1


def test_a_library_that_the_programs_own_reference_calls_is_no_way_around_it() -> None:
    checks = TEXT.replace("static void run", "static void reference(float *o) { cublasSgemm(o); }\n\nstatic void run")
    checks = checks.replace("int main() {", "int main() { reference(0);") if "int main() {" in checks else checks
    line = checks[: checks.index(LAUNCH)].count("\n") + 1
    for words in ("cublasSgemm(out);", "reference(out);"):
        found = answer((f"launch-{line}", words), text=checks)
        assert isinstance(found, UnusableAnswer) and found.code is Unusable.LIBRARY, words
    allowed = answer((f"launch-{line}", "reference(out);"), text=checks, may_call_libraries=True)
    assert isinstance(allowed, RegionEdit)


def test_a_library_may_be_called_where_that_is_allowed() -> None:
    found = answer(("launch-22", "cublasSgemm(0);"), includes=["cublas_v2.h"], may_call_libraries=True)
    assert isinstance(found, RegionEdit) and {Label.HOST_CODE, Label.LIBRARY_CALL} <= set(found.labels)
