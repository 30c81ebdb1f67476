"""Kernels that a unit keeps to itself: which file's they are, by the symbols of relocatable code."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.build.static_symbols import labelled, split_static, static_labels
from assistant.build.symbols import is_in_unit, symbol_for

STATIC = "__nv_static_29__3b49eb8c_8_first_cu_f153e167_"
SHIFT = "_ZN40_GLOBAL__N__3b49eb8c_8_first_cu_f153e1675shiftEPf"
SCALE = "static __global__ void scale(float* x) { *x = 1; }\n"


@pytest.mark.parametrize(
    ("symbol", "parts"),
    [
        (f"{STATIC}_Z5scalePfi", ("first_cu", "_Z5scalePfi")),
        (f"{STATIC}{SHIFT}", ("first_cu", SHIFT)),
        ("_Z5scalePfi", ("", "_Z5scalePfi")),
    ],
)
def test_the_unit_stands_in_the_symbol(symbol: str, parts: tuple[str, str]) -> None:
    assert split_static(symbol) == parts


def test_kernels_of_one_name_carry_the_file_that_their_unit_has_them_from(tmp_path: Path) -> None:
    (tmp_path / "k.cuh").write_text(SCALE)
    texts = {"a.cu": SCALE + "static __global__ void own() {}", "main.cu": '#include "k.cuh"\n'}
    sources = [(str(tmp_path / name), text) for name, text in texts.items()]
    for path, text in sources:
        Path(path).write_text(text)
    assert static_labels(sources, ()) == {("a_cu", "scale"): "a.cu", ("main_cu", "scale"): "k.cuh"}


def test_units_of_one_file_name_are_not_told_apart(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "k.cu").write_text(SCALE)
    assert static_labels([(str(tmp_path / folder / "k.cu"), SCALE) for folder in ("one", "two")], ()) == {}


def test_a_label_stands_before_the_name_as_it_is_printed() -> None:
    labels = {("first_cu", "scale"): "first.cu", ("first_cu", "shift"): "first.cu"}
    assert labelled("first_cu", "void scale<float>(float*)", labels) == "first.cu:void scale<float>(float*)"
    assert labelled("first_cu", "(anonymous namespace)::shift(float*)", labels) == "first.cu:(anonymous namespace)::shift(float*)"
    assert labelled("second_cu", "scale(float*)", labels) == "scale(float*)"


def test_of_units_linked_into_one_the_kernel_of_the_named_file_is_meant() -> None:
    kernels = (("second.cu:scale(float*)", "two"), ("first.cu:scale(float*)", "one"), ("other(float*)", "three"))
    names = ("first.cu:scale(float*)", "second.cu:scale(float*)", "other(float*)")
    assert [symbol_for(name, kernels) for name in names] == ["one", "two", "three"]
    assert is_in_unit("first.cu:scale(float*)", "/p/first.cu", kernels)
    assert not is_in_unit("third.cu:scale(float*)", "/p/third.cu", kernels)
