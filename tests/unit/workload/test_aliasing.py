"""Which launches let two pointer parameters name the same memory."""

from __future__ import annotations

import pytest

from assistant.cuda.functions import functions
from assistant.cuda.syntax import SyntaxTree
from assistant.model.recorded_facts import FactsOrigin, PointerPair, RecordedFacts, Separation
from assistant.workload.aliasing import ApartAsRecorded, NoCallers, Overlap, overlap

KERNEL = "__global__ void k(float *c, float *a, int n) { c[0] = a[0]; }\n"
WRAPPED = "void run(float *x, float *y) { k<<<1, 1>>>(x, y, 4); }\n"
ALLOCATED = "float *a, *c; cudaMalloc(&a, 4); cudaMalloc(&c, 4); "

SEPARATE = {
    "two allocations": f"int main() {{ {ALLOCATED} k<<<1, 1>>>(c, a, 4); }}",
    "an offset into each": f"int main() {{ {ALLOCATED} k<<<1, 1>>>(c + 1, &a[2], 4); }}",
    "exchanged by hand": f"int main() {{ {ALLOCATED} float *t = a; a = c; c = t; k<<<1, 1>>>(c, a, 4); }}",
    "exchanged by std::swap": f"int main() {{ {ALLOCATED} std::swap(a, c); k<<<1, 1>>>(c, a, 4); }}",
    "through a wrapper": f"void run(float *x, float *y) {{ k<<<1, 1>>>(x, y, 4); }}\nint main() {{ {ALLOCATED} run(c, a); }}",
    "through a function that is passed on": (
        f"{WRAPPED}static void time(void (*what)(float *, float *)) {{ {ALLOCATED} what(c, a); what(a, c); }}\nint main() {{ time(run); }}"
    ),
    "allocated by a helper": (
        "float *make(int n) { float *p; cudaMalloc(&p, n); return p; }\n"
        "int main() { float *a = make(4), *c = make(4); k<<<1, 1>>>(c, a, 4); }"
    ),
    "vectors": "int main() { thrust::device_vector<float> a(4), c(4); k<<<1, 1>>>(c.data(), a.data(), 4); }",
    "members allocated apart": (
        "struct P { float *a, *c; };\nint main() { P p; cudaMalloc(&p.a, 4); cudaMalloc(&p.c, 4); k<<<1, 1>>>(p.c, p.a, 4); }"
    ),
}
OVERLAPPING = {
    "the same buffer": f"int main() {{ {ALLOCATED} k<<<1, 1>>>(a, a, 4); }}",
    "parts of one buffer": f"int main() {{ {ALLOCATED} k<<<1, 1>>>(a, a + 2, 4); }}",
    "a copy of the pointer": f"int main() {{ {ALLOCATED} c = a; k<<<1, 1>>>(c, a, 4); }}",
    "one of two by choice": f"int main(int n, char **) {{ {ALLOCATED} k<<<1, 1>>>(c, n ? a : c, 4); }}",
    "the second launch only": f"int main() {{ {ALLOCATED} k<<<1, 1>>>(c, a, 4); k<<<1, 1>>>(c, c, 4); }}",
    "through a wrapper": f"void run(float *x) {{ k<<<1, 1>>>(x, x, 4); }}\nint main() {{ {ALLOCATED} run(c); }}",
    "a pool behind a helper": (
        "static float *pool; float *get() { if (!pool) cudaMalloc(&pool, 4); return pool; }\n"
        "int main() { float *a = get(), *c = get(); k<<<1, 1>>>(c, a, 4); }"
    ),
    "a member set elsewhere": (
        "struct P { float *a, *c; };\nint main() { P p; cudaMalloc(&p.a, 4); p.c = p.a; k<<<1, 1>>>(p.c, p.a, 4); }"
    ),
    "through a function that is passed on": (
        f"{WRAPPED}void time(void (*what)(float *, float *)) {{ {ALLOCATED} what(c, c); }}\nint main() {{ time(run); }}"
    ),
    "through a function that is kept": (
        f"{WRAPPED}void (*kept)(float *, float *);\nvoid time(void (*what)(float *, float *)) {{ {ALLOCATED} what(c, a); kept = what; }}\n"
        "int main() { time(run); }"
    ),
    "launched through a pointer": f"int main() {{ {ALLOCATED} auto f = k; f<<<1, 1>>>(c, a, 4); }}",
}


def verdict(host: str) -> Overlap | NoCallers | None:
    tree = SyntaxTree(KERNEL + host)
    kernel = next(f for f in functions(tree) if f.name == "k")
    return overlap(tree, kernel, "c", "a")


@pytest.mark.parametrize("host", SEPARATE.values(), ids=SEPARATE.keys())
def test_these_launches_keep_the_pointers_apart(host):
    assert verdict(host) is None


@pytest.mark.parametrize("host", OVERLAPPING.values(), ids=OVERLAPPING.keys())
def test_these_launches_may_let_them_overlap(host):
    assert isinstance(verdict(host), Overlap)


@pytest.mark.parametrize("host", ["", "void run(float *x, float *y) { k<<<1, 1>>>(x, y, 4); }"])
def test_nothing_is_known_without_callers(host):
    assert isinstance(verdict(host), NoCallers)


def test_the_reason_names_the_line_and_the_buffer():
    found = verdict(OVERLAPPING["parts of one buffer"])
    assert isinstance(found, Overlap)
    assert found.reason == "line 2 passes memory of `a` for both `c` and `a`"


APART = RecordedFacts("k", FactsOrigin.RECORDED, 1, 1, (), (), (PointerPair("c", "a", Separation.APART, 1),), ())


@pytest.mark.parametrize(
    ("host", "is_shown"),
    [
        ("k<<<1, 1>>>(c, n ? a : c, 4);", True),
        ("float *p = n > 1 ? c : a; k<<<1, 1>>>(a, p, 4);", True),
        ("k<<<1, 1>>>((float *)(n ? a + 1 : c), c + 2, 4);", True),
        ("k<<<1, 1>>>(n ? a : c, n ? c : a, 4);", False),
        ("float *p = a; if (n > 1) p = c; k<<<1, 1>>>(c, p, 4);", False),
        ("k<<<1, 1>>>(c, n ? a : nullptr, 4);", False),
    ],
)
def test_a_choice_that_may_be_the_same_buffer_is_no_matter_of_what_ran(host: str, is_shown: bool) -> None:
    tree = SyntaxTree(f"{KERNEL}int main(int n, char **) {{ {ALLOCATED} {host} }}\n")
    kernel = next(f for f in functions(tree) if f.name == "k")
    found = overlap(tree, kernel, "c", "a", APART)
    assert isinstance(found, Overlap) == is_shown
    assert is_shown or isinstance(found, ApartAsRecorded)
