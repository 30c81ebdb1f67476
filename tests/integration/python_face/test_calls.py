"""Kernels that are called from Python: they run, print, and where they are wrong the call raises and changes nothing."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import kernelopt
from assistant.lab.gpus import NoGpu, usable_gpus
from kernelopt.sessions import default_session

Kernels = Callable[[str], kernelopt.Kernel]


def floats(count: int) -> np.ndarray:
    return np.arange(count, dtype=np.float32)


def test_a_call_changes_its_arrays(kernel: Kernels) -> None:
    scale, x = kernel("scale"), floats(1000)
    for launch in (scale[4, 256], scale[(4, 1), (256,)], scale[4, 256, 0]):
        out = np.zeros(1000, np.float32)
        launch(out, x, 1000)
        assert (out == 2 * x).all()
    out = np.zeros(1000, np.float32)
    scale(out, x, n=1000, grid=lambda n: (n + 255) // 256)
    assert (out == 2 * x).all()


def test_a_device_is_named_where_a_kernel_is_compiled(session: kernelopt.Session) -> None:
    text, x = "__global__ void k(int *out, const int *x) { *out = *x; }", np.array([3], np.int32)
    copy, out = kernelopt.compile(text, grid=1, block=1, device="cpu"), np.zeros(1, np.int32)
    copy(out, x)
    assert out[0] == 3
    assert default_session("cpu") is default_session("cpu") is not session
    with pytest.raises(kernelopt.KernelOptError, match="device='cpu' is given, and a session"):
        kernelopt.compile(text, device="cpu", session=session)
    with pytest.raises(kernelopt.KernelOptError, match="tpu"):
        kernelopt.compile(text, device="tpu")
    default_session("cpu").close()


def test_a_kernel_says_what_it_is(kernel: Kernels) -> None:
    scale = kernel("scale")
    assert (scale.name, scale.parameters, scale.path.name) == ("scale", ("out", "x", "n"), "kernelopt_scale.cu")
    assert repr(scale) == "<kernel scale(float*, float const*, int)>"
    assert "__global__ void scale" in scale.text


def test_resources_are_the_kernels_own(kernel: Kernels) -> None:
    """The compiler reports all kernels of the text."""
    shared = {name: kernel(name).resources for name in ("scale", "neighbours", "unset")}
    if None in shared.values():
        assert kernel("scale").registers is None  # no CUDA compiler is here
        return
    assert {name: found.static_shared_bytes for name, found in shared.items() if found} == {"scale": 0, "neighbours": 1024, "unset": 1024}
    assert [found.kernel.partition("(")[0] for found in shared.values() if found] == ["scale", "neighbours", "unset"]


def test_machine_code_and_occupancy_are_the_kernels_own(kernel: Kernels, session: kernelopt.Session) -> None:
    scale = kernel("scale")
    if scale.registers is None:
        assert (scale.sass, scale.ptx, scale.occupancy) == (None, None, None)  # no CUDA compiler is here
        return
    assert scale.ptx is not None and ".entry _Z5scalePfPKfi" in scale.ptx
    if scale.sass is not None:  # a disassembler is here
        assert any("FADD" in line and line.endswith("// line 6") for line in scale.sass.splitlines())
    full, half = scale.occupancy, scale[4, 32].occupancy
    assert full is not None and (full.ratio, full.limiter) == (1.0, "none")
    assert half is not None and (half.ratio, half.limiter) == (0.5, "blocks")
    of_arguments = kernelopt.compile(scale.text, "scale", grid=1, block=lambda n: n, session=session)
    with pytest.raises(kernelopt.KernelOptError, match="block: its function takes n"):
        _ = of_arguments.occupancy


def test_what_a_kernel_prints_is_printed(kernel: Kernels, capsys: pytest.CaptureFixture[str]) -> None:
    kernel("talking")(floats(256), floats(256), 7)
    assert capsys.readouterr().out == "n is 7\n"


def test_an_instance_of_a_template(session: kernelopt.Session) -> None:
    text = kernelopt.compile(
        "template <typename T> __global__ void copy(T *out, const T *x) { *out = *x; }", "copy<double>", session=session
    )
    out = np.zeros(1)
    text[1, 1](out, np.array([2.5]))
    assert (text.name, out[0]) == ("copy<double>", 2.5)


def test_types_that_the_text_gives_other_names_are_followed(session: kernelopt.Session) -> None:
    text = "typedef unsigned char u8;\n__global__ void invert(u8 *out, const u8 *x) { out[threadIdx.x] = 255 - x[threadIdx.x]; }"
    invert, x = kernelopt.compile(text, session=session)[1, 4], np.arange(4, dtype=np.uint8)
    with pytest.raises(kernelopt.BindingError, match="x: expected uint8"):
        invert(np.empty(4, np.uint8), x.astype(np.int32))
    assert invert.check((np.empty(4, np.uint8), x), ref=lambda x: 255 - x).ok


@pytest.mark.thorough
def test_a_library_that_the_emulator_does_not_run_is_named(session: kernelopt.Session) -> None:
    text = (
        "#include <cub/cub.cuh>\n__global__ void k(int *out, const int *x) {\n"
        "  __shared__ cub::WarpReduce<int>::TempStorage kept;\n  *out = cub::WarpReduce<int>(kept).Sum(*x);\n}"
    )
    kernel = kernelopt.compile(text, session=session)[1, 32]
    with pytest.raises(kernelopt.KernelFailed, match=r"k did not run: the emulator does not run CUB; line \d"):
        kernel(np.zeros(1, np.int32), np.ones(1, np.int32))
    for asked in (kernel.check, kernel.profile, partial(kernelopt.testing.assert_kernel, kernel)):
        with pytest.raises(kernelopt.JobFailed, match=r"^the emulator does not run CUB; line \d"):
            asked((np.zeros(1, np.int32), np.ones(1, np.int32)))


def test_a_file_is_compiled_where_it_lies(session: kernelopt.Session, tmp_path: Any) -> None:
    (tmp_path / "factor.h").write_text("#define FACTOR 3\n")
    (tmp_path / "k.cu").write_text('#include "factor.h"\n__global__ void k(int *out) { *out = FACTOR; }\n')
    out = np.zeros(1, np.int32)
    kernelopt.compile(tmp_path / "k.cu", session=session)[1, 1](out)
    kernelopt.compile(str(tmp_path / "k.cu"), session=session)[1, 1](out)
    assert out[0] == 3


FAULTS = {
    "beyond-the-end": ("scale", (10, 256), kernelopt.OutOfBounds, 6, (10, 0, 0), "out", "out, which has 10 elements: out[10]"),
    "read-beyond-the-end": ("shift", (256, 200, 256, 0), kernelopt.OutOfBounds, 11, (200, 0, 0), "x", "x, which has 200 elements: x[200]"),
    "before-the-beginning": ("shift", (256, 256, 256, -1), kernelopt.OutOfBounds, 11, (0, 0, 0), "x", "x, which has 256 elements: x[-1]"),
    "no-barrier": ("neighbours", (256, 256), kernelopt.Race, 17, None, None, "in tile"),
    "a-sum-of-all": ("sum_of_all", (256, 256), kernelopt.Race, 21, None, "out", "(at out[0])"),
    "no-atomic-in-and-between-warps": ("counted", (256, 256), kernelopt.Race, 69, None, None, "shared race: "),
    "never-written": ("unset", (256, 256), kernelopt.UninitialisedRead, 28, None, None, "nothing in this block has written"),
    "half-a-barrier": ("half_a_barrier", (256, 256, 100), kernelopt.BarrierDivergence, 32, (0, 0, 0), None, "only 100 of 256 threads"),
    "assertion": ("asserting", (256, 256), kernelopt.KernelFault, 37, None, None, "n < 100"),
    "wild-pointer": ("wild", (256, 256, 4096), kernelopt.OutOfBounds, 43, None, None, ""),
    "misaligned": ("misaligned", (600, 256), kernelopt.OutOfBounds, 47, None, "out", "not a multiple of 8"),
    "misaligned-in-some-threads": ("some_misaligned", (600, 256), kernelopt.OutOfBounds, 121, None, "out", "not a multiple of 4"),
    "beyond-a-shared-array": ("shared_beyond", (256, 256), kernelopt.OutOfBounds, 76, (128, 0, 0), None, "of the shared array tile"),
    "no-dynamic-shared-memory": ("dynamic_shared", (256, 256), kernelopt.OutOfBounds, 83, None, None, "the launch asked for 0 bytes"),
    "null-pointer": ("null_pointer", (256, 256), kernelopt.OutOfBounds, 90, None, None, "through a pointer to nothing"),
    "trap": ("trapped", (256, 256), kernelopt.KernelFault, 94, (3, 0, 0), None, "__trap()"),
    "half-a-warp-shuffles": ("half_a_warp", (256, 256), kernelopt.KernelFault, 100, (8, 0, 0), None, "lane 8 reads lane 16"),
    "writes-an-input-beyond-its-end": ("writes_const", (256, 256), kernelopt.OutOfBounds, 109, (255, 0, 0), "x", "x[256]"),
    "atomics-beyond-the-end": ("atomics", (256, 256), kernelopt.OutOfBounds, 113, (156, 0, 0), "out", "out[256]"),
    "vectors-beyond-the-end": ("fours", (256, 256), kernelopt.OutOfBounds, 117, (64, 0, 0), "out", "out[256]"),
    "division-by-zero": ("divided", (256, 256, 0), kernelopt.KernelFault, 51, None, None, ""),
}
OFTEN = ("beyond-the-end", "no-barrier", "never-written", "half-a-barrier", "null-pointer", "half-a-warp-shuffles")
"""One for each way of telling; the emulator's own tests have every kind."""


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=() if name in OFTEN else pytest.mark.thorough) for name, case in FAULTS.items()], ids=FAULTS
)
def test_a_kernel_that_goes_wrong_raises_and_changes_nothing(kernel: Kernels, case: Any) -> None:
    name, sizes, kind, line, thread, array, words = case
    dtype = np.int32 if name == "divided" else np.float32
    out, x = np.full(sizes[0], 7, dtype), np.ones(sizes[1], dtype)
    numbers = sizes[2:] or (256,)
    with pytest.raises(kernelopt.KernelFault) as raised:
        kernel(name)(out, x, *numbers)
    fault = raised.value
    assert isinstance(fault, kind), fault
    assert (fault.line, fault.array) == (line, array), fault
    assert thread in (None, fault.thread), fault
    assert words in str(fault)
    assert f"line {line}" in str(fault)
    assert (out == 7).all()


