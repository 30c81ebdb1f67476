"""What a kernel's check, profile and comparison say from Python."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import kernelopt
from tests.integration.python_face.conftest import TEXT
from tests.thorough import first_of

Kernels = Callable[[str], kernelopt.Kernel]
N = 1000
ROOT = Path(__file__).resolve().parents[3]


def arrays() -> tuple[np.ndarray, np.ndarray, int]:
    return np.zeros(N, np.float32), np.arange(N, dtype=np.float32), N


def test_a_right_kernel_checks_clean_against_its_reference(kernel: Kernels) -> None:
    out, x, n = arrays()
    found = kernel("scale")[4, 256].check((out, x, n), ref=lambda x: 2 * x)
    assert found.ok
    assert found.is_deterministic
    assert repr(found) == "<check: no problem found>"
    found.raise_for_status()
    assert (out == 0).all(), "a check works on copies"


def test_a_difference_from_the_reference_is_a_problem(kernel: Kernels) -> None:
    def three_times(x: np.ndarray) -> np.ndarray:
        return 3 * x

    found = kernel("scale").check(arrays(), ref=three_times, grid=4)
    assert [problem.kind for problem in found.problems][:1] == ["differs_from_reference"]
    with pytest.raises(kernelopt.KernelFault, match=r"differs from reference: out\[\d+\] is .*three_times"):
        found.raise_for_status()


def test_a_defect_is_found_by_a_check(kernel: Kernels) -> None:
    found = kernel("scale").check({"out": np.zeros(10, np.float32), "x": np.ones(N, np.float32), "n": N}, grid=4)
    assert not found.ok
    with pytest.raises(kernelopt.OutOfBounds, match="out, which has 10 elements") as raised:
        found.raise_for_status()
    assert raised.value.array == "out"


def test_a_profile_counts_each_line(kernel: Kernels) -> None:
    found = kernel("scale")[4, 256].profile(arrays())
    counted = {(line.line, line.op): (line.requests, line.sectors) for line in found.lines}
    assert counted == {(6, "global load"): (32, 125), (6, "global store"): (32, 125)}
    assert found.launches[0].device.kind == "cpu"
    assert found.predicted_s is not None
    assert 0 < found.predicted_s < 1e-3
    assert repr(found).startswith("<profile of scale(float *, const float *, int): emulator>")


def test_whole_numbers_of_zeros_alone_are_noted_whatever_is_asked(kernel: Kernels, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(*_: object) -> tuple[()]:
        return ()

    def said(*given: object) -> object:
        return given[-1]

    divided = kernel("divided")
    out, x = np.zeros(256, np.int32), np.zeros(256, np.int32)
    monkeypatch.setattr(kernelopt.Session, "events", nothing)
    for name in ("checked", "compared", "proposals"):
        monkeypatch.setattr(f"kernelopt.kernels.{name}", said)
    for asked in (divided.check, divided.optimize, lambda given: kernelopt.compare(divided, divided, given)):
        (note,) = asked((out, x, 2))
        assert note.startswith("x holds zeros alone, and divided reads no other array")
        assert asked((out, x + 1, 2)) == ()


def test_other_values_are_drawn_for_floats_of_zeros_alone(kernel: Kernels) -> None:
    """On zeros three times is twice."""
    out, _, n = arrays()
    zeros = np.zeros(N, np.float32)
    right, wrong = (kernel("scale")[4, 256].check((out, zeros, n), ref=ref) for ref in (lambda x: 2 * x, lambda x: 3 * x))
    assert right.ok and right.notes == ()
    (problem,) = wrong.problems
    assert problem.message.endswith("; <lambda> at n=1000, fresh values of x (yours are zeros alone)")
    assert not zeros.any()


@pytest.mark.thorough
def test_two_kernels_are_compared(kernel: Kernels, session: kernelopt.Session) -> None:
    def edited(old: str, new: str) -> kernelopt.Kernel:
        assert old in TEXT
        return kernelopt.compile(TEXT.replace(old, new), "scale", session=session)

    scale = kernelopt.compile(TEXT, "scale", grid=4, block=256, session=session)
    right = kernelopt.compare(scale, edited("2.0f * x[i]", "x[i] + x[i]"), arrays())
    assert (right.verification, right.speed) == ("PASS", "PREDICTED")
    assert right.ratio == pytest.approx(1.0, abs=0.05)
    wrong = kernelopt.compare(scale, edited("2.0f * x[i]", "2.5f * x[i]"), arrays())
    assert wrong.verification == "FAIL"


def test_importing_it_loads_nothing_heavy() -> None:
    line = (
        "import sys; before = set(sys.modules); import kernelopt; "
        "print(sorted({name.split('.')[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names)))"
    )
    done = subprocess.run((sys.executable, "-c", line), capture_output=True, text=True, check=True, env={**os.environ})
    assert done.stdout.strip() == "['kernelopt']"
    bare = (sys.executable, "-S", "-c", "import sys, kernelopt; print('typing' in sys.modules, 're' in sys.modules)")
    done = subprocess.run(bare, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.stdout.strip() == "False False"


SCRIPT = """
import asyncio
import numpy as np
import kernelopt

