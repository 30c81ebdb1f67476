"""Answers in the forms in which models give them, on programs as strangers write them (`tests/data/odd_answers`): each is an edit."""

from __future__ import annotations

import difflib
import json
from pathlib import Path

import pytest

from assistant.cuda.edits import apply_edits
from assistant.cuda.parse import parse
from assistant.model.source import Source
from assistant.plan.llm.code.parts import Region
from assistant.plan.llm.code.region import RegionEdit, edit_of
from assistant.plan.llm.code.unusable import Unusable, UnusableAnswer
from assistant.plan.llm.reading.answers import CODE
from assistant.plan.llm.reading.schemas import CodeReply
from tests.unit.plan.llm.bed import REPOSITORY

PROGRAMS = REPOSITORY / "tests" / "data" / "odd_answers"


def program(name: str) -> str:
    return (PROGRAMS / f"{name}.cu").read_text("utf-8")


def piece(text: str, start: str, end: str) -> str:
    return text[text.index(start) : text.index(end, text.index(start))].strip()


def edited(name: str, answer: str, may_edit_host: bool = True) -> str | UnusableAnswer:
    """The program with the answer's edit; why it is none."""
    parsed = parse(Source(Path(f"/p/{name}.cu"), program(name)))
    reply = CODE.read(answer)
    assert isinstance(reply, CodeReply), reply
    found = edit_of(Region(parsed, parsed.kernels[0], may_edit_host=may_edit_host, is_emulated=True), reply)
    if isinstance(found, UnusableAnswer):
        return found
    assert isinstance(found, RegionEdit)
    after = apply_edits(program(name), found.edits)
    assert isinstance(after, str)
    return after


SUMS = program("rowsum")
OLD_SUM, OLD_RUN = piece(SUMS, "__global__", "static void"), piece(SUMS, "static void", "int main")
SUM = """\
__global__ void row_sum_kernel(const float* A, float* out, int n, int m) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x & 31;
    if (row >= n) return;
    float acc = 0.f;
    for (int j = lane; j < m; j += 32) acc += A[row * m + j];
    for (int o = 16; o > 0; o >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, o);
    if (lane == 0) out[row] = acc;
}"""
RUN = OLD_RUN.replace("div_up(n,", "div_up(n * 32,")
WHOLE = SUMS.replace(OLD_SUM, SUM).replace(OLD_RUN, RUN)
DIFF = "".join(difflib.unified_diff(SUMS.splitlines(True), WHOLE.splitlines(True), "a/rowsum.cu", "b/rowsum.cu"))
HEADER = '{"summary": "Let a warp add up each row.", "risks": ["order"]}'
BLOCK = "<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE"


@pytest.mark.parametrize(
    "answer",
    [
        f"Here is the optimized file:\n\n```cuda\n{WHOLE}```\n\nOne warp per row.",
        f"```cpp:src/rowsum.cu\n{WHOLE}```",
        f"{HEADER}\n\n```cuda part=row_sum_kernel\n{SUM}\n```\nThe launcher:\n```cuda part=launch_row_sum\n{RUN}\n```",
        f"### kernel\n\n```cuda\n{SUM}\n```\n\n### launch_row_sum\n\n```cuda\n{RUN}\n```",
        f"{HEADER}\n\n```cuda\n{SUM}\n\n{RUN}\n```",
        f"{HEADER}\r\n```cuda part=kernel\n{SUM}\n```\n```cuda part=launch_row_sum\n{RUN}\n```\n".replace("\n", "\r\n"),
        f"◁think▷one warp◁/think▷{HEADER}\n```cuda\n// part: kernel\n{SUM}\n```\n```cuda\n// part: launch_row_sum\n{RUN}\n```",
        f"```cuda\n#include <stdio.h>\n// ... existing includes ...\n\n{SUM}\n\n{RUN}\n\nint main() {{\n    // ... unchanged\n}}\n```",
        f"Patch:\n```diff\n{DIFF}```",
        f"```cuda\n{BLOCK.format(OLD_SUM, SUM)}\n```\n```cuda\n{BLOCK.format('div_up(n, threads.x)', 'x')}\n```".replace(
            "div_up(n, threads.x)\n=======\nx",
            "    dim3 blocks(div_up(n, threads.x));\n=======\n    dim3 blocks(div_up(n * 32, threads.x));",
        ),
        f"<|channel|>analysis<|message|>```cuda\nx<|end|><|start|>assistant<|channel|>final<|message|>```cuda\n{WHOLE}```<|return|>",
        f'{HEADER}\n<code part="kernel">\n{SUM}\n</code>\n<code part="launch_row_sum">\n{RUN}\n</code>',
        json.dumps({"summary": "s", "parts": {"kernel": SUM, "launch_row_sum": RUN}}),
        f"Option A:\n```cuda\n{SUM.replace('& 31', '% 32')}\n```\nOption B, which I recommend:\n```cuda\n{SUM}\n```\n```cuda\n{RUN}\n```",
    ],
)
def test_two_functions_are_changed_in_whatever_form(answer: str) -> None:
    assert edited("rowsum", answer) == WHOLE