def test_blocks_that_write_the_same_place_race(kernel: Kernels) -> None:
    out = np.full(256, 7, np.float32)
    with pytest.raises(kernelopt.Race, match=r"out\[\d+\].*block \([01], 0, 0\), thread \(") as raised:
        kernel("of_every_block")[2, 256](out, floats(256), 256)
    assert raised.value.array == "out" and (out == 7).all()


def test_checks_are_left_out_where_they_are_not_wanted(kernel: Kernels) -> None:
    out = np.full(256, 7, np.float32)
    kernel("neighbours")(out, floats(256), 256, check=False)
    assert (out != 7).any()


MISUSES: dict[str, tuple[Callable[[kernelopt.Kernel, np.ndarray, np.ndarray], object], str]] = {
    "too-few-arguments": (lambda k, out, x: k(out, x), "missing argument n"),
    "too-many-arguments": (lambda k, out, x: k(out, x, 4, 5), "4 arguments given"),
    "unknown-name": (lambda k, out, x: k(out, x, count=4), "unknown argument count|missing argument n"),
    "given-twice": (lambda k, out, x: k(out, x, 4, n=4), "n is given twice"),
    "wrong-element-type": (lambda k, out, x: k(out, np.zeros(4), 4), "x: expected"),
    "integers-for-floats": (lambda k, out, x: k(out, np.zeros(4, np.int32), 4), "x: expected"),
    "list-for-an-array": (lambda k, out, x: k(out, [1.0, 2.0], 4), "x: expected an array"),
    "none-for-an-array": (lambda k, out, x: k(None, x, 4), "out: expected an array"),
    "empty-array": (lambda k, out, x: k(floats(0), x, 4), "out: expected at least one value"),
    "read-only-array": (lambda k, out, x: k(np.broadcast_to(np.float32(0), (4,)), x, 4), "out: expected"),
    "every-second-element": (lambda k, out, x: k(floats(8)[::2], x, 4), "out: expected"),
    "float-for-an-int": (lambda k, out, x: k(out, x, 4.5), "n: expected a whole number"),
    "array-for-a-number": (lambda k, out, x: k(out, x, x), "n: expected a number"),
    "word-for-a-number": (lambda k, out, x: k(out, x, "four"), "n: expected a number"),
    "number-that-does-not-fit": (lambda k, out, x: k(out, x, 2**40), "n: "),
    "no-blocks": (lambda k, out, x: k[0, 256](out, x, 4), "grid: expected one to three positive"),
    "negative-block": (lambda k, out, x: k[1, -1](out, x, 4), "block: expected one to three positive"),
    "too-many-threads": (lambda k, out, x: k[1, 2048](out, x, 4), "block: expected at most 1024 threads"),
    "four-dimensions": (lambda k, out, x: k[(1, 1, 1, 1), 256](out, x, 4), "grid: expected one to three"),
    "a-float-of-blocks": (lambda k, out, x: k[2.5, 256](out, x, 4), "grid: expected one to three"),
    "negative-shared-memory": (lambda k, out, x: k[1, 256, -8](out, x, 4), "shared: expected a number of bytes"),
    "grid-alone": (lambda k, out, x: k[4](out, x, 4), "expected kernel\\[grid, block\\]"),
    "function-of-another-argument": (lambda k, out, x: k(out, x, 4, grid=lambda rows: rows), "grid: its function takes rows"),
    "reference-of-other-arguments": (lambda k, out, x: k.check((out, x, 4), ref=lambda y: y), "its parameter y is not a parameter"),
    "too-many-to-check": (lambda k, out, x: k.check((out, x, 4, 5)), "takes 3 arguments, got 4"),
}


