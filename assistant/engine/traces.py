"""What one run of a whole program told the host, as the program oracle compares it."""

from __future__ import annotations

from assistant.model.recording import Transfer
from assistant.model.structs import ElementLayout
from assistant.ports import ProgramRun
from assistant.source.struct_layouts import layout_named
from assistant.verify.program import HostData, ProgramTrace
from assistant.workload.recordings import RecordingReader

__all__ = ["trace_of"]


def trace_of(run: ProgramRun, text: str) -> ProgramTrace:
    """What the program told the host: exit status, standard output, transfers. ``text`` defines the original's structs."""
    transfers: list[HostData] = []
    if run.recording is not None and run.recording_path is not None:
        reader = RecordingReader(run.recording_path)
        transfers = [
            HostData(
                kind=item.kind,
                data=reader.blob(item.blob),
                element_type=item.element_type,
                name=f"{item.kind} after launch {item.after_launch}",
                layout=_layout_of(item, text),
            )
            for item in run.recording.transfers
        ]
    return ProgramTrace(run.exit_status, run.stdout, tuple(transfers), run.output_truncated)


def _layout_of(item: Transfer, text: str) -> ElementLayout | None:
    """Of structs, where the transfer begins with a whole one."""
    layout = layout_named(text, item.element_type)
    return layout if layout is not None and item.buffer_offset_bytes % layout.size_bytes == 0 else None