def test_where_host_code_may_not_be_edited_a_whole_file_that_leaves_it_is_taken() -> None:
    kernel_alone = SUMS.replace(OLD_SUM, SUM)
    assert edited("rowsum", f"```cuda\n{kernel_alone}```", may_edit_host=False) == kernel_alone
    refused = edited("rowsum", f"```cuda\n{WHOLE}```", may_edit_host=False)
    assert isinstance(refused, UnusableAnswer) and refused.code is Unusable.HOST_PART and "launch_row_sum" in refused.reason


@pytest.mark.parametrize(
    ("answer", "code", "words"),
    [
        (
            f"```cuda\n{SUM.replace('    float acc', '    // ... as before' + chr(10) + '    float acc')}\n```",
            Unusable.ELIDED,
            "leaves code out",
        ),
        (f"```cuda\n{WHOLE.replace('double total', 'float total')}```", Unusable.UNKNOWN_PART, "'main'"),
        (f"```diff\n{DIFF.replace(' dim3 threads(128)', ' dim3 threads(64)')}```", Unusable.UNKNOWN_PART, "does not fit the text"),
        (
            "```diff\n@@ -1 +1 @@\n-    double total = 0; for (int i = 0; i < N; ++i) total += ho[i];\n+    return 0;\n```",
            Unusable.UNKNOWN_PART,
            "line 34",
        ),
    ],
)
def test_what_cannot_be_taken_says_why(answer: str, code: Unusable, words: str) -> None:
    found = edited("rowsum", answer)
    assert isinstance(found, UnusableAnswer) and found.code is code and words in found.reason


BLUR = piece(program("stencil"), "template <typename", "template __global__").replace("/ cnt", "/ T(cnt)")


@pytest.mark.parametrize("code", [BLUR, BLUR.partition("\n")[2], BLUR[BLUR.index("{") :], f"// faster\n{BLUR}"])
def test_a_template_may_be_given_without_its_head(code: str) -> None:
    after = edited("stencil", f'{HEADER}\n```cuda title="kernel"\n{code}\n```')
    assert isinstance(after, str) and after.replace("// faster\n", "") == program("stencil").replace("/ cnt", "/ T(cnt)")


def test_a_renamed_kernel_is_launched_and_instantiated_under_its_name() -> None:
    launch = {"kernel": "blur_fast<float, 2>", "grid": ["(W + 31) / 32", "(H + 7) / 8"], "block": [32, 8]}
    parts = f"```cuda part=kernel\n{BLUR.replace('blur(', 'blur_fast(')}\n```\n"
    parts += "```cuda part=blur-instantiation\ntemplate __global__ void blur_fast<float, 2>(float *, const float *, int, int);\n```"
    after = edited("stencil", f"{json.dumps({'summary': 'Rename.', 'launches': launch})}\n{parts}")
    assert isinstance(after, str)
    assert "blur_fast<float, 2><<<dim3((W + 31) / 32, (H + 7) / 8), dim3(32, 8)>>>(b, a, W, H);" in after and "blur<" not in after


