"""A line graded exact equals the hardware; what an optimiser changed is not graded exact."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest

from assistant.build.cfg import control_flow
from assistant.build.corrections import place_of
from assistant.build.grading import GradingInput, grade
from assistant.build.sites import machine_sites
from assistant.model.build import SassInstruction
from assistant.model.profile import Grade, LineAccess
from tests.thorough import first_of

Graded = Callable[[str], list[tuple[GradingInput, tuple[LineAccess, ...]]]]
Hardware = Callable[[str], dict[str, list[dict[str, Any]]]]


def compare(graded: Graded, launches: dict[str, list[dict[str, Any]]]) -> tuple[list[str], int, int, int]:
    """(exact lines that differ from the hardware, exact lines, lines equal to the hardware, all lines)."""
    wrong: list[str] = []
    exact_count = equal_count = line_count = 0
    for program in sorted(launches):
        for (_, accesses), launch in zip(graded(program), launches[program], strict=False):  # captured: the first 16
            lines = [a for a in accesses if not a.op.startswith("local")]
            exact = [a for a in lines if a.grade is Grade.EXACT]
            wrong += [f"{program}:{a.line} {a.op}" for a in exact if not is_confirmed(a, launch["lines"], accesses)]
            exact_count += len(exact)
            equal_count += sum(is_confirmed(a, launch["lines"], accesses) for a in lines)
            line_count += len(lines)
    return wrong, exact_count, equal_count, line_count


def is_confirmed(access: LineAccess, rows: list[dict[str, Any]], accesses: Iterable[LineAccess]) -> bool:
    """Nsight Compute books some atomics on a toolkit header: those are compared by kernel."""
    if any(row["line"] == access.line and row["op"] == access.op and measured(row) == counted(access) for row in rows):
        return True
    if not access.op.endswith("atomic"):
        return False
    if any(row["line"] == 0 and row["op"] == access.op and measured(row) == counted(access) for row in rows):
        return True
    of_hardware = [measured(row) for row in rows if row["op"] == access.op]
    of_emulator = [counted(a) for a in accesses if a.op == access.op]
    return total(of_hardware) == total(of_emulator)


def counted(access: LineAccess) -> tuple[int | None, int | None]:
    is_shared = access.op.startswith("shared")
    return (access.wavefronts, access.ideal_wavefronts) if is_shared else (access.sectors, access.ideal_sectors)


def measured(row: dict[str, Any]) -> tuple[int | None, int | None]:
    names = ("wavefronts", "ideal_wavefronts") if row["op"].startswith("shared") else ("sectors", "ideal_sectors")
    return row.get(names[0]), row.get(names[1])


def total(pairs: list[tuple[int | None, int | None]]) -> tuple[int, int]:
    return sum(a or 0 for a, _ in pairs), sum(b or 0 for _, b in pairs)


@pytest.mark.parametrize(
    ("truth", "least_exact_ratio", "least_equal_ratio"),
    [
        ("counters.json", 0.87, 0.975),
        ("examples.json", 0.95, 1.0),
        ("grade.json", 0.68, 0.9),
        ("wide.json", 0.84, 0.99),
        ("unseen.json", 0.86, 0.975),
        ("bytes.json", 0.83, 0.965),
    ],
)
def test_every_exact_line_equals_the_hardware(
    graded: Graded, hardware: Hardware, truth: str, least_exact_ratio: float, least_equal_ratio: float
) -> None:
    wrong, exact_count, equal_count, line_count = compare(graded, hardware(truth))
    assert wrong == []
    assert equal_count >= least_equal_ratio * line_count
    assert exact_count >= least_exact_ratio * line_count


def reason(graded: Graded, program: str, kernel: str, line: int, op: str) -> str:
    accesses = next(a for r, a in graded(program) if r.profile.kernel.split("(")[0].split("<")[0].split()[-1] == kernel)
    return next(a.grade_reason for a in accesses if (a.line, a.op) == (line, op))


@pytest.mark.parametrize(
    ("program", "kernel", "line", "op", "part_of_reason"),
    [
        ("grade_loops.cu", "quarter", 8, "global load", "unrolled"),
        ("grade_loops.cu", "hoisted", 24, "global load", "condition"),
        ("grade_loops.cu", "three_rows_restrict", 36, "global load", "how often"),
        ("grade_loops.cu", "rows_of_lengths", 112, "global load", ""),
        ("misc.cu", "half_guard", 74, "global load", "branches as one"),
        ("grade_branches.cu", "same_arms", 40, "global store", "branches as one"),
        ("more.cu", "alias_restrict", 28, "global store", "another line"),
        ("misc.cu", "divergent", 54, "global load", "different times"),
        ("grade_branches.cu", "switched", 71, "global load", "2 bytes"),
        ("grade_branches.cu", "atomics2", 182, "shared atomic", "compare-and-swap"),
        ("grade_branches.cu", "partial_shared", 92, "global store", "race"),
        ("grade_branches.cu", "helpers", 5, "global load", ""),
        ("smem_tiles.cu", "rows_in_shared", 71, "shared load", "places the variable"),
    ],
)
def test_what_an_optimiser_changed_is_estimated_with_its_reason(
    graded: Graded, program: str, kernel: str, line: int, op: str, part_of_reason: str
) -> None:
    found = reason(graded, program, kernel, line, op)
    assert found
    assert part_of_reason in found


@pytest.mark.parametrize(
    ("program", "kernel", "line", "op"),
    [
        ("saxpy.cu", "saxpy", 6, "global load"),
        ("matmul.cu", "mm_naive", 9, "global load"),
        ("matmul.cu", "mm_tiled", 23, "shared load"),
        ("matmul.cu", "mm_tiled", 24, "shared load"),
        ("grade_branches.cu", "small_struct", 122, "global load"),
        ("grade_branches.cu", "atomics2", 183, "shared atomic"),
        ("more.cu", "smem_shapes", 56, "shared load"),
        ("reduce.cu", "reduce_interleaved", 10, "shared load"),
        ("transpose_pad.cu", "tr", 11, "shared load"),
        ("grade_loops.cu", "nested", 83, "global load"),
        ("grade_loops.cu", "carried", 119, "global load"),
        ("grade_loops.cu", "hoisted", 22, "global load"),
        ("rot90_cycle.cu", "rotate_cw", 32, "global load"),
        ("rot90_cycle.cu", "rotate_ccw_textbook", 52, "global store"),
        ("base64.cu", "encode3to4", 16, "global load"),
    ],
)
def test_plain_unrolling_and_guards_stay_exact(graded: Graded, program: str, kernel: str, line: int, op: str) -> None:
    assert reason(graded, program, kernel, line, op) == ""


def test_a_sampled_launch_is_estimated(graded: Graded) -> None:
    request, _ = graded("saxpy.cu")[0]
    sampled = replace(request, profile=replace(request.profile, blocks_counted=1))
    assert {a.grade_reason for a in grade(sampled)} == {"not all blocks were counted"}


def test_without_a_compiler_nothing_is_exact(graded: Graded) -> None:
    request, accesses = graded("saxpy.cu")[0]
    assert {a.grade for a in accesses} == {Grade.EXACT}
    assert {a.grade for a in grade(replace(request, code=None))} == {Grade.ESTIMATED}


def test_without_an_account_of_single_accesses_nothing_is_exact(graded: Graded) -> None:
    request, _ = graded("saxpy.cu")[0]
    silent = replace(request, profile=replace(request.profile, sites=()))
    assert {a.grade for a in grade(silent)} == {Grade.ESTIMATED}


def test_one_access_more_in_the_machine_code_is_noticed(graded: Graded) -> None:
    request, _ = graded("saxpy.cu")[0]
    assert request.code is not None
    load = next(i for i in request.code.instructions if i.opcode == "LDG.E")
    twice = replace(request.code, instructions=tuple(sorted((*request.code.instructions, load), key=lambda i: i.offset_bytes)))
    found = grade(replace(request, code=twice))
    assert next(a.grade for a in found if a.op == "global load") is Grade.ESTIMATED


@pytest.mark.parametrize(
    "program",
    first_of(
        [
            "grade_loops.cu",
            "rot90_cycle.cu",
            "dot_double.cu",
            "more.cu",
            "stencil3d_25d.cu",
            "softmax_rows.cu",
            "transpose3.cu",
            "layernorm_vec4.cu",
            "conv1d_const.cu",
            "life_u8.cu",
        ],
        3,
    ),
)
@pytest.mark.parametrize("copies", [0, pytest.param(2, marks=pytest.mark.thorough)])
def test_no_line_stays_exact_when_one_of_its_accesses_is_left_out_or_repeated(graded: Graded, program: str, copies: int) -> None:
    for request, accesses in graded(program):
        assert request.code is not None
        for access in (a for a in accesses if a.grade is Grade.EXACT):
            place = (access.file, access.line, access.op)
            own = [s.instruction for s in machine_sites(request.code, control_flow(request.code)) if place == place_of(s.key)]
            for victim in (own[0], own[len(own) // 2], own[-1]):
                changed = replace(request.code, instructions=tuple(repeated(request.code.instructions, victim, copies)))
                found = {place_of_access(a): a.grade for a in grade(replace(request, code=changed))}
                assert found.get(place) is not Grade.EXACT, (request.profile.kernel, place, victim)


def repeated(instructions: Iterable[SassInstruction], victim: SassInstruction, copies: int) -> list[SassInstruction]:
    """``victim`` so many times; a NOP in its place for none, so that jumps still find their targets."""
    nothing = replace(victim, opcode="NOP", operands="", predicate="")
    return [i for each in instructions for i in ([each] if each is not victim else [each] * copies or [nothing])]


def place_of_access(access: LineAccess) -> tuple[str, int, str]:
    return access.file, access.line, access.op
