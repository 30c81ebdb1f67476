"""Symbols as a GPU's recorder sees them, as names of the source."""

from __future__ import annotations

import pytest

from assistant.device.capture.demangle import function_name


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_Z2trILi1EEvPfPKfi", "tr<1>(float*, float const*, int)"),
        ("plain_c", "plain_c"),
        ("__nv_static_28__a35b06a6_7_sums_cu_34166a65__Z4workPKfPfi", "work(float const*, float*, int)"),
        (
            "__nv_static_28__d7b31956_7_fill_cu_40843cb3__ZN39_GLOBAL__N__d7b31956_7_fill_cu_40843cb34workEPffi",
            "(anonymous namespace)::work(float*, float, int)",
        ),
    ],
)
def test_a_symbol_is_the_kernel_that_its_author_wrote(symbol: str, name: str) -> None:
    assert function_name(symbol) == name


def test_a_kernel_that_another_file_has_too_carries_its_file() -> None:
    symbol = "__nv_static_28__a35b06a6_7_sums_cu_34166a65__Z4workPKfPfi"
    assert function_name(symbol, {("sums_cu", "work"): "sums.cu"}) == "sums.cu:work(float const*, float*, int)"
