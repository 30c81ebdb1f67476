"""Kernels that other files of their program launch: the launches are changed there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import ParsedSource, Source
from assistant.model.verification import Label
from assistant.plan.expert.all_transformations import EXPERT_TRANSFORMATIONS
from assistant.plan.expert.block_size_search import BlockSizeSearch
from assistant.plan.expert.coalescing_interchange import CoalescingInterchange
from assistant.plan.expert.float_literals import FloatLiterals
from assistant.plan.expert.shared_memory_padding import SharedMemoryPadding
from assistant.plan.expert.staged_store import StagedStore
from assistant.plan.expert.transformation import Transformation, TransformationContext

DATA = Path(__file__).resolve().parents[3] / "data" / "plan"
SEE_MORE_IN_ONE_FILE = {
    "staged-store/declared_workload_and_local_stride": "a name that main() takes is free in a file without it",
    "const-restrict/template_instantiations_and_helper": "explicit instantiations are edited in the kernel's own file alone",
}
HEADER = """\
// kernel=grow line=2 finding=KO112
__global__ void grow(float* v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = v[i] * 1.5f;
}
"""
RUN = "#define WIDE 32\nvoid run(float* v, int n) { grow<<<(n + WIDE - 1) / WIDE, WIDE>>>(v, n); }\n"
TEST = "int main() { float* v = 0; grow<<<(100 + 31) / 32, 32>>>(v, 100); }\n"
OWN = "void own(float* v, int n) { grow<<<(n + 31) / 32, 32>>>(v, n); }\n"

PLANE = """\
// kernel=halve line=5 finding=KO101
__global__ void halve(float* v, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) v[row * cols + col] *= 0.5f;
}
"""
RUN_PLANE = """\
void run(float* v, int rows, int cols)
{
    dim3 block(32, 8), grid((rows + 31) / 32, (cols + 7) / 8);
    halve<<<grid, block>>>(v, rows, cols);
}
"""
EXCHANGED_PLANE = RUN_PLANE.replace("block(32, 8)", "block(8, 32)").replace(
    "(rows + 31) / 32, (cols + 7) / 8", "(cols + 7) / 8, (rows + 31) / 32"
)

Tried = Callable[..., tuple[Rewrite, ...]]
Declined = Callable[..., Decline]


def files(**texts: str) -> tuple[Source, ...]:
    return tuple(Source(Path(f"/{name}.cu"), text) for name, text in texts.items())


@pytest.fixture
def tried(context_of: Callable[..., TransformationContext]) -> Tried:
    """On the header's kernel, in a program with these other files."""

    def check(header: str = HEADER, technique: Transformation | None = None, **others: str) -> tuple[Rewrite, ...]:
        answer = (technique or BlockSizeSearch()).rewrite(context_of(header, others=files(**others)))
        assert not isinstance(answer, Decline), answer.reason
        return answer

    return check


@pytest.fixture
def declined(context_of: Callable[..., TransformationContext]) -> Declined:
    def check(header: str = HEADER, technique: Transformation | None = None, **others: str) -> Decline:
        answer = (technique or BlockSizeSearch()).rewrite(context_of(header, others=files(**others)))
        assert isinstance(answer, Decline), answer
        return answer

    return check


def edited(rewrite: Rewrite, **others: str) -> dict[str, str]:
    """Of the named files, each with what the rewrite does to it."""
    texts: dict[str, str] = {}
    for name, text in others.items():
        edits = [edit for other in rewrite.in_others if other.path == Path(f"/{name}.cu") for edit in other.edits]
        for edit in sorted(edits, reverse=True):
            text = text[: edit.span.start] + edit.new_text + text[edit.span.end :]
        texts[name] = text
    return texts


def in_two_files() -> Iterator[Any]:
    """(technique, path) of each data file that launches a kernel after the last one."""
    for technique in EXPERT_TRANSFORMATIONS:
        for path in sorted((DATA / technique.technique).glob("*.cu")):
            text, name = path.read_text("utf-8"), f"{technique.technique}/{path.stem}"
            if "<<<" in text[text.rfind("__global__") :] and ".expected" not in name and name not in SEE_MORE_IN_ONE_FILE:
                yield pytest.param(technique, path, id=name)


