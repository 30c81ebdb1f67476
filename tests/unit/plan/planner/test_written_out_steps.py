"""Reductions of a block whose steps are written out get the shuffles that those in loops get."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.edits import apply_edits
from tests.unit.plan.planner.planned import planned

DATA = Path(__file__).resolve().parents[3] / "data" / "plan" / "written-out-steps"
PROGRAMS = sorted(path.stem for path in DATA.glob("*.cu") if ".expected" not in path.name)


def text_of(name: str) -> str:
    return (DATA / f"{name}.cu").read_text("utf-8")


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_steps_become_shuffles(name):
    text = text_of(name)
    assert apply_edits(text, planned(text, "block-shuffles")[0].edits) == text_of(f"{name}.expected")


@pytest.mark.parametrize("name", PROGRAMS)
def test_windows_line_ends_are_kept(name):
    text = text_of(name).replace("\n", "\r\n")
    after = apply_edits(text, planned(text, "block-shuffles")[0].edits)
    assert isinstance(after, str) and after.replace("\r\n", "").count("\n") == 0


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("sum_with_a_volatile_tail", "    if (t < 64) s[t] += s[t + 64];\n", ""),
        ("sum_with_a_volatile_tail", "v[t] += v[t + 4];", "v[t] += v[t + 6];"),
        ("sum_with_a_volatile_tail", "v[t] += v[t + 2];", "v[t] *= v[t + 2];"),
        ("sum_with_a_volatile_tail", "out[blockIdx.x] = s[0];", "out[blockIdx.x] = s[0] + s[1];"),
        ("sum_with_a_volatile_tail", "if (t < 128)", "if (t < 200)"),
        ("template_with_a_helper", "reduce6<128><<<blocks, 128>>>", "reduce6<64><<<blocks, 128>>>"),
        ("template_with_a_helper", "sdata[tid + 8];", "sdata[tid + 8] + 1;"),
        ("loop_and_a_warps_tail", "s > 32;", "s > 64;"),
    ],
)
def test_steps_that_do_not_put_the_whole_block_together_stay_as_they_are(name, old, new):
    text = text_of(name)
    assert old in text
    assert planned(text.replace(old, new), "block-shuffles") == ()
