"""The example scripts, and the example project's own suite, as somebody would run them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[3] / "examples" / "python"
_DEADLINE_S = 300.0


def run(folder: Path, *command: str) -> str:
    ended = subprocess.run((sys.executable, *command), cwd=folder, capture_output=True, text=True, timeout=_DEADLINE_S, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The examples where they may be written to."""
    return Path(shutil.copytree(EXAMPLES, tmp_path / "python"))


def test_a_race_is_found_in_a_script(copied: Path) -> None:
    said = run(copied, "histogram.py")
    assert said.startswith("line 8: shared race") and said.endswith("with an atomic: as numpy.bincount\n")


@pytest.mark.thorough
def test_scripts_check_profile_and_accept(copied: Path) -> None:
    assert "line 10: global load, 6144 sectors, at least 6144" in run(copied, "layernorm.py")
    assert "written into heat.cu" in run(copied, "faster.py", "--accept")
    assert "2.0f * now[i]" in (copied / "heat.cu").read_text()


SUITE = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--kernelopt-device=cpu")


def test_a_projects_suite_passes(copied: Path) -> None:
    assert "4 passed" in run(copied / "project", *SUITE)


@pytest.mark.thorough
def test_a_mistake_in_a_kernel_fails_the_projects_suite(copied: Path) -> None:
    project = copied / "project"
    kernel = project / "kernels" / "rmsnorm.cu"
    kernel.write_text(kernel.read_text().replace("sum / cols", "sum / 32"))
    failed = subprocess.run((sys.executable, *SUITE), cwd=project, capture_output=True, text=True, timeout=_DEADLINE_S, check=False)
    assert failed.returncode == 1 and "The smallest input that fails like this:" in failed.stdout, failed.stdout
