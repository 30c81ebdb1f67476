"""Which kernels of a text changed since an earlier one: what says something else, not what looks otherwise."""

from __future__ import annotations

from pathlib import Path

from assistant.cuda.parse import parse
from assistant.engine import kernels_changed_since
from assistant.model.source import Source

_NOW = """#define TILE 32
__device__ float twice(float x) { return 2 * x; }
__global__ void one(float *a) { a[threadIdx.x] = twice(a[threadIdx.x]); }
__global__ void other(float *a) { a[threadIdx.x] += TILE; }
__global__ void alone(float *a) { a[threadIdx.x] = 0; }
"""


def _changed(before: str) -> list[str]:
    found = kernels_changed_since(parse(Source(Path("/w/a.cu"), _NOW)), before)
    return [key.partition("(")[0] for key in found]


def test_a_kernel_changed_with_its_code_and_with_what_it_reaches() -> None:
    assert _changed(_NOW) == []
    assert _changed(_NOW.replace("] = 0;", "] = 1;")) == ["alone"]
    assert _changed(_NOW.replace("2 * x", "3 * x")) == ["one"]
    assert _changed(_NOW.replace("TILE 32", "TILE 16")) == ["other"]


def test_a_new_kernel_changed_and_comments_and_spaces_did_not() -> None:
    assert _changed(_NOW.replace("void alone", "void former")) == ["alone"]
    assert _changed(_NOW.replace("{ a", "{ /* once */\n  a")) == []
    assert _changed("") == ["one", "other", "alone"]