@pytest.mark.parametrize("case", MISUSES.values(), ids=MISUSES)
def test_a_wrong_call_is_refused_by_the_arguments_name_and_changes_nothing(kernel: Kernels, case: Any) -> None:
    call, message = case
    out, x = np.full(4, 7, np.float32), floats(4)
    with pytest.raises(kernelopt.KernelOptError, match=message) as raised:
        call(kernel("scale"), out, x)
    assert (out == 7).all() and (x == floats(4)).all()
    assert raised.value.remedy
    assert raised.value.__notes__ == [f"try: {raised.value.remedy}"], "a traceback shows it"


@pytest.mark.parametrize(
    ("source", "selector", "message"),
    [
        ("__global__ void a(int *p) {}\n__global__ void b(int *p) {}", None, "2 kernels; the text has a\\(int \\*\\), b\\(int \\*\\)"),
        ("__global__ void a(int *p) {}", "c", "no kernels that 'c' may mean"),
        ("int host; // no __global__ here", None, "holds no __global__ function"),
        ("template <int N> __global__ void a(int *p) {}", None, "a is a template over N"),
        ("gone.cu", None, "cannot read 'gone.cu': No such file or directory"),
        ("int host;\n", None, "^the text holds no __global__ function"),
        (" ", None, "^the text is empty"),
        (None, None, "takes a CUDA text or a path, got NoneType"),
    ],
    ids=["several", "none-of-that-name", "no-kernel", "no-instance", "no-file", "no-kernel-at-all", "empty", "nothing"],
)
def test_what_cannot_be_compiled_is_refused(session: kernelopt.Session, source: Any, selector: str | None, message: str) -> None:
    with pytest.raises(kernelopt.KernelOptError, match=message):
        kernelopt.compile(source, selector, session=session)


