"""What blocks of a launch could signal to each other with, as the translator sees it."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.emulator.translate.unit import TranslatedUnit, translate

MAIN = Path("/user/main.cu")
KERNEL = "__global__ void k(int* p) { *p = 1; }\n"


@pytest.mark.parametrize(
    ("statement", "communicates"),
    [
        ("atomicAdd(p, 1);", False),
        ("if (*p) atomicMax(p, 1); else ::atomicAdd(p, 2);", False),
        ("for (int i = 0; i < 2; i++) atomicAdd(p, i);", False),
        ("int old = atomicAdd(p, 1);", True),
        ("if (atomicAdd(p, 1) == 3) *p = 0;", True),
        ("while (atomicCAS(p, 0, 1)) {}", True),
        ("int x = *p ? 1 : atomicAdd(p, 1);", True),
        ("for (;; atomicAdd(p, 1)) {}", True),
        ("*(volatile int*)p = 1;", True),
        ("__threadfence();", True),
        ("__threadfence_block(); __syncthreads();", False),
        ("__nanosleep(10);", True),
        ('asm volatile("membar.gl;");', True),
        ('asm("fence.acq_rel.gpu;" ::: "memory");', True),
        ('int x; asm volatile("ld.global.acquire.gpu.s32 %0, [%1];" : "=r"(x) : "l"(p));', True),
        ('int x; asm("ld.global.cg.s32 %0, [%1];" : "=r"(x) : "l"(p));', True),
        ('int x; asm volatile("atom.global.add.s32 %0, [%1], 1;" : "=r"(x) : "l"(p));', True),
        ('int x; asm volatile("mov.u32 %0, %laneid;" : "=r"(x));', False),
        ('asm volatile("st.global.s32 [%0], 1;" :: "l"(p) : "memory");', False),
        ('volatile int x = 1; asm("mov.u32 %0, %laneid;" : "=r"(x));', True),
    ],
)
def test_what_blocks_could_signal_with_is_recognised(statement: str, communicates: bool) -> None:
    unit = translate({MAIN: f"__global__ void k(int* p) {{ {statement} }}\n"}, ())
    assert isinstance(unit, TranslatedUnit) and unit.communicates is communicates


@pytest.mark.parametrize(
    "text",
    [
        "#define LAST(p) (atomicAdd(p, 1) == 3)\n",
        "__device__ volatile int ready;\n",
        "struct Lock { int* word; __device__ void take() { while (atomicExch(word, 1)) {} } };\n",
    ],
)
def test_macros_members_and_variables_may_hold_such_operations(text: str) -> None:
    unit = translate({MAIN: text + KERNEL}, ())
    assert isinstance(unit, TranslatedUnit) and unit.communicates


def test_host_code_signals_to_no_block() -> None:
    unit = translate({MAIN: f"{KERNEL}void f() {{ volatile int x = 1; }}\n"}, ())
    assert isinstance(unit, TranslatedUnit) and not unit.communicates
