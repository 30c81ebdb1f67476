"""A model's new text becomes edits inside the region, or is refused with a reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assistant.cuda.edits import apply_edits
from assistant.cuda.parse import parse
from assistant.cuda.same_names import distinguished
from assistant.model.source import Source, TextEdit
from assistant.model.verification import Label
from assistant.plan.llm.code.parts import Region, region_of
from assistant.plan.llm.code.region import RegionEdit, edit_of
from assistant.plan.llm.code.unusable import Unusable, UnusableAnswer
from assistant.plan.llm.reading.schemas import CodeReply
from tests.unit.plan.llm.bed import DECLARED, KERNEL_TEXT, REPOSITORY, TEXT, request_of

BETTER = KERNEL_TEXT.replace("out[x * n + y] = scaled", "float v = scaled").replace("by);", "by);\n        out[x * n + y] = v;")


def answer(code: str | None = BETTER, part: str = "kernel", text: str = TEXT, **fields: Any) -> RegionEdit | UnusableAnswer:
    request = request_of(text)
    parts = [] if code is None else [{"part": part, "code": code}]
    reply = CodeReply.model_validate({"summary": "s", "parts": parts} | fields)
    return edit_of(region_of(request), reply)


def after(found: RegionEdit | UnusableAnswer, text: str = TEXT) -> str:
    assert isinstance(found, RegionEdit), found
    changed = apply_edits(text, found.edits)
    assert isinstance(changed, str)
    return changed


def refusal(found: RegionEdit | UnusableAnswer) -> UnusableAnswer:
    assert isinstance(found, UnusableAnswer), found
    assert found.reason
    return found


def test_the_region_is_the_kernel_and_the_functions_that_it_calls() -> None:
    request = request_of()
    assert [(part.id, part.first_line) for part in region_of(request).parts] == [("scaled", 3), ("kernel", 9)]


def test_overloads_are_parts_of_their_own() -> None:
    text = TEXT.replace("// out =", "__device__ int scaled(int v, int by) { return v * by; }\n// out =")
    request = request_of(text)
    assert [part.id for part in region_of(request).parts] == ["scaled", "scaled-2", "kernel"]


@pytest.mark.parametrize(
    "extra", ['static_assert(sizeof(float4) == 16, "16 bytes");', "constexpr int WIDE = sizeof(float4) / alignof(float);"]
)
def test_a_size_that_is_asserted_or_computed_takes_no_name(extra: str) -> None:
    text = TEXT.replace("int main()\n{", "int main()\n{\n    static_assert(sizeof(int) == alignof(int));")
    found = answer(f"{extra}\n{BETTER}", text=text)
    assert after(found, text) == text.replace(KERNEL_TEXT, f"{extra}\n{BETTER}")


def test_a_remark_in_latin_1_is_written_back_as_its_bytes() -> None:
    text = TEXT.replace("// out =", "// Gr\udcf6\udcdfe: out =")
    found = answer(f"// Größe\n{BETTER}", text=text)
    assert after(found, text) == text.replace(KERNEL_TEXT, f"// Gr\udcf6\udcdfe\n{BETTER}")


def test_a_kernel_whose_name_another_file_has_too_is_edited() -> None:
    parsed, _ = distinguished((parse(Source(Path("own.cu"), TEXT)), parse(Source(Path("other.cu"), KERNEL_TEXT))))
    (kernel,) = parsed.kernels
    assert kernel.file
    reply = CodeReply.model_validate({"summary": "s", "parts": [{"part": "kernel", "code": BETTER}]})
    assert after(edit_of(Region(parsed, kernel), reply)) == TEXT.replace(KERNEL_TEXT, BETTER)


def test_only_what_differs_is_edited() -> None:
    found = answer()
    assert after(found) == TEXT.replace(KERNEL_TEXT, BETTER)
    assert isinstance(found, RegionEdit)
    assert sum(len(edit.new_text) for edit in found.edits) < len(BETTER) / 2
    assert found.labels == ()


def test_helpers_constants_types_and_macros_may_come_with_a_part() -> None:
    extra = """\
