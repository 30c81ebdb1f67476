"""Rewrites that only a GPU can run are compiled for it here: what one architecture alone has, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.build.flags import DEFAULT_FLAGS
from assistant.cuda.edits import apply_edits
from assistant.cuda.parse import parse
from assistant.lab.cpu import CpuLab
from assistant.model.build import Build
from assistant.model.source import Source
from assistant.plan.llm.code.parts import Region
from assistant.plan.llm.code.region import RegionEdit, edit_of
from assistant.plan.llm.reading.answers import CODE
from assistant.plan.llm.reading.schemas import CodeReply
from assistant.ports.lab import Program
from tests.caches import link_kept_emulator
from tests.rewrites import Rewritten, rewritten
from tests.thorough import only

USED = {
    "wgmma": "HGMMA",
    "tma": "UTMALDG",
    "cp_async_ptx": "LDGSTS",
    "libcu_pipeline": "LDGSTS",
    "cluster": "UCGABAR",
    "cub_block_reduce": "REDUX",
}
"""An instruction that each has for its kind."""
OF_A_GPU = [case for case in rewritten() if case.name in USED]
"""CUTLASS, which two further ones need, is no dependency of ours: `python -m benchmarks.rewrites` compiles and judges those."""


@pytest.mark.parametrize("case", only([case for case in OF_A_GPU if case.name == "wgmma"], OF_A_GPU), ids=lambda case: case.name)
async def test_it_is_compiled_for_the_device_with_the_instructions_it_is_about(case: Rewritten, tmp_path: Path) -> None:
    before = parse(Source(tmp_path / "program.cu", case.text("program.cu")))
    kernel = next(kernel for kernel in before.kernels if kernel.name == case.kernel)
    reply = CODE.read(case.text("right.md"))
    assert isinstance(reply, CodeReply)
    made = edit_of(Region(before, kernel, may_edit_host=True), reply)
    assert isinstance(made, RegionEdit)
    text = apply_edits(before.source.text, made.edits)
    assert isinstance(text, str)
    (tmp_path / "program.cu").write_text(text, "utf-8")
    lab = CpuLab(tmp_path, link_kept_emulator(tmp_path / "cache"), "h200")
    try:
        built = await lab.build(Program((Source(tmp_path / "program.cu", text),), DEFAULT_FLAGS), "sm_90")
    finally:
        await lab.close()
    assert isinstance(built, Build), built
    opcodes = {instruction.opcode for code in built.code for instruction in code.instructions}
    assert any(opcode.startswith(USED[case.name]) for opcode in opcodes), sorted(opcodes)
