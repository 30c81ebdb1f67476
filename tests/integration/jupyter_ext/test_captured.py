"""A recording of a cell's launches, as a GPU leaves it, taken up like bound arrays. Recording itself is tested in ``tests/gpu``."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from assistant.cuda.parse import parse
from assistant.errors import UsageError
from assistant.live.captured import CellCapture, workload_of
from assistant.live.sources import declined_reasons, known_texts, text_of
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import BufferState, PointerField, RecordedArgument, RecordedBuffer, RecordedLaunch, Recording, ShapeCount
from assistant.model.source import Source
from assistant.workload.narrow import Extent
from assistant.workload.recordings import RecordingReader, RecordingWriter
from jupyter_ext.capturing import CellRecorder, CellRecording, Subject
from jupyter_ext.cells import cell_of, same_cell
from jupyter_ext.opening import CellOpener, MagicLine
from jupyter_ext.workshop import Workshop

N, SEGMENT, BASE = 1000, 2 << 20, 0x7F00_0000_0000
OUT, X = 512, 8192
"""Where both tensors lie in PyTorch's segment."""
CONFIG = LaunchConfig(Dim3(4), Dim3(256), 0)
KERNEL = """__global__ void halve(float *out, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] * 0.5f;
}
"""
CELL = f'''%%kernelopt --capture
from pycuda.compiler import SourceModule
module = SourceModule("""
{KERNEL}""")
module.get_function("halve")(out, x, np.int32(1000), grid=(4, 1), block=(256, 1, 1))
'''


