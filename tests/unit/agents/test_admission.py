"""Edits that are not run at all; nothing is run in these either."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.agents.admission import refused_edit
from assistant.model.source import Source

START = """\
/* kernelopt
[workload.scale]
args   = { x = "randn(n)", n = "n" }
grid   = ["ceil(n/128)"]
block  = [128]
shapes = [{ n = 1000 }, { n = 64, weight = 3 }]
*/
__global__ void scale(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2.0f;
}
"""
_BLOCK = START[: START.index("__global__")]


def code(edited: str) -> str | None:
    path = Path("scale.cu")
    found = refused_edit(Source(path, START), Source(path, edited), may_edit_host_code=False)
    return None if found is None else found.code


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x[i] *= 2.0f", "x[i] += x[i]"),
        ("block  = [128]", "block  = [256]"),
        ('["ceil(n/128)"]', '["ceil(n/512)"]'),
        ("shapes = [{ n = 1000 }, { n = 64, weight = 3 }]", "shapes = [{ n = 1000, tile = 4 }, { n = 64, tile = 2, weight = 3 }]"),
        ("/* kernelopt", "// a second block may declare more\n/* kernelopt"),
    ],
)
def test_kernels_and_how_they_are_launched_may_be_edited(old: str, new: str) -> None:
    assert START.replace(old, new) != START and code(START.replace(old, new)) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (_BLOCK, ""),
        ("[workload.scale]", "[workload.easy]"),
        ("/* kernelopt", "/* kerneloft"),
        ("{ n = 1000 }", "{ n = 1 }"),
        ("{ n = 1000 }, ", ""),
        ("weight = 3", "weight = 300"),
        ("shapes = [", "shapes = [{ n = 1 }, "),
    ],
)
def test_an_edit_does_not_choose_what_it_is_judged_on(old: str, new: str) -> None:
    assert START.replace(old, new) != START and code(START.replace(old, new)) == "workload-changed"


def test_flags_and_references_stay_what_they_are() -> None:
    assert code(START.replace("block  = [128]", 'block  = [128]\nflags  = ["-use_fast_math"]')) == "new-flags"
    assert code(START.replace("block  = [128]", 'block  = [128]\nreference = "mine.py:scale"')) == "new-flags"