TEXT = "__global__ void one(float *out) { out[threadIdx.x] = 1; }"


async def main():
    kernel = kernelopt.compile(TEXT, grid=1, block=32, session=kernelopt.Session("cpu"))
    out = np.zeros(32, np.float32)
    kernel(out)
    print(out.sum())


asyncio.run(main())
"""


def test_a_script_inside_asyncio_ends_by_itself(tmp_path: object) -> None:
    done = subprocess.run((sys.executable, "-c", SCRIPT), capture_output=True, text=True, cwd=str(tmp_path), timeout=300, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "32.0\n", "")


PAIR = """\
__global__ void naive(float *out, float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.0f * x[i];
}
__device__ float doubled(float v) { return v + v; }
__global__ void quick(float *y, const float *in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) y[i] = doubled(in[i]);
}
__global__ void wrong(float *y, const float *in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) y[i] = doubled(in[i]) + 1.0f;
}
__global__ void of_ints(int *y, const float *in, int count) {}
template <int N> __global__ void of_many(float *y, const float *in, int count) {}
"""


@pytest.mark.thorough
def test_kernels_of_two_names_are_compared_as_one_in_the_others_place(session: kernelopt.Session) -> None:
    naive, quick, wrong = (kernelopt.compile(PAIR, name, grid=4, block=256, session=session) for name in ("naive", "quick", "wrong"))
    assert kernelopt.compare(naive, quick, arrays()).verification == "PASS"
    found = kernelopt.compare(naive, wrong, arrays())
    assert found.verification == "FAIL" and found.findings[0].expected == "0" and found.findings[0].actual == "1"


def test_a_kernel_of_another_name_that_cannot_take_the_place_is_refused(session: kernelopt.Session) -> None:
    naive = kernelopt.compile(PAIR, "naive", grid=4, block=256, session=session)
    for name, told in (("of_ints", "cannot be launched as"), ("of_many<4>", "cannot stand under the name of naive")):
        other = kernelopt.compile(PAIR, name, grid=4, block=256, session=session)
        with pytest.raises(kernelopt.KernelOptError, match=told):
            kernelopt.compare(naive, other, arrays())


def test_what_a_reference_did_not_say_is_a_note_of_the_check(session: kernelopt.Session) -> None:
    text = "__global__ void both(float *low, float *high, const float *x) { int i = threadIdx.x; low[i] = x[i] - 1; high[i] = x[i] + 9; }"
    both = kernelopt.compile(text, grid=1, block=32, session=session)
    arguments = (np.zeros(32, np.float32), np.zeros(32, np.float32), np.ones(32, np.float32))
    found = both.check(arguments, ref=lambda x: {"low": x - 1})
    assert found.ok
    assert found.notes == ("high was held against nothing: the reference <lambda> did not return it",)
    with pytest.warns(UserWarning, match="both: high was held against nothing"):
        kernelopt.testing.assert_kernel(both, arguments, ref=lambda x: {"low": x - 1})


@pytest.mark.parametrize(
    ("changed", "told"),
    first_of(
        [
            ({"flags": ["-DFACTOR=3.0f"]}, "compiled with other flags"),
            ({"flags": ["-DFACTOR=2.0f"], "grid": 1, "block": 32}, "launches both as the first is, grid .*; the second says grid"),
        ]
    ),
)
def test_what_a_comparison_would_leave_out_is_refused(session: kernelopt.Session, changed: dict[str, object], told: str) -> None:
    text = TEXT.replace("2.0f", "FACTOR")
    by = kernelopt.compile(text, "scale", grid=4, block=256, flags=["-DFACTOR=2.0f"], session=session)
    other = kernelopt.compile(text, "scale", session=session, **changed)  # type: ignore[arg-type]
    with pytest.raises(kernelopt.KernelOptError, match=told):
        kernelopt.compare(by, other, arrays())


def test_what_is_no_kernel_reference_or_list_of_arguments_is_named(kernel: Kernels, session: kernelopt.Session) -> None:
    scale = kernel("scale")[4, 256]
    with pytest.raises(kernelopt.KernelOptError, match="compare takes two kernels, got str"):
        kernelopt.compare(scale, TEXT, arrays())  # type: ignore[arg-type]
    with pytest.raises(kernelopt.KernelOptError, match="assert_kernel takes a kernel, got str"):
        kernelopt.testing.assert_kernel(TEXT, arrays())  # type: ignore[arg-type]
    with pytest.raises(kernelopt.KernelOptError, match="ref: expected a function, got ndarray"):
        scale.check(arrays(), ref=np.zeros(N))  # type: ignore[arg-type]
    with pytest.raises(kernelopt.KernelOptError, match="expected the arguments of scale together, got one ndarray"):
        scale.check(np.zeros(3))  # type: ignore[arg-type]
    with pytest.raises(kernelopt.KernelOptError, match="flags: expected a list of the compiler's options, got '-O2'"):
        kernelopt.compile(TEXT, "scale", flags="-O2", session=session)


def test_a_function_for_the_grid_may_have_numbers_of_its_own(kernel: Kernels) -> None:
    scale = kernel("scale")
    assert scale[lambda n, width=256: (n + width - 1) // width, 256].config({"n": 1000}).grid.x == 4


@pytest.mark.thorough
def test_what_a_kernel_leaves_in_variables_of_the_text_is_compared(session: kernelopt.Session) -> None:
    text = "__device__ int hits;\n__global__ void count(float *out, const float *x) { out[threadIdx.x] = *x; atomicAdd(&hits, 1); }"
    count = kernelopt.compile(text, grid=1, block=32, session=session)
    arguments = (np.zeros(32, np.float32), np.ones(32, np.float32))
    wrong = kernelopt.compare(count, kernelopt.compile(text.replace("&hits, 1", "&hits, 2"), session=session), arguments)
    assert wrong.verification == "FAIL"
    assert "hits[0]" in str(wrong) and "expected 32, got 64" in str(wrong)


def test_a_call_says_that_variables_hand_nothing_on(session: kernelopt.Session) -> None:
    text = "__device__ int kept;\n__global__ void set() { kept = 7; }\n__global__ void get(int *out) { out[0] = kept; }"
    put, get = (kernelopt.compile(text, name, grid=1, block=1, session=session) for name in ("set", "get"))
    with pytest.warns(UserWarning, match="set: kept is used by several kernels of the text") as said:
        put()
    assert said[0].filename == __file__
    out = np.ones(1, np.int32)
    with pytest.warns(UserWarning, match="get: kept"):
        get(out)
    assert out[0] == 0


def test_an_output_that_shares_its_memory_is_held_against_the_reference_alone(session: kernelopt.Session) -> None:
    text = "__global__ void first(float *out, const float *x, int n) { if (threadIdx.x == 0) out[0] = 2 * x[n - 1]; }"
    first, values = kernelopt.compile(text, grid=1, block=1, session=session), np.arange(9, dtype=np.float32)
    for begin in (0, 2):
        assert first.check((values[begin : begin + 1], values, 9), ref=lambda x: 2 * x[-1:]).ok
        wrong = first.check((values[begin : begin + 1], values, 9), ref=lambda x: 3 * x[-1:])
        assert "out[0] is 16, the reference has 24 (1 of 1 values differ)" in wrong.problems[0].message