def test_the_compilers_errors_are_the_exceptions_message(session: kernelopt.Session) -> None:
    with pytest.raises(kernelopt.CompileError, match=r"line 2: error: .*undeclared_thing"):
        kernelopt.compile("__global__ void k(int *p)\n{ *p = undeclared_thing; }", session=session)


def test_what_a_kernel_prints_comes_in_the_order_of_its_threads(session: kernelopt.Session, capsys: pytest.CaptureFixture[str]) -> None:
    text = '#include <cstdio>\n__global__ void told(int *out) { printf("%d\\n", threadIdx.x); out[threadIdx.x] = 1; }'
    told, out = kernelopt.compile(text, grid=1, block=40, session=session), np.zeros(40, np.int32)
    for is_checked in (False, True):
        told(out, check=is_checked)
        assert [int(line) for line in capsys.readouterr().out.split()] == [*range(40)]
    assert (out == 1).all()


def test_a_pointer_that_the_kernel_tests_for_null_may_be_none(session: kernelopt.Session) -> None:
    text = (
        "__global__ void plus(float *out, const float *x, const float *bias) { int i = threadIdx.x; out[i] = x[i] + (bias ? bias[i] : 1); }"
    )
    plus, out = kernelopt.compile(text, grid=1, block=8, session=session), np.zeros(8, np.float32)
    plus(out, floats(8), None)
    assert (out == floats(8) + 1).all()
    plus(out, floats(8), bias=floats(8))
    assert (out == 2 * floats(8)).all()
    found = plus.check((out, floats(8), None), ref=lambda x, bias: x + 1 if bias is None else x + bias)
    assert found.ok and found.problems == ()
    with pytest.raises(kernelopt.BindingError, match=r"x: expected an array for `const float \*x`, got None"):
        plus(out, None, None)


