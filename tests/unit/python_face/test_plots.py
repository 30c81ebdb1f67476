"""A profile as a table and as a drawing, and what is said where their libraries are missing."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pandas does not say all of its types.

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from assistant.model import event_parts, events
from assistant.model.event_parts import ProfileLine
from assistant.model.profile import InstructionMix
from assistant.model.roofline import Ceiling, Point, Roofline
from kernelopt.plots import Lines, roofline_figure
from kernelopt.results import JobFailed, ProfileResult

LINES = Lines(
    (
        ProfileLine("k.cu", 6, "global load", 32, 1000, 125, 125, None, None, "exact", ""),
        ProfileLine("k.cu", 9, "shared load", 8, 256, None, None, 64, 8, "estimated", "loops were unrolled"),
    )
)
ROOFLINE = Roofline((Point("L2", 0.25, 1e11, 1.4e12),), (Ceiling("DRAM", 4.8e12, None), Ceiling("fp32", None, 66.9e12)), "h200")

DEVICE = event_parts.Device("CPU emulator (sm_90 rules)", "cpu", "h200")
PROFILE = events.Profile(
    job="J1", kernel="k(float *)", instance="k(float *)", launch=0, grid=(1, 1, 1), block=(32, 1, 1), shared_bytes=0, device=DEVICE,
    method="emulator", totals={}, instructions=InstructionMix(), lines=(), findings=(), evidence=(), problems=(), predicted=None,
    occupancy=None, roofline=Roofline((), (), "h200"),
)  # fmt: skip


def test_lines_become_a_table_in_which_what_does_not_apply_is_missing() -> None:
    table = LINES.to_dataframe()
    assert list(table["line"]) == [6, 9] and table["sectors"].isna().tolist() == [False, True]
    assert table.loc[table["op"] == "shared load", "wavefronts"].item() == 64


def test_the_launch_is_drawn_below_the_limits_of_its_target() -> None:
    (axes,) = roofline_figure(ROOFLINE).axes
    assert axes.get_title() == "h200" and axes.get_ylabel() == "operations per second, predicted"
    assert [line.get_label() for line in axes.lines[:2]] == ["DRAM", "fp32"]
    point = axes.lines[2]
    assert (np.asarray(point.get_xdata()).tolist(), np.asarray(point.get_ydata()).tolist()) == ([0.25], [1e11])
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")


@pytest.mark.parametrize(
    ("library", "use"), [("pandas", "Lines().to_dataframe()"), ("matplotlib", "roofline_figure(Roofline((), (), 'h200'))")]
)
def test_a_library_that_is_missing_is_named_with_how_to_get_it(library: str, use: str) -> None:
    script = f"""
import sys
sys.modules[{library!r}] = None
from assistant.model.roofline import Roofline
from kernelopt import MissingLibrary
from kernelopt.plots import Lines, roofline_figure
from kernelopt.results import JobFailed, ProfileResult
try:
    {use}
except MissingLibrary as error:
    print(error.message, "|", error.remedy, isinstance(error, ImportError))
"""
    said = subprocess.run((sys.executable, "-c", script), capture_output=True, text=True, check=True).stdout
    assert said.strip() == f"this needs {library}, which is not installed | pip install {library}, or kernelopt[plot] True"


def test_without_machine_code_the_way_to_a_roofline_is_told() -> None:
    with pytest.raises(JobFailed, match="machine code, which was not read here") as raised:
        ProfileResult((PROFILE,)).plot_roofline()
    assert "kernelopt[cuda]" in raised.value.remedy