#define PAD 1
#undef PAD
#ifdef FAST
#else
#endif
constexpr int TILE = 32;
static const int ROWS = TILE / 4;
struct Pair { float a, b; };
enum Way { ROW };
using Wide = float4;
typedef struct { float a; } Single;
template <typename T> struct Row { T v[4]; static constexpr int size = 4; };
__constant__ float factors[4];
template <typename T>
__device__ __forceinline__ T twice(T v) { return v + v; }
"""
    assert extra in after(answer(extra + BETTER))


@pytest.mark.parametrize(
    "code",
    [
        f"```cuda\n{BETTER}\n```",
        f"\n\n{BETTER}\n\n",
        "\n".join(f"{number:>2} | {line}" for number, line in enumerate(BETTER.split("\n"), 9)),
        BETTER.replace("by);", "by);   // {E…} E2 global_sectors: 262,144 sectors", 1),
    ],
)
def test_what_the_prompt_put_next_to_the_source_is_not_taken_over(code: str) -> None:
    assert after(answer(code)) == TEXT.replace(KERNEL_TEXT, BETTER)


def test_the_kernels_own_name_means_its_part() -> None:
    assert after(answer(part="transpose")) == TEXT.replace(KERNEL_TEXT, BETTER)


def test_windows_line_ends_stay() -> None:
    text = TEXT.replace("\n", "\r\n")
    changed = after(answer(text=text), text)
    assert changed == text.replace(KERNEL_TEXT.replace("\n", "\r\n"), BETTER.replace("\n", "\r\n"))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (TEXT, Unusable.NO_CHANGE),
        (BETTER + "\nvoid run(float *, const float *, int) {}", Unusable.HOST_PART),
        (BETTER + "\nvoid other(float *, const float *, int) {}", Unusable.HOST_FUNCTION),
        (BETTER.replace("    int x", "    // ... as before\n    int x"), Unusable.ELIDED),
        (BETTER + "\nint hook = system(0);", Unusable.DECLARATION),
        (BETTER + "\nstatic const int hook = system(0);", Unusable.DECLARATION),
        (BETTER + "\n__device__ int hook = system(0);", Unusable.DECLARATION),
        (BETTER + "\nstd::string hook;", Unusable.DECLARATION),
        (BETTER + "\nstruct Hook { Hook() { system(0); } } hook;", Unusable.DECLARATION),
        (BETTER + "\nstruct Hook { static inline int x = system(0); };", Unusable.DECLARATION),
        (BETTER + "\ntemplate <> struct std::hash<float> { int f() { return 0; } };", Unusable.DECLARATION),
        (BETTER + '\nasm("nop");', Unusable.DECLARATION),
        (BETTER + "\n__host__ __device__ int printf(const char *, ...) { return 0; }", Unusable.NAME_IN_USE),
        (
            BETTER + "\n__device__ int printf(const char *, ...) { return 0; }",
            Unusable.NAME_IN_USE,
        ),
        (BETTER + "\n#define nullptr 0", Unusable.NAME_IN_USE),
        (BETTER + "\n#pragma GCC optimize(3)", Unusable.DIRECTIVE),
        (BETTER + '\n%:include "/etc/passwd"', Unusable.DIRECTIVE),
        (BETTER + '\n#define F "/etc/passwd"\n#include F', Unusable.DIRECTIVE),
        (BETTER + "\n#inc\\\nlude F", Unusable.DIRECTIVE),
        (BETTER + '\n#embed "/etc/passwd"', Unusable.DIRECTIVE),
        (BETTER + "\nnamespace std { struct vector {}; }", Unusable.FORBIDDEN_WORD),
        (BETTER + "\nstatic void __attribute__((constructor)) f();", Unusable.FORBIDDEN_WORD),
        (BETTER + '\nextern "C" int puts(const char *);', Unusable.DECLARATION),
        (BETTER + "\n/* from here on", Unusable.CODE_LOST),
        (BETTER + "\n// from here on \\", Unusable.UNCLEAR_TEXT),
        (BETTER + "\n#if 0\n// \\ \n#endif", Unusable.UNCLEAR_TEXT),
        (BETTER + '\n__device__ char hidden[] = R"(', Unusable.BRACKETS),
        (BETTER + "\n#if 0", Unusable.CONDITIONS),
        (BETTER + "\n#endif\n#if 0", Unusable.CONDITIONS),
        (BETTER + "\n#undef __CUDACC__", Unusable.DIRECTIVE),
        (BETTER.replace("transpose", "turn"), Unusable.KERNEL_MISSING),
        (BETTER + "\n__global__ void second(float *a) { a[0] = 1.0f; }", Unusable.EXTRA_KERNEL),
        (BETTER.replace("}", "", 1), Unusable.BRACKETS),
        (BETTER.replace("int x", "int \u202ex"), Unusable.UNCLEAR_TEXT),
        (BETTER.replace("int x", "int \u3164x"), Unusable.UNCLEAR_TEXT),
        (BETTER + " // \u00ad\u2028", Unusable.UNCLEAR_TEXT),
        (BETTER + " // \U000e0041", Unusable.UNCLEAR_TEXT),
        (BETTER[:-1] + '#define return (void)system("id"); return\n}', Unusable.HOST_EFFECT),
        (BETTER[:-1] + "#define exit(c) abort()\n}", Unusable.HOST_EFFECT),
        (BETTER[:-1] + '    asm(".incbin \\"/etc/passwd\\"");\n}', Unusable.ASSEMBLY),
        (BETTER[:-1] + '    system("id");\n}', Unusable.HOST_EFFECT),
        ('struct A { inline const static int q = system("id"); };\n' + BETTER, Unusable.HOST_EFFECT),
        ("struct A { A() { run(0, 0, 0); } };\n__device__ A a;\n" + BETTER, Unusable.HOST_EFFECT),
        ("namespace foo { const int q = 1 + (system)(0); }\n" + BETTER, Unusable.HOST_EFFECT),
        ("// nothing", Unusable.EMPTY),
        (KERNEL_TEXT, Unusable.NO_CHANGE),
    ],
)
def test_what_is_not_the_regions_business_is_refused(code: str, expected: Unusable) -> None:
    assert refusal(answer(code)).code is expected


def test_a_part_that_does_not_exist_is_refused_with_those_that_do() -> None:
    assert (
        "but the parts are scaled, kernel; nothing else that stands in the program may be edited"
        in refusal(answer("int main() {}", part="main")).reason
    )


def test_a_changed_signature_needs_arguments_at_every_launch() -> None:
    code = BETTER.replace("int n, float by", "int n, int pitch, float by")
    assert refusal(answer(code)).code is Unusable.PARAMETERS
    changed = after(answer(code, launches=[{"line": 22, "arguments": ["out", "in", "n", "n", "2.0f"]}]))
    assert "transpose<<<grid, block>>>(out, in, n, n, 2.0f);" in changed


def test_const_and_restrict_do_not_change_what_a_launch_passes() -> None:
    code = BETTER.replace("float *out, const float *in", "float *__restrict__ out, const float *__restrict__ in")
    assert "__restrict__" in after(answer(code))


def test_parameters_stay_where_the_launches_are_elsewhere() -> None:
    text = TEXT.replace("    transpose<<<grid, block>>>(out, in, n, 2.0f);\n", "")
    code = BETTER.replace("int n, float by", "int n")
    assert refusal(answer(code, text=text)).code is Unusable.PARAMETERS
    assert refusal(answer(text=text, launches=[{"line": 22, "block": "64"}])).code is Unusable.UNKNOWN_LAUNCH


def test_a_changed_launch_is_host_code() -> None:
    found = answer(
        None, launches=[{"line": 22, "grid": "dim3((n + 31) / 32, (n + 3) / 4)", "block": "dim3(32, 4)", "shared": "4 * sizeof(float)"}]
    )
    assert "transpose<<<dim3((n + 31) / 32, (n + 3) / 4), dim3(32, 4), 4 * sizeof(float)>>>(out, in, n, 2.0f);" in after(found)
    assert isinstance(found, RegionEdit)
    assert found.labels == (Label.HOST_CODE,)


def test_the_only_launch_is_meant_by_a_line_beside_it_but_not_by_another_kernels() -> None:
    assert "transpose<<<grid, 64>>>(out, in, n, 2.0f);" in after(answer(None, launches=[{"line": 21, "block": "64"}]))
    text = TEXT.replace("    transpose<<<", "    other<<<1, 32>>>(out);\n    transpose<<<")
    assert refusal(answer(None, text=text, launches=[{"line": 22, "block": "64"}])).code is Unusable.UNKNOWN_LAUNCH


def test_a_declared_launch_is_changed_where_it_is_declared() -> None:
    launch = {"line": 3, "grid": ["ceil(n/64)", "ceil(n/4)"], "block": "[64, 4]"}
    found = answer(text=DECLARED, launches=[launch])
    assert after(found, DECLARED).startswith("""\