def test_a_device_that_is_none_is_told_with_those_that_are() -> None:
    for device in ("tpu", 0):
        with pytest.raises(kernelopt.KernelOptError, match="a device is auto, cpu, gpu or gpu:N, not") as refused:
            kernelopt.compile("__global__ void k(int *x) { }", device=device)  # type: ignore[arg-type]
        assert "here it may be cpu (the emulator)" in refused.value.remedy
    with pytest.raises(kernelopt.KernelOptError, match="no target called 'h900'"):
        kernelopt.Session("cpu", target="h900")


@pytest.mark.skipif(not isinstance(usable_gpus(os.environ), NoGpu), reason="there is a GPU")
def test_what_is_refused_is_told_in_words_of_python(session: kernelopt.Session) -> None:
    with pytest.raises(kernelopt.KernelOptError, match='device="gpu:1": ') as refused:
        kernelopt.Session("gpu:1")
    assert 'or device="cpu": the emulator' in refused.value.remedy
    copy = kernelopt.compile("__global__ void k(int *out, const int *x) { *out = *x; }", grid=1, block=1, session=session)
    given = (np.zeros(1, np.int32), np.ones(1, np.int32))
    with pytest.raises(kernelopt.KernelOptError, match=r"^planner takes expert, llm, agent or auto, not 'gpt'"):
        copy.optimize(given, planner="gpt")
    with pytest.raises(kernelopt.KernelFault, match="227 KiB of shared memory") as fault:
        copy[1, 1, 300_000](*given)
    assert fault.value.remedy == "the arrays are as they were"
    with pytest.raises(kernelopt.CompileError, match=r"\nerror: Unknown option '-nonsense'|not recognised"):
        kernelopt.compile(copy.text, flags=["-nonsense"], session=session)
