"""What compute-sanitizer printed on an H200 (2025.3.1) becomes problems with the kinds and places that the emulator's checks have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assistant.device.sanitizer.reading import Place, read_findings
from assistant.model.profile import Problem

PRINTED = (Path(__file__).parents[2] / "data" / "reports" / "compute-sanitizer.txt").read_text("utf-8")


def nowhere(function: str, offset_bytes: int) -> Place | None:
    return None


def found(tool: str) -> tuple[Problem, ...]:
    part = PRINTED.partition(f"### {tool}\n")[2].partition("### ")[0]
    return read_findings(part, tool, nowhere)


@pytest.mark.parametrize(
    ("tool", "kind", "line", "count"),
    [
        ("memcheck", "out_of_bounds", 4, 8),
        ("initcheck", "uninitialised_read", 12, 5),
        ("synccheck", "barrier_divergence", 15, 5),
        ("racecheck", "shared_race", 8, 256),
    ],
)
def test_each_tool_finds_its_defect_once_at_its_place(tool: str, kind: str, line: int, count: int) -> None:
    (problem,) = found(tool)
    assert (problem.kind, problem.file, problem.line, problem.count) == (kind, "buggy.cu", line, count)
    assert problem.message.endswith(f"(compute-sanitizer {tool})")


def test_a_race_has_two_places_and_an_overrun_its_thread_and_address() -> None:
    (race,), (overrun,) = found("racecheck"), found("memcheck")
    assert (race.other_file, race.other_line) == ("buggy.cu", 9)
    assert (overrun.block, overrun.thread, overrun.address) == ((1, 0, 0), (120, 0, 0), 0x7F03B88003E0)


def test_a_misaligned_access_is_no_access_out_of_bounds() -> None:
    (problem,) = found("memcheck, misaligned")
    assert problem.kind == "misaligned" and problem.line == 19


def test_an_arrival_that_is_not_waited_for_is_no_divergence() -> None:
    """The last stages of every `cuda::pipeline` release what is not acquired again."""
    text = PRINTED.partition("### synccheck\n")[2].partition("### ")[0]
    reported = re.sub(r"Barrier error detected\. [^\n]*", "Barrier error detected. Missing wait.", text)
    (problem,) = read_findings(reported, "synccheck", nowhere)
    assert (problem.kind, problem.line) == ("missing_wait", 15)


def test_the_compilers_own_line_goes_before_the_tools() -> None:
    text = PRINTED.partition("### initcheck\n")[2].partition("### ")[0]
    (problem,) = read_findings(text, "initcheck", lambda function, offset: ("/home/me/k.cu", offset))
    assert (problem.file, problem.line) == ("/home/me/k.cu", 0x60)
