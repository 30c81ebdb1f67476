"""Kernels of which an edit takes the launches away, as one that makes one kernel of several."""

from __future__ import annotations

from pathlib import Path

from assistant.cuda.launch_hunks import no_more_launched
from tests.changes import change

_MAIN = "int main() {\n  scale<<<g, 256>>>(x);\n  shift<float><<<g, 256>>>(x);\n}\n"


def _gone(after: str) -> frozenset[str]:
    return no_more_launched(change(Path("/w/a.cu"), _MAIN, after))


def test_kernels_that_one_takes_the_place_of_are_no_more_launched() -> None:
    fused = "int main() {\n  scale_and_shift<<<g, 256>>>(x);\n}\n"
    assert _gone(fused) == {"scale", "shift"}


def test_a_kernel_that_is_launched_otherwise_is_still_launched() -> None:
    assert _gone(_MAIN.replace("scale<<<g, 256>>>", "scale<<<h, 512>>>")) == frozenset()
