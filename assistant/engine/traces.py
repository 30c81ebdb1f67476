"""What one run of a whole program told the host, as the program oracle compares it."""

from __future__ import annotations

from assistant.engine.passed import PassedMemory
from assistant.engine.subject import Subject
from assistant.ports import ProgramRun
from assistant.verify.program import HostData, ProgramTrace
from assistant.workload.recordings import RecordingReader

__all__ = ["trace_of"]


def trace_of(run: ProgramRun, original: Subject) -> ProgramTrace:
    """Exit status, standard output, transfers; ``original`` defines the structs and the kernels."""
    transfers: list[HostData] = []
    if run.recording is not None and run.recording_path is not None:
        reader, passed = RecordingReader(run.recording_path), PassedMemory(run.recording, original)
        transfers = [
            HostData(
                kind=item.kind,
                data=reader.blob(item.blob),
                element_type=passed.type_of(item),
                name=f"{item.kind} after launch {item.after_launch}",
                layout=passed.layout_of(item),
            )
            for item in run.recording.transfers
        ]
    return ProgramTrace(run.exit_status, run.stdout, tuple(transfers), run.output_truncated)
