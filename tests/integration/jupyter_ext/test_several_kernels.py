"""A cell with several kernels: which one the arrays are for, and what is said of the others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assistant.editor.tasks import Verb
from assistant.errors import UsageError
from jupyter_ext.cells import cell_of
from jupyter_ext.opening import CellOpener, MagicLine
from jupyter_ext.workshop import Workshop
from tests.deadlines import HANG_S

TEXT = """\
__global__ void prepare(unsigned seed) { if (seed == 0) printf("no seed\\n"); }
__global__ void halve(float *out, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] / 2.0f;
}
"""
TWIN = TEXT.replace("prepare(unsigned seed)", "prepare(float *out, const float *x, int n, unsigned seed)")
COMPILED_ONLY = "compiled only: to verify, profile and improve prepare, "


def notes_of(workshop: Workshop, folder: Path, text: str, line: MagicLine) -> tuple[str, ...]:
    """What is said below the cell, with what began for it ended."""
    opening = CellOpener(workshop, {"x": np.ones(64, np.float32), "out": np.zeros(64, np.float32)})
    found = opening.open(cell_of(f"%%kernelopt\n{text}", folder / "lab.ipynb", "c1"), line)
    workshop.cancel(found.run)
    return found.notes


def test_arrays_go_to_the_only_kernel_that_takes_them_and_the_others_are_named(workshop: Workshop, tmp_path: Path) -> None:
    said = notes_of(workshop, tmp_path, TEXT, MagicLine(args="out=out,x=x,n=64", grid="1", block="64", until="check"))
    assert "halve is verified, profiled and improved; prepare is only compiled; %%kernelopt prepare … is about it" in said
    assert not any("zeros alone" in note for note in said)
    named = MagicLine("halve", args="out=out,x=x,n=64", grid="1", block="64", until="check")
    assert notes_of(workshop, tmp_path, TEXT, named) == (), "who names one knows that there are others"


def test_arrays_that_several_kernels_take_need_a_name(workshop: Workshop, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="arrays are bound to one kernel, and the cell has prepare, halve"):
        notes_of(workshop, tmp_path, TWIN, MagicLine(args="out=out,x=x,n=64", grid="1", block="64"))


def test_a_kernel_without_arrays_is_told_what_it_needs(workshop: Workshop, tmp_path: Path) -> None:
    alone = TEXT.partition("\n")[0] + "\n"
    assert f"{COMPILED_ONLY}say how it is launched: --args seed=… --grid … --block …" in notes_of(workshop, tmp_path, alone, MagicLine())
    bare = alone.replace("unsigned seed", "").replace("seed == 0", "true")
    assert f"{COMPILED_ONLY}say how it is launched: --grid … --block …" in notes_of(workshop, tmp_path, bare, MagicLine())
    assert notes_of(workshop, tmp_path, alone, MagicLine(args="seed=3", grid="1", block="32", until="check")) == ()


def test_a_kernel_without_an_array_to_write_is_not_searched_and_that_is_said(workshop: Workshop, tmp_path: Path) -> None:
    """Nothing of it is compared, so that each edit would be tried for nothing."""
    line = MagicLine(grid="1", block="32")
    variable = "__device__ float table[32];\n__global__ void fill() { table[threadIdx.x] = threadIdx.x; }\n"
    assert notes_of(workshop, tmp_path, variable, line) == (), "what it leaves in the variable is compared"
    inside = f"namespace inside {{ {variable} }}\n"
    (said,) = notes_of(workshop, tmp_path, inside, line)
    assert said.startswith("fill has no array to write, and what it leaves in table is not compared: it is checked and profiled")
    (said,) = notes_of(workshop, tmp_path, '__global__ void hello() { printf("hello\\n"); }\n', line)
    assert "it leaves nothing that could be compared" in said
    assert notes_of(workshop, tmp_path, TEXT.partition("\n")[2], replace(line, args="out=out,x=x,n=32")) == ()


def test_a_kernel_is_held_against_its_own_earlier_text_alone(workshop: Workshop, tmp_path: Path) -> None:
    """Naming the other kernel on the line of the same cell is no edit of the first."""
    opening = CellOpener(workshop, {"x": np.ones(64, np.float32), "out": np.zeros(64, np.float32)})
    given = {"halve": "n=64", "prepare": "n=64,seed=1"}

    def verbs(kernel: str, text: str = TWIN) -> tuple[Verb, ...]:
        cell = cell_of(f"%%kernelopt {kernel} --grid 1 --block 64\n{text}", tmp_path / "twin.ipynb", "c1")
        found = opening.open(replace(cell, path=tmp_path / "twin.ipynb.cu"), MagicLine(kernel, given[kernel], "1", "64", until="profile"))
        workshop.cancel(found.run)
        return found.run.verbs

    counted = (Verb.CHECK, Verb.PROFILE)
    assert verbs("halve") == verbs("prepare") == verbs("halve") == counted
    assert verbs("halve", TWIN.replace("/ 2.0f", "* 0.5f")) == (*counted, Verb.JUDGE)


def test_a_text_that_was_found_wrong_is_nothing_to_be_held_against(workshop: Workshop, tmp_path: Path) -> None:
    """Who repairs a kernel wants other results; the one before it, that was right, still counts."""
    opening = CellOpener(workshop, {"x": np.ones(64, np.float32), "out": np.zeros(64, np.float32)})
    line, halve = MagicLine(grid="1", block="64", args="n=64", until="profile"), TEXT.partition("\n")[2]

    def verbs(text: str) -> tuple[Verb, ...]:
        found = opening.open(cell_of(f"%%kernelopt\n{text}", tmp_path / "repaired.ipynb", "c1"), line)
        assert found.run.wait(HANG_S)
        return found.run.verbs

    wrong, counted = halve.replace("x[i]", "x[i + 1]"), (Verb.CHECK, Verb.PROFILE)
    assert [verbs(text) for text in (wrong, halve, wrong, wrong + "// again\n")] == [counted, counted, *[(*counted, Verb.JUDGE)] * 2]
    assert verbs(halve.replace("/ 2.0f", "* 0.5f")) == (*counted, Verb.JUDGE)
