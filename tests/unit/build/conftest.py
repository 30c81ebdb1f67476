"""Short listings instead of real disassembly, and the recorded accounts of whole programs."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.build.grading import GradingInput, code_of, grade
from assistant.build.sass import parse_sass
from assistant.cuda.loops import source_loops
from assistant.cuda.parse import parse
from assistant.model.build import KernelCode
from assistant.model.profile import Correction, LaunchProfile, LineAccess
from assistant.model.source import Source
from assistant.serialize import decode

DATA = Path(__file__).parents[2] / "data"
PROGRAMS = (DATA / "h200", DATA / "h200" / "examples", DATA / "h200" / "unseen", DATA / "h200" / "bytes")


@pytest.fixture
def listing() -> Callable[[str], KernelCode]:
    """``LINE  [LABEL:]  [@P] OPCODE OPERANDS`` per row → the kernel that nvdisasm would print so."""

    def build(rows: str) -> KernelCode:
        """The kernel of a listing; a row is a source line, an optional label and an instruction."""
        text = ["\t.target\tsm_90", ".text._Z1kv:"]
        for index, row in enumerate(row for row in rows.splitlines() if row.strip()):
            line, rest = row.split(None, 1)
            label, colon, instruction = rest.rpartition(": ")
            text += [f"{label}:"] if colon else []
            text += [f'\t//## File "/p/k.cu", line {line}', f"        /*{16 * index:04x}*/   {instruction} ;"]
        return parse_sass("\n".join(text), {}, ())[0]

    return build


@pytest.fixture
def graded() -> Callable[[str], list[tuple[GradingInput, tuple[LineAccess, ...]]]]:
    """A recorded program's launches in order, each with its graded lines."""

    def load(program: str) -> list[tuple[GradingInput, tuple[LineAccess, ...]]]:
        """The recorded launches of a program, graded."""
        account = json.loads(gzip.decompress((DATA / "build" / "accounts" / f"{program}.json.gz").read_bytes()))
        profiles: tuple[LaunchProfile, ...] = decode(tuple[LaunchProfile, ...], account["profiles"])
        codes: tuple[KernelCode, ...] = decode(tuple[KernelCode, ...], account["codes"])
        corrections: tuple[Correction, ...] = decode(tuple[Correction, ...], account["corrections"])
        path = next(folder / program for folder in PROGRAMS if (folder / program).exists())
        source = Source(Path(program), path.read_text())
        requests = [replace(_request(profile, codes, source), corrections=corrections) for profile in profiles]
        return [(request, grade(request)) for request in requests]

    return load


def _request(profile: LaunchProfile, codes: tuple[KernelCode, ...], source: Source) -> GradingInput:
    name = profile.kernel.split("(")[0].split("<")[0].split()[-1]
    kernel = next(k for k in parse(source).kernels if k.qualified_name == name)
    lines = (source.line_of(kernel.span.start), source.line_of(kernel.span.end))
    return GradingInput(profile, code_of(codes, profile.kernel), source_loops(source), lines)


@pytest.fixture
def hardware() -> Callable[[str], dict[str, list[dict[str, Any]]]]:
    """Nsight Compute's launches by program, in order."""

    def load(truth: str) -> dict[str, list[dict[str, Any]]]:
        found: dict[str, list[dict[str, Any]]] = {}
        for launch in json.loads((DATA / "h200" / truth).read_text())["launches"]:
            found.setdefault(launch["program"], []).append(launch)
        return found

    return load