def test_what_stands_in_the_program_already_may_come_along() -> None:
    bins = piece(program("hist"), 'extern "C"', "}  // namespace")
    wider = bins.replace("1u)", "1)")
    inside = f"namespace hist {{\n__device__ __forceinline__ int bin_of(unsigned char v) {{ return v >> 2; }}\n\n{wider}\n}}"
    for name, code in (("kernel", inside), ("hist::histogram", wider), ("histogram", f"#define NUM_BINS 64\n{wider}")):
        assert edited("hist", f"{HEADER}\n```cuda part={name}\n{code}\n```") == program("hist").replace(bins, wider)
    product = piece(program("gemm"), "__global__", "void multiply")
    padded = product.replace("0.0;", "0.0f;")
    types = f"#include <cuda_runtime.h>\n#define TILE 16\nstruct Matrix {{ int rows, cols; float *data; }};\n\n{padded}"
    assert edited("gemm", f"{HEADER}\n```cuda part=kernel\n{types}\n```") == program("gemm").replace(product, padded)
    helper = "__device__ int half_of(int n) { return n / 2; }"
    after = edited("gemm", f"```cuda\n{types.replace('__global__', helper + chr(10) + '__global__')}\n```")
    assert after == program("gemm").replace(product, f"{helper}\n\n{padded}")


SMOOTH = program("smooth")
NEIGHBOURS = piece(SMOOTH, "__global__ void smooth", "__global__ void row_sum")
UNROLLED = "int l = max(i - 1, 0);\n\tint r = min(i + 1, n - 1);\n\tout[i] = 0.25f * in[l] + 0.5f * in[i] + 0.25f * in[r];"
"""What stands in the place of the loop, in the program's indentation."""
LOOP = NEIGHBOURS[NEIGHBOURS.index("float s") : NEIGHBOURS.rindex("\n}")]
FASTER = NEIGHBOURS.replace(LOOP, UNROLLED)
LAUNCH = "smooth<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(a, b, n);"


def hunk(old: str, new: str) -> str:
    return "".join(f"-{line}\n" for line in old.split("\n")) + "".join(f"+{line}\n" for line in new.split("\n"))


HUNK = hunk(f"\t{LOOP}", f"\t{UNROLLED}")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "answer",
    [
        f"*** Begin Patch\n*** Update File: smooth.cu\n@@ __global__ void smooth\n \tif (i >= n) return;\n{HUNK} }}\n*** End Patch\n",
        f"```diff\n--- a/smooth.cu\n+++ b/smooth.cu\n@@ -1,5 +1,5 @@\n{HUNK}```",
        BLOCK.format(f"\t{LOOP}".replace("\t// Nachbarn « gewichtet »", "").replace("\t", "    "), f"\t{UNROLLED}"),
    ],
)
def test_a_patch_fits_whatever_the_line_ends_the_indentation_and_the_remarks(answer: str, end: str) -> None:
    text = SMOOTH.replace("\n", end)
    parsed = parse(Source(Path("/p/smooth.cu"), text))
    reply = CODE.read(answer)
    assert isinstance(reply, CodeReply), reply
    found = edit_of(Region(parsed, parsed.kernels[0], may_edit_host=True, is_emulated=True), reply)
    assert isinstance(found, RegionEdit), found
    assert apply_edits(text, found.edits) == SMOOTH.replace(NEIGHBOURS, FASTER).replace("\n", end)