def parted(text: str, parsed: ParsedSource) -> tuple[str, str]:
    """The text up to the end of its last kernel, and what follows, which launches one."""
    end = max(kernel.span.end for kernel in parsed.kernels)
    assert any(site.span.start > end for site in parsed.launch_sites)
    end = text.find("\n", end) + 1
    return text[:end], text[end:]


@pytest.mark.parametrize(("technique", "path"), tuple(in_two_files()))
def test_edits_do_not_depend_on_which_file_holds_the_launch(
    technique: Transformation, path: Path, context_of: Callable[..., TransformationContext], applied: Callable[..., str]
) -> None:
    whole = context_of(path.read_text("utf-8"))
    kernels, host = parted(path.read_text("utf-8"), whole.parsed)
    together, apart = technique.rewrite(whole), technique.rewrite(context_of(kernels, others=files(run=host)))
    if isinstance(together, Decline) or isinstance(apart, Decline):
        assert isinstance(together, Decline) and isinstance(apart, Decline) and together.code is apart.code, (together, apart)
        return
    assert [applied(kernels, each) + edited(each, run=host)["run"] for each in apart] == [
        applied(kernels + host, each) for each in together
    ]
    assert [each.labels for each in apart] == [each.labels for each in together]


def test_a_type_that_another_file_launches_counts(declined: Declined) -> None:
    text = (DATA / "float-literals" / "template_type.cu").read_text("utf-8")
    answer = declined(text, FloatLiterals(), run="void run(half* o, half* a) { lerp<half><<<1, 64>>>(o, a, a, 8, 8); }\n")
    assert answer.code is DeclineReason.TYPE_UNKNOWN


def test_elements_are_as_wide_as_another_file_launches_them(tried: Tried, applied: Callable[[str, Rewrite], str]) -> None:
    text = (DATA / "shared-memory-padding" / "half_elements.cu").read_text("utf-8").replace("__half tile", "T tile")
    text = text.replace("__global__", "template <typename T> __global__").replace("transpose_half<<<", "transpose_half<__half><<<")
    kernel, main, rest = text.partition("int main()")
    (only,) = tried(kernel, SharedMemoryPadding(), run=main + rest)
    assert "T tile[DIM][DIM + 2]" in applied(kernel, only)


def test_every_launch_in_every_file_is_changed_and_the_kernels_own_file_is_not(tried: Tried) -> None:
    first = tried(run=RUN, test=TEST)[0]
    assert first.edits == () and first.labels == (Label.HOST_CODE,) and first.assumptions == ()
    wanted = {"run": RUN.replace("WIDE 32", "WIDE 256"), "test": TEST.replace("31) / 32, 32", "255) / 256, 256")}
    assert edited(first, run=RUN, test=TEST) == wanted


def test_a_launch_of_the_kernels_own_file_is_changed_with_the_others(tried: Tried) -> None:
    first = tried(HEADER + OWN, test=TEST)[0]
    assert [edit.new_text for edit in first.edits] == ["255", "256", "256"]
    assert [other.path.name for other in first.in_others] == ["test.cu"]


def test_files_without_a_launch_may_call_something_else_by_the_kernels_name(tried: Tried) -> None:
    first = tried(HEADER + OWN, main="int main() { int grow = 3; return grow; }\n")[0]
    assert [edit.new_text for edit in first.edits] == ["255", "256", "256"] and first.in_others == ()


def test_a_size_that_a_header_defines_is_changed_there(tried: Tried) -> None:
    define, launch = RUN.splitlines(keepends=True)
    first = tried(HEADER + define, none="void none();\n", run=launch)[0]
    assert [edit.new_text for edit in first.edits] == ["256"] and first.in_others == ()