def captured(folder: Path, factor: float = 0.5, instance: str = "halve") -> CellCapture:
    """One launch of a kernel with C's linkage, as SourceModule compiles it, on two tensors of one segment."""
    before = np.zeros(SEGMENT // 4, np.float32)
    before[X // 4 : X // 4 + N] = np.linspace(-3, 3, N)
    after = before.copy()
    after[OUT // 4 : OUT // 4 + N] = before[X // 4 : X // 4 + N] * np.float32(factor)
    writer = RecordingWriter(folder)
    state = BufferState(0, writer.add_blob(before.tobytes()), writer.add_blob(after.tobytes()))
    pointers = [RecordedArgument(8, (BASE + at).to_bytes(8, "little").hex(), (PointerField(0, 0, at),)) for at in (OUT, X)]
    number = RecordedArgument(4, N.to_bytes(4, "little").hex(), ())
    ones = writer.add_blob(np.ones(1, np.float32).tobytes())
    launch = RecordedLaunch(3, instance, CONFIG, (*pointers, number), (state, BufferState(1, ones, ones)), "", 0)
    buffer, variable = RecordedBuffer(0, SEGMENT, BASE, None, "device"), RecordedBuffer(1, 4, 4096, "of_another_kernel", "constant")
    writer.write(Recording((buffer, variable), (launch,), (), (), shape_counts=(ShapeCount(instance, CONFIG, 5),)))
    extents = (Extent(BASE + OUT, 4 * N), Extent(BASE + X, 4 * N))
    return CellCapture(folder, RecordingReader(folder).recording, extents, "a GPU")


def recorded(folder: Path, code: str = CELL, earlier: tuple[str, ...] = ()) -> CellRecording:
    return CellRecording(captured(folder), known_texts(code, earlier, {}), ())


@pytest.fixture
def opening(workshop: Workshop) -> CellOpener:
    return CellOpener(workshop, {})


@pytest.fixture
def capturing(workshop: Workshop) -> CellRecorder:
    return CellRecorder(workshop, None)  # type: ignore[arg-type]  # nothing is run here, so no front end is asked


def test_the_string_that_was_launched_goes_on_and_is_edited_in_its_place(
    workshop: Workshop, opening: CellOpener, capturing: CellRecorder, tmp_path: Path
) -> None:
    taken = recorded(tmp_path / "recording")
    subject = capturing.subject(taken, None, CELL, tmp_path / "lab.ipynb", "a1")
    assert isinstance(subject, Subject) and subject.cell.path == tmp_path / "lab.ipynb.halve.cu" and subject.cell.id == "a1"
    opening.recorded(taken.captured)
    opened = opening.open(subject.cell, MagicLine(kernel=subject.selector, until="check"))
    assert opened.notes == ("halve is judged on the launches that were recorded on a GPU: n=1000",)
    assert opened.run.wait(120.0)
    assert opened.run.state.headline == "check: no problem found by what was checked", opened.run.state
    edited = same_cell(subject.cell, subject.cell.text.replace("0.5f", "0.25f"))
    assert edited.code == CELL.replace("0.5f", "0.25f")


@pytest.mark.parametrize(
    ("text", "instance", "chosen"),
    [
        (f"namespace {{\n{KERNEL}}}\n", "(anonymous namespace)::halve(float*, float const*, int)", "halve"),
        (f"enum Op {{ A, B }};\ntemplate <Op op>\n{KERNEL}", "halve<(Op)1>(float*, float const*, int)", "halve<(Op)1>"),
    ],
)
def test_a_kernel_whose_demangled_name_has_parentheses_goes_on(
    opening: CellOpener, capturing: CellRecorder, tmp_path: Path, text: str, instance: str, chosen: str
) -> None:
    code = CELL.replace(KERNEL, text)
    taken = CellRecording(captured(tmp_path / "recording", instance=instance), known_texts(code, (), {}), ())
    subject = capturing.subject(taken, None, code, tmp_path / "lab.ipynb", "a1")
    assert isinstance(subject, Subject) and subject.selector == chosen
    opening.recorded(taken.captured)
    run = opening.open(subject.cell, MagicLine(kernel=subject.selector, until="check")).run
    assert run.wait(120.0)
    assert run.state.headline == "check: no problem found by what was checked", run.state


def test_a_text_that_does_not_do_what_was_recorded_is_reported(workshop: Workshop, opening: CellOpener, tmp_path: Path) -> None:
    opening.recorded(captured(tmp_path / "recording"))
    cell = cell_of(f"%%kernelopt halve\n{KERNEL.replace('0.5f', '0.75f')}", tmp_path / "other.ipynb", None)
    run = opening.open(cell, MagicLine(kernel="halve", until="check")).run
    assert run.wait(120.0)
    problems = [problem.message for problem in workshop.picture(run).view.notes]
    assert any("the reference has" in told and "the recorded launch at n=1000" in told for told in problems), problems


def test_buffers_are_as_large_as_the_tensors(tmp_path: Path) -> None:
    parsed = parse(Source(tmp_path / "halve.cu", KERNEL))
    made = workload_of(tmp_path / "cases", captured(tmp_path / "recording"), parsed, parsed.kernels[0])
    (case,) = made.workload.cases
    recording = RecordingReader(case.recording).recording
    assert case.weight == 5.0
    assert [(buffer.size_bytes, buffer.element_type) for buffer in recording.buffers] == [(4 * N, "float"), (4 * N, "float")]
    assert [one.name for one in case.reference] == ["out"]


def test_a_kernel_with_other_parameters_is_refused(opening: CellOpener, tmp_path: Path) -> None:
    opening.recorded(captured(tmp_path / "recording"))
    cell = cell_of(f"%%kernelopt halve\n{KERNEL.replace(', int n', '').replace('i < n', 'true')}", tmp_path / "lab.ipynb", None)
    with pytest.raises(UsageError, match="the recorded launch of halve has 3 arguments, the cell's kernel takes 2"):
        opening.open(cell, MagicLine(kernel="halve", until="check"))


def test_variables_that_were_set_before_the_recording_are_missed(opening: CellOpener, tmp_path: Path) -> None:
    opening.recorded(captured(tmp_path / "recording"))
    cell = cell_of(f"%%kernelopt halve\n__constant__ float factor;\n{KERNEL.replace('0.5f', 'factor')}", tmp_path / "lab.ipynb", None)
    with pytest.raises(UsageError, match="the recording lacks the variable factor"):
        opening.open(cell, MagicLine(kernel="halve", until="check"))


def test_what_pytorch_built_an_extension_from_is_reported_without_the_parts_that_call_pytorch(tmp_path: Path) -> None:
    host = "torch::Tensor halve(torch::Tensor x) {\n  halve<<<4, 256>>>(out, x, 1000);\n  return x;\n}\n"
    (tmp_path / "cuda.cu").write_text(f"#include <torch/types.h>\n#include <cuda.h>\n{KERNEL}{host}")
    module = ModuleType("halves")
    module.__file__ = str(tmp_path / "halves.so")
    (text,) = known_texts("", (), {"extension": module})
    assert text.where == "the device part of what load_inline built halves from"
    assert text.text == f"#include <cuda.h>\n{KERNEL}"


def test_a_text_of_an_earlier_cell_is_found_and_one_that_cannot_be_read_is_reported(capturing: CellRecorder, tmp_path: Path) -> None:
    later = "%%kernelopt --capture\nmodule.get_function('halve')(out, x)"
    taken = recorded(tmp_path / "recording", later, (CELL,))
    subject = capturing.subject(taken, None, later, tmp_path / "lab.ipynb", "a2")
    assert isinstance(subject, Subject) and subject.cell.id is None and subject.cell.code.startswith("%%kernelopt halve\n")
    assert text_of(taken.texts, "blur(float*)") is None
    assert declined_reasons(later.replace("module", "SourceModule(source % 3)")) != ()
    with pytest.raises(UsageError, match="no launch of blur was recorded whose text is known"):
        capturing.subject(taken, "blur", later, tmp_path / "lab.ipynb", "a2")
