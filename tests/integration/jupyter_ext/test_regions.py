"""The part of a cell's program that speeds are of, through the magic in an IPython process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.engine.homes import home_with_kept_builds
from tests.programs_of_steps import COPIED, SWAPPED

_PROGRAM = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "jupyter_ext")
for line, cell in {cells!r}:
    shell.run_cell(f"%%kernelopt {{line}}\\n{{cell}}")
"""


def said(folder: Path, *cells: tuple[str, str]) -> str:
    """What a process prints that runs these cells, one after the other."""
    home = home_with_kept_builds(folder)
    environment = {**os.environ, "KERNELOPT_HOME": str(home), "IPYTHONDIR": str(home)}
    command = (sys.executable, "-c", _PROGRAM.format(cells=cells))
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, cwd=folder)
    return done.stdout + done.stderr


@pytest.mark.thorough
def test_a_cell_is_judged_by_the_region_that_its_line_names(tmp_path: Path) -> None:
    line = "--region step --device cpu --until profile --wait"
    told = said(tmp_path, (line, COPIED), (line, SWAPPED))
    assert "PREDICTED" in told and "a call of step" in told, told


def test_a_misspelt_function_is_said_at_once(tmp_path: Path) -> None:
    told = said(tmp_path, ("--region stp --wait", COPIED), ("--region step", "__global__ void k() {}\n"))
    assert "the program defines no function stp" in told and "did you mean step?" in told, told
    assert "the cell has no main()" in told
