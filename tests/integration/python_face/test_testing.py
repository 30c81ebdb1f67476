"""Kernels in test suites: what a failing assertion says, and the plugin in a suite of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kernelopt

ONE_TOO_MANY = """\
__global__ void scale(float *out, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) out[i] = 2.0f * x[i];
}
"""
HALF_A_WARP = """\
__global__ void row_sums(float *out, const float *x, int rows, int n)
{
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += 32) sum += x[blockIdx.x * n + i];
    for (int step = 8; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
"""


def twice(x: np.ndarray) -> np.ndarray:
    return 2 * x


def sums(x: np.ndarray, rows: int, n: int) -> np.ndarray:
    return x.reshape(rows, n).sum(1)


def failure(kernel: kernelopt.Kernel, *arguments: object, **named: object) -> str:
    with pytest.raises(AssertionError) as raised:
        kernelopt.testing.assert_kernel(kernel, arguments, **named)  # type: ignore[arg-type]
    return str(raised.value)


def test_a_right_kernel_passes(session: kernelopt.Session) -> None:
    right = kernelopt.compile(ONE_TOO_MANY.replace("<=", "<"), grid=4, block=256, session=session)
    kernelopt.testing.assert_kernel(right, (np.zeros(1000, np.float32), np.ones(1000, np.float32), 1000), ref=twice)


def test_the_test_to_paste_compiles_with_the_same_flags(session: kernelopt.Session) -> None:
    text = "__global__ void by(float *out, const float *x) { out[threadIdx.x] = FACTOR * x[threadIdx.x]; }"
    wrong = kernelopt.compile(text, grid=1, block=2, flags=["-DFACTOR=3.0f"], session=session)
    said = failure(wrong, np.zeros(2, np.float32), np.ones(2, np.float32), ref=twice)
    assert "'by', grid=(1, 1, 1), block=(2, 1, 1), flags=['-DFACTOR=3.0f'])" in said


def test_what_is_a_word_of_python_and_a_struct_are_pasted_as_they_are_given(session: kernelopt.Session) -> None:
    text = "struct Gain { int of; float by; };\n__global__ void by(float *out, const float *in, Gain g) { out[0] = g.by * in[0]; }"
    gain = np.array((1, 0.5), np.dtype([("of", np.int32), ("by", np.float32)], align=True))[()]
    wrong = kernelopt.compile(text, grid=1, block=1, session=session)
    given = {"out": np.zeros(1, np.float32), "in_": np.ones(1, np.float32), "g": gain}
    with pytest.raises(AssertionError) as raised:
        kernelopt.testing.assert_kernel(wrong, given, ref=lambda in_, g: in_ + g["by"])
    said = str(raised.value)
    written = next(line.strip() for line in said.splitlines() if line.strip().startswith("'g': "))
    assert eval(written.removeprefix("'g': ").removesuffix(","), {"np": np}) == gain and "'in': np.ones" not in said, said


@pytest.mark.thorough
def test_the_smallest_input_that_fails_is_a_test_to_paste(session: kernelopt.Session) -> None:
    wrong = kernelopt.compile(ONE_TOO_MANY, grid=lambda n: (n + 255) // 256, block=256, session=session)
    random = np.random.default_rng(1).standard_normal(700, dtype=np.float32)
    said = failure(wrong, np.zeros(700, np.float32), random, 700, ref=twice)
    first, _, test = said.partition("\n\nThe smallest input that fails like this:\n\n")
    assert first.startswith("scale: out of bounds: read of 4 bytes at offset 2800 of x, which has 700 elements: x[700]; line 4")
    assert "'out': np.full(1, 1.0, np.float32),\n        'x': np.full(1, 1.0, np.float32),\n        'n': 1,\n" in test
    pasted: dict[str, object] = {"kernelopt": kernelopt, "np": np, "twice": twice, "Path": Path}
    exec(test, pasted)
    with pytest.raises(AssertionError, match=r"x, which has 1 element"):
        pasted["test_the_smallest_failing_input_of_scale"]()  # type: ignore[operator]


@pytest.mark.thorough
def test_what_differs_from_the_reference_is_shown_on_a_single_row(session: kernelopt.Session) -> None:
    wrong = kernelopt.compile(HALF_A_WARP, grid=lambda rows: rows, block=32, session=session)
    said = failure(wrong, np.zeros(3, np.float32), np.ones((3, 40), np.float32), 3, 40, ref=sums)
    assert "differs from reference" in said
    assert "'rows': 1," in said and "grid=(1, 1, 1), block=(32, 1, 1)" in said


def test_both_accesses_of_a_race_are_named(session: kernelopt.Session) -> None:
    text = """__global__ void next(float *x)
{
    float kept = x[threadIdx.x + 1];
    x[threadIdx.x] = kept;
}"""
    racing = kernelopt.compile(text, grid=1, block=64, session=session)
    said = failure(racing, np.ones(65, np.float32), is_reduced=False)
    assert "line 4, the other access at line 3, block (0, 0, 0), thread (" in said, said


def test_the_input_is_left_as_it_is_where_that_is_asked_for(session: kernelopt.Session) -> None:
    wrong = kernelopt.compile(ONE_TOO_MANY, grid=4, block=256, session=session)
    said = failure(wrong, np.zeros(700, np.float32), np.ones(700, np.float32), 700, is_reduced=False)
    assert "smallest" not in said and "x[700]" in said


SUITE = """
import numpy as np
import kernelopt


def test_right(kernelopt_compile, kernelopt_session):
    assert kernelopt_session.device == "cpu"
    scale = kernelopt_compile("scale.cu", grid=4, block=256)
    kernelopt.testing.assert_kernel(scale, (np.zeros(1000, np.float32), np.ones(1000, np.float32), 1000), ref=lambda x: 2 * x)


def test_wrong(kernelopt_compile):
    scale = kernelopt_compile("wrong.cu", grid=1, block=64)
    kernelopt.testing.assert_kernel(scale, (np.zeros(40, np.float32), np.ones(40, np.float32), 40))
"""


OTHERS = ("cacheprovider", "hypothesispytest", "pytest-lsp", "syrupy", "xdist", "xdist.looponfail", "anyio")
"""Plugins of this environment that no suite here uses; loading them takes seconds of a processor."""


def suite(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    left_out = (word for name in OTHERS for word in ("-p", f"no:{name}"))
    command = (sys.executable, "-m", "pytest", "-q", *left_out, *options, "test_scale.py")
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=os.environ | {"PYTEST_ADDOPTS": ""})


def test_a_projects_own_suite_uses_the_fixtures(tmp_path: Path) -> None:
    (tmp_path / "scale.cu").write_text(ONE_TOO_MANY.replace("<=", "<"))
    (tmp_path / "wrong.cu").write_text(ONE_TOO_MANY)
    (tmp_path / "test_scale.py").write_text(SUITE)
    ended = suite(tmp_path, "--kernelopt-device=cpu")
    assert ended.returncode == 1 and "1 failed, 1 passed" in ended.stdout, ended.stdout + ended.stderr
    assert "AssertionError: scale: out of bounds" in ended.stdout
    assert "kernelopt.compile(Path(" in ended.stdout and "smallest.py" not in ended.stdout


REFUSED = """
import numpy as np


def test_refused(kernelopt_compile):
    scale = kernelopt_compile("scale.cu", grid=4, block=256)
    scale.check((np.zeros(40, np.float32), np.ones(40), 40))
"""


def test_a_refused_call_is_shown_at_the_tests_own_line(tmp_path: Path) -> None:
    (tmp_path / "scale.cu").write_text(ONE_TOO_MANY)
    (tmp_path / "test_scale.py").write_text(REFUSED)
    ended = suite(tmp_path, "--kernelopt-device=cpu")
    assert "BindingError: x: expected float32 for `const float *x`, got a float64 NumPy array" in ended.stdout, ended.stdout
    assert "try: pass x.astype('float32')" in ended.stdout and "test_scale.py:7: BindingError" in ended.stdout
    assert "binding.py" not in ended.stdout and "kernels.py" not in ended.stdout
    assert "binding.py" in suite(tmp_path, "--kernelopt-device=cpu", "--full-trace").stdout


def test_a_device_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "test_scale.py").write_text(SUITE)
    ended = suite(tmp_path, "--kernelopt-device=tpu", "-k", "right")
    assert ended.returncode != 0
    assert "--kernelopt-device: a device is auto, cpu, gpu or gpu:N, not 'tpu'" in ended.stdout


def test_the_plugin_loads_nothing_before_it_is_used() -> None:
    line = "import sys, kernelopt.pytest_plugin; print(sorted(m for m in sys.modules if m.split('.')[0] in ('numpy', 'assistant')))"
    done = subprocess.run((sys.executable, "-c", line), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
