"""Which numbers a launch passes to a kernel: by themselves, and in structs that are passed by value."""

from __future__ import annotations

import pytest

from assistant.plan.expert.analysis.parameter_numbers import parameter_numbers

STRUCTS = "typedef struct { int nx, ny; float omega; } Box; struct Job { Box box; unsigned steps; float *out; };"


@pytest.mark.parametrize(
    ("parameters", "body", "found"),
    [
        ("float *x, int n, double a", "", ("n", "a")),
        ("float *x, Box box, int n", "", ("box.nx", "box.ny", "n")),
        ("float *x, const Box box", "", ("box.nx", "box.ny")),
        ("float *x, int3 size, dim3 tiles", "", ("size.x", "size.y", "size.z", "tiles.x", "tiles.y", "tiles.z")),
        ("float *x, float2 at", "", ("at",)),
        ("float *x, Box *boxes", "", ()),
        ("float *x, Box box", "box.nx -= 1;", ("box",)),
        ("float *x, Job job", "", ("job.box.nx", "job.box.ny", "job.steps")),
    ],
    ids=[
        "numbers",
        "members",
        "constant",
        "vectors",
        "not integers",
        "a pointer to structs",
        "changed in the kernel",
        "a struct in a struct",
    ],
)
def test_each_is_spelled_as_the_kernel_does(context_of, parameters, body, found):
    text = f"// kernel=k line=3 finding=KO101\n{STRUCTS}\n__global__ void k({parameters}) {{ {body} x[threadIdx.x] = 1; }}\n"
    context = context_of(text)
    assert parameter_numbers(context.tree, context.kernel) == found
