"""Runs of the whole program: of what types the memory is, and what was passed to the host, as ``verify.program`` compares it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from assistant.cuda.fixed_constants import fixed_constants
from assistant.cuda.match import kernel_of_instance
from assistant.cuda.struct_layouts import layout_named
from assistant.engine.source_version import SourceVersion
from assistant.model.recording import Transfer
from assistant.model.source import ParsedSource
from assistant.model.structs import ElementLayout
from assistant.ports.lab import ProgramRun
from assistant.verify.kernel_code import code_of, computes_in_float
from assistant.verify.tolerance import FLOAT_ROUNDOFF
from assistant.verify.transfers import SEEN_WHILE_WAITING, HostData, ProgramTrace
from assistant.workload.passed_types import typed
from assistant.workload.recordings import RecordingReader

__all__ = ["least_roundoff", "trace_of", "with_types"]


def with_types(run: ProgramRun, version: SourceVersion) -> ProgramRun:
    """The run with the types of memory that kernels reach through members of structs, and with the constants that its text fixes."""
    if run.recording is None:
        return run
    recording, fixed = typed(run.recording, partial(layout_named, version.struct_text)), fixed_constants(version.text)
    buffers = tuple(replace(b, is_fixed=(b.symbol or "").rpartition("::")[2] in fixed) for b in recording.buffers)
    return replace(run, recording=replace(recording, buffers=buffers))


def least_roundoff(original: ParsedSource, edited: frozenset[str], instances: Iterable[str] = ()) -> float:
    """``FLOAT_ROUNDOFF`` where one of the edited kernels (by key; none: any) computes in floats of 32 bits or less; else 0.

    ``instances``: demangled names of launched kernels, which name the types that templates are given.
    """
    kernels = [kernel for kernel in original.kernels if not edited or kernel.key in edited]
    texts = [code_of(original, kernel) for kernel in kernels]
    texts += [instance for instance in instances if kernel_of_instance(original, instance) in kernels]
    return FLOAT_ROUNDOFF if any(map(computes_in_float, texts)) else 0.0


def trace_of(run: ProgramRun, text: str, kinds: frozenset[str] | None = None) -> ProgramTrace:
    """Exit status, standard output, transfers of the given kinds (None: all). ``text`` defines the original's structs.

    Page-locked memory that no launch is passed shows nothing while the host waits: what it holds, copies brought there, which are reported
    as such, or the host itself did.
    """
    transfers: list[HostData] = []
    if run.recording is not None and run.recording_path is not None:
        page_locked = {buffer.id for buffer in run.recording.buffers if buffer.space == "host"}
        reached = {state.buffer for launch in run.recording.launches for state in launch.buffers}
        reader = RecordingReader(run.recording_path, run.recording)
        transfers = [
            HostData(
                kind=item.kind,
                data=reader.blob(item.blob),
                element_type=item.element_type,
                name=f"{item.kind} after launch {item.after_launch}",
                layout=_layout_of(item, text),
                buffer=item.buffer,
                is_page_locked=item.buffer in page_locked,
            )
            for item in run.recording.transfers
            if (kinds is None or item.kind in kinds) and not (item.buffer in page_locked - reached and item.kind in SEEN_WHILE_WAITING)
        ]
    return ProgramTrace(run.exit_status, run.stdout, tuple(transfers), run.output_truncated)


def _layout_of(item: Transfer, text: str) -> ElementLayout | None:
    """Layout of the structs, where the transfer begins with a whole one."""
    layout = layout_named(text, item.element_type)
    return layout if layout is not None and item.buffer_offset_bytes % layout.size_bytes == 0 else None
