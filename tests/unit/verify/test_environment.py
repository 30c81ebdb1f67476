"""Device code that asks where it runs is labelled; ordinary device code is not."""

from __future__ import annotations

import pytest

from assistant.model.doubts import Doubt
from assistant.model.verification import Label
from assistant.verify.environment import doubt_labels, environment_labels

ASKS = {
    "if (__builtin_constant_p(n)) v = 1;": Label.ASSUMPTION,
    "if (__builtin_is_constant_evaluated()) v = 1;": Label.ASSUMPTION,
    "if (std::is_constant_evaluated()) v = 1;": Label.ASSUMPTION,
    "v = __LINE__;": Label.ASSUMPTION,
    "v = __FILE__[0];": Label.ASSUMPTION,
    "v = sizeof(__PRETTY_FUNCTION__);": Label.ASSUMPTION,
    "v = __builtin_LINE();": Label.ASSUMPTION,
    "v = sizeof(threadIdx) == 12;": Label.ASSUMPTION,
    'v = sizeof("text");': Label.ASSUMPTION,
    "decltype(threadIdx.x) t = 0;": Label.ASSUMPTION,
    "if constexpr (std::is_same_v<decltype(blockDim), dim3>) v = 1;": Label.ASSUMPTION,
    "if constexpr (noexcept(clock64())) v = 1;": Label.ASSUMPTION,
    "if constexpr (warpSize == 32) v = 1;": Label.ASSUMPTION,
    "constexpr int w = warpSize;": Label.ASSUMPTION,
    "long double d = v;": Label.ASSUMPTION,
    "v = fegetround();": Label.ASSUMPTION,
    "v = FLT_EVAL_METHOD;": Label.ASSUMPTION,
    "v = std::numeric_limits<float>::has_denorm;": Label.ASSUMPTION,
    "__attribute__((optimize(3))) int q;": Label.ASSUMPTION,
    "v = __builtin_ia32_rdtsc();": Label.ASSUMPTION,
    "v = clock64();": Label.NON_DETERMINISM,
    "__nanosleep(8);": Label.NON_DETERMINISM,
    'asm("mov.u32 %0, %%smid;" : "=r"(v));': Label.NON_DETERMINISM,
    'asm volatile("mov.u64 %0, %globaltimer;" : "=l"(v));': Label.NON_DETERMINISM,
    "v = __activemask();": Label.NON_DETERMINISM,
    "using namespace std;\n__device__ float accumulate(float a, float b) { return a; }": Label.ASSUMPTION,
    "f(threadIdx);\ntemplate <class T> void f(T &&t) {}": Label.ASSUMPTION,
}


@pytest.mark.parametrize("code", ["assert((p = atomicAdd(c, 1)) < n);", "assert(k++ < n);", "assert((v += w) >= 0);"])
def test_work_inside_an_assertion_is_labelled(code: str) -> None:
    assert [found.label for found in environment_labels("int v;", f"int v;\n{code}")] == [Label.ASSUMPTION]
    assert environment_labels("int v;", "int v;\nassert(v >= 0 && v <= n && v != w && p[v] == 1);") == ()


@pytest.mark.parametrize(("code", "label"), ASKS.items())
def test_what_asks_where_it_runs_is_labelled_and_only_in_the_edit(code: str, label: Label) -> None:
    assert label in {found.label for found in environment_labels("int v;", f"int v;\n{code}")}
    assert environment_labels(code, code) == ()


@pytest.mark.parametrize(
    "code",
    [
        "for (int k = 0; k < sizeof(a) / sizeof(a[0]); k++) v += a[k];",
        "if constexpr (sizeof(T) == 4) v = 1;",
        "if constexpr (std::is_same_v<T, float>) v = expf(v);",
        "static_assert(sizeof(float4) == 16); v = n % (sizeof(float4) / sizeof(float));",
        'asm("mov.u32 %0, %%laneid;" : "=r"(v));',
        "__attribute__((aligned(16))) float t[4]; __attribute__((always_inline)) int q; [[maybe_unused]] int r;",
        "v = __builtin_popcount(n) + __builtin_expect(n, 1) + __shfl_xor_sync(~0u, n, warpSize / 2);",
        "decltype(v) w = v; auto lane = threadIdx.x % warpSize;",
        "dim3 at = threadIdx; flat(threadIdx, blockDim);",
        "__device__ float reduce(float a) { return a; }",
        "__shared__ half h[64]; v = sizeof(__half2);",
    ],
)
def test_ordinary_device_code_has_no_label(code: str) -> None:
    assert environment_labels("int v;", f"int v;\n{code}") == ()


def test_doubts_that_the_original_has_too_are_not_reported() -> None:
    guard, number = Doubt("alignment", "k", "x", "(uintptr_t)x&15", 3), Doubt("address", "k", "x", "(uintptr_t)x", 4)
    assert doubt_labels((guard,), (guard,)) == ()
    (first, second) = doubt_labels((guard,), (guard, guard, number))
    assert (first.label, first.line) == (Label.ALIGNMENT, 3) and (second.label, second.line) == (Label.ASSUMPTION, 4)