@pytest.mark.parametrize("size", [32, 64])
def test_files_may_have_a_size_of_the_same_name_each(tried: Tried, size: int) -> None:
    used = f"#define WIDE {size}\nint other() {{ return WIDE; }}\n"
    first = tried(run=RUN, other=used)[0]
    assert edited(first, run=RUN, other=used) == {"run": RUN.replace("WIDE 32", "WIDE 256"), "other": used}
    again = RUN.replace("WIDE 32", f"WIDE {size}").replace("run", "again")
    both = tried(run=RUN, again=again)[0]
    wanted = {"run": RUN.replace("WIDE 32", "WIDE 256"), "again": again.replace(f"WIDE {size}", "WIDE 256")}
    assert edited(both, run=RUN, again=again) == wanted


@pytest.mark.parametrize(
    ("other", "code", "words"),
    [
        (RUN + "void* kept = (void*)grow;\n", DeclineReason.LAUNCH_UNKNOWN, "other than by a plain launch on line 3 of run.cu"),
        (RUN.replace("{ grow", "{ int unused = WIDE; grow"), DeclineReason.USED_ELSEWHERE, "WIDE is also used on line 2 of run.cu"),
        (RUN.replace("(n + WIDE - 1) / WIDE", "n / WIDE"), DeclineReason.GRID_FORM, "the grid of the launch on line 2 of run.cu does not"),
        (RUN.replace("int n)", "int n, int w)").replace(", WIDE>>>", ", w>>>"), DeclineReason.LAUNCH_FORM, "on line 2 of run.cu"),
        ("void none(); // grow is not launched here\n", DeclineReason.LAUNCH_UNKNOWN, "grow is not launched in this program"),
    ],
)
def test_a_launch_that_cannot_be_changed_keeps_the_block_as_it_is(declined: Declined, other: str, code: DeclineReason, words: str) -> None:
    answer = declined(run=other)
    assert answer.code is code and words in answer.reason, answer


def test_launches_elsewhere_may_mean_the_kernel_of_that_name_there(declined: Declined) -> None:
    answer = declined(run=HEADER + RUN)
    assert answer.code is DeclineReason.LAUNCH_UNKNOWN and "grow is not launched in this file" in answer.reason


def test_x_and_y_are_exchanged_in_the_kernel_and_in_the_file_that_launches_it(tried: Tried, applied: Callable[[str, Rewrite], str]) -> None:
    (only,) = tried(PLANE, CoalescingInterchange(), none="void none();\n", run=RUN_PLANE)
    assert "row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x" in applied(PLANE, only)
    assert edited(only, run=RUN_PLANE) == {"run": EXCHANGED_PLANE}
    assert only.labels == (Label.HOST_CODE,) and not any("your own code" in words for words in only.assumptions)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (RUN_PLANE + "void* kept = (void*)halve;\n", "other than by a plain launch on line 6 of run.cu"),
        (RUN_PLANE.replace("<<<grid", "<<<64"), "the launch on line 4 of run.cu has one dimension"),
        (RUN_PLANE.replace("<<<grid", "<<<*shape"), "the launch on line 4 of run.cu"),
    ],
)
def test_a_launch_whose_axes_cannot_be_exchanged_is_named_with_its_file(declined: Declined, other: str, words: str) -> None:
    answer = declined(PLANE, CoalescingInterchange(), run=other)
    assert words in answer.reason


TURN = """\
// kernel=turn line=6 finding=KO101
__global__ void turn(float* out, const float* in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[x * h + y] = in[y * w + x];
}
"""
RUN_TURN = "void run(float* o, float* i, int n) { turn<<<dim3((n + 31) / 32, (n + 31) / 32), dim3(32, 32)>>>(o, i, n, n); }\n"


def test_a_launch_that_another_file_shows_is_no_launch_out_of_sight(tried: Tried) -> None:
    (only,) = tried(TURN, StagedStore(), run=RUN_TURN)
    assert only.labels == ()
    assert only.assumptions == ("every launch has blocks of 32 x 32 threads, as all launches in this program do",)