/* kernelopt
[workload.transpose]
grid = ["ceil(n/64)", "ceil(n/4)"]
block = [64, 4]
*/
""")
    assert isinstance(found, RegionEdit)
    assert found.labels == (Label.ASSUMPTION,)
    assert 'launches transpose with grid ["ceil(n/64)", "ceil(n/4)"] and block [64, 4]' in found.assumptions[0]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"line": 9}, Unusable.UNKNOWN_LAUNCH),
        ({"block": "dim3(32, 4)"}, Unusable.LAUNCH_EXPRESSION),
        ({"block": "[32, 8]\n*/ int hook = f();"}, Unusable.LAUNCH_EXPRESSION),
        ({"grid": '["n */ int hook"]'}, Unusable.LAUNCH_EXPRESSION),
        ({"block": "[1, 2, 3, 4]"}, Unusable.LAUNCH_EXPRESSION),
        ({"shared": "64"}, Unusable.LAUNCH_EXPRESSION),
    ],
)
def test_a_declared_launch_takes_lists_only(change: dict[str, object], expected: Unusable) -> None:
    assert refusal(answer(text=DECLARED, launches=[{"line": 3} | change])).code is expected


BLOCK = '/* kernelopt\n[workload.transpose]\nflags = ["-Xcompiler=-wrapper,/tmp/x"]\n*/'


@pytest.mark.parametrize("text", [TEXT, DECLARED])
@pytest.mark.parametrize("block", [BLOCK, BLOCK.replace("/*", "/**"), f'const char *s = R"x(*/)x"; {BLOCK}'])
def test_no_part_declares_what_the_kernel_is_judged_on(text: str, block: str) -> None:
    code = KERNEL_TEXT.replace("    int y", f"    {block}\n    int y")
    assert refusal(answer(code, text=text)).code is Unusable.WORKLOAD_BLOCK


def test_a_block_inside_a_part_stays_as_it_is() -> None:
    text = TEXT.replace("    int y", f"    {BLOCK}\n    int y")
    code = BETTER.replace("    int y", f"    {BLOCK}\n    int y")
    assert after(answer(code, text=text), text) == text.replace(text[text.index("__global__") : text.index("\n\nstatic void run")], code)
    assert refusal(answer(code.replace("/tmp/x", "/tmp/y"), text=text)).code is Unusable.WORKLOAD_BLOCK


def test_a_guessed_launch_is_not_built_upon() -> None:
    text = DECLARED.replace("block = [32, 8]", "block = [32, 8]  # guessed")
    assert refusal(answer(text=text, launches=[{"line": 3, "block": "[64, 4]"}])).code is Unusable.UNKNOWN_LAUNCH


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"block": 'system("true"), 32'}, Unusable.LAUNCH_EXPRESSION),
        ({"block": "exit(1)"}, Unusable.LAUNCH_EXPRESSION),
        ({"block": "(std::abort)()"}, Unusable.LAUNCH_EXPRESSION),
        ({"block": "32>>>(out, in, n, 2.0f) + transpose<<<1, 32"}, Unusable.LAUNCH_EXPRESSION),
        ({"block": "n = 4"}, Unusable.LAUNCH_EXPRESSION),
        ({"block": "n++"}, Unusable.LAUNCH_EXPRESSION),
        ({"block": "32>>>(out, in, n, 2.0f); exit(1); transpose<<<1, 32"}, Unusable.LAUNCH_EXPRESSION),
        ({"block": "64, 0, 0"}, Unusable.LAUNCH_EXPRESSION),
        ({"block": "dim3(32"}, Unusable.LAUNCH_EXPRESSION),
        ({"block": ")32("}, Unusable.LAUNCH_EXPRESSION),
    ],
)
def test_a_launch_takes_arithmetic_only(change: dict[str, object], expected: Unusable) -> None:
    assert refusal(answer(None, launches=[{"line": 22} | change])).code is expected


OWN = "transpose<<<ceil_div(n, 32), block, sizes.rows()>>>(out, cast(in), n, 2.0f);"


@pytest.mark.parametrize("grid", ["ceil_div(n, 32)", "dim3(ceil_div(n, 32), ceil_div(n, 8))"])
def test_a_launch_may_call_what_it_calls_already(grid: str) -> None:
    text = TEXT.replace("transpose<<<grid, block>>>(out, in, n, 2.0f);", OWN)
    found = answer(
        None, text=text, launches=[{"line": 22, "grid": grid.replace("32", "64"), "arguments": ["cast(out)", "in", "n", "1.0f"]}]
    )
    assert f"<<<{grid.replace('32', '64')}, block, " in after(found, text) and "(cast(out), in" in after(found, text)
    declared = TEXT.replace("    transpose<<<grid", f"    dim3 shape({grid});\n    transpose<<<shape")
    assert "<<<ceil_div(n, 64), " in after(answer(None, text=declared, launches=[{"line": 23, "grid": "ceil_div(n, 64)"}]), declared)


@pytest.mark.parametrize("change", [{"grid": "cast(n)"}, {"grid": "rows(n)"}, {"arguments": ["out", "in", "ceil_div(n, 2)", "2.0f"]}])
def test_a_launch_calls_nothing_else(change: dict[str, object]) -> None:
    text = TEXT.replace("transpose<<<grid, block>>>(out, in, n, 2.0f);", OWN)
    assert refusal(answer(None, text=text, launches=[{"line": 22} | change])).code is Unusable.LAUNCH_EXPRESSION


def test_headers_of_the_list_are_included_behind_the_others() -> None:
    found = answer(BETTER, includes=["cooperative_groups.h", "<mma.h>", "cstdio"])
    assert after(found).startswith("#include <cstdio>\n#include <cooperative_groups.h>\n#include <mma.h>\n\n__device__")
    assert isinstance(found, RegionEdit)
    assert found.labels == (Label.ARCH_LOCK_IN,)


@pytest.mark.parametrize("name", ["fstream", "/etc/passwd", "../secret.h", "stdlib.h", "cublas_v2.h", "passwd"])
def test_other_headers_are_refused(name: str) -> None:
    assert refusal(answer(includes=[name])).code is Unusable.HEADER


def test_edits_do_not_overlap() -> None:
    found = answer(includes=["cstdint"], launches=[{"line": 22, "block": "dim3(32, 4)"}])
    assert isinstance(found, RegionEdit)
    assert all(isinstance(edit, TextEdit) for edit in found.edits)
    assert "#include <cstdint>\n" in after(found) and "dim3(32, 4)" in after(found)


EXAMPLES = tuple(sorted((REPOSITORY / "examples").glob("*.cu")))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_kernel_of_the_examples_can_be_rewritten_part_by_part(path: Path) -> None:
    parsed = parse(Source(path, path.read_text("utf-8")))
    for kernel in parsed.kernels:
        touched = [{"part": part.id, "code": part.text.replace("{", "{\n    // touched", 1)} for part in Region(parsed, kernel).parts]
        found = edit_of(Region(parsed, kernel), CodeReply.model_validate({"summary": "s", "parts": touched}))
        assert isinstance(found, RegionEdit), found
        assert len(found.edits) == sum("// touched" in given["code"] for given in touched)


def test_explicit_instantiations_follow_the_templates_parameters() -> None:
    kernel = "template <int N>\n__global__ void fill(float *out, int n) { out[threadIdx.x] = N; }"
    made = "template __global__ void fill<4>(float *, int);"
    text = f"{kernel}\n{made}\nextern template __global__ void fill<8>(float *out, int n);\nint main() {{}}\n"
    wider = kernel.replace("int N>", "int N, int M>")
    region = Region(parsed := parse(Source(Path("k.cu"), text)), parsed.kernels[0])
    assert [part.id for part in region.parts] == ["kernel", "fill-instantiation", "fill-instantiation-2"]
    given = {"kernel": wider, "fill-instantiation": made.replace("<4>", "<4, 1>"), "fill-instantiation-2": ""}
    reply = CodeReply.model_validate({"summary": "s", "parts": [{"part": name, "code": code} for name, code in given.items()]})
    changed = after(edit_of(region, reply), text)
    assert changed == text.replace(kernel, wider).replace("<4>", "<4, 1>").replace(
        "extern template __global__ void fill<8>(float *out, int n);", ""
    )
