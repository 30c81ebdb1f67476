"""Kernels of PyTorch extensions on a lab without GPU: declared launches are run by the emulator, and no Python of the project is."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import pytest

from tests.e2e.cli.harness import DATA, Cli

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="the sources need PyTorch's headers")

ROPE = """
[workload.rope_kernel]
args   = { q = "randn(heads*64)", heads = "heads" }
grid   = ["heads"]
block  = [32]
shapes = [{ heads = 24 }]
boundary = false
"""
RMS = """
[workload.rms_rows]
kernel = "rr::rms_rows<__half, 128>"
args   = { out = "empty(rows*cols)", in = "randn(rows*cols)", weight = "randn(cols)", cols = "cols", eps = 0.5 }
grid   = ["rows"]
block  = [128]
shapes = [{ rows = 5, cols = 200 }]
boundary = false
"""
SOFTMAX = """
[workload.seg_softmax]
kernel = "seqops::seg_softmax_kernel<__half>"
args   = { y = "empty(rows*cols)", lse = "empty(rows)", x = "randn(rows*cols)", rows = "rows", cols = "cols", scale = 0.5 }
grid   = ["ceil(rows/4)"]
block  = [32, 4]
shapes = [{ rows = 10, cols = 100 }]
boundary = false
"""


def project(cli: Cli, name: str) -> Path:
    """A copy of a project, in which a script that is started would leave its mark."""
    folder = cli.folder / name
    shutil.copytree(DATA / "programs" / name, folder)
    for script in folder.rglob("*.py"):
        script.write_text(f"{script.read_text()}\nopen(__file__ + '.ran', 'w')\n")
    return folder


def check_nothing_ran(folder: Path) -> None:
    assert not list(folder.rglob("*.ran"))
    assert not list(folder.rglob("*.so"))


@pytest.mark.thorough
def test_without_a_workload_it_is_said_what_answers_and_what_to_write(cli: Cli) -> None:
    folder = project(cli, "torch_jit_headers")
    for command in (("check",), ("profile",), ("optimize", "--accept", "none")):
        ended = cli.run(command[0], folder / "kernels" / "rope.cu", *command[1:], "--device", "cpu")
        assert ended.code == 3, ended.said
        assert "kernelopt inspect still answers" in ended.said
        assert f"kernelopt init {folder / 'kernels' / 'rope.cu'} writes [workload.KERNEL]" in ended.said
    check_nothing_ran(folder)


@pytest.mark.thorough
def test_the_table_that_init_writes_is_run_by_the_emulator(cli: Cli) -> None:
    folder = project(cli, "torch_dispatch_ops")
    file = folder / "csrc" / "cuda" / "masked_add.cu"
    assert cli.run("init", file).code == 0
    ended = cli.run("check", file, "--device", "cpu", "--json")
    assert ended.code == 0, ended.said
    assert [event["launch_count"] for event in ended.all("check")] == [2, 2], "two kernels, one of half precision, of two shapes each"
    check_nothing_ran(folder)


@pytest.mark.thorough
def test_an_edit_of_a_declared_kernel_is_judged(cli: Cli) -> None:
    folder = project(cli, "torch_jit_headers") / "kernels"
    (folder / "rope.kernelopt.toml").write_text(ROPE)
    (folder / "wrong.kernelopt.toml").write_text(ROPE)
    text = (folder / "rope.cu").read_text()
    (folder / "wrong.cu").write_text(text.replace("a*sinf(angle) + b", "a*sinf(angle) - b"))
    ended = cli.run("compare", folder / "rope.cu", folder / "wrong.cu", "--device", "cpu", "--json")
    assert ended.code == 1, ended.said
    codes = {finding["code"] for finding in ended.all("comparison")[-1]["verification"]["findings"]}
    assert "wrong_value" in codes
    check_nothing_ran(folder.parent)


@pytest.mark.thorough
def test_a_right_edit_passes_and_its_time_is_predicted(cli: Cli) -> None:
    folder = project(cli, "torch_jit_headers") / "kernels"
    (folder / "rope.kernelopt.toml").write_text(ROPE)
    (folder / "right.kernelopt.toml").write_text(ROPE)
    text = (folder / "rope.cu").read_text()
    (folder / "right.cu").write_text(text.replace("a*cosf(angle)", "cosf(angle)*a"))
    ended = cli.run("compare", folder / "rope.cu", folder / "right.cu", "--device", "cpu", "--json")
    assert ended.code == 0, ended.said
    assert ended.all("comparison")[-1]["verification"]["outcome"] == "PASS"


@pytest.mark.thorough
def test_a_template_in_a_header_is_checked_with_half_precision(cli: Cli) -> None:
    folder = project(cli, "torch_jit_headers")
    (folder / "kernels" / "rms.kernelopt.toml").write_text(RMS)
    ended = cli.run("check", folder / "kernels" / "rms.cuh", "--device", "cpu", "--json")
    assert ended.code == 0, ended.said
    assert [event["problems"] for event in ended.all("check")] == [[]]


@pytest.mark.thorough
def test_a_kernel_beside_one_of_tensor_types_is_profiled(cli: Cli) -> None:
    folder = project(cli, "torch_dispatch_ops")
    file = folder / "csrc" / "cuda" / "seg_softmax.cu"
    file.with_suffix(".kernelopt.toml").write_text(SOFTMAX)
    ended = cli.run("profile", file, "--device", "cpu", "--json")
    assert ended.code == 0, ended.said
    assert ended.all("profile")[0]["kernel"].startswith("seqops::seg_softmax_kernel")
    check_nothing_ran(folder)


def test_init_leaves_out_a_kernel_of_tensor_types_and_says_why(cli: Cli) -> None:
    file = project(cli, "torch_dispatch_ops") / "csrc" / "cuda" / "seg_softmax.cu"
    ended = cli.run("init", file)
    assert ended.code == 0, ended.said
    assert "[workload.pad_rows_kernel]" not in file.read_text()
    assert "give the kernel pointers and sizes" in ended.said


@pytest.mark.thorough
def test_edits_of_a_declared_kernel_are_searched(cli: Cli) -> None:
    folder = project(cli, "torch_jit_headers")
    (folder / "kernels" / "rope.kernelopt.toml").write_text(ROPE)
    ended = cli.run("optimize", folder / "kernels" / "rope.cu", "--accept", "none", "--device", "cpu", "--json")
    assert ended.code == 0, ended.said
    check_nothing_ran(folder)


@pytest.mark.parametrize(
    ("name", "script", "source"),
    [("torch_glob_sources", "fastops.py", "native/cuda/hist.cu"), ("torch_setup_and_load", "test_ops.py", "csrc/kernels.cu")],
)
def test_a_python_file_names_the_source_to_ask_about(cli: Cli, name: str, script: str, source: str) -> None:
    folder = project(cli, name)
    for command in ("inspect", "check", "profile", "optimize"):
        ended = cli.run(command, folder / script)
        assert ended.code == 2, ended.said
        assert f"name a CUDA source of that: {folder / source}" in ended.said
    check_nothing_ran(folder)
