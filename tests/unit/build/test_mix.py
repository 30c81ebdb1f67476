"""Dynamic instruction mixes of recorded programs, and what the performance model makes of them."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.build.executions import executions
from assistant.build.grading import code_of
from assistant.build.mix import line_instructions
from assistant.cuda.loops import source_loops
from assistant.measure.model import predict
from assistant.measure.targets import target
from assistant.model.build import KernelCode, SassInstruction
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.profile import BlockExecution, InstructionMix, LaunchProfile, LineExecution, Method
from assistant.model.source import Source, SourceLoop
from assistant.serialize import decode

FOLDER = Path(__file__).parents[2] / "data/build/mix"
THREADS = 65536
STEPS = 256


@pytest.fixture(scope="module")
def profiles() -> dict[str, LaunchProfile]:
    """``arithmetic.cu`` by kernel, with mixes (recorded as ``benchmarks/counters_vs_h200.py --save`` does, nvcc 13.0, sm_90)."""
    return _recorded("arithmetic.cu")


def _recorded(name: str) -> dict[str, LaunchProfile]:
    account = json.loads(gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes()))
    codes = decode(tuple[KernelCode, ...], account["codes"])
    loops = source_loops(Source(Path(name), (FOLDER / name).read_text()))
    found: dict[str, LaunchProfile] = {}
    for profile in decode(tuple[LaunchProfile, ...], account["profiles"]):
        code = code_of(codes, profile.kernel)
        assert code is not None
        found[profile.kernel.split("(")[0]] = replace(
            profile, instructions=line_instructions(code, profile, executions(code, profile, loops))
        )
    return found


def mix_of(profile: LaunchProfile, line: int) -> InstructionMix:
    return next(item.mix for item in profile.instructions if item.line == line)


def test_a_fully_unrolled_chain_does_one_multiply_add_a_step(profiles: dict[str, LaunchProfile]) -> None:
    assert mix_of(profiles["chain"], 11).fp32 == THREADS * STEPS


def test_a_constant_moved_by_a_half_instruction_is_no_half_arithmetic(profiles: dict[str, LaunchProfile]) -> None:
    assert all(item.mix.half == 0 for profile in profiles.values() for item in profile.instructions)


def test_a_double_literal_costs_two_conversions_and_one_double_a_step(profiles: dict[str, LaunchProfile]) -> None:
    assert mix_of(profiles["chain_double"], 18).fp64 == THREADS * STEPS
    assert mix_of(profiles["chain_double"], 18).conversion == 2 * THREADS * STEPS


def test_a_loop_of_unknown_length_is_counted_once_an_iteration(profiles: dict[str, LaunchProfile]) -> None:
    assert mix_of(profiles["chain_n"], 25).fp32 == pytest.approx(203 * THREADS, rel=0.05)


def test_a_loop_that_is_not_counted_is_proved_by_its_accesses() -> None:
    """``for (; k <= n - 16; k += 16)`` around unrolled loops, its first loads in front of it: 256 multiply-adds a thread."""
    assert mix_of(_recorded("ahead.cu")["matmul"], 19).fp32 == pytest.approx(STEPS * THREADS, rel=0.05)


def test_the_slow_path_of_a_division_is_not_taken(profiles: dict[str, LaunchProfile]) -> None:
    assert mix_of(profiles["divide"], 5).fp32 == 6 * THREADS  # FCHK and five steps of Newton's iteration
    assert mix_of(profiles["divide"], 5).special == THREADS


def test_a_double_literal_in_a_float_chain_is_predicted_many_times_slower(profiles: dict[str, LaunchProfile]) -> None:
    """Measured on an H200: 14.2 times; the pipes alone are compared, this launch is too small to show it."""
    times = {name: predict(profiles[name], None, None, target("h200")) for name in ("chain", "chain_double")}
    float_time, double_time = times["chain"].term("fp32"), times["chain_double"].term("conversion")
    assert float_time is not None and double_time is not None
    assert double_time.time_s / float_time.time_s == pytest.approx(14.2, rel=0.2)


@pytest.mark.parametrize("function", ["div_rn_f64_full", "dsqrt_rn_f64_mediumpath_v1", "dblrcp_rn_slowpath_v3"])
def test_of_a_division_in_double_the_fast_path_alone_is_counted(function: str) -> None:
    """nvcc 13.0, sm_90: the fast path jumps over the call for operands of the common range."""
    name = f"$__internal_0_$__cuda_sm20_{function}"
    assert _mix_of_listing(name).fp64 == 2 * THREADS


def test_a_wide_integer_division_is_counted_with_its_function() -> None:
    assert _mix_of_listing("$__internal_0_$__cuda_sm20_div_s64").fp64 == 3 * THREADS


@pytest.mark.parametrize("copies", [4, 104, 650])
def test_a_loop_counts_its_source_iterations_however_far_it_is_unrolled(copies: int) -> None:
    """nvcc 13.0 unrolls a loop of 2600 iterations by 4 or by 104, as what stands in front of it is."""
    assert _mix_of_loop(copies, advance=copies).fp64 == 2600 * THREADS


def test_a_register_that_counts_bytes_is_not_taken_for_copies() -> None:
    assert _mix_of_loop(copies=1, advance=0x1000).fp64 == 2600 * THREADS


def _mix_of_loop(copies: int, advance: int) -> InstructionMix:
    """A loop of 2600 iterations, a multiply-add each; ``advance``: what one pass adds to the register that is tested."""
    parts = (
        *([("", "DFMA", "R8, R8, R6, R2")] * copies),
        ("", "IADD3", f"R4, R4, {advance:#x}, RZ"),
        ("", "ISETP.NE.AND", f"P0, PT, R4, {2600 // copies * advance:#x}, PT"),
        ("@P0", "BRA", "`(.L_x_1)"),
        ("", "EXIT", ""),
    )
    lines = (8,) * copies + (7, 7, 7, 9)
    listed = tuple(SassInstruction(16 * i, *part, "k.cu", line) for i, (part, line) in enumerate(zip(parts, lines, strict=True)))
    code = KernelCode("k()", "_Z1kv", "sm_90", listed, ((".L_x_1", 0),))
    loop = SourceLoop("k.cu", 7, 8, 7, step=1, shift=None, is_unroll_requested=False, has_jump=False)
    ran = tuple(LineExecution("k.cu", line, times * THREADS // 32, times * THREADS, 0) for line, times in ((8, 2600), (9, 1)))
    return _mix(code, ran, (loop,), line=8)


def _mix_of_listing(function: str) -> InstructionMix:
    """Two multiply-adds, a call that a branch may jump over, and one multiply-add in the function."""
    parts = (
        ("", "DFMA", "R8, -R2, R6, 1"),
        ("", "DFMA", "R8, R8, R8, R8"),
        ("@P0", "BRA", "`(.L_x_1)"),
        ("", "CALL.REL.NOINC", f"`({function})"),
        ("", "EXIT", ""),
        ("", "DFMA", "R10, -R6, R8, 1"),
        ("", "RET.REL.NODEC", "R2 `(k)"),
    )
    listed = tuple(SassInstruction(16 * i, *part, "k.cu", 7) for i, part in enumerate(parts))
    code = KernelCode("k()", "_Z1kv", "sm_90", listed, ((".L_x_1", 64), (function, 80)))
    return _mix(code, (LineExecution("k.cu", 7, THREADS // 32, THREADS, 0),), (), line=7)


def _blocks(ran: tuple[LineExecution, ...]) -> tuple[BlockExecution, ...]:
    """Each line a basic block of its own."""
    return tuple(
        BlockExecution(address, ((line.file, line.line),), line.warp_executions, line.thread_executions) for address, line in enumerate(ran)
    )


def _mix(code: KernelCode, ran: tuple[LineExecution, ...], loops: tuple[SourceLoop, ...], line: int) -> InstructionMix:
    config = LaunchConfig(Dim3(THREADS // 256), Dim3(256))
    profile = LaunchProfile(0, "k()", config, Method.EMULATOR, "", config.grid.count, (), ran, (), None, None, (), blocks=_blocks(ran))
    return mix_of(replace(profile, instructions=line_instructions(code, profile, executions(code, profile, loops))), line)
