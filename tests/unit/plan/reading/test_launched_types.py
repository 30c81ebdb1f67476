"""What a template parameter stands for where the kernel is launched."""

from __future__ import annotations

import pytest

from assistant.plan.expert.analysis.element_types import launched_types

KERNEL = "// kernel=k line=2 finding=KO110\ntemplate <typename T, int N> __global__ void k(T *out) { out[0] = N; }\n"


@pytest.mark.parametrize(
    ("host", "found"),
    [
        ("void run(int *p) { k<int, 2><<<1, 32>>>(p); }", {"int"}),
        ("void run(int *p, float *q) { k<int, 2><<<1, 32>>>(p); k<float, 2><<<1, 32>>>(q); }", {"int", "float"}),
        ("using real = double; void run(real *p) { k<real, 4><<<1, 32>>>(p); }", {"double"}),
        ("template <class V> void run(V *p) { k<V, 4><<<1, 32>>>(p); } void all(long *p) { run<long>(p); run(p); }", {"long"}),
        ("template <class V> void run(V *p) { k<V, 4><<<1, 32>>>(p); }", {"T"}),
        ("template __global__ void k<short, 8>(short *);", {"short"}),
        ("", {"T"}),
    ],
    ids=["one launch", "two types", "an alias", "a template passes its own on", "nobody calls the template", "an instance", "no launch"],
)
def test_launches_and_their_callers_say_it(context_of, host, found):
    assert launched_types(context_of(KERNEL + host + "\n"), "T") == found


def test_a_type_of_its_own_stays(context_of):
    assert launched_types(context_of(KERNEL + "void run(int *p) { k<int, 2><<<1, 32>>>(p); }\n"), "float") == {"float"}
