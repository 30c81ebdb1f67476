"""Which pointers an edit newly promises to be apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.functions import functions
from assistant.cuda.parse import parse
from assistant.cuda.syntax import SyntaxTree
from assistant.model.source import Source
from assistant.verify.promises import new_promises

OLD = "__global__ void k(float *y, float *x, float *z) { y[0] = x[0] + z[0]; }"
EDITS = {
    "every pointer": ("float *__restrict__ y, float *__restrict__ x, float *__restrict__ z", [("y", "x"), ("y", "z")]),
    "the written one": ("float *__restrict__ y, float *x, float *z", [("y", "x"), ("y", "z")]),
    "one that is read": ("float *y, const float *__restrict__ x, float *z", [("y", "x")]),
    "none": ("float *y, const float *x, float *z", []),
    "renamed": ("float *__restrict__ to, float *x, float *z", [("to", "x"), ("to", "z")]),
}


def promises(old: str, new: str) -> list[tuple[str, str]]:
    before, after = (parse(Source(Path("/k.cu"), text)).kernels[0] for text in (old, new))
    tree = SyntaxTree(new)
    body = next(function.body for function in functions(tree) if function.name == "k")
    return list(new_promises(before, after, tree, body))


@pytest.mark.parametrize("edit", EDITS)
def test_a_pair_of_which_one_is_written_is_promised(edit: str) -> None:
    parameters, expected = EDITS[edit]
    new = f"__global__ void k({parameters}) {{ y[0] = x[0] + z[0]; }}".replace("y[0]", "to[0]" if edit == "renamed" else "y[0]")
    assert promises(OLD, new) == expected


def test_what_the_original_promises_is_not_new() -> None:
    old = OLD.replace("float *y", "float *__restrict__ y")
    new = (
        old.replace("float *x", "float *__restrict__ x")
        .replace("k(float *__restrict__ y", "k(float *__restrict__ out")
        .replace("y[0]", "out[0]")
    )
    assert promises(old, new) == []


def test_a_pointer_that_is_passed_on_may_be_written() -> None:
    old = "__device__ void f(float *p) { p[0] = 1; }\n__global__ void k(float *y, const float *x) { f(y); }"
    assert promises(old, old.replace("k(float *y", "k(float *__restrict__ y")) == [("y", "x")]
