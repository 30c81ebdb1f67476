"""Inline PTX of a warp's products of doubles becomes a call that does them; nothing else of tensor cores does."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.emulator.translate.unit import TranslatedUnit, translate

MAIN = Path("/user/main.cu")
PRODUCT = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64"


def unit_of(statement: str) -> TranslatedUnit:
    unit = translate({MAIN: f"__device__ void f() {{ {statement} }}"}, ())
    assert isinstance(unit, TranslatedUnit)
    return unit


@pytest.mark.parametrize(
    ("statement", "becomes"),
    [
        (
            f'asm("{PRODUCT} " "{{%0,%1}}, {{%3}}, {{%2}}, {{%0,%1}};\\n" : "+d"(x), "+d"(y) : "d"(b), "d"(a[1]));',
            "emu_product_of_doubles(x, y, a [ 1 ], b);",
        ),
        (
            f'asm volatile("{PRODUCT.replace("m8", "m16")} {{%0, %1, %2, %3}}, {{%4, %5}}, {{%6}}, {{%0, %1, %2, %3}};"'
            ' : "+d"(s[0]), "+d"(s[1]), "+d"(s[2]), "+d"(s[3]) : "d"(a), "d"(c), "d"(b) : "memory");',
            "emu_product_of_doubles(s [ 0 ], s [ 1 ], s [ 2 ], s [ 3 ], a, c, b);",
        ),
    ],
)
def test_a_product_becomes_a_call(statement: str, becomes: str) -> None:
    assert f"{{ {becomes} }}" in unit_of(statement).files[0].edited.text


@pytest.mark.parametrize(
    "statement",
    [
        f'asm("{PRODUCT} {{%0,%1}}, {{%2}}, {{%3}}, {{%0,%1}};" : "=d"(x), "=d"(y) : "d"(a), "d"(b));',
        f'asm("{PRODUCT} {{%0,%1}}, {{%2}}, {{%3}}, {{%4,%4}};" : "+d"(x), "+d"(y) : "d"(a), "d"(b), "d"(c));',
        f'asm("{PRODUCT} {{%0,%1}}, {{%2}}, {{%4}}, {{%0,%1}};" : "+d"(x), "+d"(y) : "d"(a), "d"(b));',
        'asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0}, {%1}, {%2}, {%0};" : "+f"(x) : "r"(a), "r"(b));',
    ],
)
def test_another_one_is_refused(statement: str) -> None:
    assert "inline PTX" in unit_of(statement).contained[0].message