@pytest.mark.parametrize(
    "remark",
    [
        "s += weight(d) * in[j];",
        "int j = i + d;\nif (j < 0) j = 0;",
        "out[i] = 0.25f * in[l] + 0.5f * in[i] + 0.25f * in[r];",
        LAUNCH,
        "__global__ void row_sum(const float *in, float *sums, int rows, int cols)\n{\n\t// one warp per row ...\n}",
    ],
)
def test_a_quotation_and_a_sketch_beside_the_code_change_nothing(remark: str) -> None:
    answer = f"{HEADER}\n\n**`kernel`**\n\n```cuda\n{FASTER}\n```\n\n### Why\n\nThis line\n\n```cpp\n{remark}\n```\n\nis what counts.\n"
    assert edited("smooth", answer) == SMOOTH.replace(NEIGHBOURS, FASTER)


@pytest.mark.parametrize("launches", ["", '"launches": ["smooth<<<n / 64 + 1, 64>>>(a, b, n)"], '])
def test_a_launch_that_is_written_as_code_takes_the_place_of_the_one_of_its_kernel(launches: str) -> None:
    wider = LAUNCH.replace("(n + BLOCK - 1) / BLOCK, BLOCK", "n / 64 + 1, 64")
    fence = "" if launches else f"\nand in `main`:\n\n```cuda\n\t{wider}\n```"
    answer = f"{HEADER.replace('{', '{' + launches, 1)}\n\n```cuda part=kernel\n{FASTER}\n```\n{fence}"
    assert edited("smooth", answer) == SMOOTH.replace(NEIGHBOURS, FASTER).replace(LAUNCH, wider)
    refused = edited("smooth", answer, may_edit_host=False)
    assert isinstance(refused, UnusableAnswer) and refused.code is Unusable.HOST_PART and "a launch of smooth" in refused.reason


def test_statements_that_stand_in_no_function_are_asked_for_in_theirs() -> None:
    found = edited("smooth", f"{HEADER}\n```cuda\n{FASTER}\n```\nand then\n```cuda\nif (i > n) out[i] = 2;\n```")
    assert isinstance(found, UnusableAnswer) and found.code is Unusable.ELIDED and "`if (i > n) out[i] = 2;` in no function" in found.reason


@pytest.mark.parametrize("opened", ["namespace physics {\nnamespace detail {\n\n{}\n\n}\n}", "namespace physics::detail {\n{}\n}"])
def test_a_kernel_may_come_in_the_namespaces_that_it_stands_in(opened: str) -> None:
    kernel = piece(program("springs"), "__global__", "}  // namespace")
    faster = kernel.replace("f * dt", "dt * f")
    assert edited("springs", f"{HEADER}\n```cuda part=kernel\n{opened.replace('{}', faster)}\n```") == program("springs").replace(
        kernel, faster
    )


SCALE = piece(program("scaled"), "#define", "DEFINE_SCALE(scale")
SHORTER = SCALE.replace("data[i] = data[i] * factor", "data[i] *= factor")
KERNEL_OF_A_MACRO = "__global__ void scale_float(float* data, float factor, int count)\n{\n    data[threadIdx.x] *= factor;\n}"


@pytest.mark.parametrize(
    ("code", "before", "after"),
    [
        (KERNEL_OF_A_MACRO, "DEFINE_SCALE(scale_float, float)", KERNEL_OF_A_MACRO),
        (SHORTER, SCALE, SHORTER),
    ],
)
def test_a_kernel_that_a_macro_makes_is_edited_there_or_written_out(code: str, before: str, after: str) -> None:
    text = program("scaled")
    parsed = parse(Source(Path("/p/scaled.cu"), text))
    reply = CODE.read(f"{HEADER}\n```cuda\n{code}\n```")
    assert isinstance(reply, CodeReply)
    found = edit_of(Region(parsed, next(each for each in parsed.kernels if each.name == "scale_float"), may_edit_host=True), reply)
    assert isinstance(found, RegionEdit) and apply_edits(text, found.edits) == text.replace(before, after)
