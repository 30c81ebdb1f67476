"""Kernels whose loops add to an element of global memory get the plans of kernels that add to a local."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.edits import apply_edits
from tests.unit.plan.planner.planned import planned

DATA = Path(__file__).resolve().parents[3] / "data" / "plan" / "kept-sums"
PROGRAMS = sorted(path.stem for path in DATA.glob("*.cu") if ".expected" not in path.name)


def text_of(name: str) -> str:
    return (DATA / f"{name}.cu").read_text("utf-8")


@pytest.mark.parametrize("name", PROGRAMS)
def test_running_values_go_to_registers_and_their_loop_is_shared(name):
    text = text_of(name)
    assert apply_edits(text, planned(text)[0].edits) == text_of(f"{name}.expected")


@pytest.mark.parametrize("name", PROGRAMS)
def test_windows_line_ends_are_kept(name):
    text = text_of(name).replace("\n", "\r\n")
    after = apply_edits(text, planned(text)[0].edits)
    assert isinstance(after, str) and after.replace("\r\n", "").count("\n") == 0


def test_the_summary_says_what_is_in_a_register():
    found = planned(text_of("two_products_of_a_row"))
    assert found[0].summary == (
        "Let the 32 lanes of a warp share each row, with `tmp[i]` in the register `tmp_acc`; `y[i]` in the register `y_acc`."
    )


def test_an_element_that_the_loop_reads_elsewhere_stays_in_memory():
    text = text_of("transposed_product").replace("* y[r];", "* y[r] + x[r % 3];")
    assert planned(text) == ()
