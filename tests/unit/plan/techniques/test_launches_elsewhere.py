"""The block size of a kernel that other files of its program launch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.cuda.parse import parse
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import ParsedSource, Source
from assistant.model.verification import Label
from assistant.plan.expert.block_size_search import BlockSizeSearch
from assistant.plan.expert.transformation import TransformationContext

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


def files(**texts: str) -> tuple[ParsedSource, ...]:
    return tuple(parse(Source(Path(f"/{name}.cu"), text)) for name, text in texts.items())


@pytest.fixture
def tried(context_of: Callable[..., TransformationContext]) -> Callable[..., tuple[Rewrite, ...] | Decline]:
    """On the header's kernel, with these other files that name it."""

    def check(header: str = HEADER, **others: str) -> tuple[Rewrite, ...] | Decline:
        return BlockSizeSearch().rewrite(replace(context_of(header), launching=files(**others)))

    return check


def edited(file: ParsedSource, rewrite: Rewrite) -> str:
    text = file.source.text
    edits = [edit for other in rewrite.in_others if other.path == file.source.path for edit in other.edits]
    for edit in sorted(edits, reverse=True):
        text = text[: edit.span.start] + edit.new_text + text[edit.span.end :]
    return text


def test_every_launch_in_every_file_is_changed_and_the_kernels_own_file_is_not(tried: Callable[..., tuple[Rewrite, ...] | Decline]) -> None:
    variants = tried(run=RUN, test=TEST)
    assert not isinstance(variants, Decline), variants.reason
    first = variants[0]
    assert first.edits == () and first.labels == (Label.HOST_CODE,) and first.assumptions == ()
    run, test = files(run=RUN, test=TEST)
    assert edited(run, first) == RUN.replace("WIDE 32", "WIDE 256")
    assert edited(test, first) == TEST.replace("31) / 32, 32", "255) / 256, 256")


def test_a_launch_of_the_kernels_own_file_is_changed_with_the_others(tried: Callable[..., tuple[Rewrite, ...] | Decline]) -> None:
    variants = tried(HEADER + "void own(float* v, int n) { grow<<<(n + 31) / 32, 32>>>(v, n); }\n", test=TEST)
    assert not isinstance(variants, Decline), variants.reason
    assert [edit.new_text for edit in variants[0].edits] == ["255", "256", "256"]
    assert [other.path.name for other in variants[0].in_others] == ["test.cu"]


@pytest.mark.parametrize(
    ("other", "code", "words"),
    [
        (RUN + "void* kept = (void*)grow;\n", DeclineReason.LAUNCH_UNKNOWN, "other than by a plain launch on line 3 of run.cu"),
        (RUN.replace("{ grow", "{ int unused = WIDE; grow"), DeclineReason.USED_ELSEWHERE, "in run.cu: WIDE is also used on line 2"),
        (RUN.replace("(n + WIDE - 1) / WIDE", "n / WIDE"), DeclineReason.GRID_FORM, "in run.cu: the grid of the launch on line 2"),
        ("void none(); // grow is not launched here\n", DeclineReason.LAUNCH_UNKNOWN, "grow is not launched in this file"),
    ],
)
def test_a_launch_that_cannot_be_changed_keeps_the_block_as_it_is(
    tried: Callable[..., tuple[Rewrite, ...] | Decline], other: str, code: DeclineReason, words: str
) -> None:
    answer = tried(run=other)
    assert isinstance(answer, Decline) and answer.code is code and words in answer.reason
