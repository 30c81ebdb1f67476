"""Launches that a cell's Python made, as a workload of one kernel's text: what was recorded in the user's own process.

Every shape's first launch becomes a live case, its buffers cut to the tensors that were bound; what the launch left stands next to it, so
that a text that computes something else is found. Example::

    captured.instances_of(parsed, kernel)                          # ('scale(float*, float const*, int)',)
    workload_of(folder, captured, parsed, kernel).workload.cases
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from assistant.cuda.device_variables import device_variable_types
from assistant.cuda.match import kernel_of_instance
from assistant.errors import UsageError
from assistant.model.elements import ElementType, parse_element_type
from assistant.model.recording import RecordedBuffer, RecordedLaunch, Recording
from assistant.model.source import Kernel, ParsedSource
from assistant.model.workload import CaseOrigin, LiveCase, LiveReference, LiveWorkload
from assistant.record import Record
from assistant.workload.arrays import decode
from assistant.workload.derive import extract
from assistant.workload.narrow import Extent, narrowed
from assistant.workload.recordings import NewCase, RecordingReader, RecordingWriter, write_case
from assistant.workload.select import SelectedLaunch, select_launches
from assistant.workload.signature import Signature, signature_of

__all__ = ["CellCapture", "workload_of"]

_REFERENCE = "the recorded launch"
"""As a difference names it."""


class CellCapture(Record):
    """What one cell launched."""

    folder: Path
    """Folder of the recording."""
    recording: Recording
    extents: tuple[Extent, ...]
    """Extents of tensors and CuPy's arrays, where their allocator reports them."""
    device: str
    """For people: the GPU's name."""

    def instances_of(self, parsed: ParsedSource, kernel: Kernel) -> tuple[str, ...]:
        """Recorded functions that were made from the kernel, by their demangled names, in the order of their first launch."""
        launched = dict.fromkeys(launch.kernel for launch in self.recording.launches)
        return tuple(name for name in launched if kernel_of_instance(parsed, name) == kernel)


class CapturedCases(Record):
    workload: LiveWorkload
    signatures: tuple[Signature, ...]
    """Signatures of the instances, as the text declares them."""


def workload_of(folder: Path, captured: CellCapture, parsed: ParsedSource, kernel: Kernel) -> CapturedCases:
    """Written below ``folder``. Raises UsageError where the recording lacks what the kernel reads."""
    reader = RecordingReader(captured.folder)
    cases: list[LiveCase] = []
    signatures: list[Signature] = []
    for instance in captured.instances_of(parsed, kernel):
        signature = signature_of(kernel, instance)
        signatures.append(signature)
        for chosen in select_launches(reader.recording, instance, signature.parameters):
            launch = reader.recording.launches[_position(reader.recording, chosen.index)]
            _demand_fit(parsed, reader.recording, launch, signature)
            cases.append(_case(folder / str(len(cases)), captured, reader, launch, signature, chosen, parsed.source.text))
    return CapturedCases(LiveWorkload(tuple(cases), _REFERENCE), tuple(signatures))


def _case(
    folder: Path,
    captured: CellCapture,
    reader: RecordingReader,
    launch: RecordedLaunch,
    signature: Signature,
    chosen: SelectedLaunch,
    text: str,
) -> LiveCase:
    alone = _alone(reader.recording, launch, text)
    cut = narrowed(alone, reader.blob, captured.extents)
    blob = _blobs(cut.blobs, reader)
    recorded = cut.recording.launches[0]
    new = extract(cut.recording, blob, 0, signature.parameters, CaseOrigin("recorded", chosen.shape, 0, 1.0, chosen.weight))
    named = replace(new.recording, launches=tuple(replace(one, kernel=signature.symbol) for one in new.recording.launches))
    written = write_case(folder, replace(new, recording=named))
    references = tuple(_references(RecordingWriter(folder), replace(new, recording=named), recorded, signature, blob))
    return LiveCase(written.recording, chosen.shape, chosen.weight, 0, references)


def _alone(recording: Recording, launch: RecordedLaunch, text: str) -> Recording:
    """The one launch, without variables of its module that the text does not have."""

    def is_known(buffer: RecordedBuffer) -> bool:
        return buffer.symbol is None or re.search(rf"\b{re.escape(buffer.symbol.rpartition('::')[2])}\b", text) is not None

    reached = {state.buffer for state in launch.buffers}
    buffers = tuple(buffer for buffer in recording.buffers if buffer.id in reached and is_known(buffer))
    kept = {buffer.id for buffer in buffers}
    states = tuple(state for state in launch.buffers if state.buffer in kept)
    return Recording(buffers, (replace(launch, index=0, buffers=states),), (), ())


def _references(
    writer: RecordingWriter, case: NewCase, recorded: RecordedLaunch, signature: Signature, blob: Callable[[str], bytes]
) -> Iterator[LiveReference]:
    """What the launch left in each buffer that it changed and whose type is known."""
    elements = {buffer.id: parse_element_type(buffer.element_type or "") for buffer in case.recording.buffers}
    names = {
        argument.pointers[0].buffer: parameter.name
        for argument, parameter in zip(recorded.arguments, signature.parameters, strict=False)
        if argument.pointers and not parameter.is_const
    }
    for state in recorded.buffers:
        element = elements.get(state.buffer)
        if state.after is not None and state.after != state.before and element is not None and state.buffer in names:
            yield LiveReference(
                names[state.buffer], state.buffer, writer.add_blob(_comparable(blob(state.after), element)), is_recorded=True
            )


def _comparable(data: bytes, element: ElementType) -> bytes:
    return decode(data, element).astype(np.float64).tobytes() if element.is_floating else data


def _blobs(cut: dict[str, bytes], reader: RecordingReader) -> Callable[[str], bytes]:
    return lambda name: cut[name] if name in cut else reader.blob(name)


def _position(recording: Recording, index: int) -> int:
    return next(position for position, launch in enumerate(recording.launches) if launch.index == index)


def _demand_fit(parsed: ParsedSource, recording: Recording, launch: RecordedLaunch, signature: Signature) -> None:
    """Raises UsageError for a text that takes other arguments, or reads variables that were set before anything was recorded."""
    name = signature.instance
    if len(launch.arguments) != len(signature.parameters):
        message = (
            f"the recorded launch of {name} has {len(launch.arguments)} arguments, the cell's kernel takes {len(signature.parameters)}"
        )
        raise UsageError(message, "give the kernel the parameters that it was recorded with, or bind arrays with --args")
    reached = {state.buffer for state in launch.buffers}
    known = {buffer.symbol.rpartition("::")[2] for buffer in recording.buffers if buffer.symbol is not None and buffer.id in reached}
    lacking = [variable for variable in device_variable_types(parsed.source.text) if variable not in known]
    if lacking:
        message = f"{name}: the recording lacks the variable {lacking[0]}, as the kernel was loaded before the captured cell began"
        raise UsageError(message, "compile it and set its variables in the cell with --capture")
