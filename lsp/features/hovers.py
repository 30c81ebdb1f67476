"""Hover: the whole table of a kernel or of a line, with method and device, the proposal's diff, and the line's machine code."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from assistant.editor.markdown import tamed
from assistant.editor.program_words import program_about
from assistant.editor.view import KernelView
from assistant.editor.words import kernel_table, line_table, proposal_text
from lsp.backend import Backend
from lsp.units import Unit, Units

__all__ = ["register"]


def register(server: LanguageServer, units: Units, backend: Backend) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        for unit, line in units.at(params.text_document.uri, params.position):
            text = _markdown(backend, unit, line)
            if text:
                content = types.MarkupContent(types.MarkupKind.Markdown, text)
                return types.Hover(content, unit.line_range(line))
        return None


def _markdown(backend: Backend, unit: Unit, line: int) -> str:
    backend.editor.look_at(unit.key)
    view = backend.editor.view(unit.key)
    tables = [_kernel(kernel) for kernel in view.kernels if kernel.line == line]
    if tables:
        about = program_about(view.programs)
        return "\n\n---\n\n".join([*tables, *([tamed(about).replace("\n", "\n\n")] if about else [])])
    counters = [item for item in view.lines if item.line == line]
    notes = [note for note in view.notes if note.line == line]
    return line_table(counters, notes, [item for item in view.code if item.line == line])


def _kernel(kernel: KernelView) -> str:
    proposal = "" if kernel.proposal is None else f"\n\n---\n\n{proposal_text(kernel.proposal)}"
    return kernel_table(kernel) + proposal
