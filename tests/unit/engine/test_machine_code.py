"""Machine code by the line that caused it, of the kernels in question."""

from __future__ import annotations

from pathlib import Path

from assistant.build.architectures import architecture
from assistant.build.flags import DEFAULT_FLAGS
from assistant.engine.job import Job
from assistant.engine.reading import read_version
from assistant.engine.report.machine_code import machine_code_events
from assistant.engine.request import JobRequest
from assistant.measure.targets import target
from assistant.model.build import Build, KernelCode, SassInstruction
from assistant.model.event_parts import MachineLine
from assistant.ports.lab import RunLimits
from tests.contracts.fake_lab import FakeLab

TEXT = "template <typename T> __global__ void k(T *x)\n{\n    x[0] = 1;\n}\n__global__ void other(float *x) { x[0] = 1; }\n"


def test_instructions_stand_at_their_lines_in_order(tmp_path: Path) -> None:
    file, limits = tmp_path / "a.cu", architecture("sm_90")
    file.write_text(TEXT)
    assert limits is not None
    job = Job("J", JobRequest(file, tmp_path, kernel="k"), FakeLab(tmp_path, {}), target("h200"), limits, tmp_path, (1, 2), RunLimits())
    instructions = (
        SassInstruction(0, "", "MOV", "R1, 1", str(file), 3),
        SassInstruction(16, "@P0", "EXIT", "", str(file), 2),
        SassInstruction(32, "", "STG.E", "[R2], R1", str(file), 3),
        SassInstruction(48, "", "BRA", "0x30", "", 0),
    )
    codes = tuple(KernelCode(name, "", "sm_90", instructions, ()) for name in ("void k<float>(float*)", "other(float*)", "gone(int)"))
    (told,) = machine_code_events(job, read_version(job.request, DEFAULT_FLAGS), Build("nvcc", "sm_90", DEFAULT_FLAGS, (), codes, ()))
    assert (told.job, told.kernel, told.instance, told.architecture) == ("J", "k(T *)", "void k<float>(float*)", "sm_90")
    assert told.lines == (MachineLine(str(file), 2, ("@P0 EXIT",)), MachineLine(str(file), 3, ("MOV R1, 1", "STG.E [R2], R1")))
