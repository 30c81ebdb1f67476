"""A recording's kernel is found in a build, however the demangler spells it."""

from __future__ import annotations

import pytest

from assistant.build.symbols import name_in_code, symbol_for

KERNELS = (
    ("void tr<1>(float *, const float *, int)", "_Z2trILi1EEvPfPKfi"),
    ("void tr<2>(float*, float const*, int)", "_Z2trILi2EEvPfPKfi"),
    ("ns::(anonymous namespace)::k(int*)", "_ZN2ns12_GLOBAL__N_11kEPi"),
    ("voids(int)", "_Z5voidsi"),
)


@pytest.mark.parametrize(
    ("name", "symbol"),
    [
        ("tr<2>(float*, float const*, int)", "_Z2trILi2EEvPfPKfi"),
        ("_Z2trILi1EEvPfPKfi", "_Z2trILi1EEvPfPKfi"),
        ("ns::k(int*)", "_ZN2ns12_GLOBAL__N_11kEPi"),
        ("ns::k(long*)", "_ZN2ns12_GLOBAL__N_11kEPi"),  # the only one of that name: an edit may change parameters
        ("voids(int)", "_Z5voidsi"),
        ("tr<3>(float*)", None),  # two it could be
        ("absent(int)", None),
    ],
)
def test_the_kernel_of_a_name(name: str, symbol: str | None) -> None:
    assert symbol_for(name, KERNELS) == symbol


@pytest.mark.parametrize(
    ("kernel", "parts"),
    [
        ("(anonymous namespace)::corr(int const*, int)", ("corr", "(int const*, int)")),
        ("ns::(anonymous namespace)::k<1>(int*)", ("ns::k<1>", "(int*)")),
        ("count<int, (Mode)1>(int const*, int)", ("count<int, (Mode)1>", "(int const*, int)")),
        ("each<Box<(Mode)0>, (3 > 2)>(void (*)(int))", ("each<Box<(Mode)0>, (3 > 2)>", "(void (*)(int))")),
        ("k", ("k", "")),
    ],
)
def test_a_name_as_source_text_has_it(kernel: str, parts: tuple[str, str]) -> None:
    assert name_in_code(kernel) == parts
