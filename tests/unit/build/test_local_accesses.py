"""Accesses of local memory, counted from machine code, against Nsight Compute's counts of the same instructions."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from assistant.build.executions import executions
from assistant.build.grading import code_of
from assistant.build.local_accesses import local_accesses
from assistant.cuda.loops import source_loops
from assistant.model.source import Source
from benchmarks.counters_vs_h200 import load_account
from benchmarks.instructions_vs_ncu import DATA, TRUTH


def test_loads_and_stores_of_a_private_array_are_as_many_as_the_gpu_counts():
    name = "first/private_stack.cu"
    launches = [launch for launch in json.loads(gzip.decompress(TRUTH.read_bytes()))["launches"] if launch["program"] == name]
    account = load_account(DATA / "executed" / "accounts" / f"{name}.json.gz")
    seen = 0
    for profile, launch in zip(account.profiles, launches, strict=False):
        code = code_of(account.codes, profile.kernel)
        assert code is not None
        loops = source_loops(Source(Path(profile.executions[0].file), (DATA / "executed" / name).read_text("utf-8")))
        measured = sum(warps for opcode, warps in zip(launch["opcodes"], launch["warps"], strict=True) if opcode[:3] in ("LDL", "STL"))
        counted = local_accesses(code, executions(code, profile, loops))
        assert sum(access.requests for access in counted) == pytest.approx(measured, rel=0.1)
        assert all(access.op in ("local load", "local store") and access.line > 0 for access in counted)
        seen += measured
    assert seen > 0
