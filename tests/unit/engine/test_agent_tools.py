"""What the tools of an agent answer: code with what was found on it, counters by line, what memory knows."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from assistant.cuda.parse import parse
from assistant.engine.evaluate.assessment import Assessment
from assistant.engine.search.agent_tools import inspected, profiled_lines, recalled
from assistant.model.build import Build, KernelResources
from assistant.model.source import Source


def test_lines_with_most_beyond_the_ideal_are_shown_in_the_order_of_the_text(assessed, access) -> None:
    rows = [access("global load", line, 32, 8 + 8 * (line % 3), ideal=8) for line in range(1, 60)]
    rows += [access("shared load", 60, 32, 64, ideal=32), access("global store", 61, 1, 500, ideal=500)]
    shown = profiled_lines(assessed(*reversed(rows))).splitlines()
    assert shown[0] == "one launch of grid (4, 1, 1), block (64, 1, 1), by emulator, sm_90 rules"
    assert shown[-1] == "line 60, shared load: 32 requests, 64 wavefronts (ideal 32), exact"
    numbers = [int(line.split(",")[0].removeprefix("line ")) for line in shown[1:]]
    assert numbers == sorted(numbers)
    assert set(numbers) >= {60, *range(2, 60, 3)} and 61 not in numbers
    assert "line 2, global load: 32 requests, 24 sectors (ideal 8), exact" in shown
    assert profiled_lines(()) == "nothing was counted"


def test_the_launch_that_takes_longest_is_shown(assessed, access) -> None:
    once, often = assessed(access("global load", 2, 7, 7))[0], assessed(access("global load", 2, 9, 9), count=3.0)[0]
    assert "9 requests" in profiled_lines((once, often)) and "9 requests" in profiled_lines((often, once))


def test_code_is_shown_with_its_lines_and_what_the_compiler_says(assessed) -> None:
    (item,) = assessed()
    resources = KernelResources("k(float*)", "_Z1k", "sm_90", 40, 4, 8, 0, 128, 0)
    lines, about = inspected("a\nb\n", (replace(item, resources=resources), item)).split("\n\n")
    assert lines == "1 | a\n2 | b"
    said = "k(float*): 40 registers, 128 bytes of static shared memory, 12 bytes spilled (ptxas, sm_90)"
    assert json.loads(about) == {"resources": [said], "findings": [], "evidence": []}


def test_of_a_long_text_what_stands_around_the_kernel_is_shown_and_what_is_left_out_is_said(assessed) -> None:
    (item,) = assessed()
    text = "\n".join(f"// {'x' * 40}" for _ in range(999))
    text = f"{text}\n__global__ void a(float *c)\n{{\n}}\n{text}"
    (kernel,) = parse(Source(Path("/k.cu"), text)).kernels
    shown, about = inspected(text, (replace(item, kernel=kernel),)).split("\n\n")
    lines = shown.splitlines()
    assert lines[0] == "[lines 1 to 931 are left out]" and lines[1].startswith("932 | ")
    last = int(lines[-2].split(" | ")[0])
    assert "1000 | __global__ void a(float *c)" in lines and lines[-1] == f"[lines {last + 1} to 2001 are left out]"
    assert 9_000 < len(shown) < 11_000 and json.loads(about)["findings"] == []


def test_nothing_is_known_of_a_technique_without_a_history() -> None:
    assert recalled((), None) == recalled((), "x") == "nothing is known"


def test_an_assessment_is_asked_for_one_kernel(assessed) -> None:
    (item,) = assessed()
    text = "__global__ void a(float *c)\n{\n}\n__global__ void z(float *c)\n{\n}\n"
    first, last = (replace(item, kernel=kernel) for kernel in parse(Source(Path("/k.cu"), text)).kernels)
    found = Assessment(Build("c", "sm_90", "", (), (), ()), None, (first, last))  # type: ignore[arg-type]  # what was counted is not asked
    assert [found.of(item.kernel) for item in (first, last)] == [(first,), (last,)]
